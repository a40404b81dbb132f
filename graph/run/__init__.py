"""The only place that loads and runs graphs; a process of its own."""
