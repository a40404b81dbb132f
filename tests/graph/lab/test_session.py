"""The append-only session log: what a kill can harm, and what the model is told afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.lab.session import BrokenLog, Record, SessionLog
from agent_lab_tui.graph.lab.session_context import NO_RESULT, context_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


@pytest.fixture
def log(path: Path) -> SessionLog:
    log = SessionLog(path)
    log.begin("session-1", Path("project"))
    return log


def message(record_id: str, parent: str | None, role: str, content: str, **more: Any) -> Record:
    return Record(record_id, parent, "message", {"role": role, "content": content, **more})


def assistant(record_id: str, parent: str, *calls: str, **more: Any) -> Record:
    return message(
        record_id,
        parent,
        "assistant",
        "",
        calls=[{"id": call, "name": f"tool-{call}"} for call in calls],
        **more,
    )


def told(log: SessionLog, leaf: str) -> list[Mapping[str, Any]]:
    return list(context_of(log.read(), leaf).messages)


def test_the_header_names_version_and_folder_and_is_written_once(log: SessionLog, path: Path) -> None:
    assert json.loads(path.read_text().splitlines()[0]) == {
        "type": "session",
        "version": 1,
        "id": "session-1",
        "folder": "project",
    }
    with pytest.raises(FileExistsError):
        log.begin("session-2", Path("project"))


def test_what_is_written_never_changes(log: SessionLog, path: Path) -> None:
    before = path.read_bytes()
    for number in range(5):
        log.append(message(f"m{number}", None, "user", "text with\na line break"))
        assert path.read_bytes().startswith(before)
        before = path.read_bytes()
    assert path.read_text().count("\n") == 6


def test_a_torn_last_line_is_skipped_and_stays_skipped(log: SessionLog, path: Path) -> None:
    log.append(message("m1", None, "user", "one"))
    log.append(message("m2", "m1", "user", "two"))
    path.write_bytes(path.read_bytes()[:-9])
    assert (list(log.read().records), log.read().notices) == (
        ["m1"],
        ("line 3 was torn by a kill and is skipped",),
    )
    log.append(message("m3", "m1", "user", "three"))
    log.append(message("m4", "m3", "user", "four"))
    assert list(log.read().records) == ["m1", "m3", "m4"]
    assert len(log.read().notices) == 1


def test_a_damaged_line_in_the_middle_is_an_error_that_names_it(log: SessionLog, path: Path) -> None:
    for record_id in ("m1", "m2", "m3"):
        log.append(message(record_id, None, "user", record_id))
    path.write_bytes(path.read_bytes().replace(b'"m2", "parent"', b'"m2", "par'))
    with pytest.raises(BrokenLog, match="line 3 cannot be read"):
        log.read()


@pytest.mark.parametrize("start", [b"", b"no json\n", b'{"type": "session", "version": 9}\n', b"[]\n"])
def test_a_file_without_our_header_is_refused(start: bytes, path: Path) -> None:
    path.write_bytes(start)
    with pytest.raises(BrokenLog, match="does not begin with the header"):
        SessionLog(path).read()


def test_a_call_without_a_result_is_answered_as_one_and_never_run_again_by_itself(log: SessionLog) -> None:
    log.append(message("m1", None, "user", "go"))
    log.append(assistant("m2", "m1", "A", "B", "C"))
    log.append(message("m3", "m2", "tool", "done C", call="C"))
    log.append(message("m4", "m3", "tool", "done A", call="A"))
    context = context_of(log.read(), "m4")
    assert [(each["call"], each["content"]) for each in context.messages[2:]] == [
        ("A", "done A"),
        ("B", NO_RESULT),
        ("C", "done C"),
    ]
    assert context.messages[3]["is_error"] is True
    assert "unfit for mail or money" in context.notices[0]


@pytest.mark.parametrize("stop", ["error", "aborted"])
def test_replies_that_failed_or_were_broken_off_are_not_sent_again(stop: str, log: SessionLog) -> None:
    log.append(message("m1", None, "user", "go"))
    log.append(assistant("m2", "m1", "A", stop=stop))
    log.append(message("m3", "m2", "user", "again"))
    assert [each["content"] for each in told(log, "m3")] == ["go", "again"]


def test_a_context_is_rebuilt_from_its_leaf_along_one_branch(log: SessionLog) -> None:
    log.append(message("m1", None, "user", "go"))
    log.append(Record("s1", "m1", "model_change", {"model": "small"}))
    log.append(message("left", "s1", "user", "left"))
    log.append(Record("s2", "m1", "model_change", {"model": "large"}))
    log.append(message("right", "s2", "user", "right"))
    left, right = context_of(log.read(), "left"), context_of(log.read(), "right")
    assert (left.model, [each["content"] for each in left.messages]) == ("small", ["go", "left"])
    assert (right.model, [each["content"] for each in right.messages]) == ("large", ["go", "right"])
    assert log.read().leaf == "right"


def test_a_compaction_replaces_what_stands_before_the_first_record_it_keeps(
    log: SessionLog, path: Path
) -> None:
    for number in range(4):
        log.append(message(f"m{number}", f"m{number - 1}" if number else None, "user", f"text {number}"))
    log.append(Record("c1", "m3", "compaction", {"summary": "0 and 1", "first_kept": "m2"}))
    log.append(message("m4", "c1", "user", "text 4"))
    assert [each["content"] for each in told(log, "m4")] == [
        "Summary of what went before: 0 and 1",
        "text 2",
        "text 3",
        "text 4",
    ]
    log.append(Record("c2", "m4", "compaction", {"summary": "0 to 3", "first_kept": "m4"}))
    assert [each["content"] for each in told(log, "c2")] == ["Summary of what went before: 0 to 3", "text 4"]
    assert "text 0" in path.read_text()
