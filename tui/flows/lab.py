"""Read the lab's tasks, away from the screen; a database that belongs to no lab has none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.message import Message
from textual.worker import get_current_worker

from ..news import LabRead, LabReconciled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.effects import Effect


class LabReading:
    """The workers that read the task of a thread, and hold all tasks against what is there."""

    def __init__(self, node: DOMNode, desk: Desk) -> None:
        self._node = node
        self._desk = desk

    def read(self, thread_id: str) -> None:
        """Read the task that a thread belongs to."""
        self._node.run_worker(partial(self._read, thread_id), thread=True, group="lab", exclusive=True)

    def _read(self, thread_id: str) -> None:
        # Loaded here and not above: a desk on any other database never needs the lab.
        from agent_lab_tui.graph.lab.standing import standing_on

        try:
            self._tell(LabRead(thread_id, standing_on(self._desk, thread_id)))
        except Exception as error:  # noqa: BLE001 - files of a task may be damaged in any way; it is told
            self._tell(LabRead(thread_id, None, str(error) or type(error).__name__))

    def reconcile(self) -> None:
        """Find what does not agree in the whole lab; nothing is written down and nothing runs."""
        self._node.run_worker(self._reconcile, thread=True, group="reconcile", exclusive=True)

    def _reconcile(self) -> None:
        from agent_lab_tui.graph.lab.finding import find
        from agent_lab_tui.graph.lab.standing import lab_of

        try:
            lab = lab_of(self._desk)
            self._tell(LabReconciled(find(lab, self._desk) if lab is not None else ()))
        except Exception:  # noqa: BLE001 - what is wrong with one task is told where that task is opened
            self._tell(LabReconciled(()))

    def _tell(self, message: Message) -> None:
        if not get_current_worker().is_cancelled:
            self._node.post_message(message)


def ledger_of(desk: Desk, thread: Thread) -> Mapping[str, Effect | None]:
    """Return what the ledger knows under the keys of a thread's requests; call it away from the screen."""
    if not any(operation.key for one in thread.questions for operation in one.operations):
        return {}
    from agent_lab_tui.graph.lab.standing import ledger_on

    return ledger_on(desk, thread)
