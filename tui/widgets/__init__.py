"""Widgets: each shows state and posts what the user wants."""
