"""Patterns of LIKE and ILIKE with an escape of their own."""

from __future__ import annotations

from functools import lru_cache

from stategate.planner.patterns.similar import checked_escape


@lru_cache(256)
def like_pattern(pattern: str, escape: str) -> str:
    r"""Return a pattern whose escape is `\`.

    Args:
        pattern: the pattern, with its own escape.
        escape: one character, or empty for none.

    Raises:
        InvalidValueError: the escape is longer (22025).
    """
    if checked_escape(escape) == "\\":
        return pattern
    pieces: list[str] = []
    is_escaped = False
    for sign in pattern:
        if sign == escape and not is_escaped:
            pieces.append("\\")
            is_escaped = True
            continue
        pieces.append("\\\\" if sign == "\\" and not is_escaped else sign)
        is_escaped = False
    return "".join(pieces)
