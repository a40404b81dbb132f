"""Authors' sources, read as text: who asks, in which form, and what is unsafe about it."""

from __future__ import annotations

import textwrap

import pytest

from agent_lab_tui.graph.checking.source_check import Asking, asking

HEAD = """
from langgraph.types import interrupt
from agent_lab_tui.graph.gate import ask, once

"""


def look(body: str) -> tuple[Asking, ...]:
    return asking(HEAD + textwrap.dedent(body))


def complaints(body: str) -> list[str]:
    return [sentence.partition(": ")[2] for one in look(body) for sentence in one.complaints]


def node(*lines: str) -> str:
    return "def node(state):\n" + textwrap.indent("\n".join(lines), "    ")


def test_a_function_that_asks_is_found_with_its_line_and_form() -> None:
    (found,) = look(node('return {"ok": interrupt({"question": "go?"})}'))
    assert (found.name, found.line, found.form, found.complaints) == ("node", 5, "plain", ())


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ('interrupt("go?")', "plain"),
        ('interrupt(f"go {state}?")', "plain"),
        ('interrupt({"fetch": 1}, response_schema=int)', "response-schema"),
        ('interrupt({"action_requests": [], "review_configs": []})', "batched"),
        ('interrupt([{"action_request": {}, "config": {}}])', "agent-inbox"),
        ('ask("mail", {"to": "ann"})', "batched"),
        ("interrupt(state)", ""),
        ("interrupt(REQUEST)", "agent-inbox"),
        ("interrupt([REQUEST])", "agent-inbox"),
        ("confirm()", "plain"),
    ],
)
def test_the_form_is_read_where_the_source_shows_it(question: str, form: str) -> None:
    helper = 'REQUEST = {"action_request": {}, "config": {}}\ndef confirm():\n    return interrupt("sure?")\n'
    found = {one.name: one.form for one in look(helper + node(f"return {question}"))}
    assert found["node"] == form


@pytest.mark.parametrize(
    "source",
    [
        "import langgraph.types as t\ndef node(s):\n    return t.interrupt('go?')",
        "from langgraph.types import interrupt as stop\ndef node(s):\n    return stop('go?')",
        "from langgraph import types\ndef node(s):\n    return types.interrupt('go?')",
        "from agent_lab_tui.graph import gate\ndef node(s):\n    return gate.ask('x', {})",
        "from langgraph.types import interrupt\nasync def node(s):\n    return interrupt('go?')",
        "from langgraph.types import interrupt\nnode = lambda s: interrupt('go?')",
        "from langgraph.types import interrupt\ndef make():\n    def node(s):\n        interrupt('go?')\n",
    ],
)
def test_questions_are_found_under_any_name_and_in_any_function(source: str) -> None:
    assert [one.name for one in asking(source)] in (["node"], ["lambda"])


@pytest.mark.parametrize("source", ["x = 1", "def node(s):\n    return s", "def broken(", "", "\0"])
def test_what_does_not_ask_is_left_alone(source: str) -> None:
    assert asking(source) == ()


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("send_email(state)", "by its name it does something that should happen once"),
        ("client.send(state)", "by its name"),
        ("open('log', 'a').write('x')", "it writes to a file"),
        ("path.open(mode='w')", "it writes to a file"),
        ("path.write_text('x')", "by its name"),
        ("connection.execute('INSERT INTO t VALUES (1)')", "it may change a database"),
        ("connection.execute(statement)", "it may change a database"),
        ("connection.commit()", "by its name"),
        ("requests.post(url)", "it acts outside of this process"),
        ("subprocess.run(['rm'])", "it acts outside of this process"),
        ("shutil.rmtree(path)", "it acts outside of this process"),
        ("model.invoke(state)", "a model or another graph runs, and is paid, once more"),
        ("key = uuid.uuid4()", "what is asked may change under the operator's eyes"),
        ("now = datetime.now()", "what is asked may change under the operator's eyes"),
        ("log('opened')", "it writes to a file"),
        ("self.log('opened')", "it writes to a file"),
    ],
)
def test_what_stands_before_a_question_is_done_again(line: str, cause: str) -> None:
    helper = "def log(text):\n    with open('log', 'a') as file:\n        file.write(text)\n"
    (found,) = complaints(helper + node(line, 'return interrupt("go?")'))
    assert "stands before a question and is done again for every answer" in found
    assert cause in found


@pytest.mark.parametrize(
    "line",
    [
        "draft = state['draft'].strip()",
        "items.append(1); seen.update({}); names.remove('x'); copy = state.copy()",
        "text = open('brief').read()",
        "rows = connection.execute('select 1')",
        "body = requests.get(url)",
        "once('key', send_email)",
        "kept(state)",
        "print(state)",
        "def later():\n    send_email()",
    ],
)
def test_what_can_be_repeated_is_not_complained_of(line: str) -> None:
    helper = "from langgraph.func import task\n@task\ndef kept(state):\n    send_email(state)\n"
    assert complaints(helper + node(line, 'return interrupt("go?")')) == []


def test_what_stands_behind_the_last_question_is_fine() -> None:
    assert complaints(node('ok = interrupt("go?")', "send_email(state)")) == []


def test_between_two_questions_and_in_an_asking_loop_it_is_done_again() -> None:
    assert len(complaints(node('a = interrupt("one?")', "send_email(a)", 'b = interrupt("two?")'))) == 1
    assert len(complaints(node("while True:", '    a = interrupt("one?")', "    send_email(a)"))) == 1
    assert len(complaints(node('a = interrupt({"id": create_ticket()})'))) == 1


@pytest.mark.parametrize(
    "handler",
    ["except:", "except Exception:", "except BaseException as error:", "except (ValueError, Exception):"],
)
def test_a_swallowed_question_is_found(handler: str) -> None:
    body = node("try:", '    ok = interrupt("go?")', handler, "    ok = False", "return ok")
    assert complaints(body) == [
        "`except` around a question swallows it: nobody is asked, and the code goes on."
    ]


@pytest.mark.parametrize(
    "body",
    [
        ["try:", '    ok = interrupt("go?")', "except ValueError:", "    ok = False"],
        ["try:", '    ok = interrupt("go?")', "except Exception:", "    raise"],
        [
            "try:",
            '    ok = interrupt("go?")',
            "except GraphBubbleUp:",
            "    raise",
            "except Exception:",
            "    ok = 0",
        ],
        ["try:", "    x = 1", "except Exception:", '    ok = interrupt("go?")'],
        ["try:", '    ok = interrupt("go?")', "finally:", "    x = 1"],
    ],
)
def test_a_question_that_gets_through_is_not_complained_of(body: list[str]) -> None:
    assert complaints(node(*body)) == []


def test_suppress_swallows_too_and_so_does_a_handler_around_a_helper() -> None:
    assert (
        "`suppress` around a question"
        in complaints(node("with contextlib.suppress(Exception):", '    ok = interrupt("go?")'))[0]
    )
    helper = 'def confirm():\n    return interrupt("go?")\n'
    assert len(complaints(helper + node("try:", "    confirm()", "except Exception:", "    pass"))) == 1


def test_a_question_that_may_be_left_out_before_another_one_is_found() -> None:
    body = node("if state:", '    a = interrupt("one?")', 'b = interrupt("two?")')
    (found,) = complaints(body)
    assert "answers are found by the order of the questions" in found
    assert complaints(node('a = interrupt("one?")', "if a:", '    b = interrupt("two?")')) == []
    assert (
        complaints(node("if state:", '    a = interrupt("one?")', "else:", '    a = interrupt("two?")')) == []
    )


def test_functions_that_ask_through_each_other_come_to_an_end() -> None:
    source = "def a(s):\n    return b(s)\ndef b(s):\n    interrupt('go?')\n    return a(s)\n"
    assert {one.name for one in look(source)} == {"a", "b"}


def test_a_decorated_function_begins_at_its_decorator() -> None:
    source = "@tool\n@other(1)\ndef node(s):\n    return interrupt('go?')\n"
    (found,) = look(source)
    assert found.line == 5
