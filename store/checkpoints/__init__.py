"""Rows of a checkpoint file: threads, checkpoints, pending writes, what changed."""
