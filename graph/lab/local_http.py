"""HTTP over a Unix socket: no port to collide, no other account that can connect, no network needed."""

from __future__ import annotations

import http.client
import json
import os
import selectors
import socket
import socketserver
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import IO, Any

IDLE_SECONDS = 120.0
"""A local service that nobody has called for this long ends by itself."""
_BODY_LIMIT = 1 << 20


class LocalServer(socketserver.ThreadingUnixStreamServer):
    """A server on a Unix socket that only this account can reach."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, socket_path: Path, handler: type[BaseHTTPRequestHandler]) -> None:
        self.socket_path = socket_path
        super().__init__(str(socket_path), handler)
        os.chmod(socket_path, 0o600)

    def serve(self, owner: IO[str] | None = None, idle_seconds: float = IDLE_SECONDS) -> None:
        """Serve until `owner` ends, or until nobody has called for `idle_seconds`."""
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            if owner is not None:
                selector.register(owner, selectors.EVENT_READ)
            while ready := selector.select(idle_seconds):
                if owner is not None and any(key.fileobj is owner for key, _ in ready):
                    return
                if any(key.fileobj is self for key, _ in ready):
                    self.handle_request()

    def server_close(self) -> None:
        """Stop listening and remove the socket."""
        super().server_close()
        self.socket_path.unlink(missing_ok=True)


class JsonHandler(BaseHTTPRequestHandler):
    """Reads and writes JSON; prints nothing."""

    def read_json(self) -> dict[str, Any]:
        """Return the body of the request, an empty object where it is none."""
        length = min(int(self.headers.get("Content-Length") or 0), _BODY_LIMIT)
        text = json.loads(self.rfile.read(length) or b"{}")
        return text if isinstance(text, dict) else {}

    def reply(self, status: int, body: dict[str, Any]) -> None:
        """Answer with a JSON object."""
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def hang_up(self) -> None:
        """Close the connection without an answer: the client cannot know what happened."""
        self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing: a request may hold what is nobody's business."""


class LocalConnection(http.client.HTTPConnection):
    """A client's connection to a server on a Unix socket."""

    def __init__(self, socket_path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._socket_path = socket_path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._socket_path))


def call(
    socket_path: Path,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    timeout: float = 10.0,
) -> tuple[int, dict[str, Any]]:
    """Make one request and return its status and its JSON body.

    Raises:
        OSError: Nobody listens (FileNotFoundError, ConnectionRefusedError), or the connection broke.
        http.client.HTTPException: The answer ended before it was complete.
    """
    connection = LocalConnection(socket_path, timeout)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers or {})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"{}")
    finally:
        connection.close()
