"""The keys that go about the desk and decide nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from textual.widgets import Input

from agent_lab_tui.store.values import to_json

from ..flows.choosing_graph import choose_graph
from ..flows.leaving import leave
from ..widgets.document import Document
from ..widgets.history import HistoryPane
from ..widgets.thread_list import ThreadList
from ..widgets.work import Work
from .desk_state import DeskState
from .help import Help

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.situation import Situation


class DeskGoing(DeskState):
    """Opens threads, pages, help and the filter; copies; leaves."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to choose a graph only where several fit."""
        if action == "choose_graph":
            return self.shown is not None and bool(self.shown.thread.fitting)
        return super().check_action(action, parameters)

    def action_choose_graph(self) -> None:
        """Say which graph wrote the thread."""
        self.start_flow(choose_graph(self), "No graph was chosen")

    def action_next(self, step: int = 1) -> None:
        """Open the next waiting request."""
        self.release()
        if not self.go_to_waiting(step):
            self.note("Nothing else is waiting.")

    def action_previous(self) -> None:
        """Open the waiting request before."""
        self.action_next(-1)

    def action_operation(self, step: int) -> None:
        """Show the next operation, or the one before."""
        if self.shown and len(self.shown.items) > 1:
            self.action_operation_at(self.shown.index + 1 + step)

    def action_operation_at(self, number: int) -> None:
        """Show an operation by its number."""
        count = len(self.shown.items) if self.shown else 0
        if self.shown and 1 <= number <= count and number != self.shown.index + 1:
            self.shown = self.shown.at(number - 1)
        elif number > count:
            self.note_of_request(f"There is no operation {number} here.")

    def action_page(self, page: str) -> None:
        """Open a page beside the list."""
        self.query_one(Work).page = page
        if page == "history":
            self.read_past()
            self.query_one(HistoryPane).checkpoints.focus()
        elif page != "request":
            self.query_one(f"#{page}", Document).focus()

    def action_read_on(self) -> None:
        """Show the next page of what is open beside the list."""
        work = self.query_one(Work)
        name = "request" if work.page == "history" else work.page
        work.query_one(f"#{name}", Document).action_page(1)

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(Help(self.app))

    def action_doctor(self) -> None:
        """Look over files, journal, threads and versions; open the thread that is chosen there."""
        # Loaded here and not above: most desks are never looked over.
        from .doctor import DoctorScreen

        def go_on(thread_id: str | None) -> None:
            self.reading.look_for_unsettled()
            if thread_id is not None:
                self.open_thread(thread_id)

        def situation_of(thread_id: str) -> Situation | None:
            line = self.arrivals.threads.by_id.get(thread_id)
            return line.situation if line else None

        self.app.push_screen(DoctorScreen(self.desk, situation_of), go_on)

    def action_leave(self) -> None:
        """Leave the desk; asks what to do with decisions that still run."""
        self.start_flow(leave(self), "The desk stays open")

    def action_filter(self) -> None:
        """Type what the list shows."""
        field = self.query_one("#filter", Input)
        field.add_class("-shown")
        field.focus()

    def action_back(self) -> None:
        """Go one step back; never decides."""
        work, field = self.query_one(Work), self.query_one("#filter", Input)
        if field.has_focus or (self.query_one(ThreadList).has_focus and field.value):
            field.value = ""
            field.remove_class("-shown")
        elif work.page != "request":
            work.page = "request"
        self.query_one(ThreadList).focus()

    # Copying

    def action_copy_id(self) -> None:
        """Copy the id of the thread in front."""
        if self.shown:
            self.app.copy_to_clipboard(self.shown.thread.thread_id)
            self.note("The thread's id is on the clipboard.")

    def action_copy_json(self) -> None:
        """Copy the request in front as JSON."""
        if self.shown:
            item = self.shown.item
            value = item.question.value if item else self.shown.thread.values
            self.app.copy_to_clipboard(json.dumps(to_json(value), indent=2))
            self.note("The request is on the clipboard, as JSON.")
