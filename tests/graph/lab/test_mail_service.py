"""The simulated mail service, in a process of its own, reached through the courier that holds its token."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab.courier import MAILBOX
from agent_lab_tui.graph.lab.local_http import call
from agent_lab_tui.graph.lab.mail_client import OFF, MailClient, MailRefused, NotReached, ReplyLost
from agent_lab_tui.store.lab.mailbox import Kind, Mail, Mailbox

MAIL = Mail("boss@example.com", "Report", "It is done.")
KEY = "run-217:step-9:call-2"
Start = Callable[..., Path]


def test_the_service_starts_when_it_is_needed_and_serves_several_clients(mail_folder: Path) -> None:
    first = MailClient(mail_folder).send(Kind.KEYED, MAIL, KEY)
    again = MailClient(mail_folder).send(Kind.KEYED, MAIL, KEY)
    assert (first.is_repeat, again.is_repeat, first.mail_id) == (False, True, again.mail_id)
    assert [mail.key for mail in Mailbox(mail_folder / MAILBOX).sent()] == [KEY]


def test_two_equal_mails_under_two_keys_are_two_mails(mail_folder: Path) -> None:
    client = MailClient(mail_folder)
    client.send(Kind.KEYED, MAIL, "run-217:step-9:call-2")
    client.send(Kind.KEYED, MAIL, "run-217:step-9:call-3")
    assert len(Mailbox(mail_folder / MAILBOX).sent()) == 2


def test_a_key_with_another_mail_is_refused_by_the_service(mail_folder: Path) -> None:
    client = MailClient(mail_folder)
    client.send(Kind.KEYED, MAIL, KEY)
    with pytest.raises(MailRefused, match="another mail"):
        client.send(Kind.KEYED, Mail("boss@example.com", "Report", "Else."), KEY)


def test_an_askable_service_says_what_came_in_under_a_key(mail_folder: Path) -> None:
    client = MailClient(mail_folder)
    assert client.sent_under(Kind.ASKABLE, KEY) == ()
    accepted = client.send(Kind.ASKABLE, MAIL, KEY)
    assert client.sent_under(Kind.ASKABLE, KEY) == (accepted.mail_id,)


@pytest.mark.parametrize("kind", [Kind.KEYED, Kind.PLAIN])
def test_the_other_kinds_cannot_be_asked(kind: Kind, mail_folder: Path) -> None:
    with pytest.raises(MailRefused, match="cannot be asked"):
        MailClient(mail_folder).sent_under(kind, KEY)


def test_a_lost_reply_is_told_from_a_service_that_was_not_reached(
    mail_folder: Path, start_service: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OFF, "1")
    with pytest.raises(NotReached):
        MailClient(mail_folder).send(Kind.PLAIN, MAIL, KEY)
    start_service("--lose-replies", "1")
    with pytest.raises(ReplyLost):
        MailClient(mail_folder).send(Kind.PLAIN, MAIL, KEY)
    assert len(Mailbox(mail_folder / MAILBOX).sent()) == 1


def test_the_service_is_closed_to_whoever_has_no_token(mail_folder: Path, start_service: Start) -> None:
    service = start_service().with_name("service")
    status, answer = call(service, "POST", "/keyed", {"to": "a", "subject": "b", "body": "c"})
    assert (status, answer["error"]) == (401, "the token is missing or wrong")
    assert Mailbox(mail_folder / MAILBOX).sent() == ()


def test_the_sockets_are_for_their_owner_alone(start_service: Start) -> None:
    socket_path = start_service()
    assert stat.S_IMODE(socket_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700
    assert socket_path.stat().st_uid == os.getuid()


def test_an_incomplete_mail_is_refused(start_service: Start) -> None:
    status, answer = call(start_service(), "POST", "/keyed", {"to": "a"}, {"Idempotency-Key": KEY})
    assert (status, answer["error"]) == (400, "subject is missing")
