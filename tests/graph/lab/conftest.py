"""What the tests of the lab share: a lab, somebody who plays its agents, and the mail service."""

from __future__ import annotations

import shutil
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


@pytest.fixture(scope="session")
def masters(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Runs of the builder at a point where many tests begin; each is made once and never written to."""
    made: dict[str, Path] = {}
    ways: dict[str, Callable[[Player], None]] = {
        "waiting": lambda player: player.start(),
        "killed": lambda player: player.dies("start()", at="model:replied#13"),
        "notifying": lambda player: player.start(project="zlib", model="scripted:notify"),
    }

    def master(name: str) -> Path:
        if name not in made:
            root = tmp_path_factory.mktemp(f"master-{name}")
            (root / "data").mkdir()
            ways[name](Player(Workspace(root), "builder", "run-217"))
            made[name] = root
        return made[name]

    return master


def _copied(masters: Callable[[str], Path], name: str, lab: Workspace) -> Player:
    shutil.copytree(masters(name), lab.root, dirs_exist_ok=True)
    return Player(lab, "builder", "run-217")


@pytest.fixture
def waiting(masters: Callable[[str], Path], lab: Workspace) -> Player:
    """A run that waits at its hand-over: push and mail are asked for."""
    return _copied(masters, "waiting", lab)


@pytest.fixture
def killed(masters: Callable[[str], Path], lab: Workspace) -> Player:
    """A run that was killed when the model had answered for the thirteenth time."""
    return _copied(masters, "killed", lab)


@pytest.fixture
def notifying(masters: Callable[[str], Path], lab: Workspace) -> Player:
    """A run that asks for a mail, a ticket and a text message at once."""
    return _copied(masters, "notifying", lab)


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
