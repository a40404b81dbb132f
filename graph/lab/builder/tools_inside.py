"""Tools that stay in the work folder: they look, write files whole, and build (simulated, deterministic)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ...gate import Evidence, done, not_done, unknown
from .depot import PROJECTS, SOURCES
from .folder import ToolFailed
from .grades import Grade
from .tool import Arguments, Bench, Outcome, Tool

SETTINGS = "settings.json"


def _list_files(bench: Bench, arguments: Arguments) -> Outcome:
    return Outcome("\n".join(bench.folder.names(arguments["folder"])) or "(no files)")


def _read_file(bench: Bench, arguments: Arguments) -> Outcome:
    return Outcome(bench.folder.read(arguments["file"]))


def _show_environment(bench: Bench, _arguments: Arguments) -> Outcome:
    return Outcome("\n".join(f"{name}={value}" for name, value in sorted(bench.variables.items())))


def _write_file(bench: Bench, arguments: Arguments) -> Outcome:
    bench.folder.write(arguments["file"], arguments["content"])
    return Outcome(f"wrote {arguments['file']}", (arguments["file"],))


def _upsert_setting(bench: Bench, arguments: Arguments) -> Outcome:
    with bench.folder.alone():
        settings = _settings(bench)
        settings[arguments["name"]] = arguments["value"]
        bench.folder.write(SETTINGS, json.dumps(settings, indent=1, sort_keys=True) + "\n")
    return Outcome(f"{arguments['name']} is {arguments['value']}")


def _settings(bench: Bench) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bench.folder.read(SETTINGS)) if bench.folder.digest(SETTINGS) else {}
    return found


def _append_line(bench: Bench, arguments: Arguments) -> Outcome:
    with bench.folder.alone():
        before = bench.folder.read(arguments["file"]) if bench.folder.digest(arguments["file"]) else ""
        bench.folder.write(arguments["file"], f"{before}{arguments['line']}{_mark(bench)}\n")
    return Outcome(f"added a line to {arguments['file']}")


def _mark(bench: Bench) -> str:
    """What makes an appended line findable again: the key of the call that wrote it."""
    return f"  [{bench.key}]"


def _was_appended(bench: Bench, arguments: Arguments) -> Evidence:
    if bench.folder.digest(arguments["file"]) and _mark(bench) in bench.folder.read(arguments["file"]):
        return done(_said(_reply_to_append(arguments)), "the line with this key stands in the file")
    return not_done("no line of the file has this key")


def _reply_to_append(arguments: Arguments) -> str:
    return f"added a line to {arguments['file']}"


def _replace_in_file(bench: Bench, arguments: Arguments) -> Outcome:
    with bench.folder.alone():
        text = bench.folder.read(arguments["file"])
        if text.count(arguments["old"]) != 1:
            raise ToolFailed(
                f"{arguments['old']!r} is found {text.count(arguments['old'])} times, it must be once"
            )
        bench.folder.write(arguments["file"], text.replace(arguments["old"], arguments["new"]))
    return Outcome(f"replaced it in {arguments['file']}")


def _was_replaced(bench: Bench, arguments: Arguments) -> Evidence:
    text = bench.folder.read(arguments["file"])
    has_old, has_new = arguments["old"] in text, arguments["new"] in text
    if has_new and not has_old:
        return done(_said(f"replaced it in {arguments['file']}"), "the file holds the new text, not the old")
    if has_old and not has_new:
        return not_done("the file holds the old text, not the new")
    return unknown(f"{arguments['file']} holds both or neither of the two texts")


def _said(text: str) -> dict[str, Any]:
    return {"text": text, "files": {}}


def _fetch_sources(bench: Bench, arguments: Arguments) -> Outcome:
    part = arguments["part"]
    if part not in SOURCES:
        raise ToolFailed(f"the depot has no {part}, only {', '.join(SOURCES)}")
    for name, text in SOURCES[part].items():
        bench.folder.write(f"src/{part}/{name}", text)
    return Outcome(f"fetched {part} {SOURCES[part]['VERSION'].strip()}", (f"src/{part}/VERSION",))


def _build(bench: Bench, arguments: Arguments) -> Outcome:
    part = arguments["part"]
    sources = bench.folder.names(f"src/{part}")
    needs = bench.folder.read(f"src/{part}/NEEDS").split()
    missing = [need for need in needs if bench.folder.digest(f"deps/{need}.lib") is None]
    if missing:
        raise ToolFailed(f"{part} needs {', '.join(missing)}, which is not installed in deps")
    lines = [f"library {part} {bench.folder.read(f'src/{part}/VERSION').strip()}"]
    lines += [f"{name} {bench.variables.get(name, '(not set)')}" for name in ("BUILD_TARGET", "BUILD_ARCH")]
    lines += [f"source {name} {bench.folder.digest(name)}" for name in sources]
    lines += [f"linked {need} {bench.folder.digest(f'deps/{need}.lib')}" for need in needs]
    bench.folder.write(f"obj/{part}.lib", "\n".join(lines) + "\n")
    return Outcome(
        f"built {part} for {bench.variables.get('BUILD_TARGET', '(not set)')}", (f"obj/{part}.lib",)
    )


def _install(bench: Bench, arguments: Arguments) -> Outcome:
    part = arguments["part"]
    bench.folder.write(f"deps/{part}.lib", bench.folder.read(f"obj/{part}.lib"))
    return Outcome(f"installed {part} in deps", (f"deps/{part}.lib",))


def _package(bench: Bench, arguments: Arguments) -> Outcome:
    project = arguments["project"]
    if project not in PROJECTS:
        raise ToolFailed(f"there is no project {project}, only {', '.join(PROJECTS)}")
    parts = {part: bench.folder.read(f"deps/{part}.lib") for part in PROJECTS[project]}
    listed = {part: hashlib.sha256(text.encode()).hexdigest() for part, text in parts.items()}
    package = {"project": project, "target": bench.variables.get("BUILD_TARGET"), "parts": listed}
    bench.folder.write(f"dist/{project}.pkg", json.dumps(package, indent=1, sort_keys=True) + "\n")
    return Outcome(f"packed {', '.join(parts)} into dist/{project}.pkg", (f"dist/{project}.pkg",))


INSIDE = (
    Tool(
        "list_files", Grade.READ, "List the files below a folder.", {"folder": "for example ."}, _list_files
    ),
    Tool("read_file", Grade.READ, "Read a text file.", {"file": "its path"}, _read_file),
    Tool("show_environment", Grade.READ, "Show the tools' environment.", {}, _show_environment),
    Tool(
        "write_file",
        Grade.REPEATABLE,
        "Write a file whole.",
        {"file": "its path", "content": "all of it"},
        _write_file,
    ),
    Tool(
        "upsert_setting",
        Grade.REPEATABLE,
        "Set a setting, new or not.",
        {"name": "the setting", "value": "its value"},
        _upsert_setting,
    ),
    Tool("fetch_sources", Grade.REPEATABLE, "Fetch a part's sources.", {"part": "its name"}, _fetch_sources),
    Tool("build", Grade.REPEATABLE, "Build a part from its sources.", {"part": "its name"}, _build),
    Tool("install", Grade.REPEATABLE, "Install a built part in deps.", {"part": "its name"}, _install),
    Tool("package", Grade.REPEATABLE, "Pack the installed parts.", {"project": "its name"}, _package),
    Tool(
        "append_line",
        Grade.REVERSIBLE,
        "Add a line at the end of a file.",
        {"file": "its path", "line": "the line"},
        _append_line,
        mend="written differently: the line carries the call's key, so it can be looked for",
        verify=_was_appended,
    ),
    Tool(
        "replace_in_file",
        Grade.REVERSIBLE,
        "Replace a text that stands once in a file.",
        {"file": "its path", "old": "what stands there", "new": "what shall stand there"},
        _replace_in_file,
        mend="written differently: repeated, the old text is not found and nothing changes",
        verify=_was_replaced,
    ),
)
