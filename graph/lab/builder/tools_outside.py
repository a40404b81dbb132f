"""Tools that leave the work folder or destroy what is in it: each asks a person first."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from agent_lab_tui.store.lab.mailbox import Kind, Mail

from ...gate import Evidence, done, not_done
from ..delivery import taken_as_sent
from ..locks import alone_at
from ..mail_client import MailRefused
from ..sending import look, send
from ..workspace import add_line, make_folder
from .folder import ToolFailed
from .grades import Grade
from .tool import Arguments, Bench, Outcome, Tool


def _push(bench: Bench, arguments: Arguments) -> Outcome:
    digest = bench.folder.digest(arguments["file"])
    if digest is None:
        raise ToolFailed(f"there is no file {arguments['file']} to push")
    channel = _channel(bench, arguments)
    with alone_at(channel.with_suffix(".lock")):
        add_line(channel, f"{bench.key} {digest} {arguments['file']}")
    return Outcome(_pushed(arguments))


def _pushed(arguments: Arguments) -> str:
    return f"pushed {arguments['file']} to {arguments['channel']}"


def _channel(bench: Bench, arguments: Arguments) -> Path:
    name = arguments["channel"]
    if not name.replace("-", "").isalnum():
        raise ToolFailed(f"{name!r} is no name of a channel: letters, digits and dashes")
    return make_folder(bench.lab.root / "remote") / f"{name}.log"


def _was_pushed(bench: Bench, arguments: Arguments) -> Evidence:
    channel = _channel(bench, arguments)
    lines = channel.read_text("utf-8").splitlines() if channel.exists() else []
    if any(line.startswith(f"{bench.key} ") for line in lines):
        return done({"text": _pushed(arguments), "files": {}}, "the channel has a push with this key")
    return not_done("the channel has no push with this key")


def _remove_folder(bench: Bench, arguments: Arguments) -> Outcome:
    path = bench.folder.path(arguments["folder"])
    if path == bench.folder.root.resolve():
        raise ToolFailed("the work folder itself is removed by `lab clean` alone")
    if not path.is_dir():
        raise ToolFailed(f"there is no folder {arguments['folder']}")
    shutil.rmtree(path)
    return Outcome(_removed(arguments))


def _removed(arguments: Arguments) -> str:
    return f"removed {arguments['folder']}"


def _was_removed(bench: Bench, arguments: Arguments) -> Evidence:
    if bench.folder.path(arguments["folder"]).exists():
        return not_done("the folder, or a part of it, still stands")
    return done({"text": _removed(arguments), "files": {}}, "the folder is gone")


def _removal(bench: Bench, arguments: Arguments) -> str:
    try:
        names = bench.folder.names(arguments["folder"], with_hidden=True)
    except ToolFailed as failed:
        return f"{failed}; nothing would be removed."
    if not names:
        return "Removes a folder without files."
    return f"Destroys {len(names)} file{'' if len(names) == 1 else 's'} for good: {', '.join(names)}."


def _sends(kind: Kind, mail: Callable[[Arguments], Mail]) -> Callable[[Bench, Arguments], Outcome]:
    def do(bench: Bench, arguments: Arguments) -> Outcome:
        try:
            return Outcome(send(bench.outbox, bench.mail, kind, bench.key, mail(arguments)))
        except MailRefused as error:
            raise ToolFailed(str(error)) from error

    return do


def _was_sent(kind: Kind) -> Callable[[Bench, Arguments], Evidence]:
    def verify(bench: Bench, _arguments: Arguments) -> Evidence:
        found = look(bench.outbox, bench.mail, kind, bench.key)
        return replace(found, result=None if found.result is None else {"text": found.result, "files": {}})

    return verify


def _taken_as_sent(bench: Bench) -> None:
    taken_as_sent(bench.outbox, bench.key)


OUTSIDE = (
    Tool(
        "push",
        Grade.OUTSIDE,
        "Push a file to a channel others install from.",
        {"file": "the file", "channel": "the channel's name"},
        _push,
        mend="asked first: the channel is looked at for the call's key",
        verify=_was_pushed,
        impact=lambda _, given: (
            f"Everybody on the channel {given['channel']} gets it; it cannot be recalled."
        ),
    ),
    Tool(
        "send_mail",
        Grade.OUTSIDE,
        "Send a mail.",
        {"to": "the recipient", "subject": "the subject", "body": "the text"},
        _sends(Kind.KEYED, lambda given: Mail(given["to"], given["subject"], given["body"])),
        mend="a key: the service gives the first result for a repeat",
        verify=_was_sent(Kind.KEYED),
        taken_as_done=_taken_as_sent,
        impact=lambda _, given: f"One mail to {given['to']}; it cannot be recalled.",
    ),
    Tool(
        "open_ticket",
        Grade.OUTSIDE,
        "Open a ticket for people to work on.",
        {"title": "what it is about", "text": "what is to be done"},
        _sends(Kind.ASKABLE, lambda given: Mail("tickets", given["title"], given["text"])),
        mend="asked first: the service says what came in under a key",
        verify=_was_sent(Kind.ASKABLE),
        taken_as_done=_taken_as_sent,
        impact=lambda _, given: f"Opens a ticket {given['title']!r}; somebody will work on it.",
    ),
    Tool(
        "send_sms",
        Grade.OUTSIDE,
        "Send a text message.",
        {"number": "the phone's number", "text": "the message"},
        _sends(Kind.PLAIN, lambda given: Mail(given["number"], "", given["text"])),
        mend="a person: the service knows no keys and cannot be asked",
        verify=_was_sent(Kind.PLAIN),
        taken_as_done=_taken_as_sent,
        impact=lambda _, given: f"One message to {given['number']}; it costs money and cannot be recalled.",
    ),
    Tool(
        "remove_folder",
        Grade.DESTRUCTIVE,
        "Remove a folder with all its files.",
        {"folder": "the folder"},
        _remove_folder,
        mend="asked first: a folder that is gone was removed",
        verify=_was_removed,
        impact=_removal,
    ),
)
