"""What the doctor sees of threads and decisions: what nobody saw end, what is stuck, what was left behind."""

from __future__ import annotations

from collections.abc import Iterator

from agent_lab_tui.store.cipher import REMEDY

from ..deciding.settling import Offer, Settlement, Settling
from ..deciding.telling import sealed_words
from ..desk import Desk
from ..reading.situation import Situation
from ..reading.threads import NotFound, Thread
from .ailments import Ailment, command

THREADS = 100
"""The newest threads that are looked into one by one."""

_LOOKED_INTO = (Situation.WAITING, Situation.DECIDED, Situation.FOREIGN)


def unsettled(desk: Desk) -> Iterator[Settlement]:
    """Give every decision without outcome with what its evidence says; nothing is written down."""
    onlooker = Settling.onlooking(desk.deciding.reader)
    for decision in desk.journal.open():
        settlement = onlooker.settle(decision)
        if settlement.offers or settlement.is_news:
            yield settlement


def decision_ailments(desk: Desk) -> Iterator[Ailment]:
    """Say of each decision without outcome what became of it, as far as can be told, and what to do."""
    sealed = sealed_words(desk.journal.sealed())
    if sealed is not None:
        yield Ailment("decisions cannot be read", sealed.removesuffix(f": {REMEDY}."), REMEDY)
    for settlement in unsettled(desk):
        decision = settlement.decision
        if settlement.is_news:
            yield Ailment(
                f"decision {decision.decision_id} stands as {decision.state} and is {settlement.becomes}",
                settlement.evidence,
                f"{command('doctor', '--repair')} writes {settlement.becomes} into the journal",
                decision.order.thread_id,
                settles=(decision.decision_id, str(settlement.becomes)),
            )
        else:
            yield Ailment(
                f"decision {decision.decision_id} has no outcome: {decision.state}",
                settlement.evidence,
                "; ".join(offered(settlement, offer) for offer in settlement.offers),
                decision.order.thread_id,
            )


def thread_ailments(desk: Desk) -> Iterator[Ailment]:
    """Look at the newest threads: stuck ones, warnings about those that wait, questions left behind."""
    for line in desk.lines(THREADS):
        try:
            if line.situation is Situation.STUCK:
                yield _stuck(desk.thread(line.thread_id))
            elif line.situation is Situation.STOPPED:
                yield from _broken_off(desk.thread(line.thread_id))
            elif line.situation in _LOOKED_INTO:
                yield from _warned(desk.thread(line.thread_id))
            yield from _lost(desk, line.thread_id)
        except NotFound:
            continue


def _stuck(thread: Thread) -> Ailment:
    thread_id = thread.thread_id
    return Ailment(
        "a stored answer makes the node fail",
        thread.evidence.rstrip("."),
        f"{command('go-on', thread_id)} tries again with it; {command('ask-again', thread_id)} drops it",
        thread_id,
    )


def _broken_off(thread: Thread) -> Iterator[Ailment]:
    if thread.broken_off is not None:
        again = command("go-on", thread.thread_id, "--again")
        yield Ailment(
            "a run broke off, and what it had begun may have had its effect",
            thread.broken_off,
            f"look whether that was done; {again} runs it again,"
            f" {command('abandon', thread.thread_id)} ends the thread",
            thread.thread_id,
        )


def _warned(thread: Thread) -> Iterator[Ailment]:
    if thread.situation is Situation.FOREIGN:
        remedy = f"{command('show', thread.thread_id)}; load the graph that wrote it, as it was then"
        yield Ailment(
            "the loaded graph does not know this thread",
            thread.evidence.rstrip("."),
            remedy,
            thread.thread_id,
        )
    for warning in thread.warnings:
        yield Ailment(
            "to be known before deciding",
            warning.rstrip("."),
            command("show", thread.thread_id),
            thread.thread_id,
        )


def _lost(desk: Desk, thread_id: str) -> Iterator[Ailment]:
    for checkpoint in desk.travelling.lost(thread_id):
        asked = ", ".join(dict.fromkeys(one.node for one in checkpoint.questions or ())) or "a node"
        yield Ailment(
            "a question was left behind",
            f"{asked} asked at {checkpoint.checkpoint_id}, and the thread has gone another way",
            command("show", thread_id, "--checkpoint", checkpoint.checkpoint_id),
            thread_id,
        )


def offered(settlement: Settlement, offer: Offer) -> str:
    """Say what an offer does and which command takes it; raw foreign text in it."""
    thread_id, decision = settlement.decision.order.thread_id, settlement.decision.decision_id
    ways: dict[Offer, str] = {
        "send": f"{command('go-on', thread_id)} carries it out",
        "withdraw": f"{command('withdraw', decision)} takes it back",
        "go-on": f"{command('go-on', thread_id)} goes on, with the stored answer if there is one",
        "ask-again": f"{command('ask-again', thread_id)} drops the stored answer",
        "send-again": f"{command('answer', thread_id, '--again')} decides anew, knowing of it",
        "drop": f"{command('withdraw', decision, '--drop')} gives it up",
    }
    return ways[offer]
