"""Deliver a mail once: write it down, send it under its key, and ask before sending again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from agent_lab_tui.store.mailbox import Accepted, Kind, Mail
from agent_lab_tui.store.outbox import Outbox, OutboxRow

from . import crash
from .mail_client import MailRefused, NotReached, ReplyLost

TRIES = 3


class Service(Protocol):
    """What is needed of a mail service's client."""

    def send(self, kind: Kind, mail: Mail, key: str) -> Accepted:
        """Hand a mail over."""

    def sent_under(self, kind: Kind, key: str) -> tuple[int, ...]:
        """Ask what has come in under a key."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """How it is known that a mail is out."""

    status: Literal["sent", "already_sent"]
    mail_id: int | None
    how: str
    """In one sentence: by this request, by an earlier one, or because the service said so."""


class UnknownDelivery(Exception):
    """The mail may or may not have gone out, and nobody can be asked but a person."""


class NotDelivered(Exception):
    """The mail has not gone out; the message says how often it was tried and why it failed."""


def deliver(
    outbox: Outbox, service: Service, kind: Kind, key: str, mail: Mail, *, is_cleared: bool = False
) -> Delivered:
    """Send a mail so that it goes out once, whatever was lost before.

    Only failures of the network are tried again, three times in all.

    Args:
        is_cleared: It is settled elsewhere, by the ledger or a person, that an earlier try did not arrive.

    Raises:
        UnknownDelivery: It may have gone out, the service knows no keys and cannot be asked.
        NotDelivered: It has certainly not gone out.
        MailRefused: The service will not send it.
        store.outbox.OtherMail: The key stands in the outbox with another mail.
    """
    row = outbox.add(key, mail)
    crash.point("outbox:pending")
    if row.status == "sent":
        return Delivered("already_sent", row.mail_id, "the outbox says it was sent")
    may_have_gone = row.may_have_gone and not is_cleared
    error = row.error or "the process ended before the answer was recorded"
    for _ in range(TRIES):
        try:
            if may_have_gone and (found := _ask(service, kind, key, error)) is not None:
                outbox.sent(key, found)
                return Delivered("already_sent", found, f"the service has it under {key}")
            outbox.attempt(key)
            accepted = service.send(kind, mail, key)
        except NotReached as failed:
            error = str(failed)
            if not may_have_gone:
                outbox.not_gone(key, error)
        except ReplyLost as failed:
            error = str(failed)
            may_have_gone = True
            outbox.lost(key, error)
        except MailRefused as refused:
            if not may_have_gone:
                outbox.not_gone(key, str(refused))
            raise
        else:
            crash.point("outbox:sent")
            outbox.sent(key, accepted.mail_id)
            return _delivered(accepted, key)
    raise _given_up(may_have_gone, error)


def _ask(service: Service, kind: Kind, key: str, error: str) -> int | None:
    """Find out whether an open attempt arrived; None means that sending (again) is right."""
    if kind is Kind.KEYED:
        return None
    if kind is Kind.ASKABLE:
        return next(iter(service.sent_under(kind, key)), None)
    raise UnknownDelivery(
        f"It was handed to the service and no answer is recorded ({error}). "
        "The service knows no keys and cannot be asked: look whether it has arrived."
    )


def _delivered(accepted: Accepted, key: str) -> Delivered:
    if accepted.is_repeat:
        return Delivered("already_sent", accepted.mail_id, f"the service knew {key} and sent nothing again")
    return Delivered("sent", accepted.mail_id, f"the service took it under {key}")


def _given_up(may_have_gone: bool, error: str) -> Exception:
    if may_have_gone:
        return UnknownDelivery(f"Tried {TRIES} times, and one try may have arrived: {error}.")
    return NotDelivered(f"Tried {TRIES} times, nothing was sent: {error}.")


def settle(outbox: Outbox, row: OutboxRow, was_sent: bool, by: str) -> None:
    """Write down what a person found out about a mail that may have gone."""
    if was_sent:
        outbox.sent(row.key, row.mail_id)
    else:
        outbox.not_gone(row.key, f"{by} found that it has not arrived")
