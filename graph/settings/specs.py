"""Which graphs are meant: `file.py:attr`, `package.module:attr`, `langgraph.json`, or a name in one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .envfile import parse_env

__all__ = ["GraphSpec", "Project", "SpecError", "read_specs"]

CONFIG_NAME = "langgraph.json"


class SpecError(Exception):
    """A graph was named that cannot be found; the message is one sentence that says what there is."""


@dataclass(frozen=True, slots=True)
class GraphSpec:
    """One graph, as it was named; nothing of it has been imported."""

    name: str
    target: str
    """`/absolute/file.py:attr` or `package.module:attr`."""
    root: Path
    """The folder that relative paths of it were read from."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables to set before it is imported."""
    paths: tuple[Path, ...] = ()
    """Folders to put on `sys.path`, first first."""
    description: str = ""
    names: tuple[str, ...] = ()
    """What it could be called, the shortest first; its own name among them."""

    @property
    def file(self) -> Path | None:
        """Its file; None for a module."""
        place = self.target.rpartition(":")[0]
        return Path(place) if place.endswith(".py") else None


@dataclass(frozen=True, slots=True)
class Project:
    """Graphs that can live in one process; each project gets a host of its own."""

    root: Path
    """The working folder of its host."""
    specs: tuple[GraphSpec, ...]

    @property
    def env(self) -> dict[str, str]:
        """The variables that its graphs want to be set."""
        return {key: value for spec in self.specs for key, value in spec.env.items()}


def read_specs(specs: Sequence[str], base: Path) -> tuple[Project, ...]:
    """Return the projects that hold the named graphs; relative paths are read from `base`.

    Files of one folder make one project, and so does each langgraph.json: two files of the same name
    cannot be loaded into one process. Where a name is given beside its langgraph.json, only what is named
    counts. A name is the key in langgraph.json or the stem of the file, made
    longer only where two graphs would share it.

    Raises:
        SpecError: a file, a name or a langgraph.json is not there or cannot be read.
    """
    base = base.absolute()
    configs = _configs(specs, base)
    specs = _without_whole(specs, base)
    groups: dict[tuple[str, Path], list[GraphSpec]] = {}
    for text in specs:
        for spec in _read(text.strip(), base, configs):
            kind = "config" if spec.name else "plain"
            folder = spec.root if kind == "config" or spec.file is None else spec.file.parent
            group = groups.setdefault((kind, folder), [])
            if spec not in group:
                group.append(spec)
    named = iter(_named([spec for group in groups.values() for spec in group]))
    return tuple(
        Project(folder if kind == "config" else base, tuple(next(named) for _ in group))
        for (kind, folder), group in groups.items()
    )


def only_value(projects: Iterable[Project], variable: str) -> str | None:
    """Return what projects set a variable to, which this process needs too; None where none does.

    Raises:
        SpecError: They set it to different values.
    """
    values = dict.fromkeys(project.env[variable] for project in projects if variable in project.env)
    if len(values) > 1:
        raise SpecError(f"The graphs name different values of {variable}: open them one project at a time.")
    return next(iter(values), None)


def _without_whole(specs: Sequence[str], base: Path) -> tuple[str, ...]:
    """Leave out each langgraph.json of which some graphs are named: it only says where they are."""
    names = {
        text.strip() for text in specs if ":" not in text and not text.strip().endswith((".json", ".py"))
    }

    def is_only_where(text: str) -> bool:
        config, name = _json_part(text.strip())
        return bool(config) and not name and any(spec.name in names for spec in _config(config, base))

    return tuple(text for text in specs if not (names and is_only_where(text)))


def _config(config: str, base: Path) -> list[GraphSpec]:
    return _read_config(_absolute(config, base))


def _named(specs: list[GraphSpec]) -> list[GraphSpec]:
    """Give every graph the shortest of its names that no other one has."""
    choices = [_names(spec) for spec in specs]
    taken = [0] * len(specs)
    for _ in range(max(map(len, choices), default=0)):
        names = [choice[at] for choice, at in zip(choices, taken, strict=True)]
        for i, choice in enumerate(choices):
            if names.count(names[i]) > 1:
                taken[i] = min(taken[i] + 1, len(choice) - 1)
    return [
        replace(spec, name=choice[at], names=tuple(choice))
        for spec, choice, at in zip(specs, choices, taken, strict=True)
    ]


def _names(spec: GraphSpec) -> list[str]:
    place, _, attr = spec.target.rpartition(":")
    if spec.name:
        return [spec.name, f"{spec.root.name}/{spec.name}", f"{spec.root}/{spec.name}"]
    if spec.file:
        stem = spec.file.stem
        near = f"{spec.file.parent.name}/{stem}"
        return [stem, f"{stem}.{attr}", near, f"{near}.{attr}", f"{place}.{attr}"]
    return [place.rpartition(".")[2], f"{place.rpartition('.')[2]}.{attr}", f"{place}.{attr}"]


def _configs(specs: Iterable[str], base: Path) -> tuple[Path, ...]:
    """The langgraph.json files a bare name may come from: those that were named, else the one in `base`."""
    named = [_json_part(text.strip())[0] for text in specs]
    paths = dict.fromkeys(_absolute(part, base) for part in named if part)
    return tuple(paths) or tuple(path for path in [base / CONFIG_NAME] if path.is_file())


def _json_part(text: str) -> tuple[str, str]:
    """Split `folder/langgraph.json:name`; ("", "") when it is no JSON file."""
    head, colon, name = text.rpartition(":")
    if colon and head.endswith(".json"):
        return head, name
    return (text, "") if text.endswith(".json") else ("", "")


def _read(text: str, base: Path, configs: tuple[Path, ...]) -> list[GraphSpec]:
    config, name = _json_part(text)
    if not config and text and (base / text / CONFIG_NAME).is_file():
        config = str(base / text / CONFIG_NAME)
    if config:
        found = _config(config, base)
        return _choose(name, found, config) if name else found
    place, _, attr = text.rpartition(":")
    if not place or not attr:
        return _by_name(text, base, configs)
    spec = _one("", place, attr, base, {}, ())
    if spec.file and not spec.file.is_file():
        raise SpecError(f"There is no file {spec.file} (named as {text}).")
    return [spec]


def _by_name(name: str, base: Path, configs: tuple[Path, ...]) -> list[GraphSpec]:
    if name.endswith(".py"):
        raise SpecError(
            f"The name {name!r} names a file but no graph in it: write {name}:NAME, for example {name}:graph."
        )
    if not configs:
        raise SpecError(
            f"The name {name!r} is no graph: write FILE.py:NAME, MODULE:NAME or a langgraph.json"
            f" (none lies in {base})."
        )
    found = [spec for config in configs for spec in _read_config(config)]
    return _choose(name, found, " and ".join(str(path) for path in configs))


def _choose(name: str, specs: list[GraphSpec], where: str) -> list[GraphSpec]:
    chosen = [spec for spec in specs if spec.name == name]
    if not chosen:
        names = ", ".join(spec.name for spec in specs)
        raise SpecError(f"There is no graph {name!r} in {where}; it has: {names}.")
    return chosen


def _read_config(path: Path) -> list[GraphSpec]:
    record = _load(path)
    root = path.parent
    graphs = record.get("graphs")
    if not isinstance(graphs, dict) or not graphs:
        raise SpecError(f'{path} names no graphs: it needs an object "graphs" of NAME: "./FILE.py:NAME".')
    env, paths = _env(record.get("env"), path), _dependencies(record.get("dependencies"), root)
    specs = []
    for name, entry in graphs.items():
        target = entry.get("path") if isinstance(entry, dict) else entry
        description = str(entry.get("description") or "") if isinstance(entry, dict) else ""
        place, _, attr = target.rpartition(":") if isinstance(target, str) else ("", "", "")
        if not place or not attr:
            raise SpecError(f'{path}: graph {name!r} must be written as "./FILE.py:NAME" or "MODULE:NAME".')
        spec = _one(name, place, attr, root, env, paths)
        specs.append(replace(spec, description=description))
    return specs


def _load(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise SpecError(f"{path} is not valid JSON: {error}.") from None
    if not isinstance(record, dict):
        raise SpecError(f"{path} must hold one JSON object.")
    return record


def _env(entry: object, path: Path) -> dict[str, str]:
    if isinstance(entry, Mapping):
        return {str(key): str(value) for key, value in entry.items()}
    if not isinstance(entry, str) or not entry:
        return {}
    file = _absolute(entry, path.parent)
    try:
        return parse_env(file.read_text("utf-8"), os.environ)
    except (OSError, ValueError) as error:
        raise SpecError(f"The env file {file} named in {path} cannot be read: {error}.") from None


def _dependencies(entry: object, root: Path) -> tuple[Path, ...]:
    """The local folders among the dependencies, and the `src` of those that are packages to be installed."""
    found: list[Path] = []
    for text in entry if isinstance(entry, list) else []:
        folder = _absolute(str(text), root)
        if str(text).startswith((".", "/")) and folder.is_dir():
            is_package = any((folder / name).is_file() for name in ("pyproject.toml", "setup.py"))
            found += [folder / "src", folder] if is_package and (folder / "src").is_dir() else [folder]
    return tuple(dict.fromkeys(found))


def _one(
    name: str, place: str, attr: str, root: Path, env: Mapping[str, str], paths: tuple[Path, ...]
) -> GraphSpec:
    if place.endswith(".py") or "/" in place:
        file = _absolute(place, root)
        return GraphSpec(name, f"{file}:{attr}", root, env, tuple(dict.fromkeys((file.parent, *paths))))
    top = root / place.partition(".")[0]
    if top.is_dir() or top.with_suffix(".py").is_file():
        paths = tuple(dict.fromkeys((*paths, root)))
    return GraphSpec(name, f"{place}:{attr}", root, env, paths)


def _absolute(text: str, base: Path) -> Path:
    return Path(os.path.normpath(base / Path(text).expanduser()))
