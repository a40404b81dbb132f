"""What a yes sets going: the nodes that run next and again, the open tool calls, and how grave it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent_lab_tui.store.values import to_json

from ..questions import Choice, Operation, Question, Risk, Value
from ..settings.file import Rule, Settings
from .messages import ToolCall, last_turn

if TYPE_CHECKING:
    from ..hosting.facts import GraphFacts

_END, _START = "__end__", "__start__"
_ARGUMENT = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class NextNode:
    """A node that runs once the asking one is done."""

    name: str
    """As the graph draws it, subgraphs as `node:inner`; "end" for the end."""
    is_certain: bool
    """False where a condition chooses."""


@dataclass(frozen=True, slots=True)
class Impact:
    """The computed part of a question's impact; nothing of it comes from the agent's own words."""

    next_nodes: tuple[NextNode, ...] = ()
    from_top: tuple[str, ...] = ()
    """Asking nodes whose code before the question runs again."""
    also_again: tuple[str, ...] = ()
    """Nodes of the same step that are not answered now and run again up to their own question."""
    open_calls: tuple[ToolCall, ...] = ()
    """Tool calls of the model's last message without a result."""
    unasked_calls: tuple[ToolCall, ...] = ()
    """Those of them that nobody is asked about."""
    ledger: tuple[str, ...] = ()
    """What the effects ledger says, a sentence each."""
    is_graph_known: bool = False
    """False where no graph is loaded, and nothing can be said of what runs next."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Say it in lines for a person; raw foreign names in them."""
        found = [_then(self.next_nodes)] if self.next_nodes else []
        if not self.is_graph_known:
            found.append("What runs next is not known: no graph is loaded for this thread.")
        if self.from_top:
            found.append(f"Runs again from its top: {', '.join(self.from_top)}.")
        if self.also_again:
            found.append(f"Also runs again, up to its own question: {', '.join(self.also_again)}.")
        if self.unasked_calls:
            names = ", ".join(call.name for call in self.unasked_calls)
            found.append(f"Open tool calls that nobody is asked about: {names}.")
        return (*found, *self.ledger)


def computed(
    answering: Sequence[Question],
    *,
    waiting: Sequence[Question] = (),
    standing: Sequence[str] = (),
    facts: GraphFacts | None = None,
    messages: Value = None,
    ledger: Sequence[str] = (),
) -> Impact:
    """Compute what follows from answering some questions of a thread, or from going on without one.

    Args:
        answering: The questions that get their answer now; none for going on.
        waiting: All questions of the thread that wait.
        standing: The nodes before which the thread stands; of use where nothing is asked.
        facts: The graph of the thread, where it is loaded.
        messages: The raw `messages` channel.
        ledger: What is known of the effects behind it, a sentence each.
    """
    asked_here = {question.id for question in answering}
    others = [question for question in waiting if question.id not in asked_here]
    turn = last_turn(messages)
    open_calls = turn.open_calls if turn else ()
    asked_calls = _asked_calls((*answering, *others), open_calls)
    if answering:
        again = again_from_top(answering, facts)
        following = runs_next([question.path for question in answering], facts)
    else:
        again = ()
        following = tuple(NextNode(name, True) for name in dict.fromkeys(standing))
    return Impact(
        next_nodes=following,
        from_top=again,
        also_again=_unique(question.path[0] if question.path else question.node for question in others),
        open_calls=open_calls,
        unasked_calls=tuple(call for call in open_calls if call not in asked_calls),
        ledger=tuple(ledger),
        is_graph_known=facts is not None and not facts.error,
    )


def runs_next(paths: Iterable[Sequence[str]], facts: GraphFacts | None) -> tuple[NextNode, ...]:
    """Return the nodes behind those at some paths (names from the root graph down), in the graph's order."""
    if facts is None:
        return ()
    found: dict[str, bool] = {}
    for path in paths:
        source = _drawn(path, facts)
        for start, target, is_conditional in facts.edges:
            if start == source and target != _START:
                name = "end" if target == _END else target
                found[name] = found.get(name, False) or not is_conditional
    return tuple(NextNode(name, is_certain) for name, is_certain in found.items())


def again_from_top(questions: Iterable[Question], facts: GraphFacts | None) -> tuple[str, ...]:
    """Return the nodes whose code before the question runs again when the answer comes.

    LangGraph starts the asking node anew, and each function around it that calls the subgraph it lies in. A
    subgraph that the drawing does not know is called by a node function, and one without checkpoints keeps
    nothing: both start anew with the node around them.
    """
    names = []
    for question in questions:
        path = question.path or (question.node,)
        is_drawn = facts is not None and _is_known(":".join(path), facts)
        if len(path) > 1 and not question.plain_only and (facts is None or is_drawn):
            names += [" > ".join(outer) for outer in _calling(path, facts)]
            names.append(" > ".join(path))
        elif len(path) > 1:
            names.append(f"{path[0]} with all in it")
        else:
            names.append(path[0])
    return _unique(names)


def finish(operations: Sequence[Operation], settings: Settings) -> tuple[Operation, ...]:
    """Apply the operator's rules to the operations of a question; to be done once.

    The rule's risk wins over the request's; of the impact both are kept where they differ. Where no reason
    was given the risk is one step higher, whoever named it.
    """
    return tuple(_finished(operation, settings.rule_for(operation.name)) for operation in operations)


def as_edited(operation: Operation, choice: Choice, settings: Settings) -> Operation:
    """Return the operation that an edit of a finished one would run, under the rule of its own name.

    Risk never falls by an edit; a typed confirmation asks for the new value.
    """
    if choice.kind != "edit":
        return operation
    name = choice.name or operation.name
    edited = replace(operation, name=name, arguments=choice.arguments)
    if name == operation.name:
        return edited
    rule = settings.rule_for(name)
    risk = rule.risk if rule and rule.risk else operation.risk
    return replace(
        edited,
        impact=_filled(rule.impact, choice.arguments) if rule and rule.impact else None,
        impact_source="rule" if rule and rule.impact else "none",
        rule_impact=None,
        risk=max(risk, operation.risk, key=lambda one: one.rank),
        confirm=(rule.confirm if rule else "") or operation.confirm,
        locked=rule.locked if rule else (),
        schema=None,
    )


def _finished(operation: Operation, rule: Rule | None) -> Operation:
    risk = rule.risk if rule and rule.risk else operation.risk
    if operation.reason is None:
        risk = list(Risk)[min(risk.rank + 1, Risk.CRITICAL.rank)]
    if rule is None:
        return replace(operation, risk=risk)
    said = _filled(rule.impact, operation.arguments) if rule.impact else None
    if said and operation.impact is None:
        operation = replace(operation, impact=said, impact_source="rule")
    elif said and said != operation.impact:
        operation = replace(operation, rule_impact=said)
    return replace(operation, risk=risk, confirm=rule.confirm, locked=rule.locked)


def _filled(template: str, arguments: Value) -> str:
    """Put arguments into a rule's impact; a name that is no argument stays as it is written."""
    shown = to_json(arguments)
    fields = shown if isinstance(shown, dict) else {}
    return _ARGUMENT.sub(lambda match: str(fields.get(match[1], match[0])), template)


def _asked_calls(questions: Iterable[Question], calls: Sequence[ToolCall]) -> list[ToolCall]:
    ids = {operation.tool_call_id for question in questions for operation in question.operations}
    return [call for call in calls if call.id is not None and call.id in ids]


def _drawn(path: Sequence[str], facts: GraphFacts) -> str:
    """Return the name that the drawing gives a node: the whole path, else the part of it that it knows."""
    for length in range(len(path), 0, -1):
        name = ":".join(path[:length])
        if _is_known(name, facts):
            return name
    return path[0] if path else ""


def _calling(path: Sequence[str], facts: GraphFacts | None) -> list[Sequence[str]]:
    """Return the nodes around a path whose own function runs again, from the outside in."""
    calling = facts.calling if facts is not None else ()
    return [path[:depth] for depth in range(1, len(path)) if ":".join(path[:depth]) in calling]


def _is_known(name: str, facts: GraphFacts) -> bool:
    return any(name in (start, target) for start, target, _ in facts.edges)


def _then(nodes: Sequence[NextNode]) -> str:
    """Write what runs next: `Then: write, maybe end.`"""
    certain = [node.name for node in nodes if node.is_certain]
    maybe = [node.name for node in nodes if not node.is_certain]
    if not certain and len(maybe) > 1:
        return f"Then: {' or '.join(maybe)}."
    return f"Then: {', '.join([*certain, *(f'maybe {name}' for name in maybe)])}."


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
