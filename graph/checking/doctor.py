"""Find what is not as it should be with a database, its journal and its threads; settle what can be told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.store.surroundings import Mount

from ..deciding.telling import told
from ..desk import Desk
from ..hosting.events import HostError
from .ailments import Ailment, command
from .doctor_file import file_ailments
from .doctor_threads import decision_ailments, thread_ailments, unsettled
from .remedies import remedy_for

STRICT_SINCE = (1, 2, 20)
"""The first LangGraph that refuses an answer to a question which waits no more."""


def examine(
    desk: Desk,
    versions: Mapping[str, str],
    mounted: Sequence[Mount],
    lab: Callable[[], Iterable[Ailment]] = tuple,
) -> tuple[Ailment, ...]:
    """Find what is not as it should be; nothing is changed and nothing is run.

    Args:
        desk: The desk, read-only where nothing at all is to be written.
        versions: Of the components, by name.
        mounted: The file systems of this machine.
        lab: Finds what does not agree in a lab; by default there is none.
    """
    return (
        *(_versions(versions) if desk.settings.run.python is None else ()),
        *file_ailments(desk.database, Journal(desk.database.path, is_readonly=True), mounted),
        *_graphs(desk),
        *decision_ailments(desk),
        *thread_ailments(desk),
        *lab(),
    )


def repair(desk: Desk, announced: Collection[Ailment] | None = None) -> tuple[Ailment, ...]:
    """Write into the journal what became of decisions, where the evidence tells; nothing is ever sent.

    Args:
        desk: The desk.
        announced: What was found and shown before: nothing else is written. None for all there is now.

    Returns:
        What was done, and what was left because it looks otherwise by now.
    """
    done = []
    wanted = None if announced is None else {one.settles for one in announced}
    for foreseen in unsettled(desk):
        told_of = (foreseen.decision.decision_id, str(foreseen.becomes))
        if not foreseen.is_news or (wanted is not None and told_of not in wanted):
            continue
        settled = desk.deciding.settle(foreseen.decision)
        decision = settled.decision
        is_done = decision.state == foreseen.becomes
        done.append(
            Ailment(
                f"decision {decision.decision_id} is {decision.state}" if is_done else "left as it is",
                settled.evidence if is_done else f"it stands otherwise by now: {told(decision)}",
                command("journal", "show"),
                decision.order.thread_id,
            )
        )
    return tuple(done)


def _versions(versions: Mapping[str, str]) -> Iterator[Ailment]:
    found = versions.get("langgraph", "")
    if _numbers(found) < STRICT_SINCE:
        needed = ".".join(map(str, STRICT_SINCE))
        yield Ailment(
            "this LangGraph can only be read with, not decided with",
            f"langgraph {found or 'is missing'}: before {needed} a stale answer can reach another question",
            f"pip install 'langgraph>={needed}', or name a project's own interpreter with --python",
        )


def _graphs(desk: Desk) -> Iterator[Ailment]:
    """Load the graphs where that was not done yet, so that threads are read with them."""
    if not desk.projects:
        return
    try:
        facts = desk.facts or desk.load_graphs()
    except HostError as error:
        yield Ailment("the graphs cannot be loaded", str(error).rstrip("."), command("check"))
        return
    for graph in facts:
        if graph.error is not None:
            remedy = remedy_for(graph.error) or command("check")
            yield Ailment(f"graph {graph.name} cannot be loaded", graph.error.rstrip("."), remedy)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
