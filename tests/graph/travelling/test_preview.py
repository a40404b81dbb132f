"""A replay is told beforehand: what runs, asks and acts again, and what a key says about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_lab_tui.graph.reading.messages import ToolCall
from agent_lab_tui.graph.travelling.placing import placed
from agent_lab_tui.graph.travelling.preview import ReplayPreview, belonging, replay_preview
from agent_lab_tui.graph.travelling.timeline import Asked, Checkpoint
from agent_lab_tui.store.effects import fingerprint
from agent_lab_tui.store.effects.rows import Effect
from agent_lab_tui.store.journal.decisions import Decision, Order
from agent_lab_tui.store.processes import ProcessMark

CALL = "call_8fJk29dLx0q1"


def effect(
    key: str, state: Any = "done", at: str = "1970-01-01T00:02:00Z", operation: str = "mail"
) -> Effect:
    return Effect(key, operation, "", state, 1, None, None, ProcessMark("here", 1, ""), at, at)


def checkpoint(own: str, step: int, at: float, **more: Any) -> Checkpoint:
    return Checkpoint(own, None, step, "loop", at, **more)


START = checkpoint("a", 0, 100.0, next=("read",))


def preview(
    *effects: Effect,
    way: tuple[Checkpoint, ...] = (),
    state: str = "",
    start: Checkpoint = START,
    **answers: Any,
) -> ReplayPreview:
    return replay_preview("run-7", start, way, answers, effects, state)


@pytest.mark.parametrize(
    ("key", "state", "would"),
    [
        ("run-7:3", "done", "be skipped"),
        ("run-7:3", "unknown", "unknown"),
        ("run-7:3", "started", "unknown"),
        ("run-7:3", "failed", "run again"),
        (f"run-7:{CALL}", "done", "run again"),
        ("run-7:6f1c2a90-0000-4000-8000-3a7be5d9f001", "done", "run again"),
    ],
)
def test_the_key_and_the_state_of_an_effect_tell_what_a_replay_does_to_it(
    key: str, state: str, would: str
) -> None:
    (fate,) = preview(effect(key, state)).effects
    assert fate.would == would


def test_a_tool_call_made_before_the_checkpoint_keeps_its_key() -> None:
    (fate,) = preview(effect(f"run-7:{CALL}"), state=f"tool_calls: id {CALL}").effects
    assert fate.would == "be skipped"


MAILED = ToolCall("call-1", "send_mail", {"to": "ann"})
SAME = fingerprint({"name": "send_mail", "args": {"to": "ann"}})[:12]
OTHER = fingerprint({"name": "send_mail", "args": {"to": "bob"}})[:12]


@pytest.mark.parametrize(
    ("key", "would"),
    [
        (f"run-7:call-1:{SAME}", "be skipped"),
        (f"run-7:call-1:{OTHER}", "unknown"),
        (f"run-7:call-2:{SAME}", "run again"),
        ("run-7:step-9:call-1", "be skipped"),
        ("6f1c2a90-0000-4000-8000-3a7be5d9f001:step-9:call-1", "be skipped"),
    ],
)
def test_a_key_that_names_a_call_of_the_checkpoint_is_made_again(key: str, would: str) -> None:
    (fate,) = replay_preview("run-7", START, (), {}, [effect(key)], "", calls=[MAILED]).effects
    assert fate.would == would


def test_effects_done_before_the_checkpoint_are_not_touched() -> None:
    assert preview(effect("run-7:1", at="1970-01-01T00:01:30Z")).effects == ()
    assert len(preview(effect("run-7:1", at="1970-01-01T00:01:40Z")).effects) == 1


def test_only_what_is_not_skipped_calls_for_a_confirmation() -> None:
    assert not preview(effect("run-7:1")).acts_again
    assert preview(effect("run-7:1"), effect("run-7:2", "unknown")).acts_again


def test_the_nodes_that_run_again_are_those_of_the_step_and_of_the_way_last_time() -> None:
    way = (
        checkpoint("b", 1, 101.0, ran=("read",), asks=("gate",)),
        checkpoint("c", 2, 102.0, ran=("gate",), next=("ship",)),
    )
    shown = preview(way=way)
    assert (shown.step, shown.then) == (("read",), ("gate", "ship"))
    assert shown.reruns == ("read", "gate", "ship")


def test_an_answer_of_the_journal_is_named_with_its_operator() -> None:
    order = Order("answer", "run-7", "b", "", ("q1",), choices={"q1": [{"approve": {}}]}, by="ann")
    asked = checkpoint(
        "b",
        1,
        101.0,
        questions=(Asked("q1", "gate", {"ship": 1}, True), Asked("q2", "gate", {"ship": 2}, True)),
        decisions=(Decision("d", order, 105.0, "applied", 106.0),),
    )
    by_ann, by_somebody = preview(way=(asked,), q2="yes").questions
    assert (by_ann.by, by_ann.at, by_ann.answer) == ("ann", 105.0, [{"approve": {}}])
    assert (by_somebody.by, by_somebody.answer) == ("", "yes")


def test_the_end_of_a_branch_has_nothing_to_replay() -> None:
    assert preview(start=replace(START, next=())).is_empty


def test_effects_belong_to_the_thread_that_names_their_key() -> None:
    effects = [effect(key) for key in ("run-7:1", "run-77:1", "task-001:step:3", "lone-key", "mail:2")]
    found = belonging(effects, "run-7", ["task-001", "lone-key", "mail"])
    assert [one.key for one in found] == ["run-7:1", "task-001:step:3", "lone-key"]


def test_an_effect_is_put_on_the_checkpoint_that_its_node_ran_into() -> None:
    newest = checkpoint("c", 2, 121.0, ran=("done",))
    mailed = checkpoint("b", 1, 120.4, ran=("mail",))
    found = placed([newest, mailed, START], [effect("run-7:1"), effect("run-7:2", operation="other")])
    assert [[one.key for one in c.effects] for c in found] == [[], ["run-7:1", "run-7:2"], []]


def test_an_effect_that_no_checkpoint_followed_is_put_on_the_newest() -> None:
    found = placed([checkpoint("b", 1, 101.0), START], [effect("run-7:1")])
    assert [len(c.effects) for c in found] == [1, 0]
    assert placed([START], [effect("run-7:1", at="1970-01-01T00:00:01Z")])[0].effects == ()
