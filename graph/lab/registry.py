"""The agents of the lab: what each has to offer, and where it is found.

An agent is one object with the methods of `Agent`; it is imported when it is first asked for, so that
`lab status` of one does not load the others.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

if TYPE_CHECKING:
    from pathlib import Path

    from langgraph.pregel import Pregel

    from .workspace import Workspace

AGENTS: Mapping[str, str] = {
    "analysis": "analysis_agent:AGENT",
    "report": "report_agent:AGENT",
    "builder": "builder.agent:AGENT",
    "outbox": "outbox_agent:AGENT",
    "patch": "patch_agent:AGENT",
}
"""By name, the module of this folder and the attribute in it."""


class LabRefused(Exception):
    """What was asked of the lab cannot be done; the message says what to do instead."""


class LabUsage(LabRefused):
    """It was asked in a way that nobody can follow: a wrong name, a folder that is no lab."""


class NoSuchTask(LabRefused):
    """There is no task of that id."""


Remedy = Literal["record completion", "run the safe step again", "begin", "hand to a human"]
HUMAN: Remedy = "hand to a human"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that has to hold, with what was seen."""

    name: str
    is_ok: bool
    evidence: str


@dataclass(frozen=True, slots=True)
class Start:
    """What a new task is to be."""

    task_id: str
    thread_id: str
    options: Mapping[str, str] = field(default_factory=dict)
    """What `lab start` was given as `--set NAME=VALUE`; an agent refuses names it does not know."""
    max_steps: int | None = None
    """None: the agent's own limit."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """How the run of a new task starts."""

    input: Mapping[str, Any]
    """The graph's input."""
    configurable: Mapping[str, Any] = field(default_factory=dict)
    """What the run configuration holds beside the thread id."""
    recursion_limit: int | None = None
    """None: LangGraph's own."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a task stands by its own records; where its thread stands is added by whoever reads checkpoints."""

    task_id: str
    thread_id: str
    agent: str
    status: str
    """The word of the agent's own table."""
    checks: tuple[Check, ...] = ()
    """The proofs of completion; accepted only when all hold."""
    steps: tuple[Mapping[str, Any], ...] = ()
    effects: tuple[Mapping[str, Any], ...] = ()
    files: tuple[str, ...] = ()
    result: Any = None
    error: str | None = None
    created_at: str | None = None
    """UTC, ISO 8601, seconds, Z; None where the agent keeps no row."""
    updated_at: str | None = None
    """When the row changed last, in the same form."""
    expected: tuple[str, ...] = ()
    """Files that must be there by what its records say."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What only this agent has: budgets, plans."""

    @property
    def is_accepted(self) -> bool:
        """Whether every proof of completion holds."""
        return bool(self.checks) and all(check.is_ok for check in self.checks)


@dataclass(frozen=True, slots=True)
class Finding:
    """Two of a task's truths that do not agree, and the one remedy."""

    task_id: str
    thread_id: str
    finding: str
    evidence: str
    remedy: Remedy
    way: str = ""
    """What to type or to do about it; an agent leaves it to whoever reads all of the lab."""


class Agent(Protocol):
    """What the lab knows of one of its agents."""

    name: str
    """As `lab start` takes it, and as `langgraph.json` and `agents.py` name its graph."""
    about: str
    """One line for `lab start --help` and the demo."""
    settings: Mapping[str, str]
    """What `lab start` takes as `--set NAME=VALUE`: by name, what it is, in a few words."""
    does_resume_approve: bool
    """Whether `lab resume` is the operator's own go-on for a waiting task; else it says how to answer."""

    def build(self, lab: Workspace) -> Pregel[Any, Any, Any, Any]:
        """Return the compiled graph, without a saver; whoever runs it attaches one."""

    def begin(self, lab: Workspace, start: Start) -> Beginning:
        """Make the rows of a new task and return how its run starts; nothing runs yet.

        Raises:
            LabRefused: It cannot start (the id is taken, input is missing); nothing was written.
        """

    def again(self, lab: Workspace, task_id: str) -> Beginning:
        """Return how the run of a task starts whose process died before the first checkpoint."""

    def tasks(self, lab: Workspace) -> Sequence[str]:
        """Return the ids of its tasks, oldest first."""

    def task_on(self, lab: Workspace, thread_id: str) -> str | None:
        """Return the id of its task on a thread; None where the thread is none of its own."""

    def status(self, lab: Workspace, task_id: str) -> Status:
        """Return how one of its tasks stands, by rows, ledger and files alone."""

    def folder(self, lab: Workspace, task_id: str) -> Path:
        """Return the folder of what a task made and works in; `lab clean` empties it by order."""

    def findings(self, lab: Workspace, task_id: str, situation: str | None) -> Sequence[Finding]:
        """Return what does not agree; `situation` is that of its thread, None when there is no thread."""

    def record_completion(self, lab: Workspace, task_id: str) -> None:
        """Write down that a task is completed whose artefact was found whole."""

    def forget(self, lab: Workspace, task_id: str) -> None:
        """Delete the rows of a task; its files, effects and decisions stay. For clean-up by order alone.

        Raises:
            LabRefused: It keeps no rows.
        """

    def before_resume(self, lab: Workspace, task_id: str) -> Sequence[Check]:
        """Check, in order, what must hold before a task is carried on; the first that fails stops it."""


def refuse_unknown(agent: Agent, start: Start) -> None:
    """Refuse a setting that an agent does not have.

    Raises:
        LabUsage: It names what the agent has.
    """
    if unknown := sorted(set(start.options) - set(agent.settings)):
        known = f"it has {', '.join(agent.settings)}" if agent.settings else "it has none"
        raise LabUsage(f"The agent {agent.name} has no setting {unknown[0]!r}; {known}.")


def agent(name: str) -> Agent:
    """Return an agent by name.

    Raises:
        LabUsage: There is none of that name.
    """
    if name not in AGENTS:
        raise LabUsage(f"There is no agent {name!r}; there are {', '.join(AGENTS)}.")
    module, _, attribute = AGENTS[name].partition(":")
    return cast(Agent, getattr(importlib.import_module(f".{module}", __package__), attribute))


def agents() -> tuple[Agent, ...]:
    """Return every agent of the lab."""
    return tuple(agent(name) for name in AGENTS)


def agent_of(lab: Workspace, task_id: str) -> Agent:
    """Return the agent to which a task belongs.

    Raises:
        NoSuchTask: No agent knows a task of that id.
    """
    for candidate in agents():
        if task_id in candidate.tasks(lab):
            return candidate
    name = task_id or "without a name"
    raise NoSuchTask(f"There is no task {name} in {lab.root}: `agent-lab-tui lab status` lists them.")
