"""A mail is delivered once, or a person is asked: three kinds of service, interrupted everywhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.courier import MAILBOX
from agent_lab_tui.graph.lab.delivery import NotDelivered, UnknownDelivery, deliver, taken_as_sent
from agent_lab_tui.graph.lab.mail_client import OFF, MailClient, MailRefused
from agent_lab_tui.store.lab.mailbox import Kind, Mail, Mailbox
from agent_lab_tui.store.lab.outbox import Outbox

MAIL = Mail("boss@example.com", "Report", "It is done.")
KEY = "run-217:step-9:call-2"
Start = Callable[..., Path]

DELIVER = f"""
import sys
from pathlib import Path
from agent_lab_tui.graph.lab.delivery import deliver
from agent_lab_tui.graph.lab.mail_client import MailClient
from agent_lab_tui.store.lab.mailbox import Kind, Mail
from agent_lab_tui.store.lab.outbox import Outbox
folder = Path(sys.argv[1])
outbox = Outbox(folder / "agent.db")
print(deliver(outbox, MailClient(folder / "mail"), Kind(sys.argv[2]), {KEY!r}, {MAIL!r}).status)
"""


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "agent.db")


def sent(mail_folder: Path) -> int:
    return len(Mailbox(mail_folder / MAILBOX).sent())


def die_delivering(tmp_path: Path, kind: Kind, place: str) -> None:
    """Deliver in another process, which is killed at a place."""
    died = subprocess.run(
        [sys.executable, "-c", DELIVER, str(tmp_path), kind], env={**os.environ, crash.VARIABLE: place}
    )
    assert died.returncode == -signal.SIGKILL


@pytest.mark.parametrize("kind", Kind)
def test_a_mail_is_sent_once_however_often_it_is_delivered(
    kind: Kind, outbox: Outbox, mail_folder: Path
) -> None:
    client = MailClient(mail_folder)
    assert deliver(outbox, client, kind, KEY, MAIL).status == "sent"
    assert deliver(outbox, client, kind, KEY, MAIL).status == "already_sent"
    assert sent(mail_folder) == 1


@pytest.mark.parametrize("kind", Kind)
def test_killed_before_it_was_handed_over_it_is_sent_by_the_next_process(
    kind: Kind, tmp_path: Path, outbox: Outbox, mail_folder: Path
) -> None:
    die_delivering(tmp_path, kind, "outbox:pending")
    assert [(row.status, row.may_have_gone) for row in outbox.rows()] == [("pending", False)]
    assert deliver(outbox, MailClient(mail_folder), kind, KEY, MAIL).status == "sent"
    assert sent(mail_folder) == 1


@pytest.mark.parametrize(
    ("kind", "how"), [(Kind.KEYED, "the service knew"), (Kind.ASKABLE, "the service has it")]
)
def test_killed_between_sending_and_recording_the_service_is_asked_and_sends_nothing_again(
    kind: Kind, how: str, tmp_path: Path, outbox: Outbox, mail_folder: Path
) -> None:
    die_delivering(tmp_path, kind, "outbox:sent")
    assert [(row.status, row.may_have_gone) for row in outbox.rows()] == [("pending", True)]
    delivered = deliver(outbox, MailClient(mail_folder), kind, KEY, MAIL)
    assert (delivered.status, sent(mail_folder)) == ("already_sent", 1)
    assert delivered.how.startswith(how)
    assert [row.status for row in outbox.rows()] == ["sent"]


def test_killed_there_with_a_service_that_knows_nothing_only_a_person_can_say(
    tmp_path: Path, outbox: Outbox, mail_folder: Path
) -> None:
    die_delivering(tmp_path, Kind.PLAIN, "outbox:sent")
    with pytest.raises(UnknownDelivery, match="cannot be asked"):
        deliver(outbox, MailClient(mail_folder), Kind.PLAIN, KEY, MAIL)
    assert sent(mail_folder) == 1


def test_a_mail_that_a_person_took_as_sent_is_not_sent_again(
    tmp_path: Path, outbox: Outbox, mail_folder: Path
) -> None:
    die_delivering(tmp_path, Kind.PLAIN, "outbox:sent")
    taken_as_sent(outbox, KEY)
    assert deliver(outbox, MailClient(mail_folder), Kind.PLAIN, KEY, MAIL).status == "already_sent"
    assert sent(mail_folder) == 1


def test_a_mail_that_a_person_found_missing_is_sent(
    tmp_path: Path, outbox: Outbox, mail_folder: Path
) -> None:
    outbox.add(KEY, MAIL)
    outbox.attempt(KEY)
    client = MailClient(mail_folder)
    with pytest.raises(UnknownDelivery):
        deliver(outbox, client, Kind.PLAIN, KEY, MAIL)
    assert deliver(outbox, client, Kind.PLAIN, KEY, MAIL, is_cleared=True).status == "sent"
    assert sent(mail_folder) == 1


@pytest.mark.parametrize("kind", [Kind.KEYED, Kind.ASKABLE])
def test_after_a_lost_reply_the_service_is_asked_at_once(
    kind: Kind, outbox: Outbox, mail_folder: Path, start_service: Start
) -> None:
    start_service("--lose-replies", "1")
    delivered = deliver(outbox, MailClient(mail_folder), kind, KEY, MAIL)
    assert (delivered.status, sent(mail_folder)) == ("already_sent", 1)


def test_after_a_lost_reply_nothing_is_sent_again_where_nobody_can_be_asked(
    outbox: Outbox, mail_folder: Path, start_service: Start
) -> None:
    start_service("--lose-replies", "1")
    with pytest.raises(UnknownDelivery):
        deliver(outbox, MailClient(mail_folder), Kind.PLAIN, KEY, MAIL)
    assert sent(mail_folder) == 1


def test_three_tries_are_made_and_their_failure_is_an_error(
    outbox: Outbox, mail_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OFF, "1")
    with pytest.raises(NotDelivered, match="Tried 3 times, nothing was sent: the mail service is down"):
        deliver(outbox, MailClient(mail_folder), Kind.KEYED, KEY, MAIL)
    assert [(row.attempts, row.may_have_gone) for row in outbox.rows()] == [(3, False)]
    monkeypatch.delenv(OFF)
    assert deliver(outbox, MailClient(mail_folder), Kind.KEYED, KEY, MAIL).status == "sent"


def test_three_lost_replies_leave_it_unknown_and_never_sent_twice(
    outbox: Outbox, mail_folder: Path, start_service: Start
) -> None:
    start_service("--lose-replies", "3")
    with pytest.raises(UnknownDelivery, match="Tried 3 times, and one try may have arrived"):
        deliver(outbox, MailClient(mail_folder), Kind.KEYED, KEY, MAIL)
    assert deliver(outbox, MailClient(mail_folder), Kind.KEYED, KEY, MAIL).status == "already_sent"
    assert sent(mail_folder) == 1


def test_an_answer_of_the_service_is_no_reason_to_try_again(outbox: Outbox, mail_folder: Path) -> None:
    client = MailClient(mail_folder)
    client.send(Kind.KEYED, Mail("other@example.com", "Else", ""), KEY)
    with pytest.raises(MailRefused, match="another mail"):
        deliver(outbox, client, Kind.KEYED, KEY, MAIL)
    assert [(row.attempts, row.may_have_gone) for row in outbox.rows()] == [(1, False)]
