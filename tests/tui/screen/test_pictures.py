"""Golden pictures: what the screen looks like, compared with what somebody has looked at."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from textual.widgets import Input

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.lab.demo import write_project
from agent_lab_tui.graph.lab.registry import Start, agent
from agent_lab_tui.graph.lab.starting import start
from agent_lab_tui.graph.lab.workspace import Workspace
from agent_lab_tui.graph.settings.file import load
from agent_lab_tui.store.lab.tasks import Tasks

PICTURES = Path(__file__).resolve().parents[3] / "screenshots"
AGENT = Path(__file__).parent / "picture_agent.py"
ASKING = Path(__file__).parent / "asking_agent.py"
SMALL, MEDIUM, WIDE = (80, 24), (120, 36), (160, 45)
AGE = 120.0


@dataclass(frozen=True)
class Scene:
    """A state of the desk that is worth a picture."""

    name: str
    thread: str
    keys: tuple[str, ...] = ()
    typed: str = ""
    size: tuple[int, int] = SMALL
    theme: str = "textual-dark"
    graph: bool = True
    is_asking: bool = False
    """It is one of the agents that ask in every form."""
    shows: str = ""
    """A text that is on the screen once the picture can be taken."""


SCENES = (
    Scene("request", "task-001", shows="all read"),
    Scene("request-light", "task-001", theme="textual-light", shows="all read"),
    Scene("request-medium", "task-001", size=MEDIUM, shows="all read"),
    Scene("desk-wide", "task-001", size=WIDE, shows="← head"),
    Scene("desk-wide-light", "task-001", size=WIDE, theme="textual-light", shows="← head"),
    Scene("operations", "run-2026-07-28-000217", ("2",), shows="delete_branch                          "),
    Scene("critical", "run-2026-07-28-000217", ("3", "space", "a"), shows="which is:"),
    Scene("long", "disk-script", ("enter",), shows="more lines"),
    Scene("viewer", "disk-script", ("enter", "enter"), shows="Space next page"),
    Scene("untrusted", "evil-[/]", shows="␠×3000"),
    Scene("untrusted-light", "evil-[/]", theme="textual-light", shows="␠×3000"),
    Scene("wide-characters", "受注-２０２６-０００１", shows="北海道営業所"),
    Scene("reject", "task-001", ("r",), "The report must name its sources.", shows="sources"),
    Scene("edit", "task-001", ("e",), shows="Ctrl+S"),
    Scene("answer", "evil-[/]", ("space", "v"), '{"ok": true}', shows="as JSON"),
    Scene("failed", "task-007", shows="bad date"),
    Scene("done", "task-000", shows="finished"),
    Scene("state", "task-001", ("S",), size=MEDIUM, shows="Checkpoint"),
    Scene("history", "task-001", ("h", "down"), shows="added"),
    Scene("help", "task-001", ("question_mark",), shows="Signs"),
    Scene("no-graph", "task-001", graph=False, shows="No graph is loaded"),
    Scene(
        "form",
        "letter-2026-07",
        ("space", "v", "t", "down", *"Rain", "down", "x", "down", "down", *"Rome", "down", "down", "f7"),
        "wet",
        is_asking=True,
        shows="must be a number",
    ),
    Scene(
        "form-medium",
        "letter-2026-07",
        (
            "space",
            "v",
            "t",
            "down",
            *"Rain",
            "down",
            "2",
            "down",
            "down",
            *"Rome",
            *["down"] * 4,
            "m",
            "down",
        ),
        "ann@example.com",
        is_asking=True,
        size=MEDIUM,
        shows='"to": "ann@example.com"',
    ),
    Scene("breakpoint", "nightly-3", is_asking=True, shows="write_up"),
    Scene("doctor", "nightly-3", ("D", "down"), is_asking=True, shows="findings"),
    Scene("filter-nothing", "task-001", ("slash",), "zzz", shows="No thread matches"),
)


LAB_SCENES = (
    Scene("lab", "task-001", ("l",), size=MEDIUM, shows="not done yet"),
    Scene("lab-small", "task-004", ("l",), shows="✖ the row says completed"),
    Scene("lab-light", "task-004", ("l",), size=MEDIUM, theme="textual-light", shows="the result is not"),
    Scene("halted", "task-001", ("O",), shows="nothing runs by itself"),
)


@pytest.fixture(scope="module")
def agent_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the agent of the pictures in every thread once."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("picture_agent", AGENT)
    assert spec is not None
    assert spec.loader is not None
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    path = tmp_path_factory.mktemp("pictures") / "agent.db"
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        graph = agent.builder.compile(checkpointer=SqliteSaver(connection))
        for thread_id, asks in agent.THREADS.items():
            with suppress(ValueError):
                graph.invoke({"task": thread_id, "asks": asks}, {"configurable": {"thread_id": thread_id}})
    return path


@pytest.fixture(scope="module")
def asking_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Let a letter wait, a run stop at a breakpoint, and an answer be stored that its node cannot take."""
    import importlib

    path = tmp_path_factory.mktemp("asking") / "agent.db"
    with pytest.MonkeyPatch.context() as patch, closing(connect(path)) as connection:
        patch.syspath_prepend(str(ASKING.parent))
        agent, saver = importlib.import_module("asking_agent"), SqliteSaver(connection)
        plain, letters = (one.compile(checkpointer=saver) for one in (agent.plain, agent.letters))
        stops = agent._stops.compile(checkpointer=saver, interrupt_before=["drop_table"])
        for thread_id, graph, value in (
            ("order-12", plain, {"asks": "Ship order 12?"}),
            ("order-12", plain, {"asks": "Ship order 12 to another address?"}),
            ("invoice-7", plain, {"asks": "Pay invoice 7?"}),
            ("invoice-7", plain, Command(resume="boom")),
            ("nightly-3", stops, {}),
            ("letter-2026-07", letters, {"asked": {"letter": "to Ann"}}),
        ):
            with suppress(ValueError):
                graph.invoke(value, {"configurable": {"thread_id": thread_id}})
    path.chmod(0o600)
    return path


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False)


@pytest.fixture(scope="module")
def desks(agent_db: Path, asking_db: Path) -> Iterator[dict[str, Desk]]:
    """The desks of all pictures, one of them without graphs; nothing is decided at them."""
    asking = [f"{ASKING}:{name}" for name in ("letters", "plain", "stops")]
    opened = {
        name: Desk.open(load(None), db=str(db), graphs=graphs, operator="ann", os_user="ann")
        for name, db, graphs in (
            ("graph", agent_db, [f"{AGENT}:builder"]),
            ("no graph", agent_db, []),
            ("asking", asking_db, asking),
        )
    }
    yield opened
    for desk in opened.values():
        desk.close()


@pytest.fixture
def same_age(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Make every age on the screen the same, whenever the threads were made."""

    def stop(at: float) -> None:
        clock = SimpleNamespace(time=lambda: at + AGE, monotonic=lambda: 0.0)
        for module in ("thread_list", "history"):
            monkeypatch.setattr(f"agent_lab_tui.tui.widgets.{module}.time", clock)

    return stop


def normal(svg: str) -> str:
    """Take out what differs from one picture of the same screen to the next."""
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"\d{4}-\d\d-\d\d&#160;\d\d:\d\d:\d\d", "2026-07-28&#160;10:42:00", svg)
    svg, paths = re.subn(r"<text[^>]*>[^<]*/agent\.db[^<]*</text>", "", svg)
    if paths:  # the ground of its row is cut in pieces as long as the path
        svg = re.sub(r'<rect fill="#121212" x="[^"]*" y="1\.5"[^>]*/>', "", svg)
    return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "1f0-checkpoint-id", svg)


@pytest.fixture(autouse=True)
def same_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the doctor name the same versions wherever the pictures are drawn."""
    named = ["agent-lab-tui 1.0.0", "langgraph 1.2.24", "textual 8.2.8", "Python 3.11.7", "SQLite 3.40.1"]
    monkeypatch.setattr("agent_lab_tui.tui.screens.doctor.version_lines", lambda: named)


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_the_screen_looks_as_it_did(
    scene: Scene, desks: dict[str, Desk], at, same_age, request
) -> None:
    desk = desks["asking" if scene.is_asking else "graph" if scene.graph else "no graph"]
    same_age(max(line.updated_at for line in desk.lines()))
    async with at(desk, scene.size) as hand:
        hand.app.theme = scene.theme
        await hand.open(scene.thread)
        await hand.press(*scene.keys)
        await hand.type(scene.typed)
        await hand.until(
            lambda: scene.shows in re.sub(r"\s*\n\s*", " ", hand.seen()) or scene.shows in hand.seen()
        )
        for line in hand.app.screen.query(Input):
            line.cursor_blink = False
        await hand.pilot.pause(0.3)
        svg = normal(hand.app.export_screenshot(title="agent-lab-tui"))
    hold(svg, scene.name, request)


def hold(svg: str, name: str, request: pytest.FixtureRequest) -> None:
    """Hold what the screen shows against the golden picture, or rewrite that."""
    picture = PICTURES / f"{name}.svg"
    if request.config.getoption("--rewrite-pictures", default=False):
        picture.write_text(svg, "utf-8")
        return
    assert picture.is_file(), "no picture yet: --rewrite-pictures makes it"
    assert picture.read_text("utf-8") == svg


@pytest.fixture(scope="module")
def lab_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab with a task that waits, and one whose report is gone; every row is of the same moment."""
    lab = Workspace(tmp_path_factory.mktemp("lab") / "demo")
    lab.database.parent.mkdir(parents=True)
    write_project(lab)
    for task_id in ("task-001", "task-004"):
        start(lab, agent("analysis"), Start(task_id, task_id), lambda _: None)
    Tasks(lab.database).complete("task-004", {"report_path": "output/task-004/report.md"})
    moment = "2026-07-28T10:42:00Z"
    with closing(sqlite3.connect(lab.database)) as connection, connection:
        connection.execute("UPDATE tasks SET created_at = ?, updated_at = ?", (moment, moment))
        connection.execute("UPDATE task_steps SET started_at = ?, finished_at = ?", (moment, moment))
    return lab.root


@pytest.fixture
def lab_desk(lab_root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk on the lab, which is the present folder, where times are those of Greenwich."""
    monkeypatch.chdir(lab_root)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    desk = Desk.open(load(lab_root / "agent-lab.toml"), db=None, operator="ann", os_user="ann")
    yield desk
    desk.close()
    monkeypatch.undo()
    time.tzset()


@pytest.mark.slow
@pytest.mark.parametrize("scene", LAB_SCENES, ids=lambda scene: scene.name)
async def test_the_lab_looks_as_it_did(scene: Scene, lab_desk: Desk, at, same_age, request) -> None:
    same_age(max(line.updated_at for line in lab_desk.lines()))
    async with at(lab_desk, scene.size) as hand:
        hand.app.theme = scene.theme
        await hand.open(scene.thread)
        await hand.until_seen("1 task of the lab was halted or disagrees")
        await hand.until(lambda: hand.desk.check_action("page", ("lab",)))
        await hand.press(*scene.keys)
        await hand.until_seen(scene.shows)
        for line in hand.app.screen.query(Input):
            line.cursor_blink = False
        await hand.pilot.pause(0.3)
        svg = normal(hand.app.export_screenshot(title="agent-lab-tui"))
    hold(svg, scene.name, request)
