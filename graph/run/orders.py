"""Turn decisions into what LangGraph is told."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.graph import START
from langgraph.runtime import RunControl

from agent_lab_tui.store.journal.book import Decision, Order

from ..questions import Refused
from ..reading.reader import Thread
from .engine import Engine, Ran
from .streaming import Telling
from .travel import fork


async def send(
    engine: Engine, decisions: Sequence[Decision], thread: Thread, control: RunControl, telling: Telling
) -> Ran:
    """Carry decisions out that belong into one run: answers of one head, or a single other order.

    Raises:
        Refused: The answer has a form that cannot reach its question, or the graph has lost the node.
    """
    order = decisions[0].order
    if order.kind in ("answer", "go-on", "ask-again"):
        _demand_nodes(engine, thread)
    try:
        if order.kind == "answer":
            return await _answer(engine, [decision.order for decision in decisions], thread, control, telling)
        return await _other(engine, order, thread, control, telling)
    except Refused:
        raise
    except Exception as error:  # noqa: BLE001 - LangGraph and the graph's own code decide what they raise
        return Ran(error)


def _demand_nodes(engine: Engine, thread: Thread) -> None:
    """Refuse a graph that does not know where its thread stands: LangGraph would silently do nothing."""
    lost = [node for node in thread.next if node not in engine.nodes and node != START]
    if lost:
        raise Refused(
            f"The graph has no node {', '.join(lost)}, before which the thread stands: its code has changed."
            f" Take the thread over with a fork: fork {thread.thread_id} head --as-node NODE --run."
        )


async def _answer(
    engine: Engine, orders: Sequence[Order], thread: Thread, control: RunControl, telling: Telling
) -> Ran:
    answers = {question: order.answers[question] for order in orders for question in order.questions}
    plain = {question.id for question in thread.questions if question.plain_only}
    loaded = {question: engine.load(blob) for question, blob in answers.items()}
    if not plain & answers.keys():
        return await engine.answer(loaded, control, telling)
    if len(thread.questions) > 1:
        raise Refused(
            "This question lies in a graph without checkpoints, which can be answered only while no other"
            " question of the thread waits: answer the others first."
        )
    return await engine.answer_plainly(next(iter(loaded.values())), control, telling)


async def _other(engine: Engine, order: Order, thread: Thread, control: RunControl, telling: Telling) -> Ran:
    options = order.options
    match order.kind:
        case "go-on":
            return await engine.go_on(control, telling)
        case "ask-again":
            return await engine.replay(thread.checkpoint_id, control, telling)
        case "replay":
            is_one_step = bool(options.get("one_step"))
            return await engine.replay(order.checkpoint_id, control, telling, is_one_step=is_one_step)
        case "skip":
            node = options.get("as_node")
            skipped = [node] if node else thread.next
            await engine.step_over(skipped)
            return Ran() if await engine.is_held(skipped) else await engine.go_on(control, telling)
        case "abandon" if options.get("close"):
            return Ran()  # a question that was left behind: the journal is all there is to it
        case "abandon":
            is_ended = await engine.abandon({"abandoned_by": order.by, "abandoned_because": order.note})
            return Ran() if is_ended else Ran(RuntimeError("the thread does not come to an end"))
        case _:
            return await fork(engine, order, control, telling)
