"""What the desk's screen knows: the request in front, what is chosen, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import BindingType
from textual.reactive import var
from textual.screen import Screen

from ..decision_keys import DecisionKeys
from ..drafts import Drafts, Item
from ..flows.boundary import told
from ..shown import Shown
from ..widgets.ink import INK_CLASSES
from ..widgets.receipt import ReceiptLine
from .bindings import DESK

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from ..flows.arrivals import Arrivals
    from ..flows.past import PastReading
    from ..flows.reading import Reading
    from ..flows.sending import Sending


class DeskState(Screen[None]):
    """The state of the desk's screen; its keys and its composition stand in subclasses."""

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = DESK

    desk: Desk
    keys: DecisionKeys
    clock: Callable[[], float]
    drafts: Drafts
    arrivals: Arrivals
    reading: Reading
    sending: Sending
    past: PastReading
    shown: var[Shown | None] = var(None, init=False)
    """The request in front: what is shown is what is decided."""
    is_sending: var[bool] = var(False, init=False)
    """A decision is being recorded; until then no other is taken."""
    unsettled: tuple[str, ...] = ()
    """Threads with a decision of which nobody saw the end."""
    painted: float | None = None
    """When the request in front was on the screen, by the clock; None while it is not."""

    @property
    def item(self) -> Item | None:
        """The operation in front, where it can be decided now."""
        shown = self.shown
        item = shown.item if shown else None
        return item if shown and item and shown.is_open(item.question) else None

    @property
    def can_decide(self) -> bool:
        """Whether decisions can be taken at all: not read-only, and a graph is there to run."""
        return not self.desk.is_readonly and bool(self.desk.projects)

    def note(self, sentence: str, ink: str = "dim") -> None:
        """Say one sentence above the footer."""
        self.query_one(ReceiptLine).note(sentence, ink)

    def note_of_request(self, sentence: str) -> None:
        """Say one sentence about the request in front; it goes when another comes."""
        self.query_one(ReceiptLine).note_of_request(sentence)

    def start_flow(self, flow: Coroutine[Any, Any, None], lead: str = "Nothing was sent") -> None:
        """Start what may ask something, one at a time; `lead` says what it means when it goes wrong."""
        self.run_worker(told(self, flow, lead), group="flow", exclusive=True)

    def show_again(self, *, keeps_place: bool = True) -> None:
        """Write the request in front again."""
        raise NotImplementedError

    def go_to_waiting(self, step: int) -> bool:
        """Open the next waiting request, or the one before; False when there is no other."""
        raise NotImplementedError

    def open_thread(self, thread_id: str) -> None:
        """Bring a thread in front, and the cursor to it."""
        raise NotImplementedError

    def read_past(self) -> None:
        """Read the past of the thread in front, if it is not shown already."""
        raise NotImplementedError

    def release(self) -> None:
        """Let the threads in that came meanwhile, each in its place."""
        raise NotImplementedError
