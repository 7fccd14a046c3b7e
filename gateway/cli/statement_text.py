"""Reads what is typed into the shell: where statements end, and the values of parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gateway.errors import ClientError

Parameters: TypeAlias = "Sequence[str | None] | Mapping[str, str | None]"
"""The values of $1, $2, …, or of :name. Texts; the gateway reads them as the statement needs."""

_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | (\$\w*\$).*?\1 | (;) | .""",
    re.DOTALL | re.VERBOSE,
)
"""Strings, names, comments and dollar quotes, in which `;` ends no statement; then the rest."""
_UNCLOSED = re.compile(r"""['"]|/\*|\$\w*\$""")
_VALUE = re.compile(
    r"""\s*(?:(?P<name>[^\W\d]\w*)=)?(?:'(?P<text>(?:[^']|'')*)'|(?P<word>[^\s']+))(?=\s|\Z)"""
)


def split_statements(text: str) -> tuple[list[str], str]:
    """Return the statements that a semicolon ends, without it, and the rest after the last one."""
    statements: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token[2]:
            statements.append(text[start : token.start()].strip())
            start = token.end()
        elif token.end() - token.start() == 1 and _UNCLOSED.match(text, token.start()):
            break  # an unclosed quote: the rest is inside it
    return [each for each in statements if each], text[start:].strip()


def read_parameters(text: str) -> Parameters:
    r"""Return the values that follow `\bind`: `3 'it''s' null`, or `usr=bob since='2013-07-04'`.

    Raises:
        ClientError: a quote is not closed, or only some values have names.
    """
    values: list[tuple[str | None, str | None]] = []
    at = 0
    while text[at:].strip():
        found = _VALUE.match(text, at)
        if found is None:
            raise ClientError(
                f"cannot read {text[at:].strip()[:40]}",
                hint=r"Write \bind 3 'a text' null, or \bind name='a text'; '' is a quote in it.",
            )
        at = found.end()
        value = found["text"].replace("''", "'") if found["text"] is not None else found["word"]
        is_null = found["word"] is not None and value.lower() == "null"
        values.append((found["name"], None if is_null else value))
    named = {name: value for name, value in values if name is not None}
    if not named:
        return [value for _, value in values]
    if len(named) < len(values):
        raise ClientError(
            "either all values have names of their own or none has one",
            hint=r"Write \bind name='a text' other=3.",
        )
    return named
