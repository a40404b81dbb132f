"""What a host is started with goes through JSON unharmed, whatever TOML can say."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from agent_lab_tui.graph.hosting.opening import Opening
from agent_lab_tui.graph.questions import Risk
from agent_lab_tui.graph.settings.file import Rule, RunSettings, Settings, load
from agent_lab_tui.graph.settings.specs import GraphSpec, Project
from agent_lab_tui.store.files import Database

SPEC = GraphSpec("desk", "/p/agent.py:graph", Path("/p"), {"KEY": "v"}, (Path("/p"), Path("/p/src")), "about")
OPENING = Opening(
    Project(Path("/p"), (SPEC,)),
    Database(Path("/p/agent.db"), has_task_path=True, is_immutable=False),
    Settings(
        path=Path("/p/agent-lab.toml"),
        db="/p/agent.db",
        graphs=("/p/agent.py:graph",),
        notify="true",
        run=RunSettings({"tenant": "acme"}, {"model": "small"}, 50, 2, "/p/.venv/bin/python"),
        answers={"*:review": {"approve": True, "reject": {"why": "{reason}"}}},
        rules=(Rule("send_*", Risk.HIGH, "Sends.", "type:to", ("to",), ("ann",)), Rule("read")),
        unknown=("dbb is not a key",),
    ),
)

When = TypeVar("When", time, datetime)


def unfolded(when: When) -> When:
    """TOML cannot say that an hour is the second of its name."""
    return when.replace(fold=0)


TOML = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.dates()
    | st.times().map(unfolded)
    | st.datetimes(timezones=st.none() | st.just(UTC)).map(unfolded),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("\0toml"), inner, max_size=3)
    ),
    max_leaves=12,
)


def test_everything_comes_back_as_it_was() -> None:
    assert Opening.from_text(OPENING.to_text()) == OPENING


def test_it_is_json_and_names_no_class() -> None:
    text = OPENING.to_text()
    assert json.loads(text)["project"]["root"] == "/p"
    assert "agent_lab_tui" not in text


@given(st.dictionaries(st.text(), TOML, max_size=4))
def test_whatever_the_settings_configure_runs_with_comes_back_in_its_type(
    configurable: dict[str, object],
) -> None:
    settings = replace(OPENING.settings, run=RunSettings(configurable=configurable))
    back = Opening.from_text(replace(OPENING, settings=settings).to_text())
    assert repr(back.settings.run.configurable) == repr(configurable)


def test_dates_of_a_settings_file_arrive_as_dates(tmp_path: Path) -> None:
    path = tmp_path / "agent-lab.toml"
    path.write_text(
        "[run]\ncontext = { day = 2026-01-31, at = 07:30:00, since = 2026-01-31T07:30:00Z }\n", "utf-8"
    )
    back = Opening.from_text(replace(OPENING, settings=load(path)).to_text())
    assert back.settings.run.context == {
        "day": date(2026, 1, 31),
        "at": time(7, 30),
        "since": datetime(2026, 1, 31, 7, 30, tzinfo=UTC),
    }
