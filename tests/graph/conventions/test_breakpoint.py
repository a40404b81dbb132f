"""A thread that waits although nobody asks."""

from __future__ import annotations

from agent_lab_tui.graph.conventions.breakpoint import offers


def does(*arguments: object, **options: bool) -> dict[str, str]:
    return {offer.kind: offer.does for offer in offers(*arguments, **options)}  # type: ignore[arg-type]


def test_going_on_skipping_and_abandoning_say_what_they_will_do() -> None:
    assert does(("execute",), ("report", "mail")) == {
        "go-on": "Runs execute with the state as it is.",
        "skip": "Runs report or mail next, as if execute had run and changed nothing.",
        "abandon": "Ends the thread here; execute never runs. It asks for a reason.",
    }


def test_skipping_the_last_node_ends_the_thread_and_an_unknown_graph_is_not_guessed_at() -> None:
    assert (
        does(("execute",), ("end",))["skip"] == "Ends the thread as if execute had run and changed nothing."
    )
    assert does(("execute",), ("report", "end"))["skip"] == (
        "Runs report next or ends the thread, as if execute had run and changed nothing."
    )
    assert does(("execute",))["skip"] == "Goes on behind it as if execute had run and changed nothing."


def test_a_run_that_broke_off_is_said_to_happen_again() -> None:
    assert "may happen twice" in does(("execute",), is_again=True)["go-on"]


def test_several_nodes_are_not_skipped_at_once_and_between_two_steps_there_is_none() -> None:
    assert list(does(("a", "b"))) == ["go-on", "abandon"]
    assert does(("a", "a", "b"))["go-on"] == "Runs a, b with the state as it is."
    assert list(does(())) == ["go-on", "abandon"]
