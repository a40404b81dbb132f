"""How the desk and a host talk: a four-byte length, big-endian, then one JSON object."""

from __future__ import annotations

import socket
from json import JSONDecodeError, JSONDecoder, JSONEncoder
from struct import Struct
from typing import Any

LARGEST = 1 << 30
"""Bytes of one frame; a larger one means that somebody else wrote into the socket."""


# Bound before any graph is loaded: what a node puts in the place of `json.dumps` must not reach the line.
_encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_decode = JSONDecoder().decode
_length = Struct(">I")


class Closed(Exception):
    """The other side has closed its end, or what it sends cannot be a frame."""


class Junk(Closed):
    """What came cannot be a frame: somebody else writes into the line, and what follows means nothing."""


def pack(record: dict[str, Any]) -> bytes:
    """Return a record as one frame."""
    body = _encode(record).encode("utf-8", "surrogatepass")
    return _length.pack(len(body)) + body


def read(connection: socket.socket) -> dict[str, Any]:
    """Wait for one frame and return its record.

    Raises:
        Closed: the connection ended, also in the middle of a frame, or what came is no frame.
    """
    (length,) = _length.unpack(_exactly(connection, _length.size))
    if length > LARGEST:
        raise Junk(f"a frame of {length} bytes cannot be")
    try:
        record = _decode(_exactly(connection, length).decode("utf-8", "surrogatepass"))
    except (JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Junk(f"what came is no frame: {error}") from None
    if not isinstance(record, dict):
        raise Junk("a frame must hold one object")
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
