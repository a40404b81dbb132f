"""The keys that decide, and what becomes of what was decided."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from textual import events, on

from .. import news
from ..flows import changing, choosing, roads
from ..flows.sending import order_of
from ..shown import Shown
from ..widgets.document import Document
from ..widgets.receipt import ReceiptLine
from ..widgets.work import Work
from .bindings import DECIDING, ROADS, YES
from .desk_state import DeskState
from .why_not import LAB, actions_by_key, is_offered, why_not

KEYS = actions_by_key()
"""By key, what the desk does."""


class DeskDeciding(DeskState):
    """Turns keys into decisions; each flow behind a key is a module of its own."""

    _unread = 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide keys that mean nothing here, and grey those that cannot be used yet."""
        if action in DECIDING:
            return self._check_deciding(action)
        if action in ROADS:
            return self.can_decide and self.shown is not None and is_offered(action, self.shown.thread)
        if action == "send":
            return self.shown is not None and choosing.can_send_some(self.shown, self.drafts)
        if action == "withdraw":
            return (
                self.query_one(ReceiptLine).withdrawable is not None
                or roads.withdrawable(self.shown) is not None
            )
        if action == "open_failed":
            return self.query_one(ReceiptLine).failed_thread is not None or bool(self.unsettled)
        return super().check_action(action, parameters)

    def _check_deciding(self, action: str) -> bool | None:
        item = self.item
        if item is None:
            return False
        kind = "edit" if action == "edit_outside" else action
        allowed = item.operation.allowed
        if kind != "answer" and kind not in allowed:
            return False
        if self.query_one(Work).page != "request" and not self.has_class("-wide"):
            return False
        if not self.can_decide or self.is_sending or self.query_one(Work).page in ("state", "log"):
            return None
        if action in YES and self.query_one(Work).request.unread != 0:
            return None
        return True

    def on_key(self, event: events.Key) -> None:
        """Say why a key does nothing, where it is grey or means nothing here."""
        action = KEYS.get(event.key)
        if action is None:
            return
        name, parameters = ("page", ("lab",)) if action == LAB else (action, ())
        if not self.check_action(name, parameters) and (why := why_not(self, action)):
            self.note_of_request(why)

    def counts(self) -> bool:
        """Whether the key that was just pressed may decide; says why when it may not."""
        why = self.keys.why_not(self.painted)
        if why:
            self.note_of_request(why)
        return not why

    def start(self, flow: Callable[..., Coroutine[Any, Any, None]], *arguments: object) -> None:
        """Start a flow that may ask something; one at a time."""
        if self.counts():
            self.start_flow(flow(self, *arguments))

    def action_approve(self) -> None:
        """Say yes to the operation in front."""
        self.start(choosing.approve)

    def action_reject(self) -> None:
        """Say no, with a reason."""
        self.start(choosing.say, "reject")

    def action_respond(self) -> None:
        """Answer with a message."""
        self.start(choosing.say, "respond")

    def action_explain(self) -> None:
        """Ask for an explanation."""
        self.start(choosing.say, "explain")

    def action_edit(self) -> None:
        """Change the arguments."""
        self.start(changing.edit, False)

    def action_edit_outside(self) -> None:
        """Change the arguments in the operator's own editor."""
        self.start(changing.edit, True)

    def action_answer(self) -> None:
        """Answer with an exact value."""
        self.start(choosing.answer)

    def action_send(self) -> None:
        """Send what is decided; the other questions stay open."""
        self.start(choosing.send_some)

    def action_take_back(self) -> None:
        """Forget the choice for the operation in front."""
        if (item := self.item) and self.drafts.take_back(item):
            self.show_again()
        else:
            self.note_of_request("Nothing to take back: nothing is chosen here.")

    def action_go_on(self) -> None:
        """Let the thread go on."""
        self.start(roads.go_on)

    def action_ask_again(self) -> None:
        """Drop a stored answer and ask anew."""
        self.start(roads.ask_again)

    def action_skip(self) -> None:
        """Step over the node before which the thread stands."""
        self.start(roads.skip)

    def action_abandon(self) -> None:
        """End the thread, with a reason."""
        self.start(roads.abandon)

    def action_repeat(self) -> None:
        """Choose the same again for a like operation of low risk."""
        self.start(choosing.repeat)

    def action_withdraw(self) -> None:
        """Take back a decision that has not started."""
        decision = self.query_one(ReceiptLine).withdrawable or roads.withdrawable(self.shown)
        if decision is not None:
            self.sending.withdraw(decision)

    # What became of it

    def send(self, shown: Shown) -> None:
        """Record what is decided of a thread, and have it carried out."""
        order, items = order_of(self.desk, shown, self.drafts)
        if items:
            self.is_sending = True
            self.sending.send(shown.thread.thread_id, order, items)

    @on(news.Recorded)
    def take_recorded(self, message: news.Recorded) -> None:
        """Go on to the next request; the row changes at once."""
        self.is_sending = False
        self.query_one(ReceiptLine).recorded(message.decision)
        for item in message.items:
            self.drafts.forget(item.question)
        thread_id = message.decision.order.thread_id
        self.reading.look_again([thread_id])
        is_in_front = self.shown is not None and self.shown.thread.thread_id == thread_id
        if is_in_front and not self.go_to_waiting(1):
            self.reading.read_thread(thread_id, is_opened=False)

    @on(news.NotRecorded)
    def take_not_recorded(self, message: news.NotRecorded) -> None:
        """Say why nothing was sent; look again where the thread has moved on."""
        self.is_sending = False
        self.note(f"Nothing was sent: {message.sentence}", "warning")
        for item in message.items:
            self.drafts.take_back(item)
        if message.is_stale:
            self.reading.look_again([message.thread_id])
            self.reading.read_thread(message.thread_id, is_opened=False)
        else:
            self.show_again()

    @on(news.DecidedBefore)
    def take_decided_before(self, message: news.DecidedBefore) -> None:
        """Ask whether to decide anew what was decided before."""
        self.is_sending = False
        self.start_flow(choosing.decide_again(self, message))

    @on(news.Unsent)
    def take_unsent(self, message: news.Unsent) -> None:
        """Say why a recorded decision cannot run."""
        self.query_one(ReceiptLine).unsent(message.decision, message.sentence)
        self.reading.look_again([message.decision.order.thread_id])

    @on(news.Failed)
    def take_failed(self, message: news.Failed) -> None:
        """Say what could not be done."""
        self.note(message.sentence, "warning")

    @on(news.Withdrawn)
    def take_withdrawn(self, message: news.Withdrawn) -> None:
        """Say whether a decision was taken back in time."""
        if message.is_taken_back:
            self.query_one(ReceiptLine).withdrawn(message.decision)
        else:
            self.note("Too late to withdraw: it has started.", "warning")
        self.reading.look_again([message.decision.order.thread_id])

    @on(Document.Read, "#request")
    def take_read(self, message: Document.Read) -> None:
        """Say how much is left to read, and arm approve when it is nothing."""
        if self.shown is not None:
            self.query_one(Work).show_unread(self.shown, message.unread)
            if message.unread == 0 and self._unread > 0:
                self.query_one(ReceiptLine).leave_hint()
            self._unread = message.unread
        self.refresh_bindings()

    def watch_is_sending(self) -> None:
        """Grey the keys that decide while a decision is recorded."""
        self.refresh_bindings()
