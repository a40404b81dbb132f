"""What the desk says when a key does nothing, or does something else than it did."""

from __future__ import annotations

import threading

import pytest

from agent_lab_tui.tui.widgets import receipt
from agent_lab_tui.tui.widgets.receipt import ReceiptLine

PATIENCE = 30.0

HIGH = (
    '[answers."graph:refund"]\napprove = "approve"\nreject = "reject: {reason}"\n'
    '[[rule]]\noperation = "refund"\nrisk = "high"\n'
)


async def test_a_yes_before_everything_is_read_says_what_is_left(case, at) -> None:
    desk = case("05", "builder", settings=HIGH)
    async with at(desk, (60, 12)) as hand:
        await hand.open("fresh")
        left = hand.desk.query_one("#request").unread
        assert left > 0
        for key in ("a", "v"):
            await hand.press(key)
            await hand.until_seen(f"{left} line")
            await hand.until_seen("not read: Space reads on.")
            hand.desk.query_one("ReceiptLine").note("")
        assert hand.desk.check_action("approve", ()) is None
        assert not desk.journal.open()


async def test_a_key_that_decides_says_that_the_desk_only_looks(case, at) -> None:
    async with at(case("05", "builder", settings=HIGH, readonly=True)) as hand:
        await hand.open("fresh")
        await hand.press("r")
        await hand.until_seen("Nothing can be decided: the desk is read-only.")


async def test_what_was_asked_of_one_request_is_not_said_of_the_next(case, at) -> None:
    desk = case("05", "builder", settings=HIGH)
    async with at(desk) as hand:
        await hand.open("fresh")
        await hand.press("space", "space", "a")
        await hand.until_seen("once more")
        other = next(row for row in hand.desk.query_one("ThreadList").rows if row.thread_id != "fresh")
        await hand.open(other.thread_id)
        assert "once more" not in hand.seen()
        await hand.open("fresh")
        await hand.press("a")
        await hand.until_seen("once more")
        assert not desk.journal.open()


async def test_a_graph_that_is_still_loading_is_not_said_to_be_missing(case, at, monkeypatch) -> None:
    desk = case("05", "builder", settings=HIGH)
    gate = threading.Event()
    load = desk.load_graphs

    def slowly():
        assert gate.wait(PATIENCE)
        return load()

    monkeypatch.setattr(desk, "load_graphs", slowly)
    async with at(desk, (139, 40)) as hand:
        await hand.until_seen("the graph is still loading")
        assert "no graph is loaded" not in hand.seen()
        gate.set()
        await hand.until(lambda: "still loading" not in hand.seen() and desk.facts)


async def test_the_help_page_says_each_thing_once_and_names_keys_as_the_footer_does(case, at) -> None:
    async with at(case("05", "builder"), (100, 90)) as hand:
        await hand.open("fresh")
        await hand.press("question_mark")
        await hand.until_seen("Signs")
        lines = [line.split() for line in hand.seen().splitlines() if line.strip()]
        first = [line[0] for line in lines]
        assert first.count("✖") == 1
        assert ["✖", "stuck,", "failed"] in lines
        assert first.count("·") == 1
        assert first.count("1…9") == 1
        assert not {"1", "2", "9", "esc", "space", "pgdn", "pagedown"} & set(first)
        assert {"Esc", "Space", "PgDn"} <= {key for line in lines for key in line}


async def test_a_marked_checkpoint_is_compared_until_the_same_key_ends_it_there(zoo_db, desk_of, at) -> None:
    async with at(desk_of(zoo_db)) as hand:
        await hand.until(lambda: hand.desk.shown is not None)
        await hand.press("h")
        tree = hand.desk.query_one("#tree")
        await hand.until(lambda: len(tree.rows) > 1)
        marked = tree.current.checkpoint
        await hand.press("c")
        await hand.until_seen("is marked: go to another row; c ends it")
        await hand.press("down")
        await hand.until_seen(f"→ step {marked.step} · c at step {marked.step} ends it")
        await hand.press("c")
        assert tree.marked == marked.checkpoint_id
        await hand.until_seen(f"→ step {marked.step} · c at step {marked.step} ends it")
        await hand.press("up", "c")
        await hand.until(lambda: "ends it" not in hand.seen() and "→ step" in hand.seen())
        assert tree.marked is None


async def test_an_edit_can_be_dropped_for_what_was_asked(case, at) -> None:
    async with at(case("06", "graph")) as hand:
        await hand.open("idx-1")
        await hand.press("space", "space", "e")
        await hand.until_seen("Ctrl+R starts over")
        editor = hand.app.screen.query_one("#json")
        asked = editor.text
        editor.text = "{}"
        await hand.press("escape", "e")
        await hand.until(lambda: hand.app.screen.query("#json"))
        assert hand.app.screen.query_one("#json").text == "{}"
        await hand.press("ctrl+r")
        assert hand.app.screen.query_one("#json").text == asked


def line(hand) -> str:
    """What the line above the footer says."""
    return "".join(text for text, _ in hand.desk.query_one(ReceiptLine).left)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("m", "Not offered for this operation: respond. It takes"),
        ("g", "Not offered here: going on is for a thread that is stopped or failed"),
        ("A", "Not offered here: asking again is for a thread that is stuck; this one is waiting."),
        ("K", "Not offered here: stepping over is for a thread that is stopped"),
        ("X", "Not offered here: ending is for a thread that is"),
        ("s", "Nothing to send"),
        ("u", "Nothing to withdraw"),
        ("G", "Nothing to choose"),
        ("O", "Nothing is halted"),
        ("o", "Nothing to open"),
        ("l", "no task of the lab"),
        ("9", "There is no operation 9 here."),
        ("backspace", "Nothing to take back"),
    ],
)
async def test_a_key_that_is_not_possible_now_says_why(case, at, key, why) -> None:
    desk = case("05", "builder", settings=HIGH)
    async with at(desk) as hand:
        await hand.open("fresh")
        await hand.press(key)
        await hand.until(lambda: why in line(hand))
        assert not desk.journal.open()


async def test_a_hint_goes_with_the_next_key_and_when_all_is_read(case, at) -> None:
    async with at(case("05", "builder", settings=HIGH), (60, 12)) as hand:
        await hand.open("fresh")
        await hand.press("a")
        await hand.until(lambda: "not read" in line(hand))
        await hand.press("y")
        await hand.until(lambda: "clipboard" in line(hand))
        await hand.press("a")
        await hand.until(lambda: "not read" in line(hand))
        while hand.desk.query_one("#request").unread:
            await hand.press("space")
        await hand.until(lambda: not line(hand))


async def test_what_went_well_is_told_for_a_while_and_trouble_until_it_is_seen(case, at, monkeypatch) -> None:
    monkeypatch.setattr(receipt, "KEPT", 0.2)
    async with at(case("05", "builder", settings=HIGH)) as hand:
        await hand.open("fresh")
        await hand.press("y")
        assert "clipboard" in line(hand)
        await hand.until(lambda: not line(hand))
        told = hand.desk.query_one(ReceiptLine)
        told.note("the host died", "error")
        told._look()
        assert line(hand) == "the host died"
