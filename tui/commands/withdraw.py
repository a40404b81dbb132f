"""Take a decision back."""

from __future__ import annotations

from contextlib import closing

import click

from agent_lab_tui.graph.deciding.telling import told

from ..console.carrying_out import Ending, tell
from ..options import Exit, desk_from, fail, given, shared_options
from ..visible import visible


@click.command("withdraw")
@click.argument("decision_id", metavar="DECISION")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the journal.")
@click.option("--drop", is_flag=True, help="Give up one that failed, or whose end is not known.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON, and nothing else.")
@shared_options
def command(decision_id: str, reason: str, drop: bool, as_json: bool) -> None:
    """Take DECISION back before it starts."""
    with closing(desk_from(given())) as desk:
        decision = desk.journal.find(decision_id)
        if decision is None:
            fail(
                f"There is no decision {visible(decision_id)}; `agent-lab-tui journal show` lists them.",
                Exit.LOST,
            )
        withdrawn = desk.deciding.withdraw(decision, reason, drop=drop)
        if not decision.is_open or withdrawn.state != "withdrawn":
            fail(visible(f"It cannot be taken back: {told(withdrawn)}."), Exit.LOST)
        tell(desk, withdrawn, Ending("withdrawn", withdrawn.detail), as_json)
