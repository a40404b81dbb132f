"""What was really done to the world, counted where it was done and not where it was recorded."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from agent_lab_tui.store.lab.mailbox import Mailbox
from agent_lab_tui.store.lab.reports import Reports
from agent_lab_tui.store.lab.tasks import key_of

from ..courier import MAILBOX
from ..workspace import Workspace

_REPORT_STEPS = (3, 4)


def deeds(lab: Workspace, task_id: str) -> Counter[str]:
    """Count every deed of a task: mails that went out, pushes, lines and rows written, files as they are."""
    return Counter((*_mails(lab), *_lines(lab), *_reports(lab, task_id), *_files(lab)))


def has_arrived(lab: Workspace, recipient: str) -> bool:
    """Tell what a person finds out who looks whether a mail has arrived."""
    return any(sent.mail.recipient == recipient for sent in Mailbox(lab.root / "mail" / MAILBOX).sent())


def _mails(lab: Workspace) -> Iterator[str]:
    for sent in Mailbox(lab.root / "mail" / MAILBOX).sent():
        yield f"mail to {sent.mail.recipient}"


def _lines(lab: Workspace) -> Iterator[str]:
    for path in (*lab.root.glob("remote/*.log"), *lab.root.glob("output/*/run.log")):
        for _ in path.read_text("utf-8").splitlines():
            yield f"line in {path.name}"
    for path in lab.root.glob("work/*/notes.md"):
        for line in path.read_text("utf-8").splitlines():
            yield f"note: {line}"


def _reports(lab: Workspace, task_id: str) -> Iterator[str]:
    for step in _REPORT_STEPS:
        if Reports(lab.business).find(key_of(task_id, step)) is not None:
            yield f"report row {step}"


def _files(lab: Workspace) -> Iterator[str]:
    made = (*lab.root.glob("work/*/d*/*"), *lab.root.glob("output/*/*.md"), *lab.root.glob("output/*/CMake*"))
    for path in (path for path in made if not path.name.startswith(".")):
        yield f"{path.name}: {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
