"""Frames between the desk and a host."""

from __future__ import annotations

import socket
import threading

import pytest

from agent_lab_tui.graph.hosting.frames import Closed, pack, read


@pytest.fixture
def line() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair()


@pytest.mark.parametrize(
    "record", [{}, {"text": "größer \ud800 \x1b[2J"}, {"n": [1.5, None, True]}, {"big": "x" * 3_000_000}]
)
def test_a_frame_arrives_as_it_was_sent(
    line: tuple[socket.socket, socket.socket], record: dict[str, object]
) -> None:
    here, there = line
    with here, there:
        sending = threading.Thread(target=here.sendall, args=(pack(record) * 2,))
        sending.start()
        assert read(there) == record
        assert read(there) == record
        sending.join()


@pytest.mark.parametrize(
    "sent", [b"", b"\x00\x00", pack({"a": 1})[:-1], b"\xff\xff\xff\xff", pack({})[:4] + b"[]"]
)
def test_what_cannot_be_a_frame_ends_the_connection(
    line: tuple[socket.socket, socket.socket], sent: bytes
) -> None:
    here, there = line
    with there:
        with here:
            here.sendall(sent)
        with pytest.raises(Closed):
            read(there)
