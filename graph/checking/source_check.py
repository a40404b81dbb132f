"""What in an author's source makes asking a person unsafe; read as text, never run.

LangGraph runs an asking node again from its top for every answer, finds answers by the order of the
questions, and asks by raising. So code before the last question of a function is done again, and an `except
Exception` around a question swallows it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .remedies import LEFT_OUT, REPEATED, SWALLOWED
from .source_calls import Names, name_of, what_repeating_does

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_DEEPEST = 20
"""Functions that ask through each other are followed so far."""

_CATCHES_ALL = ("Exception", "BaseException", "GraphInterrupt", "GraphBubbleUp")


@dataclass(frozen=True, slots=True)
class Asking:
    """One function that asks a person, itself or through functions of its module."""

    name: str
    line: int
    """Where it begins, decorators included; counted from 1."""
    form: str
    """The way of asking, as far as the source shows: a convention's name, or "" when it does not."""
    complaints: tuple[str, ...] = ()
    """What its author should mend, each a sentence that begins with its line."""


def asking(source: str) -> tuple[Asking, ...]:
    """Return the functions of a module that ask, in the order of the source; none where it is no Python."""
    try:
        module = _Module(ast.parse(source))
        found = [_Look(module, function).result() for function in module.functions]
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(sorted((one for one in found if one), key=lambda one: one.line))


class _Module:
    """The functions of a module, and which of them ask or act."""

    def __init__(self, tree: ast.Module) -> None:
        self.names = Names.of(tree)
        self.functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
        self._assigned = _assigned(tree)
        self._by_name = {one.name: one for one in self.functions if not isinstance(one, ast.Lambda)}
        self._asks: dict[int, bool] = {}
        self._does: dict[int, str] = {}

    def is_question(self, call: ast.Call) -> bool:
        """Tell whether a call asks: LangGraph's `interrupt`, our gate, or a function here that does."""
        name = name_of(call.func)
        return name in self.names.asking or self._asks_inside(self._local(name))

    def what(self, call: ast.Call) -> str:
        """Say what repeating a call does; "" where that is harmless as far as can be seen."""
        function = self._local(name_of(call.func))
        if function is None:
            return what_repeating_does(call, self.names)
        return "" if _is_task(function) else self._does_inside(function)

    def form(self, call: ast.Call, depth: int = 0) -> str:
        """Tell the convention of a question from its source; "" where it does not show."""
        name = name_of(call.func)
        if name in self.names.gate:
            return "batched"
        if name in self.names.asking:
            return _form(call, self._assigned)
        function = self._local(name)
        inner = [one for one in calls_of(function) if self.is_question(one)] if function else []
        return self.form(inner[0], depth + 1) if inner and depth < _DEEPEST else ""

    def _local(self, name: str) -> Function | None:
        return self._by_name.get(name.removeprefix("self."))

    def _asks_inside(self, function: Function | None) -> bool:
        if function is None:
            return False
        if id(function) not in self._asks:
            self._asks[id(function)] = False
            self._asks[id(function)] = any(self.is_question(call) for call in calls_of(function))
        return self._asks[id(function)]

    def _does_inside(self, function: Function) -> str:
        if id(function) not in self._does:
            self._does[id(function)] = ""
            found = (self.what(call) for call in calls_of(function))
            self._does[id(function)] = next((what for what in found if what), "")
        return self._does[id(function)]


@dataclass
class _Look:
    """One function looked at."""

    module: _Module
    function: Function
    complaints: list[tuple[int, str]] = field(default_factory=list)

    def result(self) -> Asking | None:
        """Return what there is to say, or None if it does not ask."""
        calls = list(calls_of(self.function))
        questions = [call for call in calls if self.module.is_question(call)]
        if not questions:
            return None
        self._find_repeated(calls, questions)
        self._find_swallowed(questions)
        self._find_skipped(questions)
        decorators = getattr(self.function, "decorator_list", [])
        return Asking(
            name="lambda" if isinstance(self.function, ast.Lambda) else self.function.name,
            line=min([self.function.lineno, *(one.lineno for one in decorators)]),
            form=self.module.form(questions[0]),
            complaints=tuple(f"Line {line}: {text}" for line, text in sorted(set(self.complaints))),
        )

    def _find_repeated(self, calls: list[ast.Call], questions: list[ast.Call]) -> None:
        """Find what is done before the last question, or in a loop with one, and so done again."""
        last = max(_place(call) for call in questions)
        loops = [node for node in _own(self.function) if isinstance(node, ast.For | ast.AsyncFor | ast.While)]
        asking_loops = [loop for loop in loops if any(_is_in(call, loop) for call in questions)]
        inside = {id(part) for call in questions for part in ast.walk(call) if part is not call}
        for call in calls:
            if self.module.is_question(call):
                continue
            is_before = _place(call) < last or id(call) in inside
            is_looped = any(_is_in(call, loop) for loop in asking_loops)
            if (is_before or is_looped) and (what := self.module.what(call)):
                text = f"`{_written(call)}` stands before a question and {REPEATED}"
                self.complaints.append((call.lineno, f"{text}: {what}."))

    def _find_swallowed(self, questions: list[ast.Call]) -> None:
        """Find handlers that take LangGraph's question for an error."""
        for node in _own(self.function):
            if isinstance(node, ast.Try | ast.TryStar):
                asked = [call for part in node.body for call in questions if _is_in(call, part)]
                if asked and (handler := _swallowing(node)):
                    text = f"`except` {SWALLOWED}: nobody is asked, and the code goes on."
                    self.complaints.append((handler.lineno, text))
            elif isinstance(node, ast.With | ast.AsyncWith) and any(_is_in(call, node) for call in questions):
                for item in node.items:
                    if _suppresses(item.context_expr):
                        text = f"`suppress` {SWALLOWED}: nobody is asked."
                        self.complaints.append((node.lineno, text))

    def _find_skipped(self, questions: list[ast.Call]) -> None:
        """Find a question that may be left out before another one: answers are found by their order."""
        branches = [node for node in _own(self.function) if isinstance(node, ast.If)]
        for call in questions:
            later = [other for other in questions if _place(other) > _place(call)]
            for branch in branches:
                is_inside = any(_is_in(call, part) for part in (*branch.body, *branch.orelse))
                if is_inside and any(not _is_in(other, branch) for other in later):
                    text = (
                        f"this question {LEFT_OUT} while a later one is asked: answers are found by the "
                        "order of the questions, and an answer could reach the wrong one."
                    )
                    self.complaints.append((call.lineno, text))
                    break


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """Return what names of a module stand for, where each is given one value only."""
    found: dict[str, ast.expr | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found[target.id] = None if target.id in found else node.value
    return {name: value for name, value in found.items() if value is not None}


def _form(call: ast.Call, assigned: dict[str, ast.expr]) -> str:
    """Tell the convention of an `interrupt` by its arguments."""
    if any(keyword.arg == "response_schema" for keyword in call.keywords):
        return "response-schema"
    payload = _stands_for(call.args[0], assigned) if call.args else None
    if isinstance(payload, ast.List) and payload.elts:
        payload = _stands_for(payload.elts[0], assigned)
    if isinstance(payload, ast.Dict):
        keys = [key.value for key in payload.keys if isinstance(key, ast.Constant)]
        forms = {"action_requests": "batched", "action_request": "agent-inbox"}
        return next((form for key, form in forms.items() if key in keys), "plain")
    return "plain" if isinstance(payload, ast.Constant | ast.JoinedStr) else ""


def _stands_for(node: ast.expr, assigned: dict[str, ast.expr]) -> ast.expr:
    return assigned.get(node.id, node) if isinstance(node, ast.Name) else node


def _is_task(function: Function) -> bool:
    """Tell whether LangGraph keeps a function's result, as it does for a finished `@task`."""
    decorators = getattr(function, "decorator_list", [])
    names = [name_of(one.func if isinstance(one, ast.Call) else one) for one in decorators]
    return any(name.rpartition(".")[2] == "task" for name in names)


def calls_of(function: Function) -> Iterator[ast.Call]:
    """Yield the calls a function makes itself, not those of functions defined in it."""
    return (node for node in _own(function) if isinstance(node, ast.Call))


def _own(function: Function) -> Iterator[ast.AST]:
    todo: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))


def _swallowing(node: ast.Try | ast.TryStar) -> ast.ExceptHandler | None:
    """Return the handler that would catch a question and not raise it again."""
    for handler in node.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = [name_of(kind) for kind in kinds if kind is not None]
        if handler.type is not None and not any(name.rpartition(".")[2] in _CATCHES_ALL for name in names):
            continue
        raises = any(isinstance(part, ast.Raise) for step in handler.body for part in ast.walk(step))
        return None if raises else handler
    return None


def _suppresses(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call) or name_of(context.func).rpartition(".")[2] != "suppress":
        return False
    return any(name_of(kind).rpartition(".")[2] in _CATCHES_ALL for kind in context.args)


def _is_in(node: ast.AST, outer: ast.AST) -> bool:
    return any(part is node for part in ast.walk(outer))


def _place(call: ast.Call) -> tuple[int, int]:
    return call.lineno, call.col_offset


def _written(call: ast.Call) -> str:
    text = ast.unparse(call.func)
    return f"{text[:40]}…" if len(text) > 40 else f"{text}(…)"
