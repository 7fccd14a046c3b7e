"""Statements as logs have them: without values, which are no business of a log.

It imports nothing, so that whatever logs can use it.
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
"""Characters of a shape in a log."""


def statement_shape(sql: str) -> str:
    """A text without its values, on one line, for a log: `?` stands for each, comments are gone.

    It takes any text, SQL or not; what is not closed is taken to go on to the end.
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
    """Where a comment ends that began before `at`; comments nest."""
    depth = 1
    while depth and (found := _COMMENT_MARK.search(sql, at)) is not None:
        depth += 1 if found[0] == "/*" else -1
        at = found.end()
    return len(sql) if depth else at
