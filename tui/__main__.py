"""`python -m agent_lab_tui.tui` is the same as `agent-lab-tui`."""

from .cli import main

main()
