"""Start a task of the lab, and carry one on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from agent_lab_tui.graph.lab.looking import is_about_an_effect
from agent_lab_tui.graph.lab.ways import desk_command, next_command
from agent_lab_tui.graph.questions import Choice

from ..options import Exit, fail
from ..visible import visible
from .carrying_out import Ending, carry_out
from .lab_folder import desk_in
from .lab_lines import completed_lines, request_lines, shown, status_lines, status_record, waiting_lines
from .lab_ways import answer_lines
from .printed import echo_json, json_text

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.lab.registry import Agent, Check
    from agent_lab_tui.graph.lab.workspace import Workspace
    from agent_lab_tui.graph.reading.threads import Thread


def start_task(
    lab: Workspace,
    *,
    agent_name: str,
    task_id: str,
    thread_id: str | None,
    max_steps: int | None,
    settings: Iterable[str],
    crash: str | None,
    as_json: bool,
) -> None:
    """Start a task, run it in this process, and tell what it waits for and what to type next."""
    from agent_lab_tui.graph.lab.registry import LabRefused, Start, agent
    from agent_lab_tui.graph.lab.starting import start
    from agent_lab_tui.store.files import CannotOpen

    wanted = agent(agent_name)
    _arm(wanted, crash)
    new = Start(task_id, task_id if thread_id is None else thread_id, _named(settings), max_steps)
    try:
        start(lab, wanted, new, lambda node: None if as_json else click.echo(f"  {node} done"))
    except (LabRefused, CannotOpen, click.ClickException):
        raise
    except Exception as error:
        if task_id not in wanted.tasks(lab):
            raise
        # A node's error is told as the task's; its traceback would help nobody.
        click.echo(visible(f"{task_id} failed: {type(error).__name__}: {error}"), err=True)
        click.echo(visible(f"Mend it, then: {desk_command(lab, 'go-on', new.thread_id)}"), err=True)
        raise SystemExit(int(Exit.FAILED)) from None
    with desk_in(lab) as desk:
        _tell(lab, desk, wanted, task_id, as_json=as_json)
    _say_what_was_not_passed(crash)


def resume_task(
    lab: Workspace, task_id: str, *, crash: str | None, as_json: bool, max_steps: int | None = None
) -> None:
    """Check what has to hold, carry the task on, and tell how it stands."""
    from agent_lab_tui.graph.lab.records import allow_steps
    from agent_lab_tui.graph.lab.registry import agent_of
    from agent_lab_tui.graph.lab.workspace import need_rights

    agent = agent_of(lab, task_id)
    _arm(agent, crash)
    need_rights(lab)
    if max_steps is not None:
        allow_steps(lab, agent.name, task_id, max_steps)
    with desk_in(lab) as desk:
        status = agent.status(lab, task_id)
        if status.status == "completed":
            click.echo(json_text(status.result) if as_json else shown(completed_lines(status)))
            return
        checks = _demand(task_id, _checks(lab, desk, agent, task_id), as_json=as_json)
        desk.load_graphs()
        if agent.status(lab, task_id).status == "completed":
            fail(visible(f"{task_id} was completed by another process meanwhile."), Exit.LOST)
        thread = desk.thread(status.thread_id)
        ending = _carry_on(lab, desk, agent, task_id, thread, is_silent=as_json)
        _tell(lab, desk, agent, task_id, as_json=as_json, checks=checks)
    if ending.error:
        click.echo(visible(ending.error), err=True)
    else:
        _say_what_was_not_passed(crash)
    if ending.code:
        raise SystemExit(int(ending.code))


def look_at_task(lab: Workspace, task_id: str, *, as_json: bool) -> None:
    """Show how a task stands and the whole of what it waits for; approve and run nothing."""
    from agent_lab_tui.graph.lab.registry import agent_of
    from agent_lab_tui.graph.lab.standing import standing_of

    agent = agent_of(lab, task_id)
    with desk_in(lab) as desk:
        standing = standing_of(lab, desk, agent, task_id)
        if as_json:
            echo_json(status_record(standing))
            return
        click.echo(shown(status_lines(standing)))
        if standing.situation is not None and (thread := desk.thread(standing.status.thread_id)).questions:
            click.echo(shown(request_lines(thread)))


def _checks(lab: Workspace, desk: Desk, agent: Agent, task_id: str) -> Iterable[Check]:
    """Yield what must hold, in the order in which it is looked at: checkpoint first, then the agent's own."""
    from agent_lab_tui.graph.lab.carrying_on import situation_of
    from agent_lab_tui.graph.lab.registry import Check

    thread_id = agent.status(lab, task_id).thread_id
    situation = situation_of(desk, thread_id)
    way_on = next_command(lab, "lab", "recover", task_id)
    missing = f"there is none for thread {thread_id}; {way_on} begins it"
    yield Check("checkpoint found", situation is not None, situation or missing)
    yield from agent.before_resume(lab, task_id)


def _demand(task_id: str, checks: Iterable[Check], *, as_json: bool) -> list[Check]:
    """Tell each check in its order and return them; end the command at the first that fails, and name it."""
    told: list[Check] = []
    for check in checks:
        told.append(check)
        if not as_json:
            click.echo(visible(f"  {'✓' if check.is_ok else '✖'} {check.name}: {check.evidence}"))
        if not check.is_ok:
            if as_json:
                echo_json({"task_id": task_id, **_resume_record(told)})
            sentence = f"{task_id} cannot be carried on: {check.name} fails: {check.evidence}."
            fail(visible(sentence), Exit.REFUSED)
    return told


def _resume_record(checks: list[Check]) -> dict[str, Any]:
    return {"resume_checks": [asdict(check) for check in checks]}


def _carry_on(
    lab: Workspace, desk: Desk, agent: Agent, task_id: str, thread: Thread, *, is_silent: bool
) -> Ending:
    """Record what carries the thread on from where it stands, and run it; or end the command with the way."""
    from agent_lab_tui.graph.lab.carrying_on import go_on_order

    stands = str(thread.situation)
    row = agent.status(lab, task_id).status
    if thread.questions and stands == "waiting":
        if not agent.does_resume_approve or any(map(is_about_an_effect, thread.questions)):
            _say_how_to_answer(lab, thread)
        _say_what_is_approved(desk, thread, is_silent=is_silent)
        choices = {one.id: [Choice("approve")] * len(one.operations) for one in thread.questions}
        order = desk.deciding.prepare(thread, choices)
    elif stands == "decided":
        return _settled(lab, desk, agent, thread, row)
    elif stands in ("stopped", "failed"):
        if not is_silent:
            click.echo(visible(f"{task_id} was {row} and its thread {stands}; it goes on as by `go-on`."))
        order = go_on_order(desk, thread, agent.name)
    else:
        fail(visible(_elsewhere(lab, task_id, thread, row)), Exit.LOST)
    return carry_out(desk, desk.record(order), None)


def _settled(lab: Workspace, desk: Desk, agent: Agent, thread: Thread, row: str) -> Ending:
    """Run a decision that never started; send one of unknown end again where resume may approve."""
    for one in desk.deciding.unsettled(thread.thread_id):
        click.echo(visible(f"A decision is {one.decision.state}: {one.evidence}."), err=True)
        if "send" in one.offers:
            return carry_out(desk, one.decision, None)
        is_ours = agent.does_resume_approve and not any(map(is_about_an_effect, thread.questions))
        if "send-again" in one.offers and is_ours:
            return carry_out(desk, desk.record(desk.deciding.send_again(one.decision)), None)
    again = desk_command(lab, "answer", thread.thread_id, "--approve", "--seen", thread.digest, "--again")
    fail(
        visible(f"Its row says {row}, and nothing is sent again by itself. To decide anew: {again}"),
        Exit.LOST,
    )


def _say_what_is_approved(desk: Desk, thread: Thread, *, is_silent: bool) -> None:
    """Print the whole request before it is approved; on standard error where JSON is printed."""
    click.echo(shown(request_lines(thread)), err=is_silent)
    name = visible(desk.operator)
    click.echo(f"This resume is the operator's own yes to it, journalled as {name}'s.", err=is_silent)


def _say_how_to_answer(lab: Workspace, thread: Thread) -> None:
    click.echo(shown(waiting_lines(thread)))
    click.echo(shown(answer_lines(lab, thread)))
    fail("It waits for an answer, which resume does not give: type one, or open the desk.", Exit.REFUSED)


def _elsewhere(lab: Workspace, task_id: str, thread: Thread, row: str) -> str:
    """Say in which status a task is that resume cannot carry on, and which command can."""
    stands = str(thread.situation)
    if stands == "running":
        return f"{task_id} is being run by another process now; wait for it."
    if stands == "stuck":
        again = desk_command(lab, "ask-again", thread.thread_id)
        return f"{task_id} is {row}, but its answer makes the node fail ({thread.error}): {again}, or go-on."
    recover = next_command(lab, "lab", "recover", task_id)
    return f"{task_id} is {row} and its thread {stands} ({thread.evidence}): {recover} puts it right."


def _tell(
    lab: Workspace,
    desk: Desk,
    agent: Agent,
    task_id: str,
    *,
    as_json: bool,
    checks: list[Check] | None = None,
) -> None:
    """Print how a task stands, what it waits for, and the exact next command."""
    from agent_lab_tui.graph.lab.standing import standing_of

    standing = standing_of(lab, desk, agent, task_id)
    if as_json:
        record = {**status_record(standing), **(_resume_record(checks) if checks is not None else {})}
        echo_json(record)
        return
    click.echo(shown(status_lines(standing)))
    thread = desk.thread(standing.status.thread_id)
    if thread.questions:
        click.echo(shown(waiting_lines(thread)))
        if (kept := standing.status.more.get("operation_id")) is not None:
            click.echo(visible(f"  keep    {kept}: the key of its insert, the same at every retry"))
        if agent.does_resume_approve and not any(map(is_about_an_effect, thread.questions)):
            click.echo("Resume is your own yes to it; with --look it only shows the whole request.")
            click.echo(visible(f"Next: {next_command(lab, 'lab', 'resume', task_id)}"))
        else:
            click.echo(shown(answer_lines(lab, thread)))


def _named(settings: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for setting in settings:
        name, mark, value = setting.partition("=")
        if not mark or not name:
            raise click.BadParameter("it takes NAME=VALUE", param_hint="--set")
        found[name] = value
    return found


def _arm(agent: Agent, crash: str | None) -> None:
    """Have this process, and the host that it starts, die at a place of the agent."""
    if crash is not None:
        from agent_lab_tui.graph.lab.crash import VARIABLE
        from agent_lab_tui.graph.lab.places import checked_place

        os.environ[VARIABLE] = checked_place(agent.name, crash)


def _say_what_was_not_passed(crash: str | None) -> None:
    """Say that nothing was killed, and how a place is reached that lies behind a question."""
    if crash is not None:
        from agent_lab_tui.graph.lab.crash import VARIABLE

        later = f"{VARIABLE}={crash} before `agent-lab-tui answer` or `go-on` kills what carries it on"
        click.echo(visible(f"Nothing was killed: {crash} was not passed yet; {later}."), err=True)
