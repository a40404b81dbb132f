"""Choices as JSON: read as the command line takes them, written as the journal keeps them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from agent_lab_tui.graph.deciding.choices import choice_from_json, choice_to_json, choices_from_json, edited
from agent_lab_tui.graph.questions import Choice, Operation, Refused
from agent_lab_tui.store.values import Ext, to_json

PAY = Operation(name="pay", arguments={"to": "bob", "amount": 7})


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        ({"approve": {}}, Choice("approve")),
        ({"reject": "too dear"}, Choice("reject", text="too dear")),
        ({"respond": "paid by hand"}, Choice("respond", text="paid by hand")),
        ({"explain": "why bob?"}, Choice("explain", text="why bob?")),
        ({"edit": {"arguments": {"to": "ann", "amount": 7}}}, Choice("edit", {"to": "ann", "amount": 7})),
        ({"edit": {"arguments": {}, "name": "refund"}}, Choice("edit", {}, name="refund")),
    ],
)
def test_a_choice_is_read_and_written_in_one_form(given: Any, choice: Choice) -> None:
    assert choice_from_json(given, PAY) == choice
    assert choice_to_json(choice) == given


@pytest.mark.parametrize(
    "given",
    [
        "approve",
        {},
        {"approve": {}, "reject": "both"},
        {"reject": {"reason": "nested"}},
        {"edit": {"to": "ann"}},
        {"edit": {"arguments": {}, "shell": "rm"}},
        {"delete": {}},
        {"approve": {"arguments": {}}},
    ],
)
def test_another_form_is_an_error_that_names_the_forms(given: Any) -> None:
    with pytest.raises(ValueError, match="reject"):
        choice_from_json(given, PAY)


def test_every_operation_needs_its_choice() -> None:
    with pytest.raises(Refused, match="1 choice for 2 operations"):
        choices_from_json([{"approve": {}}], (PAY, PAY))
    with pytest.raises(ValueError, match="list"):
        choices_from_json({"approve": {}}, (PAY,))


def test_unchanged_arguments_of_an_edit_keep_their_types() -> None:
    price = Ext(0, ["decimal", "Decimal", "9.90"])
    shown = to_json({"price": price, "to": "bob"})
    choice = edited({**shown, "to": "ann"}, Operation(name="pay", arguments={"price": price, "to": "bob"}))
    assert choice.arguments == {"price": price, "to": "ann"}
    assert Decimal(str(to_json(choice.arguments)["price"])) == Decimal("9.90")
