"""The outbox agent: asked first, sent once, through three kinds of service and every crash."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from lab_player import APPROVE, Player, edit, reject

from agent_lab_tui.graph.gate import NotDone
from agent_lab_tui.graph.lab.mail_client import OFF
from agent_lab_tui.graph.lab.registry import LabUsage, agent
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.store.lab.mailbox import Kind
from agent_lab_tui.store.lab.outbox import Outbox
from agent_lab_tui.store.lab.tasks import Tasks

BOSS = "boss@example.com"


@pytest.fixture
def outbox(lab: Workspace) -> Player:
    return Player(lab, "outbox", "mail-1")


def row(outbox: Player) -> tuple[str, str | None]:
    task = Tasks(outbox.lab.database).find("mail-1")
    assert task is not None
    return task.status, task.error


@pytest.mark.parametrize("kind", Kind)
def test_a_mail_goes_out_once_and_only_after_the_yes(kind: Kind, outbox: Player) -> None:
    outbox.start(kind=kind)
    assert (outbox.mails(), row(outbox)[0]) == ([], "waiting_confirmation")
    outbox.answer(send_mail=APPROVE)
    assert (outbox.mails(), row(outbox)) == ([BOSS], ("completed", None))
    assert outbox.effects() == {"mail-1:step:3": "done"}


def test_a_no_sends_nothing_and_keeps_the_reason(outbox: Player) -> None:
    outbox.start()
    outbox.answer(send_mail=reject("wait for Monday"))
    assert (outbox.mails(), row(outbox)) == ([], ("failed", "declined by the operator: wait for Monday"))


def test_an_edited_mail_is_sent_as_edited(outbox: Player) -> None:
    outbox.start()
    outbox.answer(send_mail=edit("send_mail", to="ann@example.com", subject="Build", body="Done."))
    assert outbox.mails() == ["ann@example.com"]


@pytest.mark.parametrize(
    ("kind", "word"), [(Kind.KEYED, "the service knew"), (Kind.ASKABLE, "the service has it")]
)
def test_killed_between_send_and_record_the_service_is_asked_by_key(
    kind: Kind, word: str, outbox: Player
) -> None:
    outbox.start(kind=kind)
    outbox.dies("answer(send_mail=APPROVE)", at="outbox:sent")
    assert [(each.status, each.may_have_gone) for each in Outbox(outbox.lab.database).rows()] == [
        ("pending", True)
    ]
    outbox.go_on()
    assert outbox.mails() == [BOSS]
    assert word in outbox.values["delivery"]
    assert row(outbox) == ("completed", None)


@pytest.mark.parametrize(("said", "mails"), [({"type": "respond", "message": "it arrived"}, 1), (APPROVE, 2)])
def test_killed_there_with_a_service_that_knows_nothing_a_person_is_asked_with_the_evidence(
    said: dict[str, str], mails: int, outbox: Player
) -> None:
    outbox.start(kind=Kind.PLAIN)
    outbox.dies("answer(send_mail=APPROVE)", at="outbox:sent")
    outbox.go_on()
    (asked,) = outbox.asked()
    assert (asked.name, outbox.mails(), row(outbox)[0]) == ("send_mail", [BOSS], "waiting_confirmation")
    assert "cannot be asked" in asked.request["reason"]
    outbox.answer(send_mail=said)
    assert (len(outbox.mails()), outbox.asked(), row(outbox)[0]) == (mails, [], "completed")
    assert agent("outbox").status(outbox.lab, "mail-1").is_accepted


def test_a_service_that_is_down_is_tried_three_times_and_the_yes_is_kept(
    outbox: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.start()
    monkeypatch.setenv(OFF, "1")
    with pytest.raises(NotDone, match="Tried 3 times, nothing was sent: the mail service is down"):
        outbox.answer(send_mail=APPROVE)
    assert row(outbox) == ("failed", "Tried 3 times, nothing was sent: the mail service is down.")
    monkeypatch.delenv(OFF)
    outbox.go_on()
    assert (outbox.mails(), row(outbox)) == ([BOSS], ("completed", None))


def test_two_mails_of_one_lab_have_two_keys(outbox: Player, lab: Workspace) -> None:
    other = Player(lab, "outbox", "mail-2")
    for player in (outbox, other):
        player.start()
        player.approve_all()
    assert [each.key for each in Outbox(lab.database).rows()] == ["mail-1:step:3", "mail-2:step:3"]
    assert outbox.mails() == [BOSS, BOSS]


@pytest.mark.parametrize("options", [{"kind": "carrier pigeon"}, {"colour": "red"}])
def test_a_setting_that_does_not_exist_is_refused(options: dict[str, str], outbox: Player) -> None:
    with pytest.raises(LabUsage):
        outbox.start(**options)
    assert Tasks(outbox.lab.database).all() == ()


@pytest.mark.parametrize("header", ["to", "subject"])
def test_a_header_takes_one_line_at_the_start_and_when_it_is_edited(header: str, outbox: Player) -> None:
    """A second line in it would be a header of its own, which nobody approved."""
    smuggled = "ann@example.com\nBcc: everybody@example.com"
    with pytest.raises(LabUsage, match=f"{header} takes one line"):
        outbox.start(**{header: smuggled})
    outbox.start()
    (asked,) = outbox.snapshot().interrupts
    (review,) = asked.value["review_configs"]
    mail = {"to": BOSS, "subject": "Build", "body": "Two\nlines.", header: smuggled}
    assert not is_valid(mail, review["args_schema"])
    assert is_valid({**mail, header: "ann@example.com"}, review["args_schema"])


def is_valid(arguments: dict[str, str], schema: dict[str, Any]) -> bool:
    return bool(Draft202012Validator(schema).is_valid(arguments))
