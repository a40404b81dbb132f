"""The fixed rules by which the analysis reads a brief and words its report: no model, the same every time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

TONES = ("neutral", "formal", "friendly")

BRIEF = """\
Title: Store service feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: The queues at noon are too long.
Feedback 2: Product labels are hard to read.
Feedback 3: We praise the patient staff.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
"""
"""The brief of the demo."""

DISCLAIMER = "Made by fixed rules from simulated data; no conclusion about a real shop can be drawn from it."

_PRAISE = ("praise", "appreciate", "thank", "glad", "recommend", "认可")
_CONCERN = ("want", "wish", "find", "hard", "unclear", "complain", "wait", "too ", "希望", "认为")
_FEEDBACK = ("feedback", "反馈")
_TITLE = ("title:", "资料名称：")

_SUGGESTIONS = (
    (
        ("queue", "wait", "排队"),
        "Watch the queues at peak hours first: note the hour and how long people wait.",
    ),
    (
        ("label", "description", "unclear", "说明"),
        "Give each product a label of two short sentences in plain words.",
    ),
)
_ANY_SUGGESTION = "Ask the customers who said it for one example each, before anything is changed."

_OPENINGS = {
    "neutral": "What the feedback says, sorted.",
    "formal": "This report sets out the findings of the feedback under review.",
    "friendly": "Here is what people told us, in short.",
}

_HIDDEN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What would break a line, or act on the terminal of whoever reads the report there."""

_ONE_LINE = {"type": "string", "minLength": 1, "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f]+$"}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "file": {"type": "string"},
        "title": _ONE_LINE,
        "points": {"type": "array", "items": _ONE_LINE, "minItems": 1},
        "tone": {"enum": list(TONES)},
    },
    "required": ["file", "title", "points", "tone"],
    "additionalProperties": False,
}
"""The arguments of `write_report`."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """Points by what they are; a point may be neither praise nor concern."""

    praise: tuple[str, ...]
    concerns: tuple[str, ...]


def title_of(brief: str) -> str:
    """Return the title that a brief gives itself."""
    for line in brief.splitlines():
        for mark in _TITLE:
            if line.strip().casefold().startswith(mark):
                return _plain(line.strip()[len(mark) :].strip())
    return "Untitled feedback (simulated)"


def points_of(brief: str) -> list[str]:
    """Return the feedback lines of a brief, without their numbers; what is no plain text is marked."""
    lines = [_plain(line.strip()) for line in brief.splitlines()]
    marked = [line for line in lines if line.casefold().startswith(_FEEDBACK)]
    return [line.replace("：", ":", 1).partition(":")[2].strip() or line for line in marked]


def sort_points(points: Sequence[str]) -> Sorted:
    """Sort points into praise and concerns; praise wins, because it often names what it is glad to miss."""
    praise = tuple(point for point in points if _holds(point, _PRAISE))
    concerns = tuple(point for point in points if point not in praise and _holds(point, _CONCERN))
    return Sorted(praise, concerns)


def report_text(task_id: str, arguments: Mapping[str, Any]) -> str:
    """Return the report: the same bytes for the same arguments."""
    points = list(arguments["points"])
    found = sort_points(points)
    lines = [
        f"# {arguments['title']}",
        "",
        _OPENINGS[arguments["tone"]],
        "",
        f"- Task: {task_id}",
        f"- Samples: {len(points)}",
        *_section("Problems", found.concerns),
        *_section("Praise", found.praise),
        *_section("Suggestions", _suggestions(found.concerns)),
        "",
        f"> {DISCLAIMER}",
    ]
    return "\n".join(lines) + "\n"


def summary_of(points: Sequence[str]) -> dict[str, int]:
    """Return the counts that go into the task's result."""
    found = sort_points(points)
    return {
        "feedback_count": len(points),
        "positive_count": len(found.praise),
        "concern_count": len(found.concerns),
    }


def result_of(task_id: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result that a completed task keeps."""
    return {
        "task_id": task_id,
        "status": "completed",
        "report_path": arguments["file"],
        "summary": summary_of(arguments["points"]),
        "warnings": ["simulated data: hold every conclusion against real material"],
    }


def problem_of(folder: PurePosixPath, arguments: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the arguments of a report, None when it may be written so into the folder."""
    if set(arguments) != set(SCHEMA["required"]):
        return f"write_report takes {', '.join(SCHEMA['required'])} and nothing else"
    file, points = arguments["file"], arguments["points"]
    is_inside = isinstance(file, str) and PurePosixPath(file).parent == folder and _is_name(file)
    if not is_inside:
        return f"file must be a .md file in {folder}/"
    if not _is_line(arguments["title"]):
        return "title must be a text of one line, without control characters"
    if not isinstance(points, list) or not points or not all(_is_line(point) for point in points):
        return "points must be a list of texts of one line without control characters, and at least one"
    if arguments["tone"] not in TONES:
        return f"tone must be one of {', '.join(TONES)}"
    return None


def _plain(text: str) -> str:
    return _HIDDEN.sub("\ufffd", text)


def _is_line(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip()) and not _HIDDEN.search(text)


def _is_name(file: str) -> bool:
    return re.fullmatch(r"\w[\w. -]*\.md", PurePosixPath(file).name) is not None


def _holds(point: str, words: Sequence[str]) -> bool:
    return any(word in point.casefold() for word in words)


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *([f"- {line}" for line in lines] or ["- none found"])]


def _suggestions(concerns: Sequence[str]) -> list[str]:
    found = [text for words, text in _SUGGESTIONS if any(_holds(concern, words) for concern in concerns)]
    return found or [_ANY_SUGGESTION]
