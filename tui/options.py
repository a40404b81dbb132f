"""The options that every command shares, before or after its name, and the desk they open."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from .typed_json import NotJson, parse

if TYPE_CHECKING:
    from agent_lab_tui.graph.desk import Desk
    from agent_lab_tui.graph.settings.file import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

SETTINGS_FILE = "agent-lab.toml"


class Exit(IntEnum):
    """What the exit code of a command says."""

    DONE = 0
    """Applied, recorded or done."""
    FAILED = 1
    """The run failed, or what became of it is unknown."""
    USAGE = 2
    """Wrong usage, or something cannot be opened."""
    LOST = 3
    """Stale, decided by another, running elsewhere, or no longer waiting."""
    REFUSED = 4
    """The answer must not be sent."""


@dataclass(frozen=True, slots=True)
class Options:
    """The shared options as given."""

    db: str | None = None
    graphs: tuple[str, ...] = ()
    settings: str | None = None
    operator: str | None = None
    is_readonly: bool = False
    context: dict[str, Any] | None = None
    configurable: dict[str, Any] | None = None
    python: str | None = None


def fail(sentence: str, code: Exit = Exit.USAGE) -> NoReturn:
    """Print one sentence on standard error and end with the code."""
    click.echo(sentence, err=True)
    raise SystemExit(int(code))


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Note a given option at the root, so that it may stand before or after the command."""
    if value in (None, (), False) or context.resilient_parsing:
        return
    if parameter.name == "operator" and not is_text(value):
        raise click.BadParameter("a name in UTF-8 is needed, this holds other bytes", param_hint="--operator")
    if parameter.name in ("context", "configurable"):
        value = json_object(value, f"--{parameter.name}")
    root = context.find_root()
    options = root.obj if isinstance(root.obj, Options) else Options()
    root.obj = replace(options, **{str(parameter.name): value})


def is_text(words: str) -> bool:
    """Tell whether an argument was given in UTF-8: other bytes arrive as halves of characters."""
    return words.encode("utf-8", "replace").decode("utf-8") == words


def json_object(text: str, option: str) -> dict[str, Any]:
    """Return the JSON object that an option was given.

    Raises:
        BadParameter: It is no JSON, or no object.
    """
    try:
        value = parse(text)
    except NotJson as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint=option) from None
    if not isinstance(value, dict):
        raise click.BadParameter('it takes a JSON object, such as {"tenant": "acme"}', param_hint=option)
    return value


def shared_options(command: Command) -> Command:
    """Add the options of the desk to a command; read them with `given()`."""
    for names, attributes in reversed(_SHARED):
        command = click.option(*names, expose_value=False, callback=_keep, **attributes)(command)
    return command


_SHARED: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--db",), {"metavar": "PATH", "help": "The checkpoint database."}),
    (
        ("--graph", "graphs"),
        {
            "multiple": True,
            "metavar": "SPEC",
            "help": "file.py:attr, module:attr or a langgraph.json; repeatable.",
        },
    ),
    (("--settings",), {"metavar": "FILE", "help": f"Settings (default: {SETTINGS_FILE} in this folder)."}),
    (("--operator",), {"metavar": "NAME", "help": "Who decides (default: the account of this system)."}),
    (("--readonly", "is_readonly"), {"is_flag": True, "help": "Look only: no byte is written."}),
    (("--context",), {"metavar": "JSON", "help": "Context given to every run."}),
    (("--configurable",), {"metavar": "JSON", "help": "Configurable values given to every run."}),
    (("--python",), {"metavar": "PATH", "help": "The interpreter, or venv, that runs the graphs."}),
)


def given() -> Options:
    """Return the shared options of the running command."""
    obj = click.get_current_context().find_root().obj
    return obj if isinstance(obj, Options) else Options()


def os_user() -> str:
    """Return the account of this system that runs the command; "unknown" where there is none."""
    try:
        return getpass.getuser().encode("utf-8", "replace").decode("utf-8")
    except (OSError, KeyError, ImportError):
        return "unknown"


def load_settings(options: Options) -> Settings:
    """Read the settings file named, or the one in this folder, or none.

    Raises:
        SettingsError: The file is missing, is not TOML or has a value of the wrong type.
    """
    from agent_lab_tui.graph.settings import file as settings

    if options.settings is not None:
        return settings.load(Path(options.settings))
    here = Path(SETTINGS_FILE)
    return settings.load(here if here.is_file() else None)


def desk_from(options: Options) -> Desk:
    """Open the desk that the options, the settings file and langgraph.json describe.

    Raises:
        CannotOpen: The database cannot be opened.
        SettingsError: The settings cannot be read.
        SpecError: A graph is named that cannot be found.
    """
    from agent_lab_tui.graph.desk import Desk

    return Desk.open(
        load_settings(options),
        db=options.db,
        graphs=options.graphs,
        operator=options.operator,
        os_user=os_user(),
        is_readonly=options.is_readonly,
        context=options.context,
        configurable=options.configurable,
        python=options.python,
    )
