"""Files of KEY=VALUE lines, read by the rules of python-dotenv that such files rely on."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<key>'[^'\n]+'|[^=\#\s][^=\#\s]*)[ \t]*=[ \t]*
        (?:'(?P<single>(?:\\.|[^'\\])*)'|"(?P<double>(?:\\.|[^"\\])*)"|(?P<bare>[^\n\r]*))""",
    re.MULTILINE | re.VERBOSE,
)
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_VARIABLE = re.compile(r"\$\{(?P<name>[^}:\n]+)(?::-(?P<default>[^}\n]*))?\}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def parse_env(text: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a file of KEY=VALUE lines sets.

    `export ` before a key is allowed; a `#` after a space ends an unquoted value; double quotes know
    `\\n` and the like, single quotes only `\\'` and `\\\\`; `${NAME}` and `${NAME:-default}` are filled from
    earlier lines and from `environment`, except in single quotes. Other lines mean nothing.
    """
    found: dict[str, str] = {}

    def fill(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"] or ""
        return found.get(name, environment.get(name, default))

    for line in _LINE.finditer(text.removeprefix("\ufeff")):
        if line["single"] is not None:
            value = re.sub(r"\\([\\'])", r"\1", line["single"])
        elif line["double"] is not None:
            value = _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), _VARIABLE.sub(fill, line["double"]))
        else:
            value = _VARIABLE.sub(fill, _COMMENT.sub("", line["bare"]).strip())
        found[line["key"].strip("'")] = value
    return found
