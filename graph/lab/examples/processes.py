"""Run a part of an example as a process of its own, because only that loses what was in memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from .. import crash


def run_process(module: str, arguments: Sequence[str], die_at: str | None = None) -> int:
    """Run `python -m module`, show what it prints indented, and return its exit code.

    Args:
        die_at: The crash point at which the process is killed, None to let it live.
    """
    environment = dict(os.environ)
    environment.pop(crash.VARIABLE, None)
    if die_at is not None:
        environment[crash.VARIABLE] = die_at
    command = [sys.executable, "-P", "-m", module, *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        print(f"    {line}")
    if done.returncode == -signal.SIGKILL:
        print("    (killed)")
    return done.returncode
