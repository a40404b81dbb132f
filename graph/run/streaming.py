"""Turn LangGraph's stream into the progress an operator sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from json import dumps  # bound, as `time` is, before a node may put something else in its place
from time import time
from typing import Any

from ..hosting.events import Progress, ProgressKind
from .snapshots import Shown

LONGEST = 2000
"""Characters of one text; the rest is in the thread."""

Tell = Callable[[Progress], None]


class Telling:
    """Tells what happens in one run."""

    def __init__(self, thread_id: str, decision_ids: tuple[str, ...], tell: Tell) -> None:
        self._thread_id = thread_id
        self._decision_ids = decision_ids
        self._tell = tell

    def start(self, text: str) -> None:
        """Tell that the run starts."""
        self._say("start", "", text)

    def waits(self, why: str) -> None:
        """Tell that the run cannot start yet."""
        self._say("waits", "", why)

    def part(self, part: Mapping[str, Any], shown: Shown) -> None:
        """Tell one part of a stream of version 2, as far as it is worth telling."""
        data = part["data"]
        if part["type"] == "custom":
            self._say("text", _place(part["ns"]), _text(data, shown))
        elif part["type"] == "tasks" and data["name"] != "__start__":
            self._task((*part["ns"], data["name"]), data, shown)

    def _task(self, place: tuple[str, ...], data: Mapping[str, Any], shown: Shown) -> None:
        node = _place(place)
        if "triggers" in data:
            self._say("node", node, "")
        elif data.get("interrupts"):
            self._say("asks", node, "\n".join(_text(_value(q), shown) for q in data["interrupts"]))
        else:
            self._say("node-done", node, str(data.get("error") or ""))

    def _say(self, kind: ProgressKind, node: str, text: str) -> None:
        self._tell(Progress(self._thread_id, self._decision_ids, kind, node, text[:LONGEST], time()))


def _place(namespace: Iterable[str]) -> str:
    return "/".join(part.partition(":")[0] for part in namespace)


def _value(question: Any) -> Any:
    return question["value"] if isinstance(question, Mapping) else question.value


def _text(value: Any, shown: Shown) -> str:
    return value if isinstance(value, str) else dumps(shown.value(value), ensure_ascii=False)
