"""The courier: the one process that holds the mail service's token, outside every tool and every agent.

An agent's tool hands a mail to the courier without any credential; the courier adds the token and passes it
on. So the token is in no state, no argument, no checkpoint, no journal and in no process that runs an agent.

Run as `python -m agent_lab_tui.graph.lab.courier FOLDER`. It takes the token from the first line of standard
input, or makes one, starts the service with it, says where it listens in `FOLDER/courier.json`, and ends with
the service when nobody has called for a while.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path

from .local_http import JsonHandler, LocalServer, call
from .workspace import replace_file

ADDRESS = "courier.json"
"""The file in the mail folder that names the courier's socket."""
MAILBOX = "mailbox.db"
"""The file in the mail folder where the service keeps what has gone out."""


class Courier(LocalServer):
    """Passes requests on to the service, with the token."""

    def __init__(self, socket_path: Path, service: Path, token: str) -> None:
        super().__init__(socket_path, _CourierHandler)
        self.service = service
        self.token = token


class _CourierHandler(JsonHandler):
    server: Courier

    def do_POST(self) -> None:
        """Pass a mail on."""
        self._pass_on(self.read_json())

    def do_GET(self) -> None:
        """Pass a question on."""
        self._pass_on(None)

    def _pass_on(self, body: dict[str, object] | None) -> None:
        headers = {"Authorization": f"Bearer {self.server.token}"}
        if (key := self.headers.get("Idempotency-Key")) is not None:
            headers["Idempotency-Key"] = key
        try:
            status, answer = call(self.server.service, self.command, self.path, body, headers)
        except (FileNotFoundError, ConnectionRefusedError):
            self.reply(HTTPStatus.BAD_GATEWAY, {"error": "the mail service is down"})
        except (OSError, http.client.HTTPException):
            self.reply(HTTPStatus.GATEWAY_TIMEOUT, {"error": "the mail service did not answer"})
        else:
            self.reply(status, answer)


def serve(folder: Path, arguments: list[str]) -> None:
    """Start the service, write down where the courier listens, and serve until it is idle."""
    token = sys.stdin.readline().strip() or secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="agent-lab-") as sockets:
        service_socket = Path(sockets, "service")
        command = [sys.executable, "-P", "-m", "agent_lab_tui.graph.lab.mail_service"]
        command += [str(service_socket), str(folder / MAILBOX), *arguments]
        with (
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as service,
            Courier(Path(sockets, "courier"), service_socket, token) as courier,
        ):
            assert service.stdin is not None
            assert service.stdout is not None
            service.stdin.write(token + "\n")
            service.stdin.flush()
            service.stdout.readline()
            _write_address(folder, courier.socket_path)
            print(json.dumps({"listens": str(courier.socket_path)}), flush=True)
            try:
                courier.serve()
            finally:
                (folder / ADDRESS).unlink(missing_ok=True)
                service.stdin.close()


def _write_address(folder: Path, socket_path: Path) -> None:
    # With its folder: in a copy of the lab the same file would lead to the courier of the original.
    address = {"socket": str(socket_path), "pid": os.getpid(), "folder": str(folder.resolve())}
    replace_file(folder / ADDRESS, json.dumps(address))


def main(arguments: list[str] | None = None) -> None:
    """Serve one mail folder; arguments that are not ours go to the service."""
    parser = argparse.ArgumentParser(prog="courier", description="Holds the mail service's token.")
    parser.add_argument("folder", type=Path)
    options, rest = parser.parse_known_args(arguments)
    # Ended from outside it still closes the service and takes its sockets away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve(options.folder, rest)


if __name__ == "__main__":
    main()
