"""A hand-written checkpoint: a plan of five steps, saved after each, carried on after a kill.

The whole state is written each time, so a write that is cut short must not harm the state before it: it goes
to a temporary file in the same folder, which then takes the name of the old one in one move.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Literal, TypedDict

from .. import crash
from .processes import run_process

PLAN = ("fetch zlib", "build zlib", "install zlib", "configure libpng", "build libpng")
CRASH_STEP = PLAN[3]
MODULE = "agent_lab_tui.graph.lab.examples.checkpoint"


class Progress(TypedDict):
    """What is needed to go on."""

    done: list[str]
    steps_used: int


class BrokenCheckpoint(Exception):
    """The file is there and cannot be read; it is left as it is."""


def save(path: Path, progress: Progress) -> None:
    """Replace the checkpoint in one move: a reader finds the old one or the new one, never a half."""
    text = json.dumps(progress)
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        crash.point("checkpoint:half written")
        file.write(text[len(text) // 2 :])
        file.flush()
        os.fsync(descriptor)
    os.replace(part, path)


def load(path: Path) -> Progress:
    """Return the saved progress; nothing done and nothing used where there is no file.

    Raises:
        BrokenCheckpoint: The file holds something else.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
        return Progress(done=list(found["done"]), steps_used=int(found["steps_used"]))
    except FileNotFoundError:
        return Progress(done=[], steps_used=0)
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenCheckpoint(f"{path} is no checkpoint ({error}); it was left as it is.") from error


def carry_on(folder: Path, max_steps: int) -> Literal["completed", "budget_exceeded"]:
    """Do the steps that are not done yet, as far as the budget of all processes together reaches."""
    path = folder / "run-217.json"
    progress = load(path)
    print(f"checkpoint: {len(progress['done'])} steps done, {progress['steps_used']} of {max_steps} used")
    for step in PLAN:
        if step in progress["done"]:
            continue
        if progress["steps_used"] >= max_steps:
            return "budget_exceeded"
        crash.point(f"checkpoint:before {step}")
        _do(folder, step)
        crash.point(f"checkpoint:after {step}")
        progress["done"].append(step)
        progress["steps_used"] += 1
        save(path, progress)
    return "completed"


def _do(folder: Path, step: str) -> None:
    """Do one step: a line in a file stands for what it changes in the world."""
    print(f"doing {step}")
    with open(folder / "world.log", "a", encoding="utf-8") as log:
        log.write(step + "\n")


def main(arguments: list[str]) -> int:
    """Show a run that is killed in its fourth step, and the run that carries it on."""
    parser = argparse.ArgumentParser(prog="checkpoint", description=__doc__)
    parser.add_argument("--max-steps", type=int, default=len(PLAN), metavar="N")
    parser.add_argument("--crash", choices=("before", "after"), default="before")
    parser.add_argument("--carry-on", type=Path, metavar="FOLDER", help="only one process, in this folder")
    options = parser.parse_args(arguments)
    if options.carry_on:
        print(f"result: {carry_on(options.carry_on, options.max_steps)}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        part = ["--carry-on", folder, "--max-steps", str(options.max_steps)]
        print(f"First process, killed {options.crash} the act of {CRASH_STEP!r}:")
        run_process(MODULE, part, die_at=f"checkpoint:{options.crash} {CRASH_STEP}")
        print("Second process:")
        run_process(MODULE, part)
        times = Counter(Path(folder, "world.log").read_text("utf-8").splitlines())
    twice = [step for step, count in times.items() if count > 1]
    print("What was done to the world: " + ", ".join(f"{step} {times[step]}x" for step in times))
    if twice:
        print(f"{twice[0]!r} was done twice: it was over before its checkpoint was written.")
        print("No checkpoint closes that window; a key that the other side knows does, or asking it.")
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
