"""Do a thing to the outside world once, or ask: the ledger's side of the gate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from langgraph.errors import GraphBubbleUp, GraphInterrupt

from agent_lab_tui.store.effects import Effect, Effects

from .unknown import Question, place_here

Result = TypeVar("Result")


class NotDone(Exception):
    """Raise it from `run` when the thing is known not to have been done: it may be tried again unasked."""


class Stopped(Exception):
    """The operator said that a thing whose end is unknown must not be done again."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What `verify` found out about a thing that was begun."""

    state: Literal["done", "not done", "unknown"]
    text: str = ""
    result: Any = None


def done(result: Any = None, text: str = "") -> Evidence:
    """Say that the outside world shows the thing as done; `result` is what `run` would have returned."""
    return Evidence("done", text, result)


def not_done(text: str = "") -> Evidence:
    """Say that the outside world shows that it was not done: it will be done now."""
    return Evidence("not done", text)


def unknown(text: str) -> Evidence:
    """Say that it cannot be told: the operator is asked."""
    return Evidence("unknown", text)


def once(
    key: str,
    operation: str,
    arguments: Mapping[str, Any],
    run: Callable[[], Result],
    verify: Callable[[], Evidence] | None = None,
    *,
    ledger: Effects | Path | str,
) -> Result:
    """Do a thing that must not be done twice, or return what it returned when it was done.

    Started without an end (a crash, an error that may have come too late): `verify` asks the outside world;
    what it cannot tell becomes a question to the operator. Call it in a fixed order, as `interrupt` itself.

    Args:
        key: The same at every retry, another for every deed: `run:step:call`; never random, never a time.
        operation: What is done; with `arguments` the deed that the key stands for.
        arguments: What it is done with; the ledger keeps their hash.
        run: Does it; its result must survive JSON, and is returned as JSON keeps it.
        verify: Tells whether it was done: `done(result)`, `not_done()` or `unknown("why")`.
        ledger: The SQLite file in which the record is kept.

    Raises:
        Conflict: The key stands for another operation or other arguments; nothing is done.
        Busy: A live process is doing it right now.
        Stopped: The operator said not to do it again.
        UnknownOutcome: It cannot be told, and the call is not inside a graph where one could ask.
    """
    steps = _steps(_ledger(ledger), key, operation, arguments, run, verify)
    try:
        call = next(steps)
        while True:
            try:
                value = call()
            except BaseException as error:  # noqa: BLE001 - every way out of a deed has to be recorded
                call = steps.throw(error)
            else:
                call = steps.send(value)
    except StopIteration as end:
        return cast(Result, end.value)


async def aonce(
    key: str,
    operation: str,
    arguments: Mapping[str, Any],
    run: Callable[[], Awaitable[Result]],
    verify: Callable[[], Awaitable[Evidence]] | None = None,
    *,
    ledger: Effects | Path | str,
) -> Result:
    """Do the same as `once` in an async node: `run` and `verify` are awaited."""
    steps = _steps(_ledger(ledger), key, operation, arguments, run, verify)
    try:
        call = next(steps)
        while True:
            try:
                value = await call()
            except BaseException as error:  # noqa: BLE001 - every way out of a deed has to be recorded
                call = steps.throw(error)
            else:
                call = steps.send(value)
    except StopIteration as end:
        return cast(Result, end.value)


def _ledger(ledger: Effects | Path | str) -> Effects:
    return ledger if isinstance(ledger, Effects) else Effects(ledger)


Steps = Generator[Callable[[], Any], Any, Any]
"""Yields what the caller has to call, gets the result or the error, returns the result of the whole."""


def _steps(
    effects: Effects,
    key: str,
    operation: str,
    arguments: Mapping[str, Any],
    run: Callable[[], Any],
    verify: Callable[[], Any] | None,
) -> Steps:
    """Settle what is unknown first, question by question, then do it or return what it returned.

    LangGraph matches answers to questions by their order in the task. So a question that was ever asked in
    this task is asked again at its place, even when the effect was settled meanwhile; else its stored answer
    would be taken for that of the next question, and approve what nobody saw.
    """
    place, number = place_here(), 0
    while True:
        effect = effects.look(key, operation, arguments)
        if effect is not None and effect.state == "unknown":
            effect = yield from _verified(effects, effect, verify)
        question = Question(effects, effect, place, number + 1, arguments)
        if not question.is_due:
            begun = effects.begin(key, operation, arguments)
            break
        number += 1
        verdict = question.ask()
        if verdict is None or effect is None:
            continue
        if verdict.kind == "reject":
            raise Stopped(
                f"{operation} ({key}) is not done again: {verdict.text or 'the operator said stop'}"
            )
        if verdict.kind == "respond":
            effects.finish(effect, verdict.text, "taken as done by the operator")
            continue
        begun = effects.begin_again(effect)
        if begun.is_ours:
            break
    return (yield from _attempt(effects, begun.effect, run)) if begun.is_ours else begun.effect.result


def _attempt(effects: Effects, effect: Effect, run: Callable[[], Any]) -> Steps:
    try:
        result = yield run
    except NotDone as error:
        effects.clear(effect, f"known not to have been done: {error}")
        raise
    except GraphInterrupt:
        effects.clear(effect, "stopped to ask a person before it was done")
        raise
    except BaseException as error:
        # Also sys.exit and Ctrl+C: it may have been done before, and the ledger must say so.
        effects.doubt(effect, f"It ended with {type(error).__name__}: {error}")
        raise
    return effects.finish(effect, result).result


def _verified(
    effects: Effects, effect: Effect, verify: Callable[[], Any] | None
) -> Generator[Callable[[], Any], Any, Effect]:
    """Ask the outside world; record what it can tell, note what it cannot."""
    if verify is None:
        return effect
    try:
        evidence: Evidence = yield verify
    except GraphBubbleUp:
        raise
    except Exception as error:  # noqa: BLE001 - whatever kept it from telling, the operator reads it and decides
        evidence = unknown(f"It could not be looked up: {type(error).__name__}: {error}")
    if evidence.state == "done":
        return effects.finish(effect, evidence.result, evidence.text or "found done when looked up")
    if evidence.state == "not done":
        return effects.clear(effect, evidence.text or "found not done when looked up")
    first = (effect.note or "").partition(_LOOKED)[0]
    return effects.doubt(effect, f"{first}{_LOOKED}{evidence.text}")


_LOOKED = " Looked up: "
