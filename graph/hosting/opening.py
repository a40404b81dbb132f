"""What a host is started with: its project, its database, the settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from agent_lab_tui.store.files import Database

from ..questions import Risk
from ..settings.file import Rule, RunSettings, Settings
from ..settings.specs import GraphSpec, Project

_TAG = "\0toml"
"""Key of an object that stands for what JSON has not: a date, a time, or an object with this very key."""
_KINDS: Mapping[str, Callable[[str], date | time]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


@dataclass(frozen=True, slots=True)
class Opening:
    """The first thing that the desk sends, as JSON: the host may run another Python with other versions."""

    project: Project
    database: Database
    settings: Settings

    def to_text(self) -> str:
        """Return it as text for one frame."""
        settings = asdict(self.settings)
        del settings["lines"]
        return json.dumps(
            _write({"project": asdict(self.project), "database": asdict(self.database), "settings": settings})
        )

    @classmethod
    def from_text(cls, text: str) -> Opening:
        """Return the opening that `to_text` was called on, without the lines of the settings file."""
        record = _read(json.loads(text))
        return cls(_project(record["project"]), _database(record["database"]), _settings(record["settings"]))


def _project(record: dict[str, Any]) -> Project:
    specs = tuple(
        GraphSpec(
            **{
                **spec,
                "root": Path(spec["root"]),
                "paths": tuple(Path(path) for path in spec["paths"]),
                "names": tuple(spec["names"]),
            }
        )
        for spec in record["specs"]
    )
    return Project(Path(record["root"]), specs)


def _database(record: dict[str, Any]) -> Database:
    return Database(**{**record, "path": Path(record["path"])})


def _settings(record: dict[str, Any]) -> Settings:
    rules = (
        Rule(
            **{
                **rule,
                "risk": Risk(rule["risk"]) if rule["risk"] else None,
                "locked": tuple(rule["locked"]),
                "operators": tuple(rule["operators"]),
            }
        )
        for rule in record["rules"]
    )
    return Settings(
        **{
            **record,
            "path": Path(record["path"]) if record["path"] else None,
            "graphs": tuple(record["graphs"]),
            "run": RunSettings(**record["run"]),
            "rules": tuple(rules),
            "unknown": tuple(record["unknown"]),
        }
    )


def _write(value: Any) -> Any:
    if isinstance(value, Mapping):
        written = {key: _write(inner) for key, inner in value.items()}
        return {_TAG: ["object", written]} if _TAG in written else written
    if isinstance(value, list | tuple):
        return [_write(inner) for inner in value]
    if isinstance(value, date | time):
        return {_TAG: [type(value).__name__, value.isoformat()]}
    return str(value) if isinstance(value, Path) else value


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if _TAG not in value:
        return {key: _read(inner) for key, inner in value.items()}
    kind, written = value[_TAG]
    if kind == "object":
        return {key: _read(inner) for key, inner in written.items()}
    return _KINDS[kind](written)
