"""The one boundary of all work that is done away from the screen: what can go wrong becomes one sentence."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from ..console.errors import code_of

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk

    from ..screens.desk_state import DeskState


def said(error: Exception, desk: Desk | None = None) -> str:
    """Return what is said of an error that can be foreseen, in one raw sentence.

    Raises:
        Exception: The error itself, where nobody foresaw it: that is a fault of this program.
    """
    from agent_lab_tui.store.files import CannotOpen

    if code_of(error) is None and not isinstance(error, OSError):
        raise error
    sentence = str(error) or type(error).__name__
    if desk is not None and isinstance(error, CannotOpen):
        # Its path would fill the one line that there is, and hide what is wrong.
        sentence = sentence.replace(str(desk.database.path), "the database")
    return sentence


async def told(screen: DeskState, flow: Coroutine[Any, Any, None], lead: str) -> None:
    """Await a flow; what goes wrong is said above the footer, and the desk stays.

    Args:
        screen: the desk's screen.
        flow: what is awaited.
        lead: what the trouble means for the operator: "Nothing was sent".
    """
    try:
        await flow
    except Exception as error:  # noqa: BLE001 - the boundary of every flow; what nobody foresaw is raised again
        screen.note(f"{lead}: {said(error, screen.desk)}", "warning")
