"""One thread put together from its rows: where it stands, what it asks, its state, what to beware of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property, partial

from agent_lab_tui.store.checkpoints import interrupts
from agent_lab_tui.store.checkpoints import rows as checkpoints
from agent_lab_tui.store.checkpoints.deltas import rebuilt
from agent_lab_tui.store.checkpoints.rows import CheckpointRow
from agent_lab_tui.store.checkpoints.steps import Step
from agent_lab_tui.store.effects import Effect
from agent_lab_tui.store.files import Connection, Database
from agent_lab_tui.store.values.raw import Value

from ..deciding.telling import sealed_words
from ..hosting.facts import GraphFacts
from ..questions import Question
from ..settings.file import Settings
from . import cautions
from .asking import question
from .impact import again_from_top, runs_next
from .ledger import done_already, known
from .marks import MarkBook
from .owners import Owners
from .situation import Marks, Situation, situation_of
from .standing import Standing, stand
from .started import started_with
from .state_values import StateValues, state_values
from .threads import Thread, thread_digest

_ANCESTORS = 200
"""Checkpoints looked at for the configuration of the last run."""
_EARLIER_ANSWERS = 5


class ThreadSheet:
    """One thread at one checkpoint, read through one connection and used while that is open."""

    def __init__(
        self,
        conn: Connection,
        db: Database,
        row: CheckpointRow,
        settings: Settings,
        graphs: Sequence[GraphFacts],
        *,
        owners: Owners,
        is_head: bool,
    ) -> None:
        """Take what is needed; nothing is read yet.

        Args:
            conn: a reading connection.
            db: the file.
            row: the checkpoint.
            settings: rules, and answers of plain questions.
            graphs: what the loaded graphs say of themselves.
            owners: what is known of whose the thread is, beside its rows.
            is_head: at the head what is finished or answered is left out; elsewhere it is a record.
        """
        self._conn = conn
        self._db = db
        self._row = row
        self._settings = settings
        self._graphs = graphs
        self._owners = owners
        self._is_head = is_head

    def thread(self, book: MarkBook) -> Thread:
        """Put the thread together, with what the desk's own record says of it."""
        row, standing = self._row, self._standing
        marks = book.of(row.thread_id, row.checkpoint_id, standing.due) if self._is_head else Marks()
        situation, evidence = situation_of(standing.rows, marks)
        digests = [one.digest for one in self._questions]
        config, config_from = self._configuration
        return Thread(
            thread_id=row.thread_id,
            situation=situation,
            evidence=evidence,
            graph=standing.match.graph,
            checkpoint_id=row.checkpoint_id,
            is_head=self._is_head,
            digest=thread_digest(row.thread_id, row.checkpoint_id, standing.next, digests),
            values=self._state.values,
            metadata=row.metadata,
            config=config,
            next=standing.next,
            reruns=self._again() if standing.is_under_way else (),
            runs_next=self._following(),
            error=standing.error,
            questions=self._questions,
            decision=book.decision(row.thread_id) if self._is_head else None,
            warnings=(
                *self._warnings(config_from),
                *self._of_journal(book),
                *_broken_off(marks, situation),
            ),
            notes=(*self._state.notes, *cautions.not_in_the_values(self._step)),
            fitting=standing.match.fitting,
            ledger=self._ledger,
            due=standing.due,
            broken_off=marks.broken_off,
        )

    @cached_property
    def _step(self) -> Step:
        return Step(self._conn, self._db, self._row.thread_id, self._row)

    @cached_property
    def _standing(self) -> Standing:
        questions = interrupts.questions_of(self._conn, self._db, self._step, is_live=self._is_head)
        return stand(self._step, questions, self._graphs, is_live=self._is_head, owners=self._owners)

    @cached_property
    def _graph(self) -> GraphFacts | None:
        """The thread's own graph, where it is loaded."""
        return next((one for one in self._graphs if one.name == self._standing.match.graph), None)

    @cached_property
    def _state(self) -> StateValues:
        row = self._row
        body = self._step.body
        return state_values(body, rebuilt(self._conn, self._db, row.thread_id, row.checkpoint_id, own=body))

    @cached_property
    def _ledger(self) -> dict[str, Effect]:
        return known(self._db, (part for one in self._questions for part in one.operations))

    @cached_property
    def _configuration(self) -> tuple[dict[str, Value], str | None]:
        return started_with(self._chain())

    @cached_property
    def _questions(self) -> tuple[Question, ...]:
        values = self._state.values
        earlier = cache(partial(interrupts.answers_given, self._conn, self._db, limit=_EARLIER_ANSWERS))
        return tuple(
            question(
                one,
                self._row.checkpoint_id,
                self._standing.match.graph,
                self._settings,
                messages=values.get("messages") if isinstance(values, dict) else None,
                answers_given=earlier,
            )
            for one in self._standing.questions
        )

    def _again(self) -> tuple[str, ...]:
        """Name what runs again from its top: what asks, and what else of the step has not finished."""
        asking = {one.path[0] for one in self._questions}
        others = (node for node in self._standing.next if node not in asking)
        return tuple(dict.fromkeys((*again_from_top(self._questions, self._graph), *others)))

    def _following(self) -> tuple[str, ...]:
        """Name what runs after the tasks under way, or first where none has begun."""
        if self._standing.is_under_way:
            return tuple(one.name for one in runs_next(self._standing.paths, self._graph))
        return tuple(dict.fromkeys(self._standing.next))

    def _warnings(self, config_from: str | None) -> Iterator[str]:
        standing = self._standing
        for warning in (self._db.warning, standing.match.warning):
            if warning is not None:
                yield warning
        yield from self._state.warnings
        yield from cautions.of_step(self._step, standing.questions)
        if self._graph is not None:
            yield from cautions.of_graph(self._graph, self._step, standing.questions, self._settings)
        if config_from is not None:
            yield f"The newest checkpoint has lost the run's configuration; it is taken from {config_from}."

    def _of_journal(self, book: MarkBook) -> Iterator[str]:
        """Warn of what was done or decided as something else before, and of decisions that cannot be read."""
        if self._is_head:
            yield from done_already(self._ledger)
            made = book.made(self._row.thread_id)
            yield from cautions.of_decisions(self._questions, self._row.checkpoint_id, made)
            sealed = sealed_words([one for one in made if one.is_sealed])
            if sealed is not None:
                yield f"{sealed[:1].upper()}{sealed[1:]}"

    def _chain(self) -> Iterator[CheckpointRow]:
        """Give the checkpoint and its ancestors, one read at a time."""
        seen: set[str] = set()
        found: CheckpointRow | None = self._row
        while found is not None and found.checkpoint_id not in seen and len(seen) < _ANCESTORS:
            yield found
            seen.add(found.checkpoint_id)
            parent = found.parent_id
            found = checkpoints.get(self._conn, found.thread_id, found.ns, parent) if parent else None


def _broken_off(marks: Marks, situation: Situation) -> Iterator[str]:
    """Warn of a run that broke off, where the evidence speaks of something else."""
    if marks.broken_off is not None and situation is not Situation.STOPPED:
        yield f"{marks.broken_off[:1].upper()}{marks.broken_off[1:]}."
