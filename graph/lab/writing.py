"""Write a report and its log line, and find out later whether that was done."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from agent_lab_tui.store.tables import now

from .. import gate
from . import crash
from .workspace import Workspace, add_line, replace_file

LOG = "run.log"


class ReportEmpty(gate.NotDone):
    """The file is there and holds nothing: the report is not written, whatever wrote it may believe."""


def write_report_files(lab: Workspace, task_id: str, file: str, text: str) -> dict[str, Any]:
    """Write the report, unless it stands there already, then the line in the log beside it."""
    path = lab.root / file
    crash.point("report:before-write")
    if not path.exists() or path.read_text("utf-8") != text:
        # Told to be a bad disk, it writes nothing and does not notice.
        is_spoiled = os.environ.get(crash.VARIABLE) == "report:empty"
        replace_file(path, "" if is_spoiled else text)
    seen_report(lab, file)
    crash.point("report:after-write")
    digest = hashlib.sha256(text.encode()).hexdigest()
    add_line(path.parent / LOG, f"{now()} task={task_id} report_written={file} sha256={digest[:12]}")
    crash.point("report:after-log")
    return {"file": file, "sha256": digest}


def found_report(lab: Workspace, task_id: str, file: str, text: str) -> gate.Evidence:
    """Tell whether the report was written, from the files alone.

    A report that is there with other words may be somebody's work: only a person can say.
    """
    path = lab.root / file
    if not path.exists():
        return gate.not_done(f"{file} is not there")
    if path.read_text("utf-8", errors="replace") != text:
        return gate.unknown(f"{file} is there, but it is not the text that was approved")
    log = path.parent / LOG
    digest = hashlib.sha256(text.encode()).hexdigest()
    is_logged = log.exists() and any(
        f"task={task_id} " in line and f"sha256={digest[:12]}" in line
        for line in log.read_text("utf-8").splitlines()
    )
    if not is_logged:
        return gate.not_done(f"{file} is there, its line in {LOG} is not")
    return gate.done({"file": file, "sha256": digest}, f"{file} is there as approved")


def seen_report(lab: Workspace, file: str) -> None:
    """Look at the report before anybody calls the task completed.

    Raises:
        ReportEmpty: It is there and empty.
        FileNotFoundError: It is not there.
    """
    if (lab.root / file).stat().st_size == 0:
        raise ReportEmpty(f"report empty: {file}")
