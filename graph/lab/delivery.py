"""Deliver a mail once: write it down, send it under its key, and ask before sending again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from agent_lab_tui.store.lab.mailbox import Accepted, Kind, Mail
from agent_lab_tui.store.lab.outbox import Outbox

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
    tries = _Tries(outbox, service, kind, key, mail, may_have_gone=row.may_have_gone and not is_cleared)
    for _ in range(TRIES):
        if (delivered := tries.once_more()) is not None:
            return delivered
    raise tries.given_up()


class _Tries:
    """The tries to deliver one mail, and what is known of it between them."""

    def __init__(
        self, outbox: Outbox, service: Service, kind: Kind, key: str, mail: Mail, *, may_have_gone: bool
    ) -> None:
        self._outbox = outbox
        self._service = service
        self._kind = kind
        self._key = key
        self._mail = mail
        self._may_have_gone = may_have_gone
        self._error = "the process ended before the answer was recorded"

    def once_more(self) -> Delivered | None:
        """Ask, or send; None after a failure of the network."""
        try:
            if self._may_have_gone and (found := self._ask()) is not None:
                self._outbox.sent(self._key, found)
                return Delivered("already_sent", found, f"the service has it under {self._key}")
            self._outbox.attempt(self._key)
            accepted = self._service.send(self._kind, self._mail, self._key)
        except NotReached as failed:
            self._note(failed)
        except ReplyLost as failed:
            self._may_have_gone = True
            self._note(failed)
        except MailRefused as refused:
            self._note(refused)
            raise
        else:
            crash.point("outbox:sent")
            self._outbox.sent(self._key, accepted.mail_id)
            return _delivered(accepted, self._key)
        return None

    def given_up(self) -> Exception:
        """Say what is known after the last try."""
        if self._may_have_gone:
            return UnknownDelivery(f"Tried {TRIES} times, and one try may have arrived: {self._error}.")
        return NotDelivered(f"Tried {TRIES} times, nothing was sent: {self._error}.")

    def _ask(self) -> int | None:
        """Find out whether an open try arrived; None means that sending (again) is right."""
        if self._kind is Kind.KEYED:
            return None
        if self._kind is Kind.ASKABLE:
            return next(iter(self._service.sent_under(self._kind, self._key)), None)
        raise UnknownDelivery(
            f"It was handed to the service and no answer is recorded ({self._error}). "
            "The service knows no keys and cannot be asked: look whether it has arrived."
        )

    def _note(self, error: Exception) -> None:
        self._error = str(error)
        if self._may_have_gone:
            self._outbox.lost(self._key, self._error)
        else:
            self._outbox.not_gone(self._key, self._error)


def _delivered(accepted: Accepted, key: str) -> Delivered:
    if accepted.is_repeat:
        return Delivered("already_sent", accepted.mail_id, f"the service knew {key} and sent nothing again")
    return Delivered("sent", accepted.mail_id, f"the service took it under {key}")


def taken_as_sent(outbox: Outbox, key: str) -> None:
    """Write down that a person took a mail as sent; one that is known to be sent stays as it is."""
    row = outbox.row(key)
    if row is not None and row.status == "pending":
        outbox.sent(key, row.mail_id)
