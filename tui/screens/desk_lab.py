"""The lab beside the request: the task of the thread in front, and the tasks that were halted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widgets import Static

from agent_lab_tui.graph.hosting.events import Outcome

from .. import news
from ..paper.lab import LabSheet
from ..widgets.receipt import ReceiptLine
from ..widgets.work import Work
from .desk_state import DeskState
from .halted import Halted

if TYPE_CHECKING:
    from agent_lab_tui.graph.lab.registry import Finding

    from ..flows.lab import LabReading
    from ..shown import Shown


class DeskLab(DeskState):
    """Shows how the lab's task stands; nothing is put right by itself."""

    lab: LabReading
    findings: tuple[Finding, ...] = ()
    """What does not agree in the lab, as last read."""
    _lab_of: str | None = None
    _has_lab = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the lab's page and list only where there is something in them."""
        if action == "page" and parameters == ("lab",):
            return self._has_lab
        if action == "halted":
            return bool(self.findings)
        return super().check_action(action, parameters)

    def refresh_lab(self, before: Shown | None, shown: Shown) -> None:
        """Read the task of the thread in front, when another came or it has moved on."""
        thread_id = shown.thread.thread_id
        if before is None or before.thread.digest != shown.thread.digest or self._lab_of != thread_id:
            self.read_lab(thread_id)

    def read_lab(self, thread_id: str) -> None:
        """Read the task of a thread; what was shown of another goes at once."""
        if self._lab_of != thread_id:
            self.query_one(Work).show_lab(None)
        self._lab_of = thread_id
        self.lab.read(thread_id)

    @on(news.LabRead)
    def take_lab(self, message: news.LabRead) -> None:
        """Show the task that was read; a thread of no task has no page for it."""
        if message.thread_id != self._lab_of:
            return
        work = self.query_one(Work)
        if message.standing is not None:
            work.show_lab(LabSheet(message.standing))
        elif message.sentence:
            self.note(f"The lab's task of this thread cannot be read: {message.sentence}", "warning")
        work.has_lab = self._has_lab = message.standing is not None
        if self._has_lab:
            self.query_one(ReceiptLine).leave_hint()
        self.refresh_bindings()

    @on(news.GraphsLoaded)
    def look_for_halted(self) -> None:
        """Hold the lab's tasks against what is there, once the desk stands and after a host died."""
        self.lab.reconcile()

    @on(news.Told)
    def look_again_for_halted(self, message: news.Told) -> None:
        """Look again after a run, while something is known to disagree."""
        if self.findings and isinstance(message.event, Outcome):
            self.lab.reconcile()

    @on(news.ThreadsRead)
    def look_again_where_others_changed(self, message: news.ThreadsRead) -> None:
        """Look again when a thread has moved on of which something is known to disagree."""
        if message.changed.intersection(one.thread_id for one in self.findings):
            self.lab.reconcile()

    @on(news.LabReconciled)
    def take_findings(self, message: news.LabReconciled) -> None:
        """Say how many tasks do not agree; a decision of unknown end has a line of its own already."""
        known = set(self.unsettled)
        self.findings = tuple(one for one in message.findings if one.thread_id not in known)
        tasks = len({one.task_id for one in self.findings})
        words = f"{tasks} tasks of the lab were halted or disagree" if tasks > 1 else "1 task of the lab"
        words = words if tasks > 1 else f"{words} was halted or disagrees"
        bar = self.query_one("#halted", Static)
        bar.update(Content(f" {words}: O lists what puts it right"))
        bar.set_class(bool(tasks), "-shown")
        self.refresh_bindings()

    def action_halted(self) -> None:
        """List what does not agree in the lab; Enter goes to the thread."""
        self.start_flow(self._choose_halted(), "It could not be opened")

    async def _choose_halted(self) -> None:
        thread_id = await self.app.push_screen_wait(Halted(self.findings))
        if thread_id is not None:
            self.open_thread(thread_id)
