"""The tables of the example agents."""
