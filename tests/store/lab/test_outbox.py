"""The outbox and the service's mailbox: what is written down before and after a mail goes out."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from agent_lab_tui.store.lab.mailbox import KeyTaken, Kind, Mail, Mailbox
from agent_lab_tui.store.lab.outbox import OtherMail, Outbox

MAIL = Mail("boss@example.com", "Report", "It is done.")
KEY = "run-217:step-9:call-2"


def test_a_mail_is_pending_until_its_sending_is_recorded(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "agent.db")
    assert outbox.add(KEY, MAIL).status == "pending"
    outbox.attempt(KEY)
    assert [(row.status, row.may_have_gone) for row in outbox.rows("pending")] == [("pending", True)]
    outbox.sent(KEY, 7)
    row = outbox.row(KEY)
    assert row is not None
    assert (row.status, row.mail_id, row.error) == ("sent", 7, None)
    assert outbox.rows("pending") == ()


def test_a_mail_that_reached_nobody_is_known_not_to_have_gone(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "agent.db")
    outbox.add(KEY, MAIL)
    outbox.attempt(KEY)
    outbox.not_gone(KEY, "the service is down")
    row = outbox.row(KEY)
    assert row is not None
    assert (row.status, row.attempts, row.may_have_gone, row.error) == (
        "pending",
        1,
        False,
        "the service is down",
    )


def test_one_key_stands_for_one_mail(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "agent.db")
    outbox.add(KEY, MAIL)
    outbox.add(KEY, MAIL)
    with pytest.raises(OtherMail, match=KEY):
        outbox.add(KEY, Mail("boss@example.com", "Report", "Something else."))
    assert [row.mail for row in outbox.rows()] == [MAIL]


def test_text_that_looks_like_sql_is_only_text(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "agent.db")
    outbox.add("'; drop table outbox;--", MAIL)
    outbox.add(KEY, Mail("'; drop table outbox;--", "'", '"'))
    assert len(outbox.rows()) == 2
    assert outbox.row("'; drop table outbox;--") is not None


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "agent.db"
    Outbox(path).add(KEY, MAIL)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_looking_at_a_missing_outbox_does_not_make_it(tmp_path: Path) -> None:
    assert Outbox(tmp_path / "agent.db").rows() == ()
    assert not (tmp_path / "agent.db").exists()


def test_a_service_that_honours_keys_sends_a_repeat_once(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path / "mailbox.db")
    first = mailbox.accept(Kind.KEYED, MAIL, KEY)
    again = mailbox.accept(Kind.KEYED, MAIL, KEY)
    assert (again.mail_id, first.is_repeat, again.is_repeat) == (first.mail_id, False, True)
    assert [mail.key for mail in mailbox.sent()] == [KEY]


def test_a_service_that_honours_keys_refuses_another_mail_under_a_key(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path / "mailbox.db")
    mailbox.accept(Kind.KEYED, MAIL, KEY)
    with pytest.raises(KeyTaken):
        mailbox.accept(Kind.KEYED, Mail("other@example.com", "Report", "It is done."), KEY)
    assert len(mailbox.sent()) == 1


@pytest.mark.parametrize("kind", [Kind.ASKABLE, Kind.PLAIN])
def test_a_service_without_keys_sends_whatever_it_is_told(kind: Kind, tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path / "mailbox.db")
    mailbox.accept(kind, MAIL, KEY)
    mailbox.accept(kind, MAIL, KEY)
    assert len(mailbox.sent()) == 2


def test_only_a_service_that_keeps_keys_can_say_what_came_in_under_one(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path / "mailbox.db")
    accepted = mailbox.accept(Kind.ASKABLE, MAIL, KEY)
    mailbox.accept(Kind.PLAIN, MAIL, KEY)
    assert mailbox.with_key(Kind.ASKABLE, KEY) == (accepted.mail_id,)
    assert mailbox.with_key(Kind.PLAIN, KEY) == ()
