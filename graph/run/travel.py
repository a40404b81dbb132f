"""Fork a thread with an edited state, and try the edit out on a copy in memory first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import aiosqlite
from langgraph.errors import InvalidUpdateError
from langgraph.runtime import RunControl

from agent_lab_tui.store.checkpoints.copying import copy_in_memory
from agent_lab_tui.store.files import Database
from agent_lab_tui.store.journal.book import Order

from ..questions import Refused
from ..travelling.forking import NeedsNode
from .engine import Engine, Ran
from .streaming import Telling


@dataclass(frozen=True, slots=True)
class Edit:
    """What a fork changes in the state of its checkpoint."""

    replace: Mapping[str, Any] = field(default_factory=dict)
    """Values that take the place of what is there, past a reducer."""
    append: Mapping[str, Any] = field(default_factory=dict)
    """Values that go through their channel's reducer, as a node's would."""
    as_node: str | None = None
    """The node that is taken to have written them; None for the one that wrote last."""

    @classmethod
    def of(cls, engine: Engine, blobs: Mapping[str, bytes], as_node: str | None) -> Edit:
        """Return the edit that an order keeps, with the types of the graph's own state."""
        return cls(_values(engine, blobs.get("set")), _values(engine, blobs.get("append")), as_node)

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing: the fork is then a mere copy."""
        return not (self.replace or self.append or self.as_node)


async def fork(engine: Engine, order: Order, control: RunControl, telling: Telling) -> Ran:
    """Write the edited state as a new checkpoint; run on from it where the order says so.

    Raises:
        Refused: The edit names what the graph does not have; nothing is written.
    """
    edit = Edit.of(engine, order.answers, order.options.get("as_node"))
    check(engine, edit)
    if not edit.is_empty:
        await _write(engine, edit, order.checkpoint_id)
    if not order.options.get("run"):
        return Ran()
    if edit.as_node is not None and await engine.is_held([edit.as_node]):
        return Ran()  # the breakpoint that comes next was not the one that the operator stood at
    return await engine.go_on(control, telling)


async def preview(engine: Engine, database: Database, checkpoint_id: str, edit: Edit) -> dict[str, Any]:
    """Tell the state and the next nodes that an edit would lead to; the thread itself is not touched.

    The edit is written into a copy of the checkpoint in memory. No node runs; the
    graph's conditional edges do, as they would for the edit itself.

    Raises:
        Refused: The edit cannot be made.
    """
    check(engine, edit)
    with copy_in_memory(database, engine.thread_id, checkpoint_id) as uri:
        async with aiosqlite.connect(uri, uri=True) as connection:
            trial = engine.on(connection)
            new = await _write(trial, edit, checkpoint_id)
            state = await trial.state(new)
    return {"next": state["next"], "values": state["values"]}


def check(engine: Engine, edit: Edit) -> None:
    """Refuse an edit that LangGraph would drop in silence, or take for something else.

    Raises:
        Refused: A key is not in the state, an appended one has no reducer, or the node is unknown.
    """
    known = engine.reducers
    for name in (*edit.replace, *edit.append):
        if name not in known:
            raise Refused(f"{name} is no key of the state: it has {', '.join(known)}. Nothing was written.")
    for name in edit.append:
        if not known[name]:
            raise Refused(f"{name} has no reducer, so nothing can be appended to it: set it instead.")
    if both := edit.replace.keys() & edit.append.keys():
        raise Refused(f"{', '.join(sorted(both))} cannot be set and appended to at once.")
    if edit.as_node is not None and edit.as_node not in engine.nodes:
        raise Refused(f"There is no node {edit.as_node}: it is one of {', '.join(engine.nodes)}.")


async def _write(engine: Engine, edit: Edit, checkpoint_id: str) -> str:
    try:
        return await engine.update(edit.append, checkpoint_id, as_node=edit.as_node, overwrite=edit.replace)
    except InvalidUpdateError as error:
        if "Ambiguous" in str(error):
            raise NeedsNode(
                "Several nodes ran last, so it is not plain which of them the edit is taken to come from:"
                f" name one of {', '.join(engine.nodes)}; what follows that node runs next.",
                engine.nodes,
            ) from error
        raise Refused(f"LangGraph does not take this edit: {error}") from error


def _values(engine: Engine, blob: bytes | None) -> Mapping[str, Any]:
    values = engine.load(blob) if blob else {}
    if not isinstance(values, dict):
        raise Refused("The edited state must be an object of channels and values.")
    return values
