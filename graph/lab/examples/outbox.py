"""A mail is sent and its reply is lost: sent again blindly it goes out twice, with outbox and key once."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from agent_lab_tui.store.lab.mailbox import Kind, Mail, Mailbox
from agent_lab_tui.store.lab.outbox import Outbox

from ..courier import MAILBOX
from ..delivery import TRIES, NotDelivered, deliver
from ..mail_client import MailClient, ReplyLost, start_courier, stop_courier

KEY = "run-217:step-9:call-2"
MAIL = Mail("boss@example.com", "Nightly build", "All parts are built.")


def _blindly(client: MailClient, _outbox: Outbox) -> str:
    """Send again after every lost reply, as a simple retry loop does."""
    for number in range(1, TRIES + 1):
        try:
            return f"mail {client.send(Kind.PLAIN, MAIL, KEY).mail_id} sent"
        except ReplyLost as lost:
            print(f"  try {number}: {lost}, again")
    raise NotDelivered(f"Tried {TRIES} times.")


def _with_key(client: MailClient, outbox: Outbox) -> str:
    delivered = deliver(outbox, client, Kind.KEYED, KEY, MAIL)
    return f"{delivered.status}: {delivered.how}"


def main(arguments: list[str]) -> int:
    """Send one mail in both ways through a service that loses its first reply; count what went out."""
    argparse.ArgumentParser(prog="outbox", description=__doc__).parse_args(arguments)
    ways: dict[str, Callable[[MailClient, Outbox], str]] = {
        "Sent again without a key": _blindly,
        "Outbox and key": _with_key,
    }
    for name, way in ways.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            print(f"{name}:")
            start_courier(folder, "--lose-replies", "1")
            try:
                print(f"  {way(MailClient(folder), Outbox(folder / 'agent.db'))}")
            finally:
                stop_courier(folder)
            print(f"  mails that went out: {len(Mailbox(folder / MAILBOX).sent())}")
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
