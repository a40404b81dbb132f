"""The lab's files: replaced whole, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab import crash
from agent_lab_tui.graph.lab.registry import LabUsage
from agent_lab_tui.graph.lab.views import files_of
from agent_lab_tui.graph.lab.workspace import Workspace, add_line, open_workspace, replace_file


def replace_and_die(path: Path, text: str) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from agent_lab_tui.graph.lab.workspace import replace_file\n"
        "replace_file(Path(sys.argv[1]), sys.argv[2])\n"
    )
    died = subprocess.run(
        [sys.executable, "-c", code, str(path), text],
        env={**os.environ, crash.VARIABLE: "file:before-replace"},
        check=False,
    )
    assert died.returncode == -signal.SIGKILL


@pytest.mark.parametrize("before", [None, "old"])
def test_a_kill_while_writing_leaves_the_old_file_or_none(lab: Workspace, before: str | None) -> None:
    path = lab.root / "output" / "report.md"
    if before is not None:
        replace_file(path, before)
    replace_and_die(path, "new")
    assert (path.read_text("utf-8") if path.exists() else None) == before


def test_what_a_killed_write_leaves_over_is_no_file_of_the_task(lab: Workspace) -> None:
    path = lab.root / "output" / "report.md"
    replace_file(path, "old")
    replace_and_die(path, "new")
    assert len(list(path.parent.iterdir())) == 2
    assert files_of(lab, path.parent) == ("output/report.md",)
    replace_file(path, "newer")
    assert path.read_text("utf-8") == "newer"


def test_a_line_is_added_and_none_is_lost(lab: Workspace) -> None:
    path = lab.root / "run.log"
    for line in ("one", "two"):
        add_line(path, line)
    assert path.read_text("utf-8") == "one\ntwo\n"


def test_a_folder_that_is_no_lab_is_not_made_one(tmp_path: Path) -> None:
    with pytest.raises(LabUsage, match="There is no lab in"):
        open_workspace(tmp_path)
    assert list(tmp_path.iterdir()) == []
