"""A simulated mail service, a process of its own: three kinds of service behind one socket.

Run as `python -m agent_lab_tui.graph.lab.mail_service SOCKET MAILBOX`, with its access token as the first
line of standard input. It prints one line when it listens, and ends when standard input ends or when nobody
has asked for anything for a while. Mails are simulated: they go into the mailbox file and nowhere else.
"""

from __future__ import annotations

import argparse
import json
import sys
from http import HTTPStatus
from pathlib import Path

from agent_lab_tui.store.lab.mailbox import KeyTaken, Kind, Mail, Mailbox

from .local_http import JsonHandler, LocalServer


class MailService(LocalServer):
    """The listening service with its mailbox, its token and the faults it was told to have."""

    def __init__(self, socket_path: Path, mailbox: Mailbox, token: str, lost_replies: int = 0) -> None:
        super().__init__(socket_path, _MailHandler)
        self.mailbox = mailbox
        self.token = token
        self.lost_replies = lost_replies
        """How many of the next mails are sent without a reply reaching the client."""

    def loses_this_reply(self) -> bool:
        """Tell whether this reply is one of those that get lost, and count it."""
        is_lost = self.lost_replies > 0
        self.lost_replies -= is_lost
        return is_lost


class _MailHandler(JsonHandler):
    server: MailService

    def do_POST(self) -> None:
        """Send the mail in the request."""
        kind = self._kind()
        if kind is None:
            return
        text = self.read_json()
        try:
            mail = Mail(str(text["to"]), str(text["subject"]), str(text["body"]))
            accepted = self.server.mailbox.accept(kind, mail, self.headers.get("Idempotency-Key"))
        except KeyError as missing:
            self.reply(HTTPStatus.BAD_REQUEST, {"error": f"{missing.args[0]} is missing"})
        except KeyTaken as taken:
            self.reply(HTTPStatus.CONFLICT, {"error": str(taken)})
        else:
            if self.server.loses_this_reply():
                self.hang_up()
                return
            status = HTTPStatus.OK if accepted.is_repeat else HTTPStatus.CREATED
            self.reply(status, {"mail_id": accepted.mail_id, "is_repeat": accepted.is_repeat})

    def do_GET(self) -> None:
        """Say which mails came in under a key, where this kind of service can be asked."""
        kind = self._kind()
        if kind is None:
            return
        if kind is not Kind.ASKABLE:
            self.reply(HTTPStatus.METHOD_NOT_ALLOWED, {"error": f"the {kind} service cannot be asked"})
            return
        key = self.headers.get("Idempotency-Key", "")
        self.reply(HTTPStatus.OK, {"mail_ids": list(self.server.mailbox.with_key(kind, key))})

    def _kind(self) -> Kind | None:
        """Return the kind of service called; None, after a refusal, where the call is not allowed."""
        name = self.path.strip("/")
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            self.reply(HTTPStatus.UNAUTHORIZED, {"error": "the token is missing or wrong"})
        elif name not in list(Kind):
            self.reply(HTTPStatus.NOT_FOUND, {"error": f"there is no service {name}"})
        else:
            return Kind(name)
        return None


def main(arguments: list[str] | None = None) -> None:
    """Serve until standard input ends or nobody has called for a while."""
    parser = argparse.ArgumentParser(prog="mail_service", description="A simulated mail service.")
    parser.add_argument("socket", type=Path)
    parser.add_argument("mailbox", type=Path)
    parser.add_argument(
        "--lose-replies", type=int, default=0, metavar="N", help="send N mails without a reply"
    )
    options = parser.parse_args(arguments)
    token = sys.stdin.readline().strip()
    with MailService(options.socket, Mailbox(options.mailbox), token, options.lose_replies) as service:
        print(json.dumps({"listens": str(options.socket)}), flush=True)
        service.serve(sys.stdin)


if __name__ == "__main__":
    main()
