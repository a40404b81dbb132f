"""The limits of the house, walked on the syntax tree and on the built wheel."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("tui", "graph", "store")
FILE, CLASS, FUNCTION = 300, 200, 40


def sources() -> Iterator[Path]:
    for layer in LAYERS:
        yield from sorted((ROOT / layer).rglob("*.py"))


def length(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_files_classes_and_functions_stay_small() -> None:
    """One idea a file; a class or function that outgrows its room is two of them."""
    too_long = []
    for path in sources():
        text = path.read_text("utf-8")
        where = path.relative_to(ROOT)
        if (lines := text.count("\n")) > FILE:
            too_long.append(f"{where}: {lines} lines")
        for node in ast.walk(ast.parse(text)):
            limit = FUNCTION if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else CLASS
            if (
                isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
                and length(node) > limit
            ):
                too_long.append(f"{where}:{node.lineno} {node.name}: {length(node)} lines")
    assert not too_long, "\n".join(too_long)


def test_every_module_and_public_name_says_what_it_is() -> None:
    """A stranger finds any behaviour from its name and one sentence."""
    silent = []
    for path in sources():
        tree = ast.parse(path.read_text("utf-8"))
        if not ast.get_docstring(tree):
            silent.append(str(path.relative_to(ROOT)))
        for node in tree.body:
            is_definition = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            if is_definition and not node.name.startswith("_") and not ast.get_docstring(node):
                silent.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not silent, "\n".join(silent)


def test_the_list_of_packages_is_the_list_of_folders() -> None:
    """The list in pyproject.toml is kept by hand; a forgotten folder would be missing from the wheel."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = configuration["tool"]["setuptools"]["packages"]
    folders = {".".join(("agent_lab_tui", *path.parent.relative_to(ROOT).parts)) for path in sources()}
    assert sorted(listed) == sorted(folders)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Build the wheel from a copy of what a release would hold; give the names inside."""
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(_copied(out))]
    subprocess.run(build, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def _copied(out: Path) -> Path:
    """Copy the sources, so that a build leaves nothing in the checkout."""
    source = out / "source"
    for path in [*sources(), *(ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE"))]:
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    for path in [
        p for layer in LAYERS for p in (ROOT / layer).rglob("*") if p.suffix in {".tcss", ".typed", ".txt"}
    ]:
        (source / path.relative_to(ROOT)).write_bytes(path.read_bytes())
    return source


@pytest.mark.slow
def test_the_wheel_installs_nothing_but_one_namespace(wheel: list[str]) -> None:
    """A user's own graph.py, tui/ or store/ must stay importable beside ours."""
    assert {name.split("/")[0].split("-")[0] for name in wheel} == {"agent_lab_tui"}


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_the_stylesheet(wheel: list[str]) -> None:
    for path in sources():
        assert f"agent_lab_tui/{path.relative_to(ROOT)}" in wheel
    assert "agent_lab_tui/tui/app.tcss" in wheel
    assert "agent_lab_tui/tui/py.typed" in wheel


def test_langgraph_is_imported_by_graph_run_the_gate_and_the_lab_alone() -> None:
    """Everything else must stand, and start, without it; new modules are held to this by being there."""
    rooms = ("graph/run/", "graph/lab/", "graph/gate")
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources()
        if not str(path.relative_to(ROOT)).startswith(rooms)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in _imported(node)
        if name.split(".")[0] in {"langgraph", "langchain", "langchain_core"}
    ]
    assert not found, "\n".join(found)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []


HEADLESS = (
    "agent_lab_tui.store.files",
    "agent_lab_tui.store.journal.book",
    "agent_lab_tui.graph.desk",
    "agent_lab_tui.graph.reading.reader",
    "agent_lab_tui.tui.commands.list",
    "agent_lab_tui.tui.visible",
)


@pytest.mark.parametrize("module", HEADLESS)
def test_what_is_not_the_interface_can_be_imported_without_it(module: str) -> None:
    """Neither Textual nor LangGraph is loaded by the parts that need neither."""
    code = (
        f"import sys, {module}\n"
        "print([m for m in ('textual', 'langgraph', 'langchain_core') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_screen_can_be_imported_without_langgraph() -> None:
    code = (
        "import sys, agent_lab_tui.tui.app\n"
        "print([m for m in sys.modules if m.startswith(('langgraph', 'langchain'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_registry_host_and_no_path_of_a_machine_is_written_anywhere() -> None:
    """Pins are plain; a lock file or a note that names a host would break on the next machine."""
    words = ("://py" + "pi", "files.python" + "hosted", "/ro" + "ot/", "/wo" + "rk/main")
    texts = [p for p in ROOT.rglob("*") if p.suffix in {".py", ".toml", ".txt", ".md", ".yaml", ".tcss"}]
    skipped = {".venv", "build", "dist", "demo", ".git"}
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in texts
        if not skipped & set(path.relative_to(ROOT).parts)
        for word in words
        if word in path.read_text("utf-8", errors="replace")
    ]
    assert not found, "\n".join(found)
