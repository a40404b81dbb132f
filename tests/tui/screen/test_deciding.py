"""From a key to what stands in the file."""

from __future__ import annotations

from pathlib import Path

from agent_lab_tui.graph.situation import Situation


def situation(desk, thread_id):
    return desk.lines_of([thread_id])[0].situation


async def test_two_actions_are_decided_each_on_its_own_and_sent_together(case, at, tmp_path: Path) -> None:
    desk = case("01", "graph")
    async with at(desk) as hand:
        await hand.open("billing-1")
        await hand.until_seen("send_invoice")
        await hand.press("space", "space", "a")
        await hand.until(lambda: hand.desk.shown.index == 1)
        assert not desk.journal.open()
        assert "purge_records" in hand.seen()
        await hand.press("r")
        await hand.until_seen("Reject purge_records")
        await hand.press("enter")
        assert "An empty reason is no reason" in hand.seen()
        await hand.type("table is still in use")
        await hand.press("enter")
        await hand.until(lambda: situation(desk, "billing-1") is Situation.DONE)
        await hand.until_seen("✓ billing-1")
    log = (tmp_path / "effects.log").read_text("utf-8")
    assert "send_invoice ACME-17 120.5" in log
    assert "purge_records" not in log
