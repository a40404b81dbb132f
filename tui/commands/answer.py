"""Answer what a thread asks."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from agent_lab_tui.graph.deciding.choices import FORMS

from ..console.answers import FLAGS, said
from ..console.carrying_out import decide
from ..console.caution import demand_confirmation, demand_seen
from ..console.order_options import How, order_options
from ..options import desk_from, fail, given, shared_options
from ..visible import visible

if TYPE_CHECKING:
    from agent_lab_tui.graph.reading.reader import Thread
    from agent_lab_tui.store.journal.book import Order


@click.command("answer")
@click.argument("thread_id", metavar="THREAD")
@click.option("--question", "questions", multiple=True, metavar="ID", help="Which question; repeatable.")
@click.option("--approve", is_flag=True, default=None, help="Let every operation of the question run.")
@click.option("--reject", metavar="REASON", help="Let none run, and say why.")
@click.option("--edit", metavar="JSON", help="Let it run with these: all arguments, also unchanged.")
@click.option("--respond", metavar="TEXT", help="Give this as the result instead of running it.")
@click.option("--explain", metavar="TEXT", help="Ask first; see below.")
@click.option("--value", metavar="JSON", help="Send exactly this.")
@click.option("--choices", metavar="JSON", help=f"A list with one of {FORMS} for each operation.")
@click.option("--answers", metavar="JSON", help='By question id {"choices": […]} or {"value": …}.')
@click.option("--confirm", multiple=True, metavar="VALUE", help="The value that a rule asks to repeat.")
@order_options
@shared_options
def command(thread_id: str, questions: tuple[str, ...], confirm: tuple[str, ...], **options: Any) -> None:
    """Decide what THREAD asks, record it, and carry it out.

    From medium risk on, say what you have seen: --seen DIGEST, as `show THREAD --json` prints it.
    An --edit replaces all arguments. Where explain is not offered, as in LangChain's own form,
    --explain rejects the operation with your question as the reason; the output says so.
    """
    flags = {flag: options.pop(flag) for flag in FLAGS}
    chosen = [flag for flag, text in flags.items() if text is not None]
    if len(chosen) != 1:
        fail(f"Say what you decide with exactly one of {', '.join(f'--{flag}' for flag in FLAGS)}.")
    (flag,) = chosen
    how = How(**options)
    with closing(desk_from(given())) as desk:

        def order_for(thread: Thread) -> Order:
            meant = said(thread, questions, flag, flags[flag], was_asked=desk.deciding.reader.was_asked)
            order = desk.deciding.prepare(thread, meant.choices, meant.values, again=how.again)
            decided = meant.pairs(thread)
            demand_seen(thread, decided, desk.settings, how)
            demand_confirmation(decided, confirm, desk.settings)
            for warning in desk.deciding.warnings(thread, meant.choices, meant.values):
                click.echo(f"Warning: {visible(warning)}", err=True)
            return order

        decide(desk, thread_id, how, order_for)
