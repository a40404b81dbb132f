"""From a key to a choice about one operation: what is asked in between, and what is kept half done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_lab_tui.graph.deciding.confirming import confirmation
from agent_lab_tui.graph.questions import Choice, ChoiceKind, Risk
from agent_lab_tui.graph.reading.impact import as_edited

from ..drafts import Drafts, Item
from ..screens.typing import AskDialog, ConfirmDialog, TextDialog
from ..shown import Shown
from .answering import ask_value

if TYPE_CHECKING:
    from ..news import DecidedBefore
    from ..screens.desk_deciding import DeskDeciding

TITLES: dict[str, tuple[str, str, str, str]] = {
    "reject": ("Reject", "rejects", "Reason", "An empty reason is no reason: write why."),
    "respond": ("Message to", "sends it", "Message", "An empty message says nothing."),
    "explain": ("Ask to explain", "asks", "Question", "Write what is not clear."),
}
"""By choice: title, what Enter does, what is typed, what is said when nothing was."""


async def approve(screen: DeskDeciding) -> None:
    """Say yes to the operation in front."""
    item = screen.item
    if item and await confirmed(screen, item, Choice("approve")):
        choose(screen, item, Choice("approve"))


async def say(screen: DeskDeciding, kind: ChoiceKind) -> None:
    """Reject, respond or ask for an explanation: each needs words."""
    item = screen.item
    if item is None:
        return
    title, verb, label, empty = TITLES[kind]
    if kind == "explain" and item.operation.explain_rejects:
        verb = "rejects it with your question as the reason"
    typed = await screen.app.push_screen_wait(
        TextDialog(
            f"{title} {item.operation.name or item.question.node}",
            verb,
            label=label,
            text=screen.drafts.text(item, kind) or "",
            recent=screen.drafts.recent(kind),
            empty=empty,
        )
    )
    if typed is None:
        return
    screen.drafts.keep_text(item, kind, typed.text)
    if typed.is_done:
        screen.drafts.remember(kind, typed.text)
        choose(screen, item, Choice(kind, text=typed.text))


async def answer(screen: DeskDeciding) -> None:
    """Answer a whole question with an exact value."""
    item = screen.item
    if item is None:
        return
    is_given, value = await ask_value(screen, item)
    if is_given and await confirmed(screen, item, Choice("approve"), is_typed=True):
        screen.drafts.answer(item.question, value)
        _go_on(screen, item)


async def confirmed(screen: DeskDeciding, item: Item, choice: Choice, *, is_typed: bool = False) -> bool:
    """Ask for what a yes to this operation takes beyond the key.

    What was typed and seen in a dialog has had its second key there. It must not wait for another one on the
    desk: the key pressed then would approve what the agent asked for, not what was typed.
    """
    operation = as_edited(item.operation, choice, screen.desk.settings)
    asked = confirmation(operation, choice)
    if asked.kind == "key" or (asked.kind == "twice" and is_typed):
        return True
    if asked.kind == "twice":
        if screen.keys.is_second((item.key, choice.kind)):
            return True
        screen.note_of_request(
            f"{operation.risk.value} risk: press {choice.kind} once more, in a second or later"
        )
        return False
    title = f"Confirm {operation.name}"
    sentence = operation.impact or f"{operation.risk.value.capitalize()} risk."
    return await screen.app.push_screen_wait(ConfirmDialog(title, sentence, asked)) is True


def choose(screen: DeskDeciding, item: Item, choice: Choice) -> None:
    """Keep a choice; send the whole when every operation has one."""
    screen.drafts.choose(item, choice)
    _go_on(screen, item)


def _go_on(screen: DeskDeciding, item: Item) -> None:
    """Show the next operation without a choice; send when there is none."""
    shown = screen.shown
    if shown is None or item.key not in {one.key for one in shown.items}:
        screen.drafts.forget(item.question)
        screen.note("This question is no longer on the screen; nothing was sent.", "warning")
        return
    index = shown.first_undecided(screen.drafts)
    if index is None:
        screen.send(shown)
        return
    screen.shown = shown.at(index)
    if can_send_some(shown, screen.drafts):
        screen.note("Decided, not sent yet: s sends it now, or decide the other questions first.")


def can_send_some(shown: Shown, drafts: Drafts) -> bool:
    """Whether some, but not all, of a thread's questions are decided."""
    questions = shown.open_questions()
    decided = [question for question in questions if drafts.is_decided(question)]
    return 0 < len(decided) < len(questions)


async def repeat(screen: DeskDeciding) -> None:
    """Choose what was chosen last for the same operation, where its risk is low and all of it was read."""
    item = screen.item
    last = screen.drafts.last_choice(item.operation.name) if item else None
    if item is None or last is None or item.operation.risk is not Risk.LOW:
        screen.note("Nothing to repeat: it needs a like operation of low risk.", "warning")
    elif screen.check_action(last.kind, ()) is not True:
        screen.note("Not yet: read all of it first.", "warning")
    elif await confirmed(screen, item, last):
        choose(screen, item, last)


async def decide_again(screen: DeskDeciding, before: DecidedBefore) -> None:
    """Say what was decided before, and decide anew only when that is wanted."""
    chosen = await screen.app.push_screen_wait(
        AskDialog("Decided before", before.sentence, (("d", "decides anew all the same"),))
    )
    if chosen is not None:
        screen.is_sending = True
        screen.sending.send(before.thread_id, before.order, before.items, is_again=True)
        return
    for item in before.items:
        screen.drafts.take_back(item)
    screen.show_again()


async def send_some(screen: DeskDeciding) -> None:
    """Send the questions that are decided; the others stay open."""
    if screen.shown is not None:
        screen.send(screen.shown)
