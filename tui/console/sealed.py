"""Say on standard error which decisions of the journal cannot be read."""

from __future__ import annotations

from collections.abc import Iterable

import click

from agent_lab_tui.graph.deciding.telling import sealed_words
from agent_lab_tui.store.journal.decisions import Decision

from ..visible import visible


def tell_sealed(sealed: Iterable[Decision]) -> None:
    """Name the sealed decisions in one sentence; silent where there is none."""
    words = sealed_words(tuple(sealed))
    if words is not None:
        click.echo(visible(words), err=True)
