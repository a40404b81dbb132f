"""An append-only session log: what a kill can harm, what the model is told, branches, compaction."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from ..session import BrokenLog, Record, SessionLog
from ..session_context import Context, context_of

RECORDS = (
    Record("a1", None, "message", {"role": "user", "content": "Build libpng."}),
    Record("b1", "a1", "model_change", {"model": "small"}),
    Record(
        "c1",
        "b1",
        "message",
        {"role": "assistant", "content": "I look first.", "calls": [{"id": "call-1", "name": "list_files"}]},
    ),
    Record("d1", "c1", "message", {"role": "tool", "call": "call-1", "content": "zlib/ libpng/"}),
    Record("e1", "d1", "message", {"role": "assistant", "content": "Hm", "stop": "error"}),
    Record(
        "f1",
        "e1",
        "message",
        {"role": "assistant", "content": "Now the edit.", "calls": [{"id": "call-2", "name": "replace"}]},
    ),
)


def main(arguments: list[str]) -> int:
    """Write a log, tear its last line, branch it and compact it; show what each reader finds."""
    argparse.ArgumentParser(prog="session", description=__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        log = SessionLog(path)
        log.begin("session-1", Path("project"))
        for record in RECORDS:
            log.append(record)
        print("A log of six records; the process was killed before the second call had a result.")
        _show(context_of(log.read(), "f1"))
        _tear(log, path)
        _branch(log)
        _compact(log)
        _break(log, path)
    return 0


def _tear(log: SessionLog, path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"id": "g1", "par')
    print("\nKilled while a line was written:")
    for notice in log.read().notices:
        print(f"  {notice}")
    log.append(Record("g1", "f1", "message", {"role": "tool", "call": "call-2", "content": "replaced"}))
    is_kept = path.read_bytes().startswith(whole)
    print(f"  the next record was appended; what stood before is {'unchanged' if is_kept else 'CHANGED'}")


def _branch(log: SessionLog) -> None:
    log.append(Record("c2", "b1", "message", {"role": "assistant", "content": "I ask first: which version?"}))
    session = log.read()
    print("\nTwo branches from b1:")
    for leaf in ("g1", "c2"):
        print(f"  {' '.join(record.id for record in session.path_to(leaf))}")


def _compact(log: SessionLog) -> None:
    body = {"summary": "libpng is to be built; the files were listed.", "first_kept": "f1"}
    log.append(Record("h1", "g1", "compaction", body))
    print("\nCompacted, kept from f1 on; the old records are still in the file:")
    _show(context_of(log.read(), "h1"))


def _break(log: SessionLog, path: Path) -> None:
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], lines[2][:9], *lines[3:]]))
    print("\nA line in the middle was damaged:")
    try:
        log.read()
    except BrokenLog as broken:
        print(f"  {str(broken).replace(str(path), path.name)}")


def _show(context: Context) -> None:
    print(f"  model {context.model}")
    for message in context.messages:
        calls = ", ".join(call["name"] for call in message.get("calls", ()))
        print(f"  {message['role']:<9} {message['content']}{f'  -> {calls}' if calls else ''}")
    for notice in context.notices:
        print(f"  ! {notice}")


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
