"""One table of `agent-lab.toml`, read key by key: each of its type, and none passed over in silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

ANSWER_KINDS = ("approve", "reject", "edit", "respond", "explain")
"""The choices that `[answers]` may hold a template for."""


class SettingsError(Exception):
    """The settings cannot be used; the message is one sentence that names the file and the key."""


@dataclass(slots=True)
class Table:
    """A table of the file and where it stands; remembers which of its keys were asked for."""

    file: Path
    path: tuple[str, ...]
    values: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int]
    known: set[str] = field(default_factory=set)
    inner: list[Table] = field(default_factory=list)

    def error(self, key: str, what: str) -> SettingsError:
        """Return the error for a key, with its line."""
        return SettingsError(f"{self._where(key)} {what}.")

    def text(self, key: str) -> str | None:
        """Return a string, or None where the key is missing."""
        value = self._take(key)
        if value is not None and not isinstance(value, str):
            raise self.error(key, f"must be text in quotes, not {_show(value)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; a single string is a list of one."""
        value = self._take(key)
        if isinstance(value, str):
            return (value,)
        if value is not None and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            raise self.error(key, f"must be a list of texts, not {_show(value)}")
        return tuple(value or ())

    def number(self, key: str) -> int | None:
        """Return a whole number of at least 1, or None where the key is missing."""
        value = self._take(key)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise self.error(key, f"must be a whole number of at least 1, not {_show(value)}")
        return value

    def mapping(self, key: str) -> Mapping[str, Any] | None:
        """Return a table whose keys are free, or None where it is missing."""
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            raise self.error(key, f"must be a table, such as {{ name = 1 }}, not {_show(value)}")
        return value

    def table(self, key: str) -> Table:
        """Return an inner table; an empty one where it is missing."""
        return self._inner(key, self.mapping(key) or {})

    def tables(self, key: str) -> tuple[Table, ...]:
        """Return a list of tables, written as `[[key]]`."""
        value = self._take(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(v, dict) for v in value)):
            raise self.error(key, f"must be written as [[{key}]] tables, not {_show(value)}")
        return tuple(self._inner(f"{key}[{n}]", inner) for n, inner in enumerate(value or (), 1))

    def answers(self, key: str) -> dict[str, dict[str, Any]]:
        """Return the answer templates by "graph:node" and kind."""
        found: dict[str, dict[str, Any]] = {}
        outer = self.table(key)
        for place in outer.values:
            if ":" not in place:
                raise outer.error(place, 'must name graph and node, such as "agent:review" or "*:review"')
            kinds = outer.table(place)
            found[place] = {kind: kinds.template(kind) for kind in ANSWER_KINDS if kind in kinds.values}
        return found

    def template(self, kind: str) -> Any:
        """Return an answer template: any value that JSON has."""
        value = self._take(kind)
        if _has_date(value):
            raise self.error(kind, "holds a date, which JSON has not: write it in quotes")
        return value

    def unknown(self) -> tuple[str, ...]:
        """Return the keys nobody asked for, of this table and its inner ones, each with its line."""
        own = [f"{self._where(key)} is not a key of agent-lab.toml." for key in self.values]
        own = [text for text, key in zip(own, self.values, strict=True) if key not in self.known]
        return (*own, *(text for table in self.inner for text in table.unknown()))

    def _take(self, key: str) -> Any:
        self.known.add(key)
        return self.values.get(key)

    def _inner(self, key: str, values: Mapping[str, Any]) -> Table:
        table = Table(self.file, (*self.path, key), values, self.lines)
        self.inner.append(table)
        return table

    def _where(self, key: str) -> str:
        path = (*self.path, key)
        line = next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), None)
        name = ".".join(f'"{part}"' if ":" in part else part for part in path)
        return f"{self.file}, line {line}: {name}" if line else f"{self.file}: {name}"


def _show(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return repr(value)


def _has_date(value: object) -> bool:
    if isinstance(value, dict):
        return any(_has_date(inner) for inner in value.values())
    if isinstance(value, list):
        return any(_has_date(inner) for inner in value)
    return isinstance(value, date | datetime | time)
