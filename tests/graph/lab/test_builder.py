"""The builder: what runs unasked, what is asked, and what each answer does."""

from __future__ import annotations

import json

import pytest
from lab_player import APPROVE, Player, edit, explain, reject

from agent_lab_tui.graph.lab.builder.graph import RoutingLoop
from agent_lab_tui.graph.lab.builder.provider import ProviderError
from agent_lab_tui.graph.lab.registry import LabRefused, agent
from agent_lab_tui.graph.lab.starting import open_saver
from agent_lab_tui.store.lab.runs import Runs


def work(builder: Player, name: str) -> str:
    return (builder.lab.root / "work" / builder.task_id / name).read_text("utf-8")


def status(builder: Player) -> str:
    row = Runs(builder.lab.database).run(builder.task_id)
    assert row is not None
    return row.status


def pushes(builder: Player) -> int:
    channel = builder.lab.root / "remote" / "stable.log"
    return len(channel.read_text("utf-8").splitlines()) if channel.exists() else 0


def test_reading_and_building_run_unasked_and_what_leaves_the_folder_is_asked(waiting: Player) -> None:
    assert waiting.snapshot().next == ("ask", "ask")
    assert [one.name for one in waiting.asked()] == ["push", "send_mail"]
    assert (pushes(waiting), waiting.mails(), status(waiting)) == (0, [], "waiting_confirmation")
    assert "re2 was handed over" in work(waiting, "notes.md"), "a reversible call of the same step has run"


def test_a_run_is_model_tools_and_acceptance_and_ends_with_the_package(waiting: Player) -> None:
    waiting.approve_all()
    values = waiting.values
    assert (values["status"], status(waiting), waiting.snapshot().next) == ("completed", "completed", ())
    assert values["spent"]["steps"] == 19
    assert (pushes(waiting), waiting.mails()) == (1, ["boss@example.com"])
    assert set(waiting.executions().values()) == {1}
    assert json.loads(work(waiting, "dist/re2.pkg"))["target"] == "aarch64-linux-musl"
    assert not (waiting.lab.root / "work" / "run-217" / "src").exists()


def test_a_question_shows_operation_arguments_reason_and_scope_of_impact(waiting: Player) -> None:
    push, mail = (one.request for one in waiting.asked())
    assert push["args"] == {"file": "dist/re2.pkg", "channel": "stable"}
    assert push["reason"].startswith("The package is whole")
    assert push["impact"] == "Everybody on the channel stable gets it; it cannot be recalled."
    assert (push["risk"], push["key"], mail["key"]) == (
        "high",
        "run-217:step-17:call-1",
        "run-217:step-17:call-2",
    )
    review = waiting.snapshot().interrupts[0].value["review_configs"][0]
    assert review["allowed_decisions"] == ["approve", "edit", "reject", "explain"]


def test_what_destroys_is_asked_twice(waiting: Player) -> None:
    waiting.answer(push=APPROVE, send_mail=APPROVE)
    (first,) = waiting.asked()
    waiting.answer(remove_folder=APPROVE)
    (second,) = waiting.asked()
    assert (first.name, second.name, first.id != second.id) == ("remove_folder", "remove_folder", True)
    assert "asked a second time" in second.request["reason"]
    sources = waiting.lab.root / "work" / "run-217" / "src"
    names = sorted(
        path.relative_to(sources.parent).as_posix() for path in sources.rglob("*") if path.is_file()
    )
    assert second.request["impact"] == f"Destroys 9 files for good: {', '.join(names)}."
    assert (waiting.lab.root / "work" / "run-217" / "src").is_dir()
    waiting.answer(remove_folder=reject("keep them"))
    assert (waiting.lab.root / "work" / "run-217" / "src").is_dir()
    assert "Rejected by a person: keep them. Find another way." in waiting.results()


def test_a_rejection_goes_to_the_model_with_its_reason_and_it_finds_another_way(waiting: Player) -> None:
    waiting.answer(push=reject("not on a Friday"), send_mail=APPROVE)
    assert "Rejected by a person: not on a Friday. Find another way." in waiting.results()
    (other,) = waiting.asked()
    assert (other.name, other.request["args"]["title"]) == ("open_ticket", "Push re2 by hand")
    waiting.approve_all()
    assert (waiting.values["status"], pushes(waiting)) == ("completed", 0)
    assert waiting.mails() == ["boss@example.com", "tickets"]


def test_an_edited_call_runs_as_edited_and_both_forms_stay_visible(waiting: Player) -> None:
    waiting.answer(push=edit("push", file="dist/re2.pkg", channel="canary"), send_mail=APPROVE)
    assert (waiting.lab.root / "remote" / "canary.log").exists()
    assert pushes(waiting) == 0
    values = waiting.values
    called = [message for message in values["messages"] if message.type == "ai"][16].tool_calls[0]
    assert called["args"]["channel"] == "stable"
    assert "A person changed the arguments to {'file': 'dist/re2.pkg', 'channel': 'canary'}" in str(
        waiting.results()
    )
    assert [call["outcome"] for call in values["calls"] if call["tool"] == "push"] == ["edited"]


def test_an_edit_that_does_not_fit_is_asked_again_and_nothing_runs(waiting: Player) -> None:
    waiting.answer(push=edit("push", file="dist/re2.pkg"), send_mail=reject("no"))
    (again,) = waiting.snapshot().interrupts
    assert "push needs channel as a text" in again.value["problem"]
    assert pushes(waiting) == 0


def test_explain_brings_more_reasons_a_new_question_and_no_effect(waiting: Player) -> None:
    (before, _) = waiting.asked()
    tokens = waiting.values["spent"]["tokens"]
    waiting.answer(push=explain("Who installs from it?"), send_mail=reject("nobody reads it"))
    (after,) = waiting.asked()
    assert (before.name, after.name, before.id != after.id) == ("push", "push", True)
    assert after.request["reason"].endswith(
        "You asked: Who installs from it? Others install from that channel;"
        " the package was checked against the parts in deps."
    )
    assert (pushes(waiting), waiting.executions()["run-217:step-17:call-1"]) == (0, 0)
    assert waiting.values["spent"]["tokens"] > tokens
    waiting.answer(push=APPROVE)
    assert pushes(waiting) == 1


def test_early_done_is_refused_with_what_is_missing(builder: Player) -> None:
    builder.start(project="zlib", model="scripted:early")
    refused = [message.content for message in builder.values["messages"] if message.type == "human"]
    assert refused == [
        "Not accepted: dist/zlib.pkg is not there; not done: build and install zlib; not done: pack zlib."
    ]
    assert builder.values["status"] == "completed"


def test_a_package_that_was_tampered_with_is_not_accepted(builder: Player) -> None:
    builder.start(project="zlib", model="scripted:notify")
    package = builder.lab.root / "work" / "run-217" / "dist" / "zlib.pkg"
    text = package.read_text().replace("aarch64-linux-musl", "riscv64-linux-musl")
    package.write_text(text)
    accepted, _ = agent("builder").status(builder.lab, "run-217").checks
    assert (accepted.is_ok, accepted.evidence) == (
        False,
        "dist/zlib.pkg is for riscv64-linux-musl, not for aarch64-linux-musl",
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_steps": 5}, "budget: 5 of 5 steps used"),
        ({"max_tokens": "100"}, "tokens used"),
        ({"max_seconds": "0"}, "seconds used"),
    ],
)
def test_each_limit_ends_a_run_as_budget_exceeded(
    options: dict[str, object], reason: str, builder: Player
) -> None:
    builder.start(**options)  # type: ignore[arg-type]
    values = builder.values
    assert (values["status"], status(builder), builder.snapshot().next) == (
        "budget_exceeded",
        "budget_exceeded",
        (),
    )
    assert reason in values["stopped_by"]
    assert "dist" not in [path.name for path in (builder.lab.root / "work" / "run-217").iterdir()]


def test_a_run_out_of_budget_goes_on_when_its_limit_is_raised(builder: Player) -> None:
    builder.start(max_steps=3, project="zlib")
    assert builder.values["status"] == "budget_exceeded"
    with open_saver(builder.lab) as saver:
        graph = agent("builder").build(builder.lab)
        graph.checkpointer = saver
        limits = {"steps": 10, "tokens": None, "seconds": None}
        graph.update_state({"configurable": {"thread_id": "run-217"}}, {"limits": limits}, as_node="tools")
    builder.go_on()
    assert (builder.values["status"], status(builder), builder.values["spent"]["steps"]) == (
        "completed",
        "completed",
        5,
    )


def test_a_step_that_gets_nowhere_is_ended_in_words_at_the_set_limit(builder: Player) -> None:
    with pytest.raises(RoutingLoop, match=r"at its limit of 20 super-steps \(max_steps x 2 \+ 10\)"):
        builder.start(max_steps=5, project="zlib", model="scripted:loops")
    assert (status(builder), builder.snapshot().next) == ("failed", ("model",))
    assert builder.snapshot().metadata["step"] == 17
    assert builder.values["spent"]["steps"] == 1


def test_the_very_same_calls_are_not_run_a_third_time_in_a_row(builder: Player) -> None:
    builder.start(project="zlib", model="scripted:repeats")
    told = [text for text in builder.results() if text.startswith("Not run")]
    assert told == [f"Not run: the same calls {count} times in a row." for count in (3, 4)]
    assert [call.tool for call in Runs(builder.lab.database).calls("run-217")].count("build") == 2


def test_a_call_that_cannot_run_is_answered_and_the_run_goes_on(builder: Player) -> None:
    builder.start(project="zlib", model="scripted:clumsy")
    unknown, unfit, outside = builder.results()[:3]
    assert unknown.startswith("Not run: there is no tool fly, only list_files")
    assert unfit == "Not done: read_file needs file as a text."
    assert outside == "Not done: ../../data/agent.db lies outside the work folder."
    assert builder.values["status"] == "completed"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("402", "402 payment required"),
        ("429", "429 too many requests"),
        ("timeout", "did not answer in time"),
    ],
)
def test_a_provider_that_fails_leaves_the_run_failed_its_folder_and_budget_kept(
    kind: str, text: str, builder: Player
) -> None:
    with pytest.raises(ProviderError, match=text):
        builder.start(fail=f"9:{kind}")
    row = Runs(builder.lab.database).run("run-217")
    assert row is not None
    assert (row.status, builder.snapshot().next) == ("failed", ("model",))
    assert text in (row.error or "")
    assert (builder.values["spent"]["steps"], work(builder, "deps/abseil.lib")[:14]) == (8, "library abseil")
    builder.go_on()
    row = Runs(builder.lab.database).run("run-217")
    assert row is not None
    assert (row.error, builder.values["spent"]["steps"]) == (None, 17)
    assert set(builder.executions().values()) == {1}


def test_a_provider_without_balance_at_step_28_is_gone_on_with_there(builder: Player) -> None:
    with pytest.raises(ProviderError, match="no balance left"):
        builder.start(project="zlib", model="scripted:long", fail="28:402")
    assert builder.values["spent"]["steps"] == 27
    builder.go_on()
    assert (builder.values["status"], builder.values["spent"]["steps"]) == ("completed", 33)


def test_a_run_is_started_once_under_one_id(builder: Player) -> None:
    builder.start(project="zlib")
    with pytest.raises(LabRefused, match="carries it on"):
        builder.start(project="zlib")
    assert len(Runs(builder.lab.database).runs()) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"colour": "red"},
        {"project": "emacs"},
        {"model": "scripted:nope"},
        {"model": "no-such-provider:model"},
        {"fail": "soon"},
        {"fail": "3:404"},
        {"max_tokens": "many"},
    ],
)
def test_a_start_that_makes_no_sense_is_refused_and_leaves_nothing(
    options: dict[str, str], builder: Player
) -> None:
    with pytest.raises(LabRefused):
        builder.start(**options)
    assert (Runs(builder.lab.database).runs(), (builder.lab.root / "work").exists()) == ((), False)
