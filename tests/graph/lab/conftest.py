"""What the tests of the lab share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_lab_tui.graph.lab.mail_client import start_courier, stop_courier

TOKEN = "token-that-must-stay-outside"


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

    def start(*arguments: str) -> Path:
        return start_courier(mail_folder, *arguments, token=TOKEN)

    return start
