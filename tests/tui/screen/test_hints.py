"""What the desk says when a key does nothing, or does something else than it did."""

from __future__ import annotations

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
