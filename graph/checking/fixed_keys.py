"""Keys of deeds that are the same in every run, found in an author's source; read as text, never run.

A key stands for one deed. Written down as a plain text it stands for the deed of every run: the first one is
done, and all others are taken for repeats of it.
"""

from __future__ import annotations

import ast
from collections import Counter

from .remedies import FIXED
from .source_calls import Names, name_of


def fixed_keys(source: str) -> tuple[tuple[int, str], ...]:
    """Return the line of each key that no run can change, with what is wrong; none where it is no Python."""
    try:
        tree = ast.parse(source)
        fixed = _Fixed(tree)
        names = Names.of(tree)
        found = {
            (call.lineno, f"the key of `{ast.unparse(call.func)}(…)` {FIXED}: a second run does nothing.")
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and (key := _key(call, names)) is not None and fixed.is_text(key)
        }
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(sorted(found))


def _key(call: ast.Call, names: Names) -> ast.expr | None:
    """Return the key that a call of our gate is given."""
    place = names.keyed.get(name_of(call.func))
    if place is None:
        return None
    named = next((one.value for one in call.keywords if one.arg == "key"), None)
    before = call.args[: place + 1]
    if named is not None or len(before) <= place or any(isinstance(one, ast.Starred) for one in before):
        return named
    return before[place]


class _Fixed:
    """Which expressions of a module are one and the same text whenever they are read."""

    def __init__(self, tree: ast.Module) -> None:
        """Note what the module's own constants are; a name that is bound elsewhere too is none."""
        bound = Counter(
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        bound.update(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
        self._values = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and bound[target.id] == 1
        }

    def is_text(self, node: ast.expr) -> bool:
        """Tell whether an expression is a text with nothing in it that can change."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if isinstance(node, ast.JoinedStr):
            return all(map(self.is_text, node.values))
        if isinstance(node, ast.FormattedValue):
            return self.is_text(node.value) or isinstance(node.value, ast.Constant)
        if isinstance(node, ast.BinOp):
            return self.is_text(node.left) and self.is_text(node.right)
        return isinstance(node, ast.Name) and node.id in self._values and self.is_text(self._values[node.id])
