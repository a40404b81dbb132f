"""Which folder of the lab a command is about, and how its errors end it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..options import Exit, fail, given, os_user
from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.lab.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])

DEMO = "demo"
"""The folder that `demo` makes when none is named."""


def lab_command(command: Command) -> Command:
    """Add `--dir`, and end the command with one sentence when the lab refuses."""

    @click.option("--dir", "folder", metavar="DIR", help=f"The lab's folder (default: here, else ./{DEMO}).")
    @functools.wraps(command)
    def refusing(*arguments: Any, **options: Any) -> Any:
        from agent_lab_tui.graph.lab.registry import LabRefused, LabUsage, NoSuchTask

        try:
            return command(*arguments, **options)
        except NoSuchTask as error:
            fail(visible(str(error)), Exit.LOST)
        except LabUsage as error:
            fail(visible(str(error)), Exit.USAGE)
        except LabRefused as error:
            fail(visible(str(error)), Exit.REFUSED)
        except OSError as error:
            where = f" {error.filename}" if error.filename else ""
            fail(visible(f"The lab cannot use{where}: {error.strerror or error}."), Exit.USAGE)

    return refusing  # type: ignore[return-value]


def lab_in(folder: str | None) -> Workspace:
    """Return the lab that a command is about: named, that of `--db`, the one here, or the demo here.

    Raises:
        LabUsage: There is none.
    """
    from agent_lab_tui.graph.lab.workspace import open_workspace

    if folder is not None:
        return open_workspace(Path(folder))
    if (db := given().db) is not None:
        return open_workspace(Path(db).resolve().parent.parent)
    here = Path.cwd()
    return open_workspace(here / DEMO if not (here / "data").is_dir() and (here / DEMO).is_dir() else here)


@contextmanager
def desk_in(lab: Workspace) -> Iterator[Desk]:
    """Open the desk on a folder of the lab as the operator of this command."""
    from agent_lab_tui.graph.lab.carrying_on import desk_of

    with desk_of(lab, given().operator, os_user()) as desk:
        yield desk
