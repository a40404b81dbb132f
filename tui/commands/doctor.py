"""Look for what is not as it should be, and settle what evidence settles."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import click

from ..console.examining import examined
from ..console.printed import echo_json
from ..console.versions import version_lines
from ..loaded import warn_of_settings
from ..options import desk_from, given, shared_options
from ..visible import visible


@click.command("doctor")
@click.option("--repair", "is_repair", is_flag=True, help="Write down the outcomes that evidence tells.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON, and nothing else.")
@shared_options
def command(is_repair: bool, as_json: bool) -> None:
    """Look at the database, the journal, the threads and the versions for what is not as it should be.

    Nothing is changed. With --repair, decisions whose outcome evidence tells get that outcome in the
    journal, as announced without it; nothing is ever sent again.
    """
    from agent_lab_tui.graph.checking.doctor import repair

    options = given()
    if is_repair:
        with closing(desk_from(options)) as desk:
            found = repair(desk)
    else:
        with closing(desk_from(replace(options, is_readonly=True))) as desk:
            found = examined(desk)
            warn_of_settings(desk)
    if as_json:
        echo_json([one.to_json() for one in found])
        return
    if not is_repair:
        click.echo(f"{visible(str(desk.database.path))}\n{', '.join(version_lines())}")
    for one in found:
        where = f"{one.thread_id}: " if one.thread_id else ""
        click.echo()
        click.echo(visible(f"{where}{one.finding}"))
        click.echo(f"    {visible(one.evidence)}")
        click.echo(f"    {visible(one.remedy)}")
    click.echo(f"\n{_count(len(found), is_repair)}")


def _count(number: int, is_repair: bool) -> str:
    if is_repair:
        return f"{number} settled." if number else "Nothing to settle."
    return f"{number} finding{'' if number == 1 else 's'}." if number else "Nothing was found."
