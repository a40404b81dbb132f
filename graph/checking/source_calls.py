"""Which calls of a source ask a person, and which ones do something when they are repeated."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .remedies import VARIES

_GATE = "agent_lab_tui.graph.gate"
_GATE_QUESTIONS = ("ask", "ask_all")
_ONCE = ("once", "aonce")
_KEY_AT = {"once": 0, "aonce": 0, "ask": 5, "Request": 5}
"""At which place each takes its key, where that is not named."""

_ACTS = re.compile(
    r"(send|post|put|patch|delete|publish|insert|upload|notify|pay|charge|transfer|refund|deploy|write|save"
    r"|commit|push|drop|purge|email|mail|submit|enqueue|dispatch|create|update|remove|effect|append_to)(_.*)?"
    r"|write(text|bytes|lines)|unlink|rmtree|rmdir|mkdir|makedirs|touch|rename|move|copy2?|copyfile|copytree"
    r"|executemany|executescript|Popen|check_call|check_output|system|sendmail|send_message"
)
_HARMLESS = frozenset(
    {"update", "remove", "copy", "put", "patch", "write", "insert", "push", "move", "rename"}
)
"""Methods of that name belong to dicts, lists, frames too: alone they prove nothing."""
_CALLS_OUT = ("requests", "httpx", "urllib", "smtplib", "subprocess", "shutil", "socket", "boto3")
_FETCHES = ("get", "head", "options", "urlparse", "urljoin", "quote", "which", "gethostname")
_READS = re.compile(r"\s*(SELECT|PRAGMA|EXPLAIN|WITH)\b", re.IGNORECASE)
_COSTS = ("invoke", "ainvoke", "astream", "generate", "agenerate", "predict", "complete")
_VARIES = re.compile(r"(uuid\.)?uuid[14]|random\..+|secrets\..+|time\.time|(datetime\.)*(now|utcnow|today)")


@dataclass(frozen=True, slots=True)
class Names:
    """What the imports of a module call the things that matter here."""

    asking: frozenset[str]
    """Names of `interrupt` and of our gate's questions."""
    gate: frozenset[str]
    """Those of our gate."""
    once: frozenset[str]
    """Names of our gate's `once`, which may be repeated."""
    keyed: Mapping[str, int] = field(default_factory=dict)
    """Names of what in our gate takes a key, each with the place of it among the arguments."""

    @classmethod
    def of(cls, tree: ast.Module) -> Names:
        """Read the imports, wherever in the module they stand."""
        interrupts = {"interrupt", "types.interrupt", "langgraph.types.interrupt"}
        gate: set[str] = set()
        once: set[str] = set()
        keyed: dict[str, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    name = alias.asname or alias.name
                    if node.module == _GATE and alias.name in _KEY_AT:
                        keyed[name] = _KEY_AT[alias.name]
                    if node.module == "langgraph.types" and alias.name == "interrupt":
                        interrupts.add(name)
                    elif node.module == _GATE and alias.name in (*_GATE_QUESTIONS, *_ONCE):
                        (gate if alias.name in _GATE_QUESTIONS else once).add(name)
                    elif f"{node.module}.{alias.name}" == _GATE:
                        gate |= {f"{name}.{one}" for one in _GATE_QUESTIONS}
                        once |= {f"{name}.{one}" for one in _ONCE}
                        keyed |= {f"{name}.{one}": place for one, place in _KEY_AT.items()}
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == "langgraph.types" and alias.asname:
                        interrupts.add(f"{alias.asname}.interrupt")
        return cls(frozenset(interrupts | gate), frozenset(gate), frozenset(once), keyed)


def name_of(node: ast.expr) -> str:
    """Return a dotted name; of a longer expression the part after its last call or index, with a dot."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return ""


def what_repeating_does(call: ast.Call, names: Names) -> str:
    """Say in a few words what a call does when it is made again; "" where it looks harmless."""
    name = name_of(call.func)
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    if name in names.once:
        return ""
    if _VARIES.fullmatch(name):
        return f"{VARIES}, so what is asked may change under the operator's eyes"
    if last == "open":
        return "it writes to a file" if _opens_for_writing(call) else ""
    if last == "execute":
        return "" if _only_reads(call) else "it may change a database"
    if first in _CALLS_OUT and first != last and last not in _FETCHES:
        return "it acts outside of this process"
    if last in _COSTS:
        return "a model or another graph runs, and is paid, once more"
    if _ACTS.fullmatch(last) and not (last in _HARMLESS and "." in name):
        return "by its name it does something that should happen once"
    return ""


def _opens_for_writing(call: ast.Call) -> bool:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    is_method = isinstance(call.func, ast.Attribute) and name_of(call.func.value) not in ("io", "codecs")
    mode = given[0] if given else next(iter(call.args[0 if is_method else 1 :]), None)
    word = mode.value if isinstance(mode, ast.Constant) else ""
    return isinstance(word, str) and bool(set("wax+") & set(word))


def _only_reads(call: ast.Call) -> bool:
    statement = call.args[0] if call.args else None
    return (
        isinstance(statement, ast.Constant)
        and isinstance(statement.value, str)
        and bool(_READS.match(statement.value))
    )
