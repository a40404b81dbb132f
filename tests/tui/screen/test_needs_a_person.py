"""What only a person can settle is offered on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

YES = '[answers."builder:refund"]\napprove = "approve"\nreject = "reject: {reason}"\n'


async def test_a_decision_without_outcome_is_counted_and_opened(case, at) -> None:
    desk = case("05", "builder")
    thread = desk.thread("fresh")
    order = desk.deciding.prepare(thread, values={one.id: "approve" for one in thread.questions})
    decision = desk.record(order)
    leases = desk.journal.leases
    token = leases.take("fresh")
    desk.journal.start([decision.decision_id], token)
    leases.release("fresh", token)
    async with at(desk) as hand:
        await hand.until_seen("1 decision needs a person: o opens it")
        other = next(row for row in hand.desk.query_one("ThreadList").rows if row.thread_id != "fresh")
        await hand.open(other.thread_id)
        await hand.press("o")
        await hand.until(lambda: hand.desk.shown.thread.thread_id == "fresh")


@pytest.fixture
def twofold(make_case, shared: Path, desk_of, tmp_path: Path):
    """Open a desk with two graphs that both fit its threads."""
    (folder,) = shared.glob("cases/05-*")
    copy = tmp_path / "twofold.py"
    copy.write_text((folder / "graph.py").read_text("utf-8") + "\nother = builder\n", "utf-8")
    return desk_of(make_case("05"), f"{copy}:builder", f"{copy}:other", settings=YES)


async def test_of_several_graphs_that_fit_one_is_chosen_on_the_screen(twofold, at) -> None:
    async with at(twofold, (120, 40)) as hand:
        await hand.until(lambda: hand.desk.arrivals.threads.by_id)
        hand.desk.open_thread("fresh")
        await hand.until(lambda: hand.desk.check_action("choose_graph", ()))
        assert hand.desk.shown.thread.thread_id == "fresh"
        await hand.press("G")
        await hand.until_seen("Which graph wrote fresh?")
        await hand.press("2")
        await hand.until(lambda: hand.desk.shown.thread.graph == "twofold.other")
        assert not hand.desk.check_action("choose_graph", ())
