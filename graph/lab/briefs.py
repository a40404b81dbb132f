"""The briefs of the demo: invented feedback, and said so."""

from __future__ import annotations

from .analysis_rules import BRIEF

BRIEFS = {
    "brief.txt": BRIEF,
    "delivery.txt": """\
Title: Delivery feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: Customers wait too long for a time slot.
Feedback 2: Customers appreciate the call before the van arrives.
Feedback 3: Some customers find the packaging hard to open.
Feedback 4: Customers wish for a note when a parcel is left with a neighbour.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
""",
    "returns.txt": """\
Title: Returns feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: Customers find the description of the return form unclear.
Feedback 2: Customers thank the counter staff for their patience.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
""",
    "archive.txt": """\
Title: Parking feedback (simulated)
Note: these lines are invented for practice; no customer said them.
Feedback 1: Customers complain that the car park is full at noon.
Feedback 2: Customers praise the new bicycle stands.
Wanted: the main problems, what is praised, and suggestions that can be acted on.
""",
}
"""By file name in data/input."""
