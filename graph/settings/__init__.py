"""What agent-lab.toml and langgraph.json say."""
