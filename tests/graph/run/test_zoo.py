"""Every thread of the zoo, answered through one host: each question gets its answer and is gone."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

OTHER_GRAPHS = {"hitl-per-call": "hitl_agent_per_call", "subgraph-unsaved": "subgraph_unsaved"}


@pytest.fixture(scope="module")
def zoo(run: Any, shared: Path, zoo_master: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("zoo")
    for path in zoo_master.iterdir():
        shutil.copy(path, folder / path.name)
    running = run(str(shared / "zoo" / "langgraph.json"), folder / "zoo.sqlite")
    return running


def test_every_question_of_the_zoo_gets_its_answer_by_its_id(zoo: Any, zoo_expected: dict[str, Any]) -> None:
    seen = {}
    for thread_id, expected in zoo_expected.items():
        if not expected["interrupts"] or expected["already_answered"]:
            continue
        thread = zoo.reader.thread(thread_id)
        answer = next(iter(expected["answers"].values()))
        graph = OTHER_GRAPHS.get(thread_id, expected["module"])
        order = zoo.deciding.prepare(thread, values={q.id: answer for q in thread.questions})
        zoo.journal.record(replace(order, graph=graph))
        (outcome,) = zoo.carry_out(thread_id)
        left = {question.id for question in zoo.reader.thread(thread_id).questions}
        seen[thread_id] = (outcome.state, outcome.error, left & {q.id for q in thread.questions})
    assert {name: end for name, end in seen.items() if end != ("applied", None, set())} == {}
    assert len(seen) > 20


def test_what_the_host_says_of_a_thread_is_what_langgraph_says(
    zoo: Any, zoo_expected: dict[str, Any]
) -> None:
    for thread_id in ("breakpoint-before", "finished", "error-poisoned-answer", "crashed"):
        graph = zoo_expected[thread_id]["module"]
        state = zoo.host.state(graph, thread_id)
        assert state["next"] == zoo_expected[thread_id]["next"]
        assert [q["id"] for q in state["questions"]] == [
            q["id"] for q in zoo_expected[thread_id]["interrupts"]
        ]
        assert [t["error"] for t in state["tasks"] if t["error"]] == zoo_expected[thread_id]["errors"]
        history = zoo.host.history(graph, thread_id)
        assert len(history) == zoo_expected[thread_id]["checkpoints"]
        json.dumps(history)


def test_history_comes_in_pages(zoo: Any) -> None:
    whole = zoo.host.history("deep_history", "deep-history", has_values=False)
    first = zoo.host.history("deep_history", "deep-history", limit=5, has_values=False)
    second = zoo.host.history(
        "deep_history", "deep-history", limit=5, before=first[-1]["checkpoint_id"], has_values=False
    )
    assert [s["checkpoint_id"] for s in (*first, *second)] == [s["checkpoint_id"] for s in whole[:10]]
