"""Reads what is typed into the shell: where statements end, and the values of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from stategate.gateway.errors import ClientError

Parameters: TypeAlias = "Sequence[str | None] | Mapping[str, str | None]"
"""The values of $1, $2, …, or of :name. Texts; the gateway reads them as the statement needs."""

_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | (\$\w*\$).*?\1 | (;) | .""",
    re.DOTALL | re.VERBOSE,
)
"""Strings, names, comments and dollar quotes, in which `;` ends no statement; then the rest."""
_GO = re.compile(
    r"""\\(?:bind(?=[\s\\])(?P<values>(?:[^'\\\n]|'[^']*')*)\\)?g(?P<records>x)?(?=[\s;]|\Z)
    [^\S\n]*;?""",
    re.VERBOSE,
)
r"""What ends a statement as psql does: `\g`, `\gx` or `\bind 5 \g`, with a semicolon or without."""
_BLANK = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WATCH = re.compile(r"(\d+(?:\.\d+)?)?\s*(?:c=(\d+))?")
_WATCH_S = 2.0
_WATCH_S_MAX = 86_400.0
_UNCLOSED = re.compile(r"""['"]|/\*|\$\w*\$""")
_VALUE = re.compile(
    r"""\s*(?:(?P<name>[^\W\d]\w*)=)?(?:'(?P<text>(?:[^']|'')*)'|(?P<word>[^\s']+))(?=\s|\Z)"""
)


class Go(NamedTuple):
    r"""A statement that `\g` ends, as `SELECT $1 \bind 5 \g`."""

    sql: str
    """The statement; empty for the last one again."""
    values: str | None
    r"""What follows `\bind`; None without it."""
    as_records: bool
    r"""Whether `\gx` ends it."""


class _End(NamedTuple):
    at: int
    """Where a statement ends."""
    after: int
    """Where the next one may begin."""
    go: re.Match[str] | None = None
    r"""The `\g` that ends it; None for a semicolon."""


def split_statements(text: str) -> tuple[list[str], str]:
    """Return the statements that are ended, without their ends, and the rest after the last one."""
    statements: list[str] = []
    start = 0
    while (end := _end_of_statement(text, start)) is not None:
        statements.append(text[start : end.at].strip())
        start = end.after
    return [each for each in statements if each], text[start:].strip()


def split_script(text: str) -> Iterator[str | Go]:
    r"""Yield statements without their ends, and commands such as `\bind bob`.

    A command begins with a backslash where a statement could begin, and ends with its line.
    """
    start = 0
    while start < len(text):
        blank = _BLANK.match(text, start)
        begin = start if blank is None else blank.end()
        if text.startswith("\\", begin) and _GO.match(text, begin) is None:
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            yield text[begin:end].strip()
            start = end + 1
            continue
        found = _end_of_statement(text, start) or _End(len(text), len(text))
        part = text[start : found.at].strip()
        if found.go is not None:
            sql = part if begin < found.at else ""
            yield Go(sql, found.go["values"], found.go["records"] is not None)
        elif part:
            yield part
        start = found.after


def _end_of_statement(text: str, start: int) -> _End | None:
    r"""Return where a semicolon or `\g` ends a statement, or None."""
    for token in _TOKEN.finditer(text, start):
        if token[2]:
            return _End(token.start(), token.end())
        if token[0] == "\\" and (go := _GO.match(text, token.start())) is not None:
            return _End(go.start(), go.end(), go)
        if token.end() - token.start() == 1 and _UNCLOSED.match(text, token.start()):
            return None  # an unclosed quote: the rest is inside it
    return None


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


def watch_options(text: str) -> tuple[float, int | None]:
    r"""Return how many seconds to pause, and how often to run; None for no end.

    Raises:
        ClientError: one of them is not such a number.
    """
    found = _WATCH.fullmatch(text)
    if found is None or not 0 < (interval_s := float(found[1] or _WATCH_S)) <= _WATCH_S_MAX:
        raise ClientError(f"cannot watch {text[:40]}", hint=r"Write \watch 5, or \watch 0.5 c=10.")
    return interval_s, None if found[2] is None else int(found[2])
