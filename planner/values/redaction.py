"""Statements without their values, for logs.

This module imports no other module, so that all code that logs can use it.
"""

from __future__ import annotations

import re

_VALUE = re.compile(
    r"""
      (?P<comment> --[^\n]* | /\*)
    | (?P<text> \b[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z)
              | \$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z) )
    | (?P<name> "(?:[^"]|"")*(?:"|\Z) | [^\W\d][\w$]* | \$\d+ )
    | (?P<number> (?:\d|\.\d)[\w.]* )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")
SHAPE_SHOWN_MAX = 2000
"""Maximum characters of a shape in a log."""


def statement_shape(sql: str) -> str:
    """Return a statement on one line, with `?` for each value and without comments.

    It takes any text, SQL or not. An unclosed quote or comment ends with the text.
    """
    pieces: list[str] = []
    at = 0
    while (found := _VALUE.search(sql, at)) is not None:
        pieces.append(sql[at : found.start()])
        at = found.end()
        if found["comment"] is not None:
            at = _after_comment(sql, at) if found["comment"] == "/*" else at
            pieces.append(" ")
        else:
            pieces.append(found[0] if found["name"] is not None else "?")
    pieces.append(sql[at:])
    shape = " ".join("".join(pieces).split())
    return shape if len(shape) <= SHAPE_SHOWN_MAX else f"{shape[:SHAPE_SHOWN_MAX]}…"


def _after_comment(sql: str, at: int) -> int:
    """Return the end of a comment that begins before `at`; comments nest."""
    depth = 1
    while depth and (found := _COMMENT_MARK.search(sql, at)) is not None:
        depth += 1 if found[0] == "/*" else -1
        at = found.end()
    return len(sql) if depth else at
