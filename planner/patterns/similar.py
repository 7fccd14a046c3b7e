"""Patterns of SIMILAR TO and of substring(… SIMILAR …), written as regular expressions."""

from __future__ import annotations

from functools import lru_cache

from stategate.planner.errors import InvalidValueError

_SEPARATORS_MAX = 2


def checked_escape(escape: str) -> str:
    """Return the escape of a pattern, which is one character or empty.

    Raises:
        InvalidValueError: it is longer (22025).
    """
    if len(escape) > 1:
        raise InvalidValueError(
            "invalid escape string",
            hint="Escape string must be empty or one character.",
            sqlstate="22025",
        )
    return escape


@lru_cache(256)
def similar_expression(pattern: str, escape: str | None) -> str:
    """Return a pattern as a regular expression that matches whole texts.

    Args:
        pattern: the pattern; `_` is a character, `%` any text. An escape before a double quote
            separates the part that `substring` returns.
        escape: one character, or empty for none.

    Raises:
        InvalidValueError: the escape is longer (22025), or the pattern has too many separators
            (2200C).
    """
    escape = checked_escape("\\" if escape is None else escape)
    pieces, in_set, separators, at = ["^(?:"], False, 0, 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if escape and sign == escape:
            if at == len(pattern):
                # PostgreSQL drops an escape at the end.
                break
            if pattern[at] == '"' and not in_set:
                separators += 1
                pieces.append(_separator(separators))
            else:
                pieces.append("\\" + pattern[at])
            at += 1
        elif in_set:
            pieces.append("\\\\" if sign == "\\" else sign)
            in_set = sign != "]"
        elif sign == "[":
            pieces.append("[")
            in_set = True
        else:
            pieces.append(_WRITTEN.get(sign, sign))
    return "".join((*pieces, ")$"))


_WRITTEN = {"%": ".*", "_": ".", "(": "(?:", "\\": "\\\\", ".": "\\.", "^": "\\^", "$": "\\$"}


def _separator(number: int) -> str:
    """Return what stands for a separator: the parts before and after the returned one are short."""
    if number > _SEPARATORS_MAX:
        raise InvalidValueError(
            "SQL regular expression may not contain more than two escape-double-quote separators",
            sqlstate="2200C",
        )
    return "){1,1}?(" if number == 1 else "){1,1}(?:"
