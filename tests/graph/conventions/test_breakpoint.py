"""A thread that waits although nobody asks."""

from __future__ import annotations

from agent_lab_tui.graph.conventions.breakpoint import offers, why


def test_a_breakpoint_is_told_from_an_edit_where_the_graph_is_known() -> None:
    assert why(("execute",), ("execute",)) == "A breakpoint of the graph stopped it before execute."
    assert why(("execute",), ("*",)) == "A breakpoint of the graph stopped it before execute."
    assert "has no breakpoint" in why(("execute",), ())
    assert "a breakpoint, an edit or a run that ended early" in why(("execute",), None)


def test_going_on_skipping_and_abandoning_are_offered_with_what_they_do() -> None:
    assert [offer.kind for offer in offers(("execute",))] == ["go-on", "skip", "abandon"]
    assert all("execute" in offer.does for offer in offers(("execute",)))
