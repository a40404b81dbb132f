"""What workers bring: one message with one frozen value each. Only handlers touch the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agent_lab_tui.graph.checking.ailments import Ailment
    from agent_lab_tui.graph.hosting.events import Event
    from agent_lab_tui.graph.hosting.facts import GraphFacts
    from agent_lab_tui.graph.lab.registry import Finding
    from agent_lab_tui.graph.lab.standing import Standing
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.graph.travelling.comparing import Comparison
    from agent_lab_tui.graph.travelling.past import Opened as OpenedCheckpoint
    from agent_lab_tui.graph.travelling.timeline import Timeline
    from agent_lab_tui.store.journal.book import Decision

    from .drafts import Item
    from .paper.request import Sends
    from .threads import Threads


@dataclass
class ThreadsRead(Message):
    """Threads were read: the first page, all of them, or those that changed."""

    threads: Threads
    is_all: bool | None
    """Every thread is among them; None where only some were read again."""
    arrived: frozenset[str] = frozenset()
    """Threads with a question that they did not have before."""
    changed: frozenset[str] = frozenset()
    """Threads that were read again."""


@dataclass
class ThreadRead(Message):
    """One thread was read, with the answer that a yes to each of its questions would send."""

    thread: Thread
    sends: Mapping[str, Sends]
    is_opened: bool
    """The operator went to it; otherwise it is the shown one, read again."""


@dataclass
class ThreadLost(Message):
    """A thread could not be read."""

    thread_id: str
    sentence: str


@dataclass
class Trouble(Message):
    """The database cannot be read just now; an empty sentence says that it can again."""

    sentence: str


@dataclass
class Unsettled(Message):
    """It was looked for decisions of which nobody saw the end."""

    thread_ids: tuple[str, ...]
    """The thread of each, oldest first."""


@dataclass
class GraphsLoaded(Message):
    """The hosts said what they know of their graphs."""

    facts: tuple[GraphFacts, ...]
    sentence: str = ""
    """Why they said nothing at all."""


@dataclass
class Failed(Message):
    """Something that was asked for could not be done."""

    sentence: str
    """What was not done, and why; raw foreign text."""


@dataclass
class PastUnread(Message):
    """A thread's past could not be read just now."""

    thread_id: str
    sentence: str


@dataclass
class Recorded(Message):
    """A decision stands in the journal."""

    decision: Decision
    items: tuple[Item, ...]
    """What was decided by it."""


@dataclass
class NotRecorded(Message):
    """A decision was not taken; nothing was sent."""

    thread_id: str
    sentence: str
    is_stale: bool
    """The thread has moved on or another decided: look again."""
    items: tuple[Item, ...] = ()


@dataclass
class DecidedBefore(Message):
    """An earlier decision about the same was carried out, failed, or its end is not known."""

    thread_id: str
    sentence: str
    order: Callable[[bool], Decision]
    items: tuple[Item, ...] = ()


@dataclass
class Unsent(Message):
    """A decision stands in the journal, and what was to carry it out could not, or ended on the way."""

    decision: Decision
    sentence: str


@dataclass
class Withdrawn(Message):
    """A decision was taken back, or it was too late for that."""

    decision: Decision
    is_taken_back: bool


@dataclass
class Told(Message):
    """The desk told of a run: progress, outcome, or the death of a host."""

    event: Event


@dataclass
class LogRead(Message):
    """What the graphs printed."""

    text: str


@dataclass
class PastRead(Message):
    """A thread's checkpoints were read, as far as they are shown."""

    timeline: Timeline
    at: str | None = None
    """The checkpoint to go to; None stays where the cursor is."""


@dataclass
class Compared(Message):
    """Two checkpoints were compared, or cannot be."""

    thread_id: str
    comparison: Comparison | None
    sentence: str = ""


@dataclass
class Opened(Message):
    """A checkpoint was read with its state."""

    opened: OpenedCheckpoint
    is_inside: bool = False
    """The subgraph that ran in its step is wanted, not its state."""


@dataclass
class LabRead(Message):
    """The lab's task of a thread was read."""

    thread_id: str
    standing: Standing | None
    """None where the thread belongs to no task."""
    sentence: str = ""
    """Why it cannot be read; raw foreign text."""


@dataclass
class LabReconciled(Message):
    """The tasks of the lab were held against their threads and files."""

    findings: tuple[Finding, ...]


@dataclass
class Examined(Message):
    """The doctor has looked."""

    ailments: tuple[Ailment, ...]
    sentence: str = ""
    """Why it could not look; raw foreign text."""
    known: frozenset[str] = frozenset()
    """The threads it speaks of that are in the database: these can be opened."""


@dataclass
class Repaired(Message):
    """The doctor has written down what it announced."""

    done: tuple[Ailment, ...]
    sentence: str = ""
    """Why it could not; raw foreign text."""


@dataclass
class LabelsRead(Message):
    """What some threads are labelled with was read."""

    labels: Mapping[str, str]
    """By the id of a head, its labels as `threads.label_text` writes them."""
