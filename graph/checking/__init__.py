"""What should be mended, in graphs, settings and databases, found without running anything."""
