"""What graphs print is kept in a file without a name, and read while it grows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from agent_lab_tui.graph.hosting.output import LONGEST, HostOutput


@pytest.fixture
def output() -> Iterator[HostOutput]:
    output = HostOutput()
    yield output
    output.close()


def test_text_is_read_from_where_one_was(output: HostOutput) -> None:
    os.write(output.fileno(), "größer\n".encode())
    seen = output.size
    os.write(output.fileno(), b"more\xff\n")
    assert output.text() == "größer\nmore\ufffd\n"
    assert output.text(seen) == "more\ufffd\n"
    assert output.text(output.size) == ""


def test_two_processes_append_and_neither_overwrites(output: HostOutput) -> None:
    for word in ("one", "two"):
        subprocess.run([sys.executable, "-c", f"print('{word}')"], stdout=output.fileno(), check=True)
    assert output.text() == "one\ntwo\n"


def test_of_a_flood_the_last_part_is_read(output: HostOutput) -> None:
    os.write(output.fileno(), b"a" * LONGEST + b"end")
    assert len(output.text()) == LONGEST
    assert output.text().endswith("aend")


def test_a_closed_one_has_no_text(output: HostOutput) -> None:
    os.write(output.fileno(), b"text")
    output.close()
    assert (output.text(), output.size, output.is_closed) == ("", 0, True)
