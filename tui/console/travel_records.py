"""Checkpoints, differences, plans and previews as JSON, as the commands of time travel print them."""

from __future__ import annotations

from typing import Any

from agent_lab_tui.graph.travelling.diff import Difference
from agent_lab_tui.graph.travelling.forking import ForkPlan
from agent_lab_tui.graph.travelling.preview import AskedAgain, ReplayPreview
from agent_lab_tui.graph.travelling.timeline import Checkpoint, Timeline
from agent_lab_tui.store.values import to_json

from .journal_lines import decision_record


def checkpoint_record(checkpoint: Checkpoint, timeline: Timeline) -> dict[str, Any]:
    """Return a checkpoint of a timeline."""
    return {
        "checkpoint_id": checkpoint.checkpoint_id,
        "parent_id": checkpoint.parent_id,
        "step": checkpoint.step,
        "source": checkpoint.source,
        "created_at": checkpoint.created_at,
        "ran": list(checkpoint.ran),
        "next": list(checkpoint.next or ()),
        "questions": [
            {
                "id": question.id,
                "node": question.node,
                "value": to_json(question.value),
                "answered": question.is_answered,
            }
            for question in checkpoint.questions or ()
        ],
        "changed": list(checkpoint.changed),
        "is_head": checkpoint.is_head,
        "decisions": [decision_record(decision) for decision in checkpoint.decisions],
        "errors": list(checkpoint.errors),
        "effects": [
            {"key": effect.key, "operation": effect.operation, "state": effect.state}
            for effect in checkpoint.effects
        ],
        "is_race": checkpoint.checkpoint_id in timeline.races,
    }


def difference_record(difference: Difference) -> dict[str, Any]:
    """Return one difference between two states."""
    return {
        "path": difference.place,
        "before": to_json(difference.before),
        "after": to_json(difference.after),
        "kind": difference.kind,
    }


def plan_record(plan: ForkPlan) -> dict[str, Any]:
    """Return what a fork would do."""
    return {
        "next": list(plan.next),
        "differences": [difference_record(one) for one in plan.differences],
        "passes_by": [
            {
                "node": passed.node,
                "question": passed.question.id if passed.question else None,
                "risk": str(passed.risk),
            }
            for passed in plan.passed_by
        ],
        "asked_again": list(plan.asked_again),
        "dropped": list(plan.dropped),
        "confirm": plan.confirmation,
    }


def preview_record(shown: ReplayPreview) -> dict[str, Any]:
    """Return what a replay would do."""
    return {
        "reruns": list(shown.reruns),
        "unasked": list(shown.unasked),
        "confirm": "replay" if shown.needs_word else "",
        "questions": [_asked_again(question) for question in shown.questions],
        "effects": [
            {
                "key": fate.key,
                "operation": fate.operation,
                "state": fate.state,
                "would": fate.would,
                "why": fate.why,
            }
            for fate in shown.effects
        ],
    }


def _asked_again(question: AskedAgain) -> dict[str, Any]:
    return {
        "id": question.question_id,
        "node": question.node,
        "value": to_json(question.value),
        "answered": question.is_answered,
        "by": question.by,
        "at": question.at,
        "dropped": to_json(question.answer),
    }
