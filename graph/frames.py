"""How the desk and a host talk: a four-byte length, big-endian, then one JSON object."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

LARGEST = 1 << 30
"""Bytes of one frame; a larger one means that somebody else wrote into the socket."""


class Closed(Exception):
    """The other side has closed its end, or what it sends cannot be a frame."""


def pack(record: dict[str, Any]) -> bytes:
    """Return a record as one frame."""
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return struct.pack(">I", len(body)) + body


def read(connection: socket.socket) -> dict[str, Any]:
    """Wait for one frame and return its record.

    Raises:
        Closed: the connection ended, also in the middle of a frame.
    """
    (length,) = struct.unpack(">I", _exactly(connection, 4))
    if length > LARGEST:
        raise Closed(f"a frame of {length} bytes cannot be")
    record = json.loads(_exactly(connection, length).decode("utf-8", "surrogatepass"))
    if not isinstance(record, dict):
        raise Closed("a frame must hold one object")
    return record


def _exactly(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        try:
            part = connection.recv(min(count - len(parts), 1 << 20))
        except OSError as error:
            raise Closed(str(error)) from None
        if not part:
            raise Closed("the other side is gone")
        parts += part
    return bytes(parts)
