"""What the scripted model plays: a whole build, and short pieces that show one thing each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Calls = tuple[tuple[str, Mapping[str, Any]], ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply: a sentence and calls; without calls it says that the work is done."""

    says: str
    calls: Calls = ()
    otherwise: Mapping[str, Calls] = field(default_factory=dict)
    """What to do instead, by the name of the tool that a person refused."""


Script = tuple[Turn, ...]

NOTES = "notes.md"
BOSS = "boss@example.com"


def _note(line: str) -> tuple[str, Mapping[str, Any]]:
    return ("append_line", {"file": NOTES, "line": line})


def _parts(tool: str, *parts: str) -> Calls:
    return tuple((tool, {"part": part}) for part in parts)


HAND_OVER = Turn(
    "The package is whole; the channel gets it, the people who wait for it are told, and the notes say so.",
    (
        ("push", {"file": "dist/re2.pkg", "channel": "stable"}),
        (
            "send_mail",
            {"to": BOSS, "subject": "re2 is built", "body": "The package is on the channel stable."},
        ),
        _note("re2 was handed over"),
    ),
    {
        "push": (("open_ticket", {"title": "Push re2 by hand", "text": "dist/re2.pkg is ready."}),),
        "send_mail": (_note("nobody was told by mail"),),
    },
)

RE2: Script = (
    Turn("I look at what is there.", (("list_files", {"folder": "."}), ("show_environment", {}))),
    Turn("I fetch the sources of all parts.", _parts("fetch_sources", "zlib", "abseil", "re2")),
    Turn(
        "I read versions and needs.",
        (
            ("read_file", {"file": "src/zlib/VERSION"}),
            ("read_file", {"file": "src/abseil/VERSION"}),
            ("read_file", {"file": "src/re2/NEEDS"}),
        ),
    ),
    Turn(
        "re2 needs abseil; I begin the notes and settle the optimisation.",
        (
            ("write_file", {"file": NOTES, "content": "re2 needs abseil\nlink: undecided\n"}),
            ("upsert_setting", {"name": "optimise", "value": "size"}),
        ),
    ),
    Turn("I build what re2 stands on.", _parts("build", "zlib", "abseil")),
    Turn("zlib goes into deps.", (*_parts("install", "zlib"), _note("zlib is installed"))),
    Turn("abseil goes into deps.", (*_parts("install", "abseil"), _note("abseil is installed"))),
    Turn(
        "I check what was installed.",
        (("list_files", {"folder": "deps"}), ("read_file", {"file": "deps/abseil.lib"})),
    ),
    Turn(
        "re2 is to be linked statically.",
        (
            ("upsert_setting", {"name": "re2.link", "value": "static"}),
            ("replace_in_file", {"file": NOTES, "old": "link: undecided", "new": "link: static"}),
        ),
    ),
    Turn("I check the settings.", (("read_file", {"file": "settings.json"}),)),
    Turn("The notes say what comes next.", (_note("next: configure re2"),)),
    Turn(
        "I write the order of the build down.",
        (
            ("write_file", {"file": "order.txt", "content": "abseil\nre2\n"}),
            ("upsert_setting", {"name": "order", "value": "abseil,re2"}),
        ),
    ),
    Turn("I look whether abseil is there before I build on it.", (("list_files", {"folder": "deps"}),)),
    Turn("Now re2 itself.", _parts("build", "re2")),
    Turn("re2 goes into deps.", (*_parts("install", "re2"), _note("re2 is installed"))),
    Turn("I pack it.", (("package", {"project": "re2"}),)),
    HAND_OVER,
    Turn(
        "The sources can be fetched again; they only take up room.", (("remove_folder", {"folder": "src"}),)
    ),
    Turn("Everything in the plan is done."),
)

_ZLIB: Script = (
    Turn("I fetch the sources.", _parts("fetch_sources", "zlib")),
    Turn("I build it.", _parts("build", "zlib")),
    Turn("I install it.", (*_parts("install", "zlib"), _note("zlib is installed"))),
    Turn("I pack it.", (("package", {"project": "zlib"}),)),
)
_DONE = Turn("Everything in the plan is done.")
_LOOKS = (
    Turn("I look at what is installed.", (("list_files", {"folder": "deps"}),)),
    Turn("I look at what is packed.", (("list_files", {"folder": "dist"}),)),
)

SCRIPTS: Mapping[str, Script] = {
    "re2": RE2,
    "zlib": (*_ZLIB, _DONE),
    "notify": (
        *_ZLIB,
        Turn(
            "Three kinds of people wait for it.",
            (
                ("send_mail", {"to": BOSS, "subject": "zlib is built", "body": "It is packed."}),
                ("open_ticket", {"title": "Roll out zlib", "text": "dist/zlib.pkg is ready."}),
                ("send_sms", {"number": "+49 30 1234", "text": "zlib is built"}),
            ),
        ),
        _DONE,
    ),
    "handover": (
        *_ZLIB,
        Turn(
            "It is pushed, and three kinds of people are told.",
            (
                ("push", {"file": "dist/zlib.pkg", "channel": "stable"}),
                ("send_mail", {"to": BOSS, "subject": "zlib is built", "body": "It is packed."}),
                ("open_ticket", {"title": "Roll out zlib", "text": "dist/zlib.pkg is ready."}),
                ("send_sms", {"number": "+49 30 1234", "text": "zlib is built"}),
                _note("zlib was handed over"),
            ),
        ),
        Turn(
            "I note it, and remove the sources.",
            (
                ("replace_in_file", {"file": NOTES, "old": "zlib is installed", "new": "zlib was installed"}),
                ("remove_folder", {"folder": "src"}),
            ),
        ),
        _DONE,
    ),
    "twins": (
        *_ZLIB,
        Turn(
            "Two people read this mailbox, so it gets two mails.",
            (("send_mail", {"to": BOSS, "subject": "zlib", "body": "It is packed."}),) * 2,
        ),
        _DONE,
    ),
    "long": (*_ZLIB, *_LOOKS * 14, _DONE),
    "early": (_ZLIB[0], Turn("Everything is done."), *_ZLIB[1:], _DONE),
    "loops": (_ZLIB[0], Turn("")),
    "repeats": (_ZLIB[0], *(Turn("Again.", _parts("build", "zlib")),) * 4, *_ZLIB[2:], _DONE),
    "clumsy": (
        Turn("I try what does not exist.", (("fly", {}), ("read_file", {"path": "notes.md"}))),
        Turn("I try to leave.", (("read_file", {"file": "../../data/agent.db"}),)),
        *_ZLIB,
        _DONE,
    ),
}
"""By name; `scripted:NAME` plays one, `scripted` the one named as its project."""

EXPLANATIONS: Mapping[str, str] = {
    "push": "Others install from that channel; the package was checked against the parts in deps.",
    "send_mail": "The boss asked to be told when the package is on its channel.",
    "remove_folder": "The folder holds fetched sources only; fetch_sources brings them back.",
}
"""What the scripted model adds when a person asks about a call, by tool."""
