"""What runs were configured with: recovered from metadata, secrets covered on display only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.reading.started import HIDDEN, is_secret, masked, own_keys, started_with
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.checkpoints.rows import CheckpointRow
from agent_lab_tui.store.files import open_database


def row(name: str, source: str, **metadata: Any) -> CheckpointRow:
    return CheckpointRow("t", "", name, None, {"source": source, "step": 1, "parents": {}, **metadata})


def test_only_keys_of_the_run_are_taken() -> None:
    metadata = {
        "source": "loop",
        "step": 1,
        "parents": {},
        "run_id": "r",
        "thread_id": "t",
        "graph_id": "agent",
        "langgraph_version": "1.2",
        "ls_integration": "langchain_create_agent",
        "__pregel_x": 1,
        "writes": {"a": 1},
        "counters_since_delta_snapshot": {"log": [1, 1]},
        "tenant": "acme",
        "dry_run": True,
        "limit": 0.5,
    }
    assert own_keys(metadata) == {"tenant": "acme", "dry_run": True, "limit": 0.5}


def test_an_edit_that_lost_the_configuration_takes_it_from_the_run_before() -> None:
    chain = [row("c3", "update"), row("c2", "update", tenant="late"), row("c1", "loop", tenant="acme", n=1)]
    assert started_with(chain) == ({"tenant": "late", "n": 1}, "c1")
    assert started_with([row("c1", "loop", tenant="acme"), row("c0", "loop", tenant="old")]) == (
        {"tenant": "acme"},
        None,
    )
    assert started_with([row("c1", "loop"), row("c0", "input")]) == ({}, None)
    assert started_with([]) == ({}, None)


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "OPENAI_API_KEY",
        "apikey",
        "keyfile",
        "token",
        "access_token",
        "client_secret",
        "db_password",
        "auth",
        "authorization",
        "oauth2",
    ],
)
def test_names_that_sound_like_secrets_are_covered(name: str) -> None:
    assert masked({name: "s3cr3t", "tenant": "acme"}) == {name: HIDDEN, "tenant": "acme"}


@pytest.mark.parametrize("name", ["tenant", "dry_run", "region", "model"])
def test_other_names_are_shown(name: str) -> None:
    assert not is_secret(name)


def test_the_tenant_of_a_thread_is_found_again(make_case: Callable[[str], Path]) -> None:
    """Resumed with the thread id alone it would run for the default tenant, and not dry."""
    thread = Reader(open_database(str(make_case("18"))), Settings()).thread("bk-acme")
    assert thread.config == {"tenant": "acme", "dry_run": True}
    assert thread.warnings == ()
