"""What must hold before a run is carried on, in this order; the first that does not, stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agent_lab_tui.store.effects import Effects
from agent_lab_tui.store.lab.runs import Runs

from ..registry import Check
from ..workspace import Workspace
from .budget import exceeded, left_of
from .depot import VARIABLES
from .environment import EnvironmentGone, restore
from .folder import Folder
from .memory import Remembered, remembered
from .plan import read_plan
from .run import Run


def checks(lab: Workspace, run_id: str) -> Iterator[Check]:
    """Yield the checks in order, and none after one that fails."""
    found = remembered(lab, run_id)
    if found is None or not found.run:
        yield Check("checkpoint", False, f"cannot resume {run_id}: there is no checkpoint of it")
        return
    steps: tuple[Callable[[Workspace, Remembered], Check], ...] = (
        _checkpoint,
        _environment,
        _pending_effects,
        _budget,
        _variables,
    )
    for step in steps:
        check = step(lab, found)
        yield check
        if not check.is_ok:
            return


def _checkpoint(lab: Workspace, found: Remembered) -> Check:
    plan = read_plan(Folder.of(lab, found.run["run_id"])).replace("\n", "; ")
    return Check("checkpoint", True, f"{left_of('steps', found.limits, found.spent)}; plan.json: {plan}")


def _environment(lab: Workspace, found: Remembered) -> Check:
    try:
        rebuilt = restore(lab, _run(found), found.parts)
    except EnvironmentGone as gone:
        return Check("environment", False, str(gone).removeprefix("environment: ").rstrip("."))
    made_again = f"; rebuilt {', '.join(rebuilt)}" if rebuilt else ""
    count = sum(digest is not None for digest in found.parts.values())
    parts = "1 part" if count == 1 else f"{count} parts"
    return Check("environment", True, f"the work folder is there, with {parts}{made_again}")


def _pending_effects(lab: Workspace, found: Remembered) -> Check:
    """Ask outside about every effect that was begun and has no end on record."""
    from .tool import Bench
    from .toolbox import TOOLS

    run_id = found.run["run_id"]
    effects, runs, seen = Effects(lab.ledger), Runs(lab.database), []
    for effect in effects.all(f"{run_id}:"):
        if effect.state not in ("started", "unknown"):
            continue
        tool, calls = TOOLS[effect.operation], runs.calls(run_id, effect.key)
        bench = Bench(lab, Folder.of(lab, run_id), found.run["variables"], effect.key)
        if tool.verify is None or not calls:
            seen.append(f"{effect.key} {effect.operation}: a person will be asked")
            continue
        try:
            evidence = tool.verify(bench, calls[-1].arguments)
        except OSError as error:
            return Check("pending effects", False, f"{effect.key} {effect.operation}: {error}")
        told = "a person will be asked" if evidence.state == "unknown" else evidence.state
        seen.append(f"{effect.key} {effect.operation}: {evidence.text} ({told})")
    return Check("pending effects", True, "; ".join(seen) or "none")


def _budget(_: Workspace, found: Remembered) -> Check:
    reason = exceeded(found.limits, found.spent)
    used = "; ".join(left_of(name, found.limits, found.spent) for name in ("steps", "tokens", "seconds"))
    if reason is None:
        return Check("budget", True, used)
    spent = reason.removeprefix("budget: ")
    return Check("budget", False, f"budget_exceeded, {spent}; a new run may be given more")


def _variables(_: Workspace, found: Remembered) -> Check:
    variables = found.run.get("variables") or {}
    missing = [name for name in VARIABLES if not variables.get(name)]
    if missing:
        return Check("variables", False, f"the checkpoint has no {', '.join(missing)}")
    return Check("variables", True, ", ".join(f"{name}={variables[name]}" for name in sorted(variables)))


def _run(found: Remembered) -> Run:
    run = found.run
    return Run(
        run_id=run["run_id"], project=run["project"], model=run["model"], variables=dict(run["variables"])
    )
