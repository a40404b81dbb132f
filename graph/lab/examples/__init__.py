"""Small runnable examples, one idea each: what a checkpoint, a key, an outbox and a log do, and what not."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

EXAMPLES = {
    "checkpoint": "a hand-written checkpoint file: a crash before and after a step, a budget that goes on",
    "memory": "what a saver in memory loses when its process ends",
    "unsafe-write": "a crash between an insert and its checkpoint: two rows without a key, one with it",
    "outbox": "a lost reply: two mails without a key, one with it",
    "session": "an append-only session log: torn line, call without result, branches, compaction",
}
"""Name and one line of each example."""


def run(name: str, arguments: Sequence[str] = ()) -> int:
    """Run one example in a folder of its own and return its exit code.

    Raises:
        KeyError: There is no example of that name.
    """
    if name not in EXAMPLES:
        raise KeyError(f"There is no example {name!r}; there are {', '.join(EXAMPLES)}.")
    module = importlib.import_module(f".{name.replace('-', '_')}", __name__)
    return int(module.main(list(arguments)))
