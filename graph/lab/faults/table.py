"""Make the fault table: kill, carry on, and hold the world against that of an undisturbed play."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..builder.memory import remembered
from ..mail_client import stop_courier
from ..workspace import Workspace
from .carry import Carried, carry_on
from .plays import TASK, Play, kill_at, new_lab, places_of, window_of
from .world import deeds


@dataclass(frozen=True, slots=True)
class Row:
    """One kill and what came of it."""

    play: str
    place: str
    window: str
    found: str
    remedy: str
    asked: int
    ends: str
    differs: str
    """What is different from an undisturbed play, in the world or in the budget; empty when nothing is."""
    wanted: str = "completed, done"
    """How an undisturbed play ends."""

    @property
    def is_sound(self) -> bool:
        """Whether everything was done once, or asked about, and the task came to its end."""
        return not self.differs and self.ends == self.wanted


@dataclass(frozen=True, slots=True)
class Line:
    """All kills of one play at one place that came to the same end."""

    play: str
    place: str
    kills: int
    window: str
    found: str
    remedy: str
    asked: int
    ends: str
    differs: str


def lines(made: Iterable[Row]) -> tuple[Line, ...]:
    """Put the visits of a place together that came to the same end, in the order of their first."""
    grouped: dict[tuple[str, ...], list[Row]] = {}
    for row in made:
        place = row.place.partition("#")[0]
        same = (row.play, place, row.window, row.found, row.remedy, row.ends, row.differs)
        grouped.setdefault(same, []).append(row)
    return tuple(
        Line(play, place, len(group), window, found, remedy, sum(row.asked for row in group), ends, differs)
        for (play, place, window, found, remedy, ends, differs), group in grouped.items()
    )


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A play that nobody killed."""

    places: tuple[str, ...]
    deeds: Counter[str]
    steps: int | None


def undisturbed(play: Play, folder: Path) -> Undisturbed:
    """Play once without a kill."""
    lab = new_lab(folder / play.name.replace(" ", "-"))
    try:
        places = places_of(play, lab)
        return Undisturbed(places, deeds(lab, TASK), _steps(lab))
    finally:
        stop_courier(lab.root / "mail")


def row_of(play: Play, place: str, expected: Undisturbed, folder: Path) -> Row:
    """Kill a play at one place, carry it on, and compare."""
    lab = new_lab(folder / f"{play.name}-{place}".replace(" ", "-").replace(":", "-").replace("#", "-"))
    try:
        kill_at(play, lab, place)
        carried = carry_on(lab, play)
        return _row(play, place, carried, _difference(lab, expected))
    finally:
        stop_courier(lab.root / "mail")


def rows(
    plays: Sequence[Play], wanted: Callable[[str], bool] = lambda _: True, jobs: int = 2
) -> Iterator[Row]:
    """Kill each play at every wanted place it passes; yield the rows in order.

    Args:
        plays: Whose table it is.
        wanted: Chooses among the places, such as `push:done#1`.
        jobs: How many kills are carried on side by side.
    """
    with tempfile.TemporaryDirectory(prefix="faults-") as made, ThreadPoolExecutor(jobs) as pool:
        for play in plays:
            expected = undisturbed(play, Path(made))
            places = [place for place in expected.places if wanted(place)]
            yield from pool.map(partial(row_of, play, expected=expected, folder=Path(made)), places)


def _row(play: Play, place: str, carried: Carried, differs: str) -> Row:
    return Row(
        play=play.name,
        place=place,
        window=window_of(place),
        found=carried.found,
        remedy=carried.remedy,
        asked=carried.asked,
        ends=f"{carried.status}, {carried.situation}",
        differs=differs,
        wanted=play.ends,
    )


def _difference(lab: Workspace, expected: Undisturbed) -> str:
    done = deeds(lab, TASK)
    more = [f"{count}x too often: {deed}" for deed, count in (done - expected.deeds).items()]
    less = [f"{count}x missing: {deed}" for deed, count in (expected.deeds - done).items()]
    steps = _steps(lab)
    budget = [] if steps == expected.steps else [f"{steps} steps instead of {expected.steps}"]
    return "; ".join((*more, *less, *budget))


def _steps(lab: Workspace) -> int | None:
    found = remembered(lab, TASK)
    steps = found.spent.get("steps") if found else None
    return None if steps is None else int(steps)
