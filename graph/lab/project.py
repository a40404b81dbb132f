"""What makes a folder of the lab a project as any other: graphs, their names, settings."""

from __future__ import annotations

import json

from .registry import AGENTS
from .workspace import Workspace, replace_file

SETTINGS = """\
# The settings of the demo; every key is optional.
db = "data/agent.db"
graphs = ["langgraph.json"]

[run]
recursion_limit = 500                  # super-steps of one run; a loop ends here and can go on

# The report agent asks in words of its own; this is how its answers look.
[answers."report:request_approval"]
approve = { approved = true }
edit = { approved = true, topic = "{arguments.topic}", preview = "{arguments.preview}" }
reject = { approved = false, why = "{reason}" }
explain = { explain = "{message}" }
"""

GRAPHS = '''\
"""The graphs of this folder, as any project has its own; `langgraph.json` names them."""

from pathlib import Path

from agent_lab_tui.graph.lab.registry import agent
from agent_lab_tui.graph.lab.workspace import Workspace

_LAB = Workspace(Path(__file__).resolve().parent)

'''


def is_project(lab: Workspace) -> bool:
    """Tell whether the folder's graphs are those of the lab; its tables may not have been made yet."""
    path = lab.root / "agents.py"
    return path.is_file() and "agent_lab_tui.graph.lab" in path.read_text("utf-8", "replace")


def complete_project(lab: Workspace) -> None:
    """Write the files of the project that are missing; what is there is left as it is."""
    lines = [f'{name} = agent("{name}").build(_LAB)\n' for name in AGENTS]
    graphs = {name: f"./agents.py:{name}" for name in AGENTS}
    project = {"dependencies": ["."], "graphs": graphs}
    files = {
        "agents.py": GRAPHS + "".join(lines),
        "langgraph.json": json.dumps(project, indent=2) + "\n",
        "agent-lab.toml": SETTINGS,
    }
    for name, text in files.items():
        if not (lab.root / name).exists():
            replace_file(lab.root / name, text)
