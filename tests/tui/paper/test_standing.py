"""A page tells a decision that waits from one whose run was cut short."""

from __future__ import annotations

import pytest

from agent_lab_tui.graph.reading.situation import Situation
from agent_lab_tui.graph.reading.threads import Thread
from agent_lab_tui.store.journal.decisions import Decision, Order, State
from agent_lab_tui.tui.paper.standing import standing_rows


def page(state: State) -> str:
    """Write the page of a thread about which a decision stands so."""
    order = Order("go-on", "t1", "c1", "digest", by="ann", os_user="ann")
    thread = Thread(
        thread_id="t1",
        situation=Situation.DECIDED,
        evidence="",
        graph="agent",
        checkpoint_id="c1",
        is_head=True,
        digest="digest",
        values={},
        metadata={},
        config={},
        next=("do",),
        reruns=(),
        runs_next=(),
        error=None,
        questions=(),
        decision=Decision("d1", order, 1.0, state, 1.0),
        warnings=(),
    )
    return "\n".join("".join(text for text, _ in row.body) for row in standing_rows(thread, can_decide=True))


def test_what_has_not_begun_can_be_withdrawn() -> None:
    assert "not carried out yet" in page("recorded")
    assert "u withdraws it" in page("recorded")


@pytest.mark.parametrize("state", ["running", "unknown"])
def test_what_had_begun_is_neither_called_running_nor_not_carried_out(state: State) -> None:
    written = page(state)
    assert written.startswith("This was being carried out when its run ended; it may have had its effect.")
    assert "ann let go on this on " in written
    assert "D says what became of it" in written
    assert not any(word in written for word in ("not carried out", "is running", "withdraws"))
