"""Carrying a run of the builder on: killed anywhere, every call once, or asked about."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest
from lab_player import APPROVE, Player, reject

from agent_lab_tui.graph.lab.builder.environment import EnvironmentGone
from agent_lab_tui.graph.lab.mail_client import OFF, stop_courier
from agent_lab_tui.graph.lab.registry import Check, agent
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.lab.mailbox import Mailbox
from agent_lab_tui.store.lab.runs import Runs


def checks(builder: Player) -> list[Check]:
    return list(agent("builder").before_resume(builder.lab, builder.task_id))


def names(found: list[Check]) -> list[str]:
    return [check.name for check in found]


def ledger_by_key(lab: Workspace) -> list[tuple[str, int]]:
    """What an outsider counts with SQL alone."""
    with closing(sqlite3.connect(lab.ledger)) as connection:
        return connection.execute("SELECT key, max(attempt) FROM effect GROUP BY key").fetchall()


def test_killed_after_step_twelve_it_goes_on_at_thirteen_and_every_call_ran_once(killed: Player) -> None:
    before = killed.values
    assert (before["spent"]["steps"], killed.snapshot().next) == (12, ("model",))
    assert len(killed.executions()) == 24
    found = checks(killed)
    assert all(check.is_ok for check in found)
    assert found[0].evidence.startswith("12 of 40 steps used; plan.json: [x] build and install abseil; [ ]")
    killed.go_on()
    killed.approve_all()
    after = killed.values
    assert (after["status"], after["spent"]["steps"]) == ("completed", 19)
    assert killed.results()[24] == "deps/abseil.lib\ndeps/zlib.lib", "step 13 finds what was installed"
    executions = killed.executions()
    assert (len(executions), set(executions.values())) == (33, {1})
    assert len(Runs(killed.lab.database).runs()) == 1
    assert [count for _, count in ledger_by_key(killed.lab)] == [1] * 9


def test_the_budget_goes_on_over_the_kill(builder: Player) -> None:
    builder.dies("start(max_steps=13)", at="model:replied#13")
    assert checks(builder)[3].evidence.startswith("12 of 13 steps used")
    builder.go_on()
    assert builder.values["status"] == "budget_exceeded"
    assert builder.values["spent"]["steps"] == 13
    last = checks(builder)[-1]
    assert (last.name, last.is_ok) == ("budget", False)
    assert "budget_exceeded, 13 of 13 steps used" in last.evidence


def test_killed_in_the_middle_of_parallel_calls_the_finished_ones_do_not_run_again(builder: Player) -> None:
    builder.dies("start()", at="fetch_sources:kept#2")
    kept = [call.key for call in Runs(builder.lab.database).calls("run-217") if call.state == "ready"]
    builder.go_on()
    executions = builder.executions()
    assert [executions[key] for key in kept] == [1] * len(kept)
    assert len([key for key in kept if "step-2" in key]) >= 2
    assert builder.results()[2:5] == [
        "fetched zlib 1.3.1",
        "fetched abseil 20240722",
        "fetched re2 2024-07-02",
    ]


def test_a_finished_call_that_waits_for_a_slow_one_has_a_name_and_is_kept(waiting: Player) -> None:
    """A and B need a person, C is finished; A is killed while it is done; the order stays A, B, C."""
    steps = agent("builder").status(waiting.lab, "run-217").steps
    assert (steps[-1]["tool_name"], steps[-1]["status"]) == ("append_line", "finished, waits for its turn")
    waiting.answer(send_mail=reject("not now"))
    waiting.dies("answer(push=APPROVE)", at="push:begun")
    assert [step["status"] for step in agent("builder").status(waiting.lab, "run-217").steps[-2:]] == [
        "finished, waits for its turn",
        "begun, no outcome kept",
    ]
    waiting.go_on()
    assert waiting.results()[29:32] == [
        "pushed dist/re2.pkg to stable",
        "Rejected by a person: not now. Find another way.",
        "added a line to notes.md",
    ]
    assert waiting.executions()["run-217:step-17:call-3"] == 1
    assert waiting.effects()["run-217:step-17:call-1"] == "done"


@pytest.mark.slow
@pytest.mark.parametrize("place", ["push:begun", "push:done", "push:unkept", "push:kept"])
def test_killed_around_an_approved_push_it_is_done_once_and_nobody_is_asked_again(
    place: str, waiting: Player
) -> None:
    waiting.answer(send_mail=reject("later"))
    waiting.dies("answer(push=APPROVE)", at=place)
    waiting.go_on()
    assert "push" not in [one.name for one in waiting.asked()]
    lines = (waiting.lab.root / "remote" / "stable.log").read_text("utf-8").splitlines()
    assert (len(lines), waiting.effects()["run-217:step-17:call-1"]) == (1, "done")


def test_what_nobody_can_know_is_asked_with_the_evidence_and_done_once_more_only_by_order(
    notifying: Player,
) -> None:
    notifying.answer(send_mail=reject("no"), open_ticket=reject("no"))
    notifying.dies("answer(send_sms=APPROVE)", at="outbox:sent")
    notifying.go_on()
    (asked,) = notifying.asked()
    assert asked.name == "send_sms"
    assert "nobody said how it went" in asked.request["reason"]
    assert "the service knows no keys and cannot be asked" in asked.request["reason"]
    assert notifying.mails() == ["+49 30 1234"]
    notifying.answer(send_sms={"type": "respond", "message": "it arrived, I saw it"})
    assert notifying.values["status"] == "completed"
    assert notifying.mails() == ["+49 30 1234"]


def test_a_second_equal_mail_in_one_run_has_a_key_of_its_own(builder: Player) -> None:
    builder.start(project="zlib", model="scripted:twins")
    builder.approve_all()
    sent = Mailbox(builder.lab.root / "mail" / "mailbox.db").sent()
    assert sorted(str(mail.key) for mail in sent) == ["run-217:step-5:call-1", "run-217:step-5:call-2"]
    assert sent[0].mail == sent[1].mail


def test_a_deleted_part_is_rebuilt_before_the_run_goes_on_and_named(killed: Player) -> None:
    part = killed.lab.root / "work" / "run-217" / "deps" / "abseil.lib"
    before = part.read_bytes()
    part.unlink()
    assert checks(killed)[1].evidence.endswith("with 2 parts; rebuilt deps/abseil.lib")
    assert part.read_bytes() == before
    part.write_text("damaged")
    killed.go_on()
    assert part.read_bytes() == before
    assert killed.executions()["run-217:step-5:call-2"] == 1


def test_a_part_that_cannot_be_made_again_stops_the_run_and_is_named(killed: Player) -> None:
    folder = killed.lab.root / "work" / "run-217"
    (folder / "deps" / "abseil.lib").unlink()
    with closing(sqlite3.connect(killed.lab.database)) as connection, connection:
        connection.execute("DELETE FROM run_call WHERE tool = 'fetch_sources'")
    shutil.rmtree(folder / "src")
    shutil.rmtree(folder / "obj")
    found = checks(killed)
    assert (names(found), found[-1].is_ok) == (["checkpoint", "environment"], False)
    assert "deps/abseil.lib is not there as it was made" in found[-1].evidence
    with pytest.raises(EnvironmentGone, match=r"deps/abseil\.lib"):
        killed.go_on()


def test_a_work_folder_that_is_gone_is_named_and_nothing_is_run(waiting: Player) -> None:
    shutil.rmtree(waiting.lab.root / "work")
    found = checks(waiting)
    assert (names(found), found[-1].is_ok) == (["checkpoint", "environment"], False)
    assert "the work folder work/run-217 is gone; nothing was run" in found[-1].evidence
    with pytest.raises(EnvironmentGone):
        waiting.answer(push=APPROVE, send_mail=reject("no"))
    assert not (waiting.lab.root / "work").exists()
    assert not (waiting.lab.root / "remote").exists()


def test_a_folder_removed_with_approval_is_not_rebuilt(waiting: Player) -> None:
    waiting.approve_all()
    found = checks(waiting)
    assert found[1].evidence == "the work folder is there, with 4 parts"
    assert not (waiting.lab.root / "work" / "run-217" / "src").exists()


def test_without_a_checkpoint_nothing_is_resumed(builder: Player) -> None:
    (only,) = checks(builder)
    assert (only.name, only.is_ok) == ("checkpoint", False)
    assert only.evidence == "cannot resume run-217: there is no checkpoint of it"


@pytest.mark.slow
def test_an_open_effect_is_looked_up_outside_before_the_run_goes_on(
    notifying: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    notifying.answer(send_mail=reject("no"), send_sms=reject("no"))
    notifying.dies("answer(open_ticket=APPROVE)", at="outbox:sent")
    assert checks(notifying)[2].evidence == (
        "run-217:step-5:call-2 open_ticket: the service has it under this key (done)"
    )
    stop_courier(notifying.lab.root / "mail")
    monkeypatch.setenv(OFF, "1")
    found = checks(notifying)
    assert found[2].evidence.endswith("the outbox says that it was sent (done)"), (
        "asked once, it is known here"
    )


@pytest.mark.slow
def test_a_service_that_is_down_while_an_effect_is_open_stops_the_resume(
    notifying: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    notifying.answer(send_mail=reject("no"), send_sms=reject("no"))
    notifying.dies("answer(open_ticket=APPROVE)", at="outbox:sent")
    monkeypatch.setenv(OFF, "1")
    stop_courier(notifying.lab.root / "mail")
    found = checks(notifying)
    assert (names(found)[-1], found[-1].is_ok) == ("pending effects", False)
    assert "the mail service" in found[-1].evidence


@pytest.mark.slow
def test_the_tools_see_the_variables_of_the_checkpoint_in_an_empty_environment(killed: Player) -> None:
    gone_on = killed.in_process("go_on()", is_bare=True)
    assert gone_on.returncode == 0, gone_on.stderr
    library = (killed.lab.root / "work" / "run-217" / "deps" / "re2.lib").read_text("utf-8")
    assert "BUILD_TARGET aarch64-linux-musl" in library
    assert checks(killed)[4].evidence.startswith("BUILD_ARCH=aarch64, BUILD_TARGET=aarch64-linux-musl")


def test_the_plan_file_is_read_by_the_next_process_and_its_ticks_are_made_by_files(killed: Player) -> None:
    plan = killed.lab.root / "work" / "run-217" / "plan.json"
    plan.write_text(plan.read_text().replace("false", "true"))
    killed.go_on()
    assert plan.read_text().count("true") == 3
    more = agent("builder").status(killed.lab, "run-217").more
    assert more["plan"] == [
        f"[x] {item}" for item in ("build and install abseil", "build and install re2", "pack re2")
    ]
