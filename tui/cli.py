"""The command line: the same desk without the screen, one module a command."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from .options import Exit, fail, given, is_text, shared_options

COMMANDS = (
    "demo",
    "list",
    "show",
    "answer",
    "go-on",
    "ask-again",
    "skip",
    "abandon",
    "withdraw",
    "history",
    "diff",
    "fork",
    "replay",
    "check",
    "doctor",
    "journal",
    "lab",
)
"""In the order in which `--help` lists them."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click names it
        """List the commands in the order of use, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f".commands.{cmd_name.replace('-', '_')}", __package__)
        command: click.Command = module.command
        return command


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    from .console.versions import version_lines

    click.echo("\n".join(version_lines()))
    context.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Without a command the screen opens. Exit codes: 0 done, 1 failed or unknown, 2 usage or cannot"
    " open, 3 stale or decided by another, 4 refused.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show versions.",
)
@shared_options
@click.pass_context
def cli(context: click.Context) -> int | None:
    """The approval desk for LangGraph agents: see every question they wait on, and decide it."""
    _need_folder()
    if context.invoked_subcommand is None:
        from .commands.open import need_terminal, open_screen

        need_terminal()
        return open_screen(given())
    return None


def _need_folder() -> None:
    """End the command where the folder that it stands in was deleted: every relative path is about it."""
    try:
        os.getcwd()
    except FileNotFoundError:
        fail("The folder that this runs in is gone: go into another one with `cd`.")


def _sentence(error: click.ClickException) -> str:
    """Return what is wrong with a command in one line, with the command that tells how it is meant."""
    from .visible import visible, visible_block

    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # our own help, in its lines
        return visible_block(error.format_message())
    said = visible(error.format_message())
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return said
    return f"{said}{'' if said.endswith(('.', '?', '!')) else '.'} See `{context.command_path} --help`."


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; every foreseen error is one sentence on standard error.

    Returns:
        The exit code.
    """
    from .console.errors import code_of

    try:
        result: Any = cli.main(args=arguments, prog_name="agent-lab-tui", standalone_mode=False)
    except click.exceptions.Exit as end:
        return int(end.exit_code)
    except click.ClickException as error:
        click.echo(_sentence(error), err=True)
        return int(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(Exit.FAILED)
    except UnicodeEncodeError:
        if all(map(is_text, sys.argv[1:] if arguments is None else arguments)):
            raise
        click.echo("An argument holds bytes that are no text: write it in UTF-8.", err=True)
        return int(Exit.USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        return int(Exit.FAILED)
    except Exception as error:
        code = code_of(error)
        if code is None:
            raise
        from .visible import visible

        lines: tuple[str, ...] = getattr(error, "lines", None) or (str(error),)
        click.echo("\n".join(map(visible, lines)), err=True)
        return int(code)
    return result if isinstance(result, int) else int(Exit.DONE)
