"""Where a thread stands: one situation for every combination of rows and marks, each with its evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_lab_tui.graph.reading.situation import Asking, Marks, Rows, Situation, situation_of

OPEN = Asking("q1", "ask")
STUCK = Asking("q1", "ask", is_answered=True, error="ValueError('no')")
ASKED = Rows(questions=(OPEN,), next=("ask",), step=3, source="loop", written_at=1_767_323_045.0)


@pytest.mark.parametrize(
    ("rows", "marks", "situation", "evidence"),
    [
        (ASKED, Marks(), "waiting", "1 question at ask, unanswered."),
        (
            replace(ASKED, questions=(OPEN, Asking("q2", "ask"), Asking("q3", "sign"))),
            Marks(),
            "waiting",
            "3 questions at ask x2, sign, unanswered.",
        ),
        (
            replace(ASKED, failed=(("pay", "OSError()"),)),
            Marks(),
            "waiting",
            "1 question at ask, unanswered; node pay raised OSError().",
        ),
        (ASKED, Marks("recorded", claimed=frozenset({"q1"})), "decided", "recorded and has not started"),
        (
            ASKED,
            Marks("running", claimed=frozenset({"q1"})),
            "decided",
            "the process that carried it out is gone",
        ),
        (ASKED, Marks("unknown", claimed=frozenset({"q1"})), "decided", "is not known"),
        (
            replace(ASKED, questions=(OPEN, Asking("q2", "ask"))),
            Marks("recorded", claimed=frozenset({"q1"})),
            "waiting",
            "2 questions",
        ),
        (Rows(next=("danger",)), Marks("recorded"), "decided", "recorded and has not started"),
        (ASKED, Marks("failed", claimed=frozenset()), "waiting", "unanswered"),
        (ASKED, Marks("running", is_lease_alive=True), "running", "A live process has the right"),
        (
            replace(ASKED, questions=(STUCK,)),
            Marks("failed"),
            "stuck",
            "An answer is stored for node ask, which failed with it: ValueError('no').",
        ),
        (
            replace(ASKED, questions=(STUCK, Asking("q2", "ask"))),
            Marks(),
            "stuck",
            "An answer is stored for node ask",
        ),
        (
            Rows(next=("pay",), failed=(("pay", "OSError('down')"),)),
            Marks(),
            "failed",
            "Node pay raised OSError('down').",
        ),
        (
            Rows(next=("pay",) * 3, failed=(("pay", "A()"), ("pay", "B()"), ("pay", "C()"))),
            Marks(),
            "failed",
            "Node pay raised A(), and 2 other tasks failed.",
        ),
        (
            Rows(next=("danger",), breakpoints=("danger",), written_at=1_767_323_045.0),
            Marks(),
            "stopped",
            "before danger, where the graph has a breakpoint; last written at 2026-01-02 03:04:05 UTC.",
        ),
        (
            Rows(next=("ask",), source="update"),
            Marks(),
            "stopped",
            "The state was edited, and nothing has run since",
        ),
        (Rows(next=("ask",), source="fork"), Marks(), "stopped", "A replay began here"),
        (
            Rows(next=("__start__",), source="input"),
            Marks(),
            "stopped",
            "An input is stored, and no node has run yet",
        ),
        (
            Rows(next=("work",), source="loop"),
            Marks(),
            "stopped",
            "a breakpoint, a killed run, or one that cannot",
        ),
        (
            Rows(next=("work",), finished=2),
            Marks(),
            "stopped",
            "2 tasks of the step finished, work did not: killed, or running in a process that cannot be seen",
        ),
        (
            Rows(next=(), finished=1, step=4),
            Marks(),
            "stopped",
            "Every task after step 4 has stored its results, but the next checkpoint is missing",
        ),
        (Rows(step=7), Marks(), "done", "No node is left to run after step 7."),
        (Rows(next=("gone",), unknown=("gone",)), Marks(), "foreign", "which stands before gone."),
        (Rows(next=("x",), is_foreign=True), Marks(), "foreign", "No loaded graph fits this thread"),
        (Rows(is_foreign=True), Marks(), "done", "No node is left"),
        (Rows(unreadable="encrypted with aes"), Marks(), "quiet", "encrypted with aes"),
        (Rows(is_vague=True), Marks(), "quiet", "before 0.4"),
    ],
)
def test_rows_and_marks_give_a_situation_with_evidence(
    rows: Rows, marks: Marks, situation: str, evidence: str
) -> None:
    found, sentence = situation_of(rows, marks)
    assert found == situation
    assert evidence in sentence
    assert sentence.endswith(".")


def test_a_thread_killed_between_two_steps_is_never_done() -> None:
    """Its live `next` is empty and nothing asks or failed: only the stored results tell."""
    assert situation_of(Rows(finished=3))[0] is Situation.STOPPED
