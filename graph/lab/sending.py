"""Send an approved mail once: ledger, outbox and service, and a person for what none of them knows."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.store.lab.mailbox import Kind, Mail
from agent_lab_tui.store.lab.outbox import Outbox

from ..gate import Evidence, NotDone, done, not_done, once, unknown
from .delivery import NotDelivered, Service, UnknownDelivery, deliver, taken_as_sent
from .mail_client import MailClient
from .workspace import Workspace


def mail_client(lab: Workspace) -> MailClient:
    """Return the way to the lab's mail service."""
    return MailClient(lab.root / "mail")


def send(outbox: Outbox, service: Service, kind: Kind, key: str, mail: Mail) -> str:
    """Send a mail whose earlier tries, if any, are settled; return how it is known to be out.

    Raises:
        gate.NotDone: It has certainly not gone out.
        UnknownDelivery, MailRefused: As `deliver`.
    """
    try:
        delivered = deliver(outbox, service, kind, key, mail, is_cleared=True)
    except NotDelivered as error:
        raise NotDone(str(error)) from error
    return f"{delivered.status}: {delivered.how}"


def look(outbox: Outbox, service: Service, kind: Kind, key: str) -> Evidence:
    """Find out whether a mail has gone out: first in the outbox, then outside.

    Raises:
        ConnectionError: The service cannot be asked now.
    """
    row = outbox.row(key)
    if row is None or (row.status == "pending" and not row.may_have_gone):
        return not_done("it was never handed to the service")
    if row.status == "sent":
        return done("already_sent: the outbox says so", "the outbox says that it was sent")
    if kind is Kind.KEYED:
        return not_done("the service honours the key: asked again, it gives the first result")
    if kind is Kind.PLAIN:
        return unknown("the service knows no keys and cannot be asked; look whether it has arrived")
    if not (found := service.sent_under(kind, key)):
        return not_done("the service has nothing under this key")
    outbox.sent(key, found[0])
    return done("already_sent: the service has it", "the service has it under this key")


def send_once(lab: Workspace, kind: Kind, key: str, mail: Mail, arguments: dict[str, Any]) -> str:
    """Send an approved mail once, by its key in the ledger.

    Raises:
        gate.NotDone: It has not gone out; go on when the service is there again.
        gate.Stopped, store.effects.Conflict, store.effects.Busy: The ledger says no.
    """
    outbox, service = Outbox(lab.database), mail_client(lab)

    def attempt() -> str:
        return once(
            key,
            "send_mail",
            arguments,
            lambda: send(outbox, service, kind, key, mail),
            lambda: look(outbox, service, kind, key),
            ledger=lab.ledger,
        )

    try:
        result = attempt()
    except UnknownDelivery:
        # The ledger has it as unknown now, so this looks it up, or asks.
        result = attempt()
    taken_as_sent(outbox, key)
    return result
