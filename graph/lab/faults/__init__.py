"""The fault table: every agent of the lab, killed at every place it passes, and what came of it."""
