"""The inputs of a form, one below the other, gone through with the arrows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from agent_lab_tui.graph.conventions.form import Field
from agent_lab_tui.graph.conventions.form_entry import Entry, Path, at, entries, put, with_element, without
from agent_lab_tui.graph.conventions.form_input import Picked, Typed

from .form_line import Choose, FormLine, LineKey, key_of


class FormFields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Shows what is typed into a form; lines come and go as lists and alternatives change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page_up", "Page up", show=False, id="form.pageup"),
        Binding("pagedown", "page_down", "Page down", show=False, id="form.pagedown"),
    ]

    @dataclass
    class Changed(Message):
        """Something else is typed or chosen now."""

    @dataclass
    class Entered(Message):
        """The keys went to another input."""

        entry: Entry

    def __init__(self, form: Field, typed: Typed, locked: Collection[str] = ()) -> None:
        super().__init__(id="fields")
        self._form = form
        self.typed = typed
        """What is typed now."""
        self._locked = frozenset(locked)
        self._changing = asyncio.Lock()
        self._alternatives: dict[tuple[Path, int], Typed] = {}

    def compose(self) -> list[FormLine]:
        """Yield a line for each entry."""
        return [self._line(entry) for entry in entries(self._form, self.typed)]

    def _line(self, entry: Entry) -> FormLine:
        return FormLine(entry, is_locked=bool(entry.path) and entry.path[0] in self._locked)

    @property
    def lines(self) -> list[FormLine]:
        """The lines from the top."""
        return list(self.query_children(FormLine))

    @property
    def current(self) -> FormLine | None:
        """The line that has the keys."""
        focused = self.screen.focused
        if focused is None:
            return None
        return next((one for one in focused.ancestors_with_self if isinstance(one, FormLine)), None)

    def now(self) -> Typed:
        """Return what stands in the inputs at this moment, what was not heard of yet included."""
        typed = self.typed
        for line in self.lines:
            if line.typed != line.entry.typed:
                typed = put(typed, line.entry.path, line.typed)
        return typed

    async def show(self, typed: Typed) -> None:
        """Show what is typed elsewhere."""
        await self._change(lambda _: typed)

    async def _change(self, how: Callable[[Typed], Typed], *, is_typed_here: bool = False) -> None:
        """Change what is typed, and the lines with it, one change after another.

        What was typed here stands in its input already, and more of it may by now: it is not written again.
        """
        async with self._changing:
            self.typed = how(self.now())
            wanted = entries(self._form, self.typed)
            kept = {line.key: line for line in self.lines}
            for entry in wanted:
                if (line := kept.get(key_of(entry))) is not None:
                    line.show(entry, writes=not is_typed_here)
            if list(kept) != [key_of(entry) for entry in wanted]:
                await self._lay_out(wanted, kept)
        self.post_message(self.Changed())

    async def _lay_out(self, wanted: Sequence[Entry], kept: Mapping[LineKey, FormLine]) -> None:
        """Take out the lines that are not wanted any more, and put in those that are not there yet."""
        keys = {key_of(entry) for entry in wanted}
        with self.app.batch_update():
            await self.remove_children([line for key, line in kept.items() if key not in keys])
            before: FormLine | None = None
            for entry in wanted:
                line = kept.get(key_of(entry)) or self._line(entry)
                if not line.is_attached:
                    place = {"before": 0} if before is None else {"after": before}
                    await self.mount(line, **place)
                before = line

    def say(self, problems: Mapping[Path, str]) -> None:
        """Say at each line what is wrong with it."""
        for line in self.lines:
            line.say(problems.get(line.entry.path, ""))

    def go_to(self, path: Path) -> bool:
        """Give the keys to the line at a place, or to the first line inside it; False without one."""
        for line in self.lines:
            if line.entry.path[: len(path)] == path and line.control.focusable:
                self.screen.set_focus(line.control)
                return True
        return False

    def step(self, lines: int) -> None:
        """Give the keys to the next line that takes any, or to the one before; behind the last is the first.

        Not by the focus chain of the screen: it does not know lines yet that were not drawn.
        """
        taking = [line for line in self.lines if line.control.focusable]
        current = self.current
        place = taking.index(current) + lines if current in taking else 0
        if taking:
            self.screen.set_focus(taking[place % len(taking)].control)

    @property
    def has_open_options(self) -> bool:
        """Whether a list of options is open."""
        return any(one.expanded for one in self.query(Choose))

    def close_options(self) -> bool:
        """Close an open list of options; False where none is open."""
        opened = [one for one in self.query(Choose) if one.expanded]
        for one in opened:
            one.expanded = False
            self.screen.set_focus(one)
        return bool(opened)

    @on(FormLine.Edited)
    async def take_edit(self, message: FormLine.Edited) -> None:
        """Take what was typed or chosen; an alternative that was left before comes back as it was."""
        message.stop()
        before = at(self.typed, message.path)
        if isinstance(before, Picked):
            self._alternatives[message.path, before.place] = before.typed
        await self._change(lambda typed: self._picked(typed, message), is_typed_here=True)

    def _picked(self, typed: Typed, message: FormLine.Edited) -> Typed:
        """Put an alternative that was picked in its place; all else stands in the inputs."""
        if not isinstance(message.typed, Picked):
            return typed
        place = message.typed.place
        inside = self._alternatives.get((message.path, place), "")
        return put(typed, message.path, Picked(place, inside))

    def on_descendant_focus(self) -> None:
        """Tell which line has the keys."""
        if (line := self.current) is not None:
            self.post_message(self.Entered(line.entry))

    async def add(self) -> None:
        """Add an element to the list that has the keys, or in which the input with the keys stands."""
        line = self.current
        if line is None:
            return
        is_list = line.entry.field.kind == "list" and not line.entry.takes_json
        element = _element_of(line.entry.path)
        path = line.entry.path if is_list else element[:-1] if element else None
        if path is not None:
            await self._change(lambda typed: with_element(typed, path))
            listed = at(self.typed, path)
            self.go_to((*path, len(listed) - 1 if isinstance(listed, list) else 0))

    async def remove_element(self) -> None:
        """Remove the element that has the keys; leave out a list or a choice that need not be there."""
        if (line := self.current) is None:
            return
        entry, element = line.entry, _element_of(line.entry.path)
        if entry.field.kind in ("list", "variant", "boolean", "choice") and not entry.is_element:
            await self._change(lambda typed: put(typed, entry.path, ""))
        elif element is not None:
            await self._change(lambda typed: without(typed, element))
            place = int(str(element[-1]))
            if not self.go_to(element) and not self.go_to((*element[:-1], place - 1)):
                self.go_to(element[:-1])

    async def turn_null(self) -> None:
        """Fill in null where it may stand, or nothing again."""
        line = self.current
        if line is not None and line.entry.field.is_nullable:
            value = "" if line.entry.typed is None else None
            await self._change(lambda typed: put(typed, line.entry.path, value))


def _element_of(path: Path) -> Path | None:
    """Return the path of the innermost list element that a path leads into."""
    for end in range(len(path), 0, -1):
        if isinstance(path[end - 1], int):
            return path[:end]
    return None
