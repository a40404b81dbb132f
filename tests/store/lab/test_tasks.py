"""Tasks and steps: the words, the keys, and that nothing goes backwards."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from agent_lab_tui.store.files import CannotOpen
from agent_lab_tui.store.lab.tasks import BudgetSpent, TaskExists, Tasks, key_of


@pytest.fixture
def tasks(tmp_path: Path) -> Tasks:
    tasks = Tasks(tmp_path / "agent.db")
    tasks.create("task-001", "analysis", "thread-1", "read and write")
    return tasks


def columns(tasks: Tasks, table: str) -> list[str]:
    with closing(sqlite3.connect(tasks.path)) as connection:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_the_tables_have_the_columns_of_the_course_and_the_mapping_to_the_thread(tasks: Tasks) -> None:
    assert columns(tasks, "tasks") == [
        *("task_id", "task_input", "status", "current_step", "max_steps", "result_json", "error"),
        *("created_at", "updated_at", "thread_id", "agent"),
    ]
    assert columns(tasks, "task_steps") == [
        *("step_id", "task_id", "step_no", "tool_name", "arguments_json", "status", "result_json", "error"),
        *("idempotency_key", "started_at", "finished_at"),
    ]


def test_a_new_task_is_pending_at_step_0_of_8(tasks: Tasks) -> None:
    task = tasks.find("task-001")
    assert task is not None
    assert (task.status, task.current_step, task.max_steps, task.result, task.error) == (
        *("pending", 0, 8),
        *(None, None),
    )


@pytest.mark.parametrize(
    "statement", ["UPDATE tasks SET status = 'done'", "UPDATE task_steps SET status = 'done'"]
)
def test_a_word_that_is_no_status_is_refused(tasks: Tasks, statement: str) -> None:
    tasks.begin_step("task-001", 1, "read", {})
    with closing(sqlite3.connect(tasks.path)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


def test_a_second_step_of_one_key_and_a_step_of_no_task_are_refused(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 1, "read", {})
    insert = (
        "INSERT INTO task_steps(task_id, step_no, tool_name, arguments_json, status, idempotency_key)"
        " VALUES (?, 1, 'read', '{}', 'running', ?)"
    )
    with closing(sqlite3.connect(tasks.path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            connection.execute(insert, ("task-001", key_of("task-001", 1)))
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            connection.execute(insert, ("task-999", "task-999:step:1"))


def test_a_task_and_a_thread_exist_once(tasks: Tasks) -> None:
    with pytest.raises(TaskExists, match="task_id"):
        tasks.create("task-001", "analysis", "thread-2", "again")
    with pytest.raises(TaskExists, match="thread_id"):
        tasks.create("task-002", "analysis", "thread-1", "again")
    assert len(tasks.all()) == 1


def test_a_step_that_runs_again_adds_no_row_and_keeps_its_start(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 1, "read", {})
    (first,) = tasks.steps("task-001")
    tasks.fail_step("task-001", 1, "input missing")
    tasks.begin_step("task-001", 1, "read", {})
    (again,) = tasks.steps("task-001")
    assert (again.step_id, again.started_at, again.status, again.error, again.finished_at) == (
        *(first.step_id, first.started_at),
        *("running", None, None),
    )


def test_progress_clears_the_error_of_the_task(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 1, "read", {})
    tasks.fail_step("task-001", 1, "input missing")
    failed = tasks.find("task-001")
    assert failed is not None
    assert (failed.status, failed.error) == ("failed", "input missing")
    tasks.begin_step("task-001", 1, "read", {})
    running = tasks.find("task-001")
    assert running is not None
    assert (running.status, running.error) == ("running", None)


def test_a_waiting_step_has_no_end(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    (step,) = tasks.steps("task-001")
    task = tasks.find("task-001")
    assert task is not None
    assert (step.status, step.finished_at, task.status) == (
        *("waiting_confirmation", None),
        "waiting_confirmation",
    )


def test_an_asking_node_that_runs_again_changes_no_row(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    before = (tasks.find("task-001"), tasks.steps("task-001"))
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    assert (tasks.find("task-001"), tasks.steps("task-001")) == before


def test_a_completed_step_never_waits_or_runs_or_fails_again(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    tasks.finish_step("task-001", 2, {"resume_note": "approve"})
    before = tasks.steps("task-001")
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    tasks.begin_step("task-001", 2, "confirm", {})
    tasks.fail_step("task-001", 2, "too late")
    assert tasks.steps("task-001") == before


def test_the_step_counter_never_goes_back(tasks: Tasks) -> None:
    tasks.begin_step("task-001", 3, "write", {})
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    task = tasks.find("task-001")
    assert task is not None
    assert task.current_step == 3


def test_a_completed_task_stays_completed_and_keeps_its_result(tasks: Tasks) -> None:
    tasks.complete("task-001", {"report_path": "a.md"})
    before = tasks.find("task-001")
    tasks.complete("task-001", {"report_path": "b.md"})
    tasks.fail("task-001", "too late")
    tasks.begin_step("task-001", 2, "confirm", {}, is_waiting=True)
    assert tasks.find("task-001") == before


def test_the_budget_is_enforced_and_says_so(tmp_path: Path) -> None:
    tasks = Tasks(tmp_path / "agent.db")
    tasks.create("task-001", "analysis", "task-001", "x", max_steps=2)
    tasks.begin_step("task-001", 2, "confirm", {})
    with pytest.raises(BudgetSpent, match="budget: 2 steps were allowed"):
        tasks.begin_step("task-001", 3, "write", {})
    task = tasks.find("task-001")
    assert task is not None
    assert (task.status, task.current_step) == ("failed", 2)
    assert (task.error or "").startswith("budget")
    assert len(tasks.steps("task-001")) == 1


def test_times_are_utc_in_every_zone_and_the_birth_never_moves(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    born = tasks.find("task-001")
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    tasks.begin_step("task-001", 1, "read", {})
    task = tasks.find("task-001")
    assert born is not None
    assert task is not None
    assert task.created_at == born.created_at
    assert all(at.endswith("Z") and len(at) == 20 for at in (task.created_at, task.updated_at))


def test_hostile_ids_are_values_and_no_sql(tasks: Tasks) -> None:
    hostile = "'; drop table tasks;--"
    tasks.create(hostile, "analysis", hostile, hostile)
    tasks.begin_step(hostile, 1, hostile, {"x": hostile})
    found = tasks.find(hostile)
    assert found is not None
    assert found.task_input == hostile
    assert len(tasks.all()) == 2


def test_foreign_tables_and_checkpoints_in_the_same_file_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE orders(id INTEGER)")
        connection.execute("INSERT INTO orders VALUES (1)")
        before = list(connection.iterdump())
    Tasks(path).create("task-001", "analysis", "task-001", "x")
    with closing(sqlite3.connect(path)) as connection:
        after = list(connection.iterdump())
    assert [line for line in before if "orders" in line] == [line for line in after if "orders" in line]


def test_nodes_in_pool_threads_write_to_it(tasks: Tasks) -> None:
    def step(number: int) -> None:
        tasks.begin_step("task-001", number, "x", {})
        tasks.finish_step("task-001", number, number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(step, range(1, 9)))
    assert [step.result for step in tasks.steps("task-001")] == list(range(1, 9))


def test_the_file_is_its_owners_alone(tasks: Tasks) -> None:
    assert stat.S_IMODE(tasks.path.stat().st_mode) == 0o600


def test_a_damaged_file_is_named_with_the_way_on(tasks: Tasks) -> None:
    with tasks.path.open("r+b") as file:
        file.truncate(3000)
    for use in (tasks.all, lambda: tasks.run("task-001")):
        with pytest.raises(CannotOpen, match=r"cannot be used \(.*\): restore it from a backup"):
            use()


def test_what_is_no_database_is_named(tasks: Tasks) -> None:
    tasks.path.write_bytes(b"no database at all" * 500)
    with pytest.raises(CannotOpen, match="restore it from a backup"):
        tasks.all()


@pytest.mark.parametrize("is_left_open", [True, False])
def test_a_write_protected_file_is_read_as_it_stands(tasks: Tasks, is_left_open: bool) -> None:
    """With and without SQLite's side files, in a process that may not write (root could)."""
    with closing(sqlite3.connect(tasks.path)) as other:
        if is_left_open:
            other.execute("SELECT count(*) FROM tasks").fetchone()
        assert Path(f"{tasks.path}-wal").exists() == is_left_open
        tasks.path.chmod(0o400)
        tasks.path.parent.chmod(0o500)
        try:
            reads, writes = (
                without_rights(
                    tasks.path, "print(tasks.all()[0].task_id, tasks.steps('x'), Outbox(tasks.path).rows())"
                ),
                without_rights(tasks.path, "tasks.run('task-001')"),
            )
        finally:
            tasks.path.parent.chmod(0o700)
    assert reads.stdout == "task-001 () ()\n", reads.stderr
    assert "CannotOpen" in writes.stderr
    assert "give this account the right to write" in writes.stderr


def without_rights(path: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code on the tasks of a file in a process that is not above the rights of files."""
    head = (
        "from pathlib import Path\n"
        "from agent_lab_tui.store.lab.outbox import Outbox\n"
        "from agent_lab_tui.store.lab.tasks import Tasks\n"
        f"tasks = Tasks(Path({str(path)!r}))\n"
    )
    command = [sys.executable, "-c", head + code]
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root is above the rights of files, and there is no setpriv to give that up")
        command = [setpriv, "--inh-caps=-all", "--bounding-set=-all", *command]
    return subprocess.run(command, capture_output=True, text=True, check=False)
