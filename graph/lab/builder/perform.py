"""Run one call once: keep its outcome before it is told, and return a kept one instead of running."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_lab_tui.store.lab.runs import Runs

from ...gate import NotDone, once
from .. import crash
from ..delivery import UnknownDelivery
from .folder import ToolFailed
from .tool import Arguments, Bench, Outcome, Tool


def perform(tool: Tool, bench: Bench, run_id: str, step: int, arguments: Arguments) -> dict[str, Any]:
    """Do what a call says, or return what it returned when it was done.

    Raises:
        ToolFailed: It could not be done, and nothing was changed.
        gate.Stopped, store.effects.Conflict, store.effects.Busy: The ledger says no.
    """
    execution = _Execution(tool, bench, run_id, step, arguments)
    try:
        outcome = execution.keyed() if tool.grade.needs_key else execution.repeatable()
    except _Failed as failed:
        execution.end("failed", {"text": str(failed), "files": {}})
        raise ToolFailed(str(failed)) from failed
    crash.point(f"{tool.name}:unkept")
    execution.end("ready", outcome)
    crash.point(f"{tool.name}:kept")
    return outcome


class _Failed(NotDone):
    """A tool could not do it and changed nothing, in a form that the ledger understands."""


class _Execution:
    """One attempt to run a call; it has a row of its own only when the tool really runs."""

    def __init__(self, tool: Tool, bench: Bench, run_id: str, step: int, arguments: Arguments) -> None:
        self._tool = tool
        self._bench = bench
        self._run_id = run_id
        self._step = step
        self._arguments = arguments
        self._runs = Runs(bench.lab.database)
        self._row: int | None = None

    def keyed(self) -> dict[str, Any]:
        """Do it under its key in the ledger; what the ledger and the world cannot tell, a person is asked."""
        try:
            return self._once()
        except UnknownDelivery:
            # It is written down as unknown now, so this looks it up, or asks.
            return self._once()

    def repeatable(self) -> dict[str, Any]:
        """Return the kept outcome, if the files it speaks of are still as it left them; else do it."""
        for row in self._runs.calls(self._run_id, self._bench.key):
            is_same = (row.tool, row.arguments) == (self._tool.name, dict(self._arguments))
            if row.state == "ready" and is_same and self._stands(row.outcome["files"]):
                return dict(row.outcome)
        return self._do()

    def end(self, state: Any, outcome: Mapping[str, Any]) -> None:
        """Keep what became of it, if it ran."""
        if self._row is not None:
            self._runs.end_call(self._row, state, outcome)

    def _once(self) -> dict[str, Any]:
        tool, bench, arguments = self._tool, self._bench, self._arguments
        verify = tool.verify
        result: dict[str, Any] | str = once(
            bench.key,
            tool.name,
            arguments,
            self._do,
            None if verify is None else lambda: verify(bench, arguments),
            ledger=bench.lab.ledger,
        )
        if not isinstance(result, str):
            return result
        # Taken as done by a person, the result is what they said.
        if tool.taken_as_done:
            tool.taken_as_done(bench)
        return {"text": result, "files": {}}

    def _do(self) -> dict[str, Any]:
        key, name = self._bench.key, self._tool.name
        self._row = self._runs.begin_call(self._run_id, key, self._step, name, self._arguments)
        crash.point(f"{name}:begun")
        try:
            outcome = self._tool.do(self._bench, self._arguments)
        except ToolFailed as failed:
            raise _Failed(str(failed)) from failed
        crash.point(f"{name}:done")
        return self._kept(outcome)

    def _kept(self, outcome: Outcome) -> dict[str, Any]:
        files = {name: self._bench.folder.digest(name) for name in outcome.files}
        return {"text": outcome.text, "files": files}

    def _stands(self, files: Mapping[str, str | None]) -> bool:
        return all(self._bench.folder.digest(name) == digest for name, digest in files.items())
