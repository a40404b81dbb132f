"""On which line of a TOML file a key stands: tomllib does not say."""

from __future__ import annotations

import re

_TABLE = re.compile(r"^\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_FENCES = ('"""', "'''")


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line (from 1) of every table and key, by its path; the n-th `[[rule]]` is `rule[n]`.

    Lines within multi-line strings are skipped.
    """
    found: dict[tuple[str, ...], int] = {}
    counts: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            fence = "" if fence in line else fence
            continue
        if match := _TABLE.match(line):
            table = _path(match[1])
            if line.lstrip().startswith("[["):
                counts[table] = counts.get(table, 0) + 1
                table = (*table[:-1], f"{table[-1]}[{counts[table]}]")
            found.setdefault(table, number)
        elif match := _KEY.match(line):
            found.setdefault((*table, *_path(match[1])), number)
            rest = line[match.end() :]
            fence = next((mark for mark in _FENCES if rest.count(mark) == 1), "")
    return found


def _path(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(text))
