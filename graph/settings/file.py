"""What `agent-lab.toml` says: where things are, how runs are configured, how to answer, the rules."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..questions import Risk
from .envfile import parse_env
from .tables import ANSWER_KINDS, SettingsError, Table
from .toml_lines import key_lines

__all__ = ["ANSWER_KINDS", "Rule", "RunSettings", "Settings", "SettingsError", "load"]

GRACE = 1800
"""Seconds: longer than what a step usually takes, and no more than a shift can wait for the thread."""
_CONFIRM_WORDS = ("key", "twice")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How every run is configured, beside what its thread was started with."""

    configurable: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] | None = None
    recursion_limit: int | None = None
    """Super-steps a run may take; None leaves LangGraph's own limit."""
    hosts: int = 1
    """How many runs of one project may go at a time."""
    grace: int = GRACE
    """Seconds that a step may go on once its desk is gone."""
    python: str | None = None
    """Absolute path of the interpreter that runs the graphs; None for the desk's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables set for the graphs, over those of langgraph.json."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds for the operations whose name fits a pattern."""

    operation: str
    """Pattern of the name, such as `send_*`; upper and lower case differ."""
    risk: Risk | None = None
    impact: str | None = None
    """May name arguments: `Sends mail to {to}.`"""
    confirm: str = ""
    """"", "key", "twice" or "type:ARGUMENT"."""
    locked: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    """Who may decide; empty lets everybody."""

    def lets(self, operator: str) -> bool:
        """Tell whether an operator may decide what the rule is about."""
        return not self.operators or operator in self.operators


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one desk; every part may be missing."""

    path: Path | None = None
    """The file they come from, absolute; None when there is none."""
    db: str | None = None
    """Absolute path or URL of the checkpoint database."""
    graphs: tuple[str, ...] = ()
    """Graph specs; those that name a file have it absolute."""
    notify: str | None = None
    """A command that is run when a new question comes."""
    run: RunSettings = field(default_factory=RunSettings)
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By "graph:node", the template of the answer for each kind of choice."""
    rules: tuple[Rule, ...] = ()
    unknown: tuple[str, ...] = ()
    """Keys that nobody reads, each with its line."""
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    """On which line of the file a key stands."""

    def rule_for(self, operation: str) -> Rule | None:
        """Return the first rule of the file whose pattern fits the operation's name."""
        return next((rule for rule in self.rules if fnmatchcase(operation, rule.operation)), None)

    def templates(self, graph: str | None, node: str) -> Mapping[str, Any]:
        """Return the answers for a node by kind of choice; exact names win over `*`.

        Where the graph is not known, a node's templates are used if only one graph names them.
        """
        if graph is None:
            named = [key for key in self.answers if key.endswith(f":{node}") and not key.startswith("*:")]
            exact = self.answers[named[0]] if len(named) == 1 else {}
        else:
            exact = {**self.answers.get(f"{graph}:*", {}), **self.answers.get(f"{graph}:{node}", {})}
        return {**self.answers.get(f"*:{node}", {}), **exact}

    def with_run(
        self,
        *,
        context: Mapping[str, Any] | None = None,
        configurable: Mapping[str, Any] | None = None,
        python: str | None = None,
    ) -> Settings:
        """Return the settings with the interpreter or single values of context and configurable replaced."""
        run = self.run
        if configurable is not None:
            run = replace(run, configurable={**run.configurable, **configurable})
        if context is not None:
            run = replace(run, context={**(run.context or {}), **context})
        if python is not None:
            run = replace(run, python=_interpreter(python, Path.cwd()))
        return replace(self, run=run)


def load(path: Path | None = None) -> Settings:
    """Read a settings file; without one return settings that say nothing.

    Paths in it are relative to its folder. A `langgraph.json` beside it gives the graphs when it names none.

    Raises:
        SettingsError: it cannot be read, is not TOML, or a key has a value of the wrong type.
    """
    if path is None:
        return Settings()
    path = path.expanduser().absolute()
    try:
        text = path.read_text("utf-8")
        record = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"The settings {path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise SettingsError(f"The settings {path} are not valid TOML: {error}.") from None
    lines = key_lines(text)
    top = Table(path, (), record, lines)
    db = top.text("db")
    graphs = top.texts("graphs")
    if not graphs and (path.parent / "langgraph.json").is_file():
        graphs = ("langgraph.json",)
    return Settings(
        path=path,
        db=_database(db, path.parent) if db else None,
        graphs=tuple(_graph(spec, path.parent) for spec in graphs),
        notify=top.text("notify"),
        run=_run(top.table("run"), path.parent),
        answers=top.answers("answers"),
        rules=tuple(_rule(table) for table in top.tables("rule")),
        unknown=top.unknown(),
        lines=lines,
    )


def _run(table: Table, folder: Path) -> RunSettings:
    context = table.mapping("context")
    python = table.text("python")
    return RunSettings(
        configurable=table.mapping("configurable") or {},
        context=context,
        recursion_limit=table.number("recursion_limit"),
        hosts=table.number("hosts") or 1,
        grace=table.number("grace") or GRACE,
        python=_interpreter(python, folder) if python else None,
        env=_env(table, folder),
    )


def _interpreter(named: str, folder: Path) -> str:
    """Find the interpreter that is named; what looks into one is loaded where one is."""
    from ..hosting.interpreter import interpreter_of

    return interpreter_of(named, folder)


def _env(table: Table, folder: Path) -> dict[str, str]:
    """Return the variables of a table, or of a file of KEY=VALUE lines."""
    if not isinstance(table.values.get("env"), str):
        return {str(key): str(value) for key, value in (table.mapping("env") or {}).items()}
    file = folder / Path(table.text("env") or "").expanduser()
    try:
        return parse_env(file.read_text("utf-8"), os.environ)
    except (OSError, ValueError) as error:
        raise table.error("env", f"names a file that cannot be read ({error})") from None


def _rule(table: Table) -> Rule:
    operation = table.text("operation")
    if not operation:
        raise table.error("operation", 'must name an operation or a pattern, such as "send_*"')
    risk = table.text("risk")
    if risk is not None and risk not in list(Risk):
        raise table.error("risk", f"must be one of {', '.join(Risk)}, not {risk!r}")
    confirm = table.text("confirm") or ""
    kind, _, argument = confirm.partition(":")
    if confirm and confirm not in _CONFIRM_WORDS and not (kind == "type" and argument):
        raise table.error("confirm", f'must be "key", "twice" or "type:ARGUMENT", not {confirm!r}')
    return Rule(
        operation=operation,
        risk=Risk(risk) if risk else None,
        impact=table.text("impact"),
        confirm=confirm,
        locked=table.texts("locked"),
        operators=table.texts("operators"),
    )


def _database(text: str, folder: Path) -> str:
    """Make a path absolute; leave a URL, such as `file:…` or `postgresql://…`, as it is."""
    if "://" in text or text.startswith("file:"):
        return text
    return str(folder / Path(text).expanduser())


def _graph(spec: str, folder: Path) -> str:
    """Make the file part of a spec absolute; leave modules and bare names as they are."""
    place, colon, attr = spec.rpartition(":")
    if not colon:
        place, attr = spec, ""
    is_file = place.endswith((".py", ".json")) or "/" in place
    return f"{folder / Path(place).expanduser()}{colon}{attr}" if is_file else spec
