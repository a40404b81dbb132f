"""The form by itself: foreign schemas take no effect, keys in a burst go where they belong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from agent_lab_tui.graph.conventions.form import read_form
from agent_lab_tui.graph.conventions.form_input import typed_for
from agent_lab_tui.tui import app as desk_app
from agent_lab_tui.tui.form_draft import FilledIn, FormDraft
from agent_lab_tui.tui.screens.form import FormDialog

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "many": {"type": "array", "items": {"type": "string"}},
        "how": {"enum": ["one", "two", "three", "four", "five", "six", "seven"]},
        "sum": {"type": "integer"},
    },
    "required": ["name", "sum"],
}
HOSTILE: dict[str, Any] = {
    "title": "[red]T[/red]",
    "description": "[bold]d[/bold]\x1b[2Jwiped",
    "type": "object",
    "properties": {
        "a\x1b[31m[/]": {"type": "string", "description": "\u202etxt.exe [link=x]y[/link]"},
        "b": {"enum": ["[on red]x", "y\x07", "z\u200b"], "title": "\x1b]0;t\x07"},
        "c": {"const": "\x1b[1m"},
        "d": {"type": "string", "pattern": "\x1b+", "default": "[blink]\x9b"},
    },
}


class Little(App[None]):
    """An app that shows one form."""

    CSS_PATH = Path(desk_app.__file__).with_name("app.tcss")
    result: FilledIn | None = None


Sit = Callable[..., AbstractAsyncContextManager[tuple[Little, Pilot[None]]]]


@pytest.fixture
def form() -> Sit:
    """Open a form of a schema, with a value filled in where one is given."""

    @asynccontextmanager
    async def sit(schema: dict[str, Any], value: Any = None) -> AsyncIterator[tuple[Little, Pilot[None]]]:
        app, read = Little(), read_form(schema)
        draft = FormDraft(typed_for(read, value) if value is not None else "")

        def take(result: FilledIn | None) -> None:
            app.result = result

        async with app.run_test(size=(90, 30)) as pilot:
            await app.push_screen(FormDialog("Answer", read, draft), take)
            await pilot.pause()
            yield app, pilot

    return sit


def seen(app: Little) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def test_keys_in_one_burst_go_to_the_lines_they_were_meant_for(form: Sit) -> None:
    async with form(SCHEMA) as (app, pilot):
        for key in (*"Fog", "down", "f7", *"wet", "f7", *"cold", "down", "down", *"42", "ctrl+s"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        for _ in range(100):
            await pilot.pause(0.05)
            if app.result is not None:
                break
        assert app.result is not None, seen(app)
    assert app.result.value == {"name": "Fog", "many": ["wet", "cold"], "sum": 42}


async def test_nothing_of_a_foreign_schema_takes_effect(form: Sit) -> None:
    value = {"a\x1b[31m[/]": "one\x1b[2J\ntwo", "b": "y\x07", "c": "\x1b[1m"}
    async with form(HOSTILE, value) as (app, pilot):
        await pilot.press("down")
        await pilot.pause()
        text = seen(app)
        assert "[red]" not in text or "[/red]" in text
        assert "[bold]d[/bold]␛[2Jwiped" in text
        assert "a␛[31m[/]" in text
        assert "\\u001b[2J\\u000atwo" in text
        assert not [char for char in text if char != "\n" and not char.isprintable()]
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert app.result is not None
    assert app.result.value == value


async def test_escape_closes_a_list_of_options_first_and_then_keeps_the_draft(form: Sit) -> None:
    async with form(SCHEMA) as (app, pilot):
        await pilot.press("x", "down", "down", "enter")
        await pilot.pause()
        assert app.screen.fields.has_open_options  # type: ignore[attr-defined]
        await pilot.press("down", "down", "escape")
        await pilot.pause()
        assert isinstance(app.screen, FormDialog), seen(app)
        await pilot.press("enter", "down", "down", "enter")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert app.result is not None, seen(app)
    assert not app.result.is_done
    assert app.result.draft.typed == {"name": "x", "how": "one"}


async def test_blanks_and_the_empty_text_are_two_things(form: Sit) -> None:
    async with form(SCHEMA, {"name": "", "sum": 1}) as (app, pilot):
        assert 'Sends   {"name": "", "sum": 1}' in seen(app)
        await pilot.press("end", "ctrl+u")
        await pilot.pause()
        assert 'nothing yet: `name` needs a value; type "" for an empty text.' in seen(app)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "1 input is not right yet." in seen(app)
    assert app.result is None


@pytest.mark.slow
async def test_a_form_of_many_fields_opens_and_takes_keys(form: Sit) -> None:
    many = {f"field {n}": {"type": "integer"} for n in range(40)}
    async with form({"type": "object", "properties": many}) as (app, pilot):
        await pilot.press(*["down"] * 39, "7")
        await pilot.pause()
        assert 'Sends   {"field 39": 7}' in seen(app)
        assert "field 39" in seen(app).partition("Sends")[0]


async def test_a_costly_pattern_is_refused_while_one_types(form: Sit) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a|a)*$"}}}
    async with form(schema, {"name": "a" * 39}) as (app, pilot):
        await pilot.press("a", "!")
        await pilot.pause()
        assert "nothing yet: The pattern ^(a|a)*$ is too costly to judge." in seen(app)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "1 input is not right yet." in seen(app)
        await pilot.press("backspace")
        await pilot.pause()
        assert f'Sends   {{"name": "{"a" * 40}"}}' in seen(app)
        assert "not right yet" not in seen(app)


async def test_a_number_too_large_for_its_schema_is_refused_while_one_types(form: Sit) -> None:
    schema = {"type": "object", "properties": {"sum": {"type": "number", "multipleOf": 0.01}}}
    async with form(schema, {"sum": 10**309}) as (app, pilot):
        await pilot.press("9")
        await pilot.pause()
        assert "nothing yet: A number is too large to be judged by the schema." in seen(app)


async def test_what_is_sent_grows_and_shrinks_with_what_is_typed(form: Sit) -> None:
    long = "word " * 40
    async with form(SCHEMA, {"name": long, "sum": 1}) as (app, pilot):
        assert seen(app).partition("Sends")[2].count("word") > 20
        await pilot.press("ctrl+u", "x")
        await pilot.pause()
        assert 'Sends   {"name": "x", "sum": 1}' in seen(app)
        await pilot.press(*"wide " * 18)
        await pilot.pause()
        assert seen(app).partition("Sends")[2].count("wide") == 18


async def test_a_key_without_a_name_is_labelled_as_such(form: Sit) -> None:
    async with form({"type": "object", "properties": {"": {"type": "string"}}}) as (app, _):
        assert [str(one.render()) for one in app.screen.query(".form-label")] == ['""']
