"""What can be done by running a graph: reading, deciding, travelling. No SQL, no screen."""
