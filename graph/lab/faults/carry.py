"""Carry a killed task on as a person would: recover, look, answer, until it is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agent_lab_tui.store.tables import make_file

from ...desk import Desk
from ...questions import Choice, Question
from ...reading.situation import Situation
from ...reading.threads import Thread
from ..carrying_on import desk_of, go_on
from ..looking import is_about_an_effect
from ..reconcile import recover
from ..registry import Start, agent, agents
from ..starting import start
from ..workspace import Workspace
from .play import NO
from .plays import TASK, Play
from .world import has_arrived

ROUNDS = 12
"""So often at most a person looks at one task."""


@dataclass(frozen=True, slots=True)
class Carried:
    """How a killed task came to its end."""

    found: str
    """What `lab recover` found, in its own words."""
    remedy: str
    asked: int
    """How often a person had to say what became of an effect."""
    status: str
    situation: str


def carry_on(lab: Workspace, play: Play) -> Carried:
    """Carry a task on until it is over or nothing more can be done."""
    make_file(lab.database)
    with desk_of(lab, operator="faults") as desk:
        desk.load_graphs()
        recovered = recover(lab, desk, TASK)
        found = "; ".join(one.finding.finding for one in recovered) or "nothing wrong"
        remedies = "; ".join(one.finding.remedy for one in recovered) or "-"
        if not any(TASK in each.tasks(lab) for each in agents()):
            found, remedies = "nothing was begun", "start it again"
            start(lab, agent(play.agent), Start(TASK, TASK, play.given), lambda _: None)
        asked = _to_the_end(lab, desk, play)
        status = agent(play.agent).status(lab, TASK).status
        return Carried(found, remedies, asked, status, str(desk.thread(TASK).situation))


def _to_the_end(lab: Workspace, desk: Desk, play: Play) -> int:
    """Answer and go on until neither is left to do; return how often it was asked about an effect."""
    asked = 0
    for _ in range(ROUNDS):
        thread = desk.thread(TASK)
        if thread.questions:
            asked += _answer(lab, desk, play, thread)
        elif thread.situation in (Situation.STOPPED, Situation.FAILED):
            go_on(desk, thread, play.agent)
        else:
            break
        recover(lab, desk, TASK)
    return asked


def _answer(lab: Workspace, desk: Desk, play: Play, thread: Thread) -> int:
    """Say the play's yes or no, and what is true where it is asked what became of an effect."""
    choices, looked = {}, 0
    for question in thread.questions:
        if is_about_an_effect(question):
            looked += 1
            choices[question.id] = [_what_is_true(lab, question)]
        else:
            said = Choice("approve") if play.says == "approve" else Choice("reject", text=NO)
            choices[question.id] = [said] * len(question.operations)
    desk.decide(thread, choices)
    desk.carry_out(thread.thread_id).result()
    return looked


def _what_is_true(lab: Workspace, question: Question) -> Choice:
    arguments: dict[str, Any] = dict(question.operations[0].arguments)
    if has_arrived(lab, str(arguments.get("to") or arguments.get("number") or "")):
        return Choice("respond", text="I looked: it has arrived")
    return Choice("approve")
