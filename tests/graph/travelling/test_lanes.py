"""The tree is drawn as `git log --graph` draws it, and can be read back from the drawing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.graph.travelling.lanes import LANES, Rail, draw


def picture(*stems: tuple[str, str | None]) -> list[str]:
    return [rail.text(rail.checkpoint_id or "") for rail in draw(stems)]


def test_a_straight_history_is_one_column() -> None:
    assert picture(("c", "b"), ("b", "a"), ("a", None)) == ["c", "b", "a"]


def test_a_branch_stands_beside_the_head_until_its_parent() -> None:
    assert picture(("5", "4"), ("4", "2"), ("3", "2"), ("2", "1"), ("1", None)) == [
        "5",
        "4",
        "│ 3",
        "├─╯",
        "2",
        "1",
    ]


def test_three_branches_of_one_checkpoint_join_in_one_line() -> None:
    assert picture(("8", "3"), ("7", "6"), ("6", "3"), ("5", "4"), ("4", "3"), ("3", None)) == [
        "8",
        "│ 7",
        "│ 6",
        "│ │ 5",
        "│ │ 4",
        "├─┴─╯",
        "3",
    ]


def test_a_branch_that_passes_a_join_crosses_it() -> None:
    assert picture(("9", "5"), ("8", "2"), ("7", "5"), ("5", "2"), ("2", None)) == [
        "9",
        "│ 8",
        "│ │ 7",
        "├─┼─╯",
        "5 │",
        "├─╯",
        "2",
    ]


def test_a_freed_column_is_used_again() -> None:
    assert picture(("9", "8"), ("7", None), ("6", "8"), ("8", None)) == ["9", "│ 7", "│ 6", "├─╯", "8"]


def test_an_unfinished_page_leaves_its_branches_open() -> None:
    assert picture(("9", "5"), ("8", "4"))[-1] == "│ 8"


def test_a_checkpoint_whose_parent_was_pruned_is_drawn() -> None:
    assert picture(("9", "gone"), ("8", None)) == ["9", "│ 8"]


def test_a_hundred_branches_share_the_last_column() -> None:
    rails = list(draw([*((f"tip{n}", "root") for n in range(100)), ("root", None)]))
    assert len(rails) == 102
    assert max(len(rail.text()) for rail in rails) <= 2 * LANES + 3
    assert rails[-2].text().endswith("⋯")
    assert rails[-1].text("root") == "root"


@st.composite
def trees(draw_: st.DrawFn) -> list[tuple[str, str | None]]:
    """Trees with up to seven open branches, so that no column is shared."""
    size = draw_(st.integers(1, 40))
    parents: list[int | None] = [None]
    for n in range(1, size):
        tips = [t for t in range(n) if t not in parents]
        may_branch = len(tips) < LANES - 1
        parents.append(draw_(st.sampled_from(range(n) if may_branch else tips)))
    return [(str(n), None if p is None else str(p)) for n, p in enumerate(parents)][::-1]


def read_back(rails: list[Rail]) -> dict[str, str | None]:
    """Follow every lane of a drawing down to the checkpoint it reaches."""
    open_lanes: dict[int, list[str]] = {}
    parents: dict[str, str | None] = {}
    for rail in rails:
        if rail.checkpoint_id is None:
            last = rail.before.index("╯")
            first = rail.before.index("├")
            for column in range(first + 1, last + 1):
                if rail.before[column] in "┴╯":
                    open_lanes[first].extend(open_lanes.pop(column))
            continue
        column = len(rail.before)
        for child in open_lanes.pop(column, []):
            parents[child] = rail.checkpoint_id
        open_lanes[column] = [rail.checkpoint_id]
        parents.setdefault(rail.checkpoint_id, None)
        bars = rail.text("●")
        ended = [c for c in open_lanes if c >= len(bars) or bars[c] == " "]
        for c in ended:
            del open_lanes[c]
    return parents


@given(trees())
def test_the_tree_can_be_read_back_from_its_drawing(tree: list[tuple[str, str | None]]) -> None:
    assert read_back(list(draw(tree))) == dict(tree)
