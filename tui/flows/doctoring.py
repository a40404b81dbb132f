"""Look for what is not as it should be, and write down what was announced, away from the screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.message import Message
from textual.worker import get_current_worker

from ..news import Examined, Repaired

if TYPE_CHECKING:
    from agent_lab_tui.graph.checking.ailments import Ailment
    from agent_lab_tui.graph.desk import Desk


class Doctoring:
    """The doctor's workers."""

    def __init__(self, node: DOMNode, desk: Desk) -> None:
        self._node = node
        self._desk = desk

    def examine(self) -> None:
        """Look at everything; nothing is changed."""
        self._node.run_worker(self._examine, thread=True, group="doctor", exclusive=True)

    def _examine(self) -> None:
        # Loaded here and not above: most desks are never looked over.
        from ..console.examining import examined

        try:
            found = tuple(dict.fromkeys(examined(self._desk)))
            named = sorted({one.thread_id for one in found if one.thread_id is not None})
            known = frozenset(line.thread_id for line in self._desk.lines_of(named))
            self._tell(Examined(found, known=known))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the files is what was looked for
            self._tell(Examined((), str(error) or type(error).__name__))

    def repair(self, announced: tuple[Ailment, ...]) -> None:
        """Write down the outcomes that were announced, and nothing else."""
        self._node.run_worker(partial(self._repair, announced), thread=True, group="doctor")

    def _repair(self, announced: tuple[Ailment, ...]) -> None:
        from agent_lab_tui.graph.checking.doctor import repair

        try:
            self._tell(Repaired(repair(self._desk, announced)))
        except Exception as error:  # noqa: BLE001 - the journal may be locked or broken; it is told
            self._tell(Repaired((), str(error) or type(error).__name__))

    def _tell(self, message: Message) -> None:
        if not get_current_worker().is_cancelled:
            self._node.post_message(message)
