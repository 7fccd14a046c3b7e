"""Quotes, comments and parameters in the text of a statement."""

from __future__ import annotations

import re

PARAMETER = "\x1a"
"""Replaces the `$` of `$1` before a text is tokenized: sqlglot reads `$1,$` as a dollar quote."""

_LEXEME = re.compile(
    r"""
      '(?:(?<=\b[eE]')(?:[^'\\]|\\.|'')*'|(?:[^']|'')*')  # E'…' with backslash escapes, or '…'
    | "(?:[^"]|"")*"                                      # "…"
    | --[^\n]*                                            # to the end of the line
    | /\*.*?\*/                                           # comment
    | \$(?<![\w$]\$)(?:(?:[A-Za-z_]\w*)?\$|(?=\d))        # opens a dollar quote, or a parameter
    """,
    re.VERBOSE | re.DOTALL,
)
"""Each alternative begins with one certain character, so that the search skips all others."""
_OPENS = re.compile(r"""['"]|/\*""")


def mark_parameters(sql: str) -> str:
    """Return a text with another sign in place of the `$` of its parameters."""
    if "$" not in sql:
        return sql
    pieces: list[str] = []
    at = 0
    while found := _LEXEME.search(sql, at):
        start, lexeme = found.start(), found[0]
        pieces.append(sql[at:start])
        at = found.end()
        if lexeme == "$":
            pieces.append(PARAMETER)
            continue
        if lexeme[0] == "$":
            closed = sql.find(lexeme, at)
            at = len(sql) if closed < 0 else closed + len(lexeme)
        pieces.append(sql[start:at])
    pieces.append(sql[at:])
    return "".join(pieces)


def unterminated(sql: str) -> int | None:
    """Return where an unclosed quote or comment begins; None if all are closed."""
    at = 0
    while True:
        found = _LEXEME.search(sql, at)
        opened = _OPENS.search(sql, at, found.start() if found else len(sql))
        if opened is not None:
            return opened.start()
        if found is None:
            return None
        at = found.end()
        if found[0][0] == "$" and len(found[0]) > 1:
            closed = sql.find(found[0], at)
            if closed < 0:
                return found.start()
            at = closed + len(found[0])
