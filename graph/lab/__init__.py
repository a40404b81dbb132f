"""Durable agents: the demo, the test bed and the pattern for authors."""
