"""A scripted provider's failures: no balance, too many requests, no answer in time."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ..registry import LabUsage
from ..workspace import replace_file

FAILURES = {
    "402": "402 payment required: the account has no balance left",
    "429": "429 too many requests: wait and go on",
    "timeout": "the provider did not answer in time",
}
"""What each failure says."""


class ProviderError(Exception):
    """The model's provider gave no reply; nothing of the step has happened."""


def failures_of(text: str) -> list[tuple[int, str]]:
    """Read at which steps the provider is to fail, once each: `28:402,30:timeout`.

    Raises:
        LabUsage: The text does not say so.
    """
    planned = []
    for part in text.split(",") if text else ():
        found = re.fullmatch(r"(\d+):(\w+)", part.strip())
        if found is None or found[2] not in FAILURES:
            raise LabUsage(f"{part!r} is no failure: it takes STEP:KIND, with {', '.join(FAILURES)}.")
        planned.append((int(found[1]), found[2]))
    return planned


def plan_failures(file: Path, planned: list[tuple[int, str]]) -> None:
    """Write down at which steps the provider will fail."""
    if planned:
        replace_file(file, json.dumps(planned))


def fail_if_planned(file: Path, step: int) -> None:
    """Fail if that was planned for this step and has not happened yet.

    Raises:
        ProviderError: It was.
    """
    planned = json.loads(file.read_text("utf-8")) if file.exists() else []
    for entry in planned:
        if entry[0] == step:
            planned.remove(entry)
            replace_file(file, json.dumps(planned))
            raise ProviderError(FAILURES[entry[1]])
