"""Reach the mail service through the courier, and tell what is certain when that fails."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from agent_lab_tui.store.lab.mailbox import Accepted, Kind, Mail

from .courier import ADDRESS
from .local_http import call
from .locks import alone_at

OFF = "AGENT_LAB_MAIL_OFF"
"""While this variable is set no mail service is started: it is down."""


_END_SECONDS = 10.0


class NotReached(ConnectionError):
    """The request did not reach the service: it has certainly done nothing."""


class ReplyLost(ConnectionError):
    """The request may have reached the service; whether it did is not known."""


class MailRefused(Exception):
    """The service answered that it will not send this; sending it again would not help."""


class MailClient:
    """A client of the mail service of one lab folder; it never sees the service's token."""

    def __init__(self, folder: Path, timeout: float = 10.0) -> None:
        self._folder = folder
        self._timeout = timeout

    def send(self, kind: Kind, mail: Mail, key: str) -> Accepted:
        """Hand a mail to a service, with its key.

        Raises:
            NotReached, ReplyLost: The network failed, before or after the service may have got it.
            MailRefused: The service will not send it.
        """
        body = {"to": mail.recipient, "subject": mail.subject, "body": mail.body}
        answer = self._call("POST", kind, key, body)
        return Accepted(answer["mail_id"], answer["is_repeat"])

    def sent_under(self, kind: Kind, key: str) -> tuple[int, ...]:
        """Ask a service which mails have come in under a key.

        Raises:
            NotReached, ReplyLost: The network failed.
            MailRefused: This kind of service cannot be asked.
        """
        return tuple(self._call("GET", kind, key, None)["mail_ids"])

    def _call(self, method: str, kind: Kind, key: str, body: dict[str, Any] | None) -> dict[str, Any]:
        socket_path = self._courier()
        try:
            status, answer = call(
                socket_path, method, f"/{kind}", body, {"Idempotency-Key": key}, self._timeout
            )
        except (FileNotFoundError, ConnectionRefusedError) as error:
            raise NotReached("the mail service is down") from error
        except (OSError, http.client.HTTPException) as error:
            raise ReplyLost("the mail service did not answer") from error
        if status == HTTPStatus.BAD_GATEWAY:
            raise NotReached(answer["error"])
        if status == HTTPStatus.GATEWAY_TIMEOUT:
            raise ReplyLost(answer["error"])
        if status >= HTTPStatus.BAD_REQUEST:
            raise MailRefused(answer["error"])
        return answer

    def _courier(self) -> Path:
        """Return the courier's socket; start a courier where none listens."""
        if (address := self._address()) is not None:
            return address
        if os.environ.get(OFF):
            raise NotReached("the mail service is down")
        with _alone(self._folder):
            if (address := self._address()) is not None:
                return address
            return start_courier(self._folder)

    def _address(self) -> Path | None:
        try:
            written = json.loads((self._folder / ADDRESS).read_text("utf-8"))
        except FileNotFoundError:
            return None
        if written["folder"] != str(self._folder.resolve()):
            return None
        socket_path = Path(written["socket"])
        return socket_path if _listens(socket_path) else None


def start_courier(folder: Path, *arguments: str, token: str | None = None) -> Path:
    """Start a courier with its service, apart from this process, and return its socket.

    Raises:
        NotReached: It did not start.
    """
    command = [sys.executable, "-P", "-m", "agent_lab_tui.graph.lab.courier", str(folder), *arguments]
    # The agent's environment may hold secrets; the service needs none of them.
    environment = {name: os.environ[name] for name in ("PYTHONPATH", "TMPDIR") if name in os.environ}
    started = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # else whoever reads this process's errors to their end waits for it
        env=environment,
        start_new_session=True,
        text=True,
    )
    assert started.stdin is not None
    assert started.stdout is not None
    with started.stdin as stdin, started.stdout as stdout:
        if token is not None:
            stdin.write(token + "\n")
        stdin.close()
        line = stdout.readline()
    # It outlives this process on purpose, so nobody will wait for it.
    started.returncode = 0
    if not line:
        raise NotReached("the mail service did not start")
    return Path(json.loads(line)["listens"])


def stop_courier(folder: Path) -> None:
    """End the courier of a folder and its service, if they run, and wait for their end."""
    with contextlib.suppress(FileNotFoundError, ConnectionError, ProcessLookupError, TimeoutError):
        address = json.loads((folder / ADDRESS).read_text("utf-8"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as held:
            held.settimeout(_END_SECONDS)
            held.connect(address["socket"])
            os.kill(address["pid"], signal.SIGTERM)
            # A connection ends with the process at its other end.
            held.recv(1)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time start a courier."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with alone_at(folder / "courier.lock"):
        yield


def _listens(socket_path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(socket_path))
        except OSError:
            return False
    return True
