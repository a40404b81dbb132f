"""A question is answered through every form in which a graph can be handed over."""

from __future__ import annotations

import importlib.util
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.desk import Desk
from agent_lab_tui.graph.settings.file import RunSettings, Settings

pytestmark = pytest.mark.slow

TAGS = {
    "builder": "builder",
    "compiled": "compiled",
    "compiled_own_saver": "own saver",
    "make": "make",
    "make_with_config": "acme",
    "amake": "amake",
    "ctx": "ctx",
    "actx": "actx",
    "lambda_builder": "lambda builder",
}
"""By form, what its graph writes into the state; `make_with_config` takes it from the thread's own run."""
BROKEN = {"not_a_graph": "int", "broken": "OPENAI_API_KEY is not set"}


@pytest.fixture(scope="module")
def desk(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("forms")
    shutil.copy(shared / "zoo" / "loader_forms.py", folder)
    spec = importlib.util.spec_from_file_location("loader_forms", folder / "loader_forms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with closing(sqlite3.connect(folder / "agent.db", check_same_thread=False)) as conn:
        graph = module.builder.compile(checkpointer=SqliteSaver(conn))
        for thread_id in (*TAGS, *BROKEN):
            graph.invoke(module.INPUT, {"configurable": {"thread_id": thread_id, "tag": "acme"}})
    graphs = [f"{folder}/loader_forms.py:{form}" for form in (*TAGS, *BROKEN)]
    settings = Settings(run=RunSettings(configurable={"tag": "of the settings"}))
    with closing(Desk.open(settings, db=str(folder / "agent.db"), graphs=graphs, operator="ann")) as desk:
        facts = {one.name.rpartition(".")[2]: one.error for one in desk.load_graphs()}
        assert {form for form, error in facts.items() if error is None} == TAGS.keys()
        for form, word in BROKEN.items():
            assert word in str(facts[form])
        yield desk


@pytest.mark.parametrize("form", TAGS)
def test_a_question_is_answered_through_it(desk: Desk, form: str) -> None:
    thread = desk.choose_graph(form, f"loader_forms.{form}")
    desk.record(desk.deciding.prepare(thread, values={one.id: "go" for one in thread.questions}))
    (outcome,) = desk.carry_out(form).result(60)
    assert (outcome.state, outcome.error) == ("applied", None)
    assert desk.thread(form).values == {"tag": TAGS[form], "got": "go"}
