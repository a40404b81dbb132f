"""How long the screen takes to stand, and what it costs to leave it open, against a bare Textual app.

    python tests/bench/bench_start.py --db FILE      # any checkpoint file with at least one waiting thread

Both are run by turns in a pseudo-terminal of 120 x 36. Start-up is held against the bare app by CPU time,
because wall time swings with what else the machine does. Run it where compiled files may be written
(without PYTHONDONTWRITEBYTECODE). Ends with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Mapping
from pathlib import Path

FRAME_TARGET = 1.3
"""CPU time until the first frame, over the bare app's."""
ROWS_TARGET = 0.38
"""CPU time from the first frame to the newest threads, over the bare app's whole start: 60 ms beside 160."""
IDLE_TARGET = 0.5
"""Per cent of a processor while nothing happens."""
MEMORY_TARGET = 80.0
"""MB over the bare app."""

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare frame")
Bare().run()
"""

NOTING = """
import os, sys, time
from textual.drivers.linux_driver import LinuxDriver
write, open_marks = LinuxDriver.write, {"frame": ("bare frame", "Reading"), "rows": ("\\u25cf",)}
def noting(self, text):
    write(self, text)
    for name, signs in list(open_marks.items()):
        if any(sign in text for sign in signs):
            del open_marks[name]
            with open(os.environ["MARKS"], "a") as file:
                file.write(f"{name} {time.process_time()}\\n")
LinuxDriver.write = noting
"""
"""Put before either program: notes the processor time at which something was written to the terminal."""

DESK = "from agent_lab_tui.tui.cli import main\nmain(sys.argv[1:])\n"


class Program:
    """One run in a terminal of its own."""

    def __init__(self, code: str, arguments: list[str], marks: Path) -> None:
        environment = {**os.environ, "TERM": "xterm-256color", "MARKS": str(marks)}
        self.pid, self._line = pty.fork()
        if not self.pid:
            os.chdir(marks.parent)
            os.execve(sys.executable, [sys.executable, "-c", NOTING + code, *arguments], environment)
        fcntl.ioctl(self._line, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))

    def stay(self, seconds: float) -> None:
        """Take what it writes for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self._line], [], [], left)[0]:
                os.read(self._line, 65536)

    def seconds(self) -> float:
        """Give the processor time it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Give its memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._line)


def started(code: str, arguments: list[str], last: str) -> Mapping[str, float]:
    """Run until a mark is reached; give the processor time at each, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        marks = Path(folder) / "marks"
        marks.touch()
        program, end = Program(code, arguments, marks), time.monotonic() + 60
        while last not in marks.read_text() and time.monotonic() < end:
            program.stay(0.1)
        program.end()
        found = dict(line.split() for line in marks.read_text().splitlines())
        return {name: float(seconds) for name, seconds in found.items()}


def resting(code: str, arguments: list[str], settle: float, rest: float) -> tuple[float, float]:
    """Leave it alone; give the per cent of a processor it uses then, and its memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        program = Program(code, arguments, Path(folder) / "marks")
        program.stay(settle)
        before = program.seconds()
        program.stay(rest)
        found = (program.seconds() - before) / rest * 100, program.megabytes()
        program.end()
        return found


def main() -> int:
    """Measure, print a table, and tell whether every target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rest", type=float, default=20.0, help="seconds for which it is left alone")
    given = parser.parse_args()
    arguments = ["--db", str(given.db.resolve()), "--readonly"]
    pairs = [(started(BARE, [], "frame"), started(DESK, arguments, "rows")) for _ in range(given.rounds)]
    bare = statistics.median(one["frame"] for one, _ in pairs)
    frame = statistics.median(mine["frame"] / one["frame"] for one, mine in pairs)
    rows = statistics.median((mine["rows"] - mine["frame"]) / one["frame"] for one, mine in pairs)
    idle, memory = resting(DESK, arguments, 15.0, given.rest)
    over = memory - resting(BARE, [], 3.0, 0.1)[1]
    print(f"  bare app, CPU to its first frame      {bare * 1000:10.0f} ms")
    return (
        0
        if all(
            [
                told("first frame", frame, "x bare", FRAME_TARGET),
                told("from there to the newest threads", rows, "x bare", ROWS_TARGET),
                told("left alone", idle, "% of a processor", IDLE_TARGET),
                told("memory over the bare app", over, "MB", MEMORY_TARGET),
            ]
        )
        else 1
    )


def told(name: str, found: float, unit: str, target: float) -> bool:
    """Print one line of the table; tell whether the target is met."""
    print(f"  {name:<38}{found:>10.2f} {unit}{'' if found <= target else f'  ABOVE {target}'}")
    return found <= target


if __name__ == "__main__":
    sys.exit(main())
