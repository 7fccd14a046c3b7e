"""PostgreSQL's patterns as RE2, which DuckDB runs: regular expressions, SIMILAR TO and others."""

from __future__ import annotations

import re

from planner.errors import NotSupportedError

_PIECE = re.compile(r"\\(.)|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|.", re.DOTALL)
_CLASSES = {
    **{"alpha": r"\pL", "digit": r"\d", "alnum": r"\pL\pN", "space": r"\s"},
    **{"upper": r"\p{Lu}", "lower": r"\p{Ll}"},
}
"""Classes that in PostgreSQL have more than the characters of ASCII, as RE2 writes them."""
_CLASS = re.compile(r"\[:(" + "|".join(_CLASSES) + r"):\]")
_ESCAPES = {"m": r"\b", "M": r"\b", "y": r"\b", "Y": r"\B", "Z": r"\z"}


def regular_expression(pattern: str, position: int | None) -> str:
    r"""Return PostgreSQL's regular expression for RE2.

    The begin and end of a word (`\m`, `\M`, `\y`) become `\b`. A dot matches a newline, too.

    Raises:
        NotSupportedError: it has a back reference, or looks ahead or behind.
    """
    if re.search(r"\(\?(?:[=!]|<[=!])", pattern):
        raise NotSupportedError(
            "a regular expression that looks ahead or behind is not supported", position=position
        )
    pieces: list[str] = []
    has_dot = False
    for found in _PIECE.finditer(pattern):
        piece, escaped = found[0], found[1]
        if escaped is not None and escaped.isdigit() and escaped != "0":
            raise NotSupportedError(
                "a back reference in a regular expression is not supported",
                hint="Write the repetition out.",
                position=position,
            )
        has_dot = has_dot or piece == "."
        if piece[0] == "[":
            pieces.append(_CLASS.sub(lambda found: _CLASSES[found[1]], piece))
        else:
            pieces.append(_ESCAPES.get(escaped, piece) if escaped is not None else piece)
    return ("(?s)" if has_dot else "") + "".join(pieces)


def similar_to(pattern: str, escape: str = "\\") -> str:
    """Return a pattern of SIMILAR TO as a regular expression that matches the whole text."""
    pieces: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == escape and at + 1 < len(pattern):
            at += 1
            pieces.append(re.escape(pattern[at]))
        elif char == "[":
            close = pattern.find("]", at + 2)
            close = len(pattern) if close < 0 else close
            pieces.append(pattern[at : close + 1])
            at = close
        else:
            pieces.append({"%": ".*", "_": ".", ".": r"\.", "^": r"\^", "$": r"\$"}.get(char, char))
        at += 1
    return f"(?s)^(?:{''.join(pieces)})$"


def replacement(text: str) -> str:
    r"""Return the replacement of a match; PostgreSQL's `\&`, the whole match, is RE2's `\0`."""
    return text.replace("\\&", "\\0")


def group_of(pattern: str) -> int:
    """Return the group of `substring(text FROM pattern)`: 1, or 0 for the whole match."""
    return 1 if groups_in(pattern) else 0


def groups_in(pattern: str) -> int:
    """Count the groups that capture."""
    pieces = [found[0] for found in _PIECE.finditer(pattern)]
    return sum(piece == "(" and pieces[i + 1 : i + 2] != ["?"] for i, piece in enumerate(pieces))
