"""What several tests need: the shared real inputs, copies of them, and a way to run code in a process."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("AGENT_LAB_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real inputs beside the checkout; tests that need it skip without it."""
    if not (SHARED / "zoo" / "make_db.py").is_file():
        pytest.skip("the folder of shared inputs (zoo, cases) does not lie beside this checkout")
    return SHARED


def _common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder that all test workers of a run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


def _made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Make a folder once for all test workers; the first one makes it, the others wait."""
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = folder.with_suffix(".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let processes that tests start share what they compile, and write none of it beside the sources."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(_common(tmp_path_factory) / "compiled")


@pytest.fixture(scope="session")
def zoo_master(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `zoo.sqlite` and `zoo.expected.json`, made once; never written to."""
    base = _common(tmp_path_factory)

    def make(folder: Path) -> None:
        subprocess.run(
            [sys.executable, str(shared / "zoo" / "make_db.py"), str(folder / "zoo.sqlite")],
            check=True,
            capture_output=True,
        )

    return _made_once(base / "zoo-master", make)


@pytest.fixture
def zoo_db(zoo_master: Path, tmp_path: Path) -> Path:
    """A fresh copy of the zoo's checkpoint database, free to write to."""
    for name in os.listdir(zoo_master):
        shutil.copy(zoo_master / name, tmp_path / name)
    return tmp_path / "zoo.sqlite"


@pytest.fixture(scope="session")
def zoo_expected(zoo_master: Path) -> dict[str, Any]:
    """What LangGraph itself says of every zoo thread: questions, next, errors, answers."""
    expected: dict[str, Any] = json.loads((zoo_master / "zoo.expected.json").read_text("utf-8"))
    return expected


@pytest.fixture(scope="session")
def case_masters(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the folder with the database of a real-world case, made once for all; never written to."""
    base = _common(tmp_path_factory)

    def master(number: str) -> Path:
        (case,) = shared.glob(f"cases/{number}-*")

        def make(folder: Path) -> None:
            subprocess.run(
                [sys.executable, str(case / "make.py"), str(folder / "case.sqlite")],
                check=True,
                capture_output=True,
                env={**os.environ, "EFFECTS_LOG": str(folder / "effects.log")},
            )

        return _made_once(base / f"case-master-{number}", make)

    return master


@pytest.fixture
def make_case(
    case_masters: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Copy the database of one real-world case; side effects go to `effects.log` beside it."""
    monkeypatch.setenv("EFFECTS_LOG", str(tmp_path / "effects.log"))

    def make(number: str) -> Path:
        shutil.copytree(case_masters(number), tmp_path, dirs_exist_ok=True)
        return tmp_path / "case.sqlite"

    return make
