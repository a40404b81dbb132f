"""A checkpoint says the most important thing first, in one line that cannot act on the terminal."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.graph.travelling.diff import differences
from agent_lab_tui.graph.travelling.timeline import Checkpoint, Done, Timeline
from agent_lab_tui.store.journal.decisions import Decision, Order
from agent_lab_tui.tui.history_lines import checkpoint_line, difference_line, value_text


def checkpoint(own: str = "a", parent: str | None = None, source: str = "loop", **more: Any) -> Checkpoint:
    return Checkpoint(own, parent, more.pop("step", 1), source, None, **more)


def line(checkpoint: Checkpoint, *others: Checkpoint) -> Any:
    return checkpoint_line(checkpoint, Timeline("t", (checkpoint, *others)))


def decision(kind: Any = "answer", state: Any = "applied", **order: Any) -> Decision:
    return Decision("d", Order(kind, "t", "a", "", by="ann", **order), 1.0, state, 2.0)


def test_the_nodes_that_ran_name_a_checkpoint() -> None:
    assert line(checkpoint(ran=("review", "review", "collect"))).name == "review ×2, collect"
    assert line(checkpoint(ran=("__start__",))).name == "start"
    assert [line(checkpoint(source=one)).name for one in ("input", "update", "fork", "")] == [
        "input",
        "edit",
        "replay",
        "?",
    ]


def test_a_waiting_question_comes_first_and_one_left_behind_is_called_so() -> None:
    assert line(checkpoint(waits=("ask",), changed=("a",), is_head=True)).words == "asks: ask  + a"
    assert line(checkpoint(waits=("ask",))).words == "left unanswered: ask"


def test_a_decision_names_its_operator_and_an_end_that_was_not_good() -> None:
    approved = decision(questions=("q",), choices={"q": [{"approve": {}}]})
    assert line(checkpoint(asks=("ask",), decisions=(approved,))).words == "approved by ann"
    assert line(checkpoint(decisions=(decision("go-on", "failed"),))).words == "let go on by ann (failed)"
    assert (
        line(checkpoint(decisions=(decision("fork", options={"into": "t2"}),))).words
        == "forked by ann into t2"
    )


def test_errors_and_effects_are_told() -> None:
    effects = (Done("k1", "mail", "done"), Done("k2", "mail", "done"))
    shown = line(checkpoint(errors=("ValueError('no')\nmore",), effects=effects))
    assert shown.mark == "✖"
    assert shown.words == "failed: ValueError('no')  mail done ×2"


def test_the_end_of_a_side_branch_says_where_it_left() -> None:
    root = checkpoint("1", None, "input", step=-1)
    head = checkpoint("3", "1", "fork", is_head=True)
    side = checkpoint("2", "1", step=0)
    timeline = Timeline("t", (head, side, root))
    assert checkpoint_line(side, timeline).note == "branch of -1"
    assert checkpoint_line(head, timeline).note == "← head"


def test_foreign_names_cannot_act_on_the_terminal() -> None:
    shown = line(checkpoint(ran=("a\x1b[2J",), changed=("k\u202ey",), errors=("\x07",)))
    assert not any(char in shown.name + shown.words for char in "\x1b\x07\u202e")


def test_a_difference_is_one_line() -> None:
    (found,) = differences({"a": "x" * 300}, {"a": "y"})
    assert difference_line(found, 60).startswith('~ a  "xxxx')
    (found,) = differences({}, {"a": list(range(50))})
    assert difference_line(found) == "+ a  50 items"


def test_a_long_value_is_cut_before_it_is_written() -> None:
    assert len(value_text("x" * 1_000_000)) < 1_000
    assert value_text({"a": "\x1b"}) == '{"a": "\\u001b"}'
