"""Screens: the desk and its dialogs."""
