"""What a fork is to change, and which question it would pass by unasked (pure)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from agent_lab_tui.store.values import Json, from_json

from ..deciding.said import as_kept
from ..questions import Question, Refused, Risk, Value
from .diff import Difference
from .timeline import Checkpoint

Edge = tuple[str, str, bool]


class NeedsNode(Refused):
    """Several nodes ran last: it has to be said from which of `nodes` the edit is taken to come."""

    def __init__(self, sentence: str, nodes: Sequence[str]) -> None:
        super().__init__(sentence)
        self.nodes = tuple(nodes)


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A fork as the operator asks for it."""

    checkpoint_id: str
    replace: Mapping[str, Json] = field(default_factory=dict)
    """Values, as `to_json` shows them, that take the place of what is there, past a reducer."""
    append: Mapping[str, Json] = field(default_factory=dict)
    """Values that go through their channel's reducer, as a node's would."""
    as_node: str | None = None
    """The node that the edit is taken to come from; None for the one that wrote last."""
    into: str | None = None
    """The id of a new thread; None forks the thread itself, and the fork becomes its head."""
    is_run: bool = False
    """Run on from the fork at once."""

    @property
    def has_edit(self) -> bool:
        """Whether a checkpoint is to be written, not only copied."""
        return bool(self.replace or self.append or self.as_node)


@dataclass(frozen=True, slots=True)
class PassedBy:
    """A node that would have asked a person, and is taken as run instead."""

    node: str
    question: Question | None = None
    """What it asked at this checkpoint; None when it asks elsewhere, or stops at a breakpoint."""

    @property
    def risk(self) -> Risk:
        """The gravest risk of what it asked for; medium when that is not known."""
        risks = [operation.risk for operation in self.question.operations] if self.question else []
        return max(risks, key=lambda risk: risk.rank, default=Risk.MEDIUM)


@dataclass(frozen=True)
class ForkPlan:
    """A fork with everything that is to be known of it before it is made."""

    request: ForkRequest
    checkpoint: Checkpoint
    blobs: Mapping[str, bytes]
    """`set` and `append` as they will be sent, msgpack."""
    next: tuple[str, ...]
    """The nodes that stand next after it, before anything runs."""
    differences: tuple[Difference, ...]
    """What it changes in the state."""
    passed_by: tuple[PassedBy, ...] = ()
    """With any of these the fork is an approval."""
    asked_again: tuple[str, ...] = ()
    """Nodes that have got their answer in this step and lose it."""
    dropped: tuple[str, ...] = ()
    """Other nodes of the step: they do not run, or lose what they have stored."""
    is_fresh: bool = True
    """For a new thread: leave out what already happened in the checkpoint's own step."""

    @property
    def confirmation(self) -> str:
        """The sentence that confirms an approval; empty when the fork approves nothing."""
        nodes = dict.fromkeys(passed.node for passed in self.passed_by)
        return f"approve {', '.join(nodes)} unasked" if nodes else ""

    @property
    def risk(self) -> Risk | None:
        """The gravest risk of what it passes by; None when it passes nothing by."""
        return max((passed.risk for passed in self.passed_by), key=lambda risk: risk.rank, default=None)


def edited(values: Value, request: ForkRequest, channels: Collection[str] = ()) -> dict[str, bytes]:
    """Turn the edit of a request into values to send; what reads as before keeps its stored form.

    Args:
        values: The raw state of the checkpoint.
        request: What is to be changed.
        channels: The keys of the graph's state, where they are known.

    Raises:
        Refused: A key is unknown, set and appended at once, or a value cannot be rebuilt in its type.
    """
    if not isinstance(values, dict):
        raise Refused("The state of this graph is one value without keys: it cannot be edited by key.")
    known = set(channels) or set(values)
    for name in (*request.replace, *request.append):
        if name not in known:
            raise Refused(_unknown(name, known))
    if both := request.replace.keys() & request.append.keys():
        raise Refused(f"{', '.join(sorted(both))} cannot be set and appended to at once.")
    blobs = {}
    for kind, given in (("set", request.replace), ("append", request.append)):
        if given:
            blobs[kind] = as_kept(
                {name: _rebuilt(name, value, values, kind) for name, value in given.items()}
            )
    return blobs


def _rebuilt(name: str, value: Json, values: Mapping[str, Value], kind: str) -> Value:
    if kind == "append" or name not in values:
        return value
    try:
        return from_json(value, values[name])
    except ValueError as error:
        raise Refused(f"{name}: {error}") from error


def _unknown(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, sorted(known), 1)
    meant = f" Did you mean {close[0]}?" if close else ""
    return (
        f"{name} is no key of the state, which has {', '.join(sorted(known)) or 'none'}.{meant}"
        " LangGraph would drop it in silence; nothing was written."
    )


def passed_by(
    checkpoint: Checkpoint,
    questions: Iterable[Question],
    after: Sequence[str],
    as_node: str | None,
    asking: Collection[str],
    edges: Iterable[Edge] = (),
) -> tuple[PassedBy, ...]:
    """Return the nodes that ask a person and that an edit takes as run, with what they asked here.

    Args:
        checkpoint: The one that is forked, with its next nodes.
        questions: Those recorded on it, answered or not.
        after: The next nodes once the edit is made.
        as_node: The node that the edit is taken to come from, where one is named.
        asking: Nodes known to ask, or to stop at a breakpoint, anywhere in the thread.
        edges: The graph's, to find what lies between where the thread stands and where the edit puts it.
    """
    left = set(checkpoint.next or ()) - set(after)
    if as_node is not None:
        left |= {as_node} | _between(set(checkpoint.next or ()), set(after), edges)
    here = [question for question in questions if (question.path or (question.node,))[0] in left]
    named = {(question.path or (question.node,))[0] for question in here}
    return (
        *(PassedBy((question.path or (question.node,))[0], question) for question in here),
        *(PassedBy(node) for node in sorted(left & set(asking) - named)),
    )


def _between(start: set[str], end: set[str], edges: Iterable[Edge]) -> set[str]:
    """Return the nodes on the ways from where a thread stands to where an edit puts it."""
    forward: dict[str, set[str]] = {}
    backward: dict[str, set[str]] = {}
    for source, target, _ in edges:
        forward.setdefault(source, set()).add(target)
        backward.setdefault(target, set()).add(source)
    return _reached(start, forward, end) & _reached(end or {"__end__"}, backward, set()) - end


def _reached(start: set[str], steps: Mapping[str, set[str]], stop: set[str]) -> set[str]:
    found: set[str] = set()
    open_nodes = set(start)
    while open_nodes:
        node = open_nodes.pop()
        found.add(node)
        if node not in stop:
            open_nodes |= steps.get(node, set()) - found
    return found


def asked_again(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the nodes of a step that is not over whose answers a fork or a replay of it drops."""
    answered = [question.node for question in checkpoint.questions or () if question.is_answered]
    return tuple(sorted(answered)) if checkpoint.waits else ()


def dropped(checkpoint: Checkpoint, after: Collection[str], as_node: str | None) -> tuple[str, ...]:
    """Return the nodes of a step that are lost when an edit is taken to come from another node of it."""
    step = checkpoint.next or ()
    if as_node not in step:
        return ()
    return tuple(sorted(set(step) - {as_node} - set(after)))
