"""The doctor on the screen: what is not as it should be, a line each, and below it what mends it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from .. import news
from ..console.versions import version_lines
from ..flows.doctoring import Doctoring
from ..paper.doctor import AilmentSheet, announced
from ..paper.rows import Piece, foreign
from ..visible import cut, cut_middle, fit, visible
from ..widgets.bar import Bar
from ..widgets.document import Document
from ..widgets.ink import INK_CLASSES
from ..widgets.line_list import LineList
from .dialog import words
from .editing import RowsDialog

if TYPE_CHECKING:
    from agent_lab_tui.graph.checking.ailments import Ailment
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.reading.situation import Situation

NAME = 20
NOTHING = "Nothing was found."
_ID = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24}\b")
"""The id of a decision, told in a line by its beginning as the journal tells it; below it stands whole."""
LOOKING = "Looking at the files, the journal, the threads and the versions …"


class AilmentList(LineList["Ailment"]):
    """Lists what was found, a line each."""

    HELP = "What the doctor found; below, the evidence and what mends it."

    def key_of(self, row: Ailment) -> object:
        """Return whose finding it is, and what."""
        return row.thread_id, row.finding, row.evidence

    def pieces_of(self, row: Ailment, width: int) -> Sequence[Piece]:
        """Draw one finding: a tick where a repair can write it down."""
        name = fit(cut_middle(visible(row.thread_id or "—"), NAME), NAME)
        mark = (" ◐ ", "accent") if row.settles is not None else (" ! ", "warning")
        finding = _ID.sub(r"\1", visible(row.finding))
        return mark, (name, ""), (f"  {cut(finding, width - NAME - 6)}", "dim")


class DoctorScreen(ModalScreen[str]):
    """Shows what was found; gives back the thread that is to be opened.

    Looking changes nothing. A repair does what it has announced, after a second key, and nothing else.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = INK_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Back", id="doctor.back", tooltip="Back to the desk"),
        Binding("f5", "look", "Look again", id="doctor.look", tooltip="Look at everything again"),
        Binding("w", "repair", "Write down", id="doctor.repair", tooltip="Write down what evidence tells"),
    ]

    def __init__(self, desk: Desk, situation_of: Callable[[str], Situation | None]) -> None:
        super().__init__()
        self._desk = desk
        self._situation_of = situation_of
        self._doctoring = Doctoring(self, desk)
        self._is_looking = True
        self._known: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        """Lay out title, list, evidence and keys."""
        yield Bar(id="doctor-title")
        yield words(", ".join(version_lines()), id="doctor-versions")
        yield AilmentList(id="doctor-list")
        yield Bar(id="doctor-rule")
        yield Document(id="doctor-finding")
        yield Bar(id="doctor-keys")

    def on_mount(self) -> None:
        """Begin to look."""
        path = visible(str(self._desk.database.path))
        self.query_one("#doctor-title", Bar).left = (("Doctor", "strong"), ("  ", ""), *foreign(path))
        rule = self.query_one("#doctor-rule", Bar)
        rule.rule, rule.is_left_first = "─", True
        self.query_one(AilmentList).focus()
        self.action_look()

    @property
    def _repairable(self) -> tuple[Ailment, ...]:
        """What a repair would write down, as it is announced."""
        if self._desk.is_readonly:
            return ()
        return tuple(one for one in self.query_one(AilmentList).rows if one.settles is not None)

    def _say(self, sentence: str, ink: str = "dim") -> None:
        self.query_one("#doctor-rule", Bar).left = ((visible(sentence), ink),)

    def action_look(self) -> None:
        """Look again."""
        self._is_looking = True
        self._say(LOOKING)
        self._doctoring.examine()

    @on(news.Examined)
    def show_found(self, message: news.Examined) -> None:
        """List what was found."""
        message.stop()
        was_looking, self._is_looking = self._is_looking, False
        listed = self.query_one(AilmentList)
        self._known = message.known
        listed.rows = message.ailments
        count = len(message.ailments)
        if message.sentence:
            self._say(f"It could not be looked at: {message.sentence}", "error")
        elif was_looking:
            self._say(f"{count} finding{'' if count == 1 else 's'}" if count else NOTHING)
        self.explain()

    def _show_keys(self) -> None:
        """Name the keys that mean something at the finding under the cursor."""
        keys = ["Enter opens the thread"] if self._thread is not None else []
        if self._repairable:
            keys.append(f"w writes down {len(self._repairable)}")
        keys += ["F5 looks again", "Esc back"]
        self.query_one("#doctor-keys", Bar).left = ((" · ".join(keys), "dim"),)

    @property
    def _thread(self) -> str | None:
        """The thread of the finding under the cursor, where it can be opened."""
        current = self.query_one(AilmentList).current
        return current.thread_id if current is not None and current.thread_id in self._known else None

    @on(LineList.Highlighted)
    def explain(self) -> None:
        """Write out the finding under the cursor."""
        current = self.query_one(AilmentList).current
        document = self.query_one(Document)
        self._show_keys()
        if current is None:
            document.show(None)
            return
        situation = self._situation_of(current.thread_id) if current.thread_id else None
        can_repair, can_open = not self._desk.is_readonly, self._thread is not None
        document.show(AilmentSheet(current, situation, can_repair=can_repair, can_open=can_open))

    @on(LineList.Opened)
    def open_thread(self) -> None:
        """Give back the thread of the finding under the cursor."""
        if self._thread is not None:
            self.dismiss(self._thread)
        elif not self._is_looking:
            self._say("This finding has no thread that could be opened.")

    @work(group="repair", exclusive=True)
    async def action_repair(self) -> None:
        """Announce what would be written down; write it when that is wanted."""
        wanted = self._repairable
        if not wanted:
            self._say("Nothing can be written down: the desk is read-only." if self._desk.is_readonly else "")
            return
        count = len(wanted)
        title = f"Write down {count} outcome{'' if count == 1 else 's'}?"
        dialog = RowsDialog(title, announced(wanted), "writes them down, and nothing else")
        if await self.app.push_screen_wait(dialog):
            self._doctoring.repair(wanted)

    @on(news.Repaired)
    def show_repaired(self, message: news.Repaired) -> None:
        """Say what was written down, and look again."""
        message.stop()
        if message.sentence:
            self._say(f"Nothing was written down: {message.sentence}", "error")
            return
        self._say(
            "; ".join(f"{one.thread_id}: {one.finding}" for one in message.done) or "Nothing to settle."
        )
        self._doctoring.examine()
