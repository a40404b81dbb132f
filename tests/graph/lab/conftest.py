"""What the tests of the lab share: a lab, somebody who plays its agents, and the mail service."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab.mail_client import start_courier, stop_courier
from agent_lab_tui.graph.lab.workspace import Workspace

# Tests are imported one by one, without their folder; the processes they start need the player as well.
sys.path.insert(0, str(Path(__file__).parent))

from lab_player import Player

TOKEN = "token-that-must-stay-outside"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Workspace]:
    """An empty lab; a mail service that was started in it is ended afterwards."""
    workspace = Workspace(tmp_path / "lab")
    workspace.database.parent.mkdir(parents=True)
    yield workspace
    stop_courier(workspace.root / "mail")


@pytest.fixture
def builder(lab: Workspace) -> Player:
    """A run of the builder that has not started."""
    return Player(lab, "builder", "run-217")


@pytest.fixture
def mail_folder(tmp_path: Path) -> Iterator[Path]:
    """An empty mail folder; a courier that was started in it is ended afterwards."""
    folder = tmp_path / "mail"
    folder.mkdir()
    yield folder
    stop_courier(folder)


@pytest.fixture
def start_service(mail_folder: Path) -> Callable[..., Path]:
    """Start the mail service with options of its own and a token we know."""

    def begin(*arguments: str) -> Path:
        return start_courier(mail_folder, *arguments, token=TOKEN)

    return begin
