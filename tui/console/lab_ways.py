"""How a task that waits is answered from the command line: the exact lines to type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_lab_tui.graph.lab.looking import is_about_an_effect
from agent_lab_tui.graph.lab.ways import desk_command

if TYPE_CHECKING:
    from agent_lab_tui.graph.lab.workspace import Workspace
    from agent_lab_tui.graph.reading.threads import Thread


def answer_lines(lab: Workspace, thread: Thread) -> Iterator[str]:
    """Yield what to type for each question of a thread; several are answered one after the other."""
    is_one = len(thread.questions) == 1
    for question in thread.questions:
        named = () if is_one else ("--question", question.id)

        def typed(*choice: str, named: tuple[str, ...] = named) -> str:
            return desk_command(lab, "answer", thread.thread_id, *named, *choice, "--seen", thread.digest)

        if is_about_an_effect(question):
            yield "Nobody knows whether it was done: look, then say so."
            yield f"  to run it again: {typed('--approve')}"
            yield f"  to take it as done: {typed('--respond', 'WHAT IT SAID')}"
            yield f"  to stop: {typed('--reject', 'WHY')}"
        else:
            names = ", ".join(operation.name for operation in question.operations)
            yield f"Next{'' if is_one else f', for {names}'}: {typed('--approve')}"
    if not is_one:
        again = desk_command(lab, "show", thread.thread_id, "--json")
        yield f"Each answer gives the thread another digest, which {again} prints."
