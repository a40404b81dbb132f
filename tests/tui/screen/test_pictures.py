"""Golden pictures: what the screen looks like, compared with what somebody has looked at."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.settings.file import load

PICTURES = Path(__file__).resolve().parents[3] / "screenshots"
AGENT = Path(__file__).parent / "picture_agent.py"
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
    shows: str = ""
    """A text that is on the screen once the picture can be taken."""


SCENES = (
    Scene("request", "task-001", shows="all read"),
    Scene("request-light", "task-001", theme="textual-light", shows="all read"),
    Scene("request-medium", "task-001", size=MEDIUM, shows="all read"),
    Scene("desk-wide", "task-001", size=WIDE, shows="← head"),
    Scene("desk-wide-light", "task-001", size=WIDE, theme="textual-light", shows="← head"),
    Scene("operations", "run-2026-07-28-000217", ("2",), shows="delete_branch                          "),
    Scene("critical", "run-2026-07-28-000217", ("3", "space", "a"), shows="To go on"),
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
    Scene("filter-nothing", "task-001", ("slash",), "zzz", shows="No thread matches"),
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
def desks(agent_db: Path) -> Iterator[dict[bool, Desk]]:
    """Two desks for all pictures, one of them with the graph; nothing is decided at them."""
    opened = {
        has_graph: Desk.open(
            load(None),
            db=str(agent_db),
            graphs=[f"{AGENT}:builder"] if has_graph else [],
            operator="ann",
            os_user="ann",
        )
        for has_graph in (True, False)
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
    return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "1f0-checkpoint-id", svg)


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_the_screen_looks_as_it_did(
    scene: Scene, desks: dict[bool, Desk], at, same_age, request
) -> None:
    desk = desks[scene.graph]
    same_age(max(line.updated_at for line in desk.lines()))
    async with at(desk, scene.size) as hand:
        hand.app.theme = scene.theme
        await hand.open(scene.thread)
        await hand.press(*scene.keys)
        await hand.type(scene.typed)
        await hand.until(
            lambda: scene.shows in re.sub(r"\s*\n\s*", " ", hand.seen()) or scene.shows in hand.seen()
        )
        await hand.pilot.pause(0.3)
        svg = normal(hand.app.export_screenshot(title="agent-lab-tui"))
    picture = PICTURES / f"{scene.name}.svg"
    if request.config.getoption("--rewrite-pictures", default=False):
        picture.write_text(svg, "utf-8")
        return
    assert picture.is_file(), "no picture yet: --rewrite-pictures makes it"
    assert picture.read_text("utf-8") == svg
