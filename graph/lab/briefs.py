"""The briefs of the demo: invented feedback, and said so."""

from __future__ import annotations

from .analysis_rules import BRIEF

BRIEFS = {
    "brief.txt": BRIEF,
    "delivery.txt": """\
Title: Delivery feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: The wait for a time slot is too long.
Feedback 2: We appreciate the call before the van comes.
Feedback 3: The packaging is hard to open.
Feedback 4: We wish for a note when a neighbour has it.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
""",
    "returns.txt": """\
Title: Returns feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: The description of the form is unclear.
Feedback 2: Thank you for the patience at the counter.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
""",
    "archive.txt": """\
Title: Parking feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: We complain about the full car park at noon.
Feedback 2: We praise the new bicycle stands.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
""",
}
"""By file name in data/input."""
