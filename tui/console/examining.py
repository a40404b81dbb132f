"""The doctor's look, the same for the command line and the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .versions import version_lines

if TYPE_CHECKING:
    from agent_lab_tui.graph.checking.ailments import Ailment
    from agent_lab_tui.graph.desk import Desk


def examined(desk: Desk) -> tuple[Ailment, ...]:
    """Look at the database, its journal, its threads and the versions; nothing is changed or run."""
    from agent_lab_tui.graph.checking.doctor import examine
    from agent_lab_tui.store.surroundings import mounted_here

    versions = {line.rpartition(" ")[0]: line.rpartition(" ")[2] for line in version_lines()}
    return examine(desk, versions, mounted_here(), lambda: _lab(desk))


def _lab(desk: Desk) -> Iterator[Ailment]:
    """Say what does not agree in the lab whose database this is."""
    from agent_lab_tui.graph.checking.ailments import Ailment, command
    from agent_lab_tui.graph.lab.finding import find
    from agent_lab_tui.graph.lab.standing import lab_of

    lab = lab_of(desk)
    if lab is None:
        return
    for one in find(lab, desk):
        remedy = command("lab", "recover", "--dir", str(lab.root))
        yield Ailment(one.finding, one.evidence, f"{remedy}: {one.remedy}", one.thread_id)
