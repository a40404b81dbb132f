"""The journal of decisions, its chain, and the leases beside it."""
