"""Ways of asking: one module each, one registry in order of precision."""
