"""Errors of ours that pass through DuckDB, as texts: SQLSTATE, message, detail and hint.

DuckDB writes a text of its own before and after that of an error. So the parts have separators.
"""

from __future__ import annotations

import re

from stategate.planner.errors import BETWEEN_PARTS as _BETWEEN
from stategate.planner.errors import RAISED, InvalidValueError, QueryError

_END = "\x1e"
_WHOLE = re.compile(
    rf"{RAISED}(?P<state>\w{{5}}) (?P<message>[^{_BETWEEN}{_END}]*)"
    rf"(?:{_BETWEEN}(?P<detail>[^{_BETWEEN}{_END}]*){_BETWEEN}(?P<hint>[^{_BETWEEN}{_END}]*))?{_END}"
)
_OF_LINE = re.compile(rf"{RAISED}(?P<state>\w{{5}}) (?P<message>.*)")
"""Errors of `error`, DuckDB's own function, which ends its text with the message."""


def as_raised(error: QueryError) -> ValueError:
    """Return what a function in Python raises for an error."""
    parts = f"{error.sqlstate} {error.message}", error.detail or "", error.hint or ""
    return ValueError(RAISED + _BETWEEN.join(map(_plain, parts)) + _END)


def as_raised_text(text: str) -> ValueError:
    """Return what a function in Python raises for a text of RAISED, SQLSTATE and message.

    Detail and hint may follow, each after a separator.
    """
    parts = text.split(_BETWEEN)
    joined = _BETWEEN.join(map(_plain, parts)) if len(parts) == 3 else _plain(text)
    return ValueError(joined + _END)


def _plain(text: str) -> str:
    """Return a text without separators: it may have them from a value."""
    return text.replace(_BETWEEN, " ").replace(_END, " ")


def raised_error(whole: str, quoteless: str) -> QueryError | None:
    """Return the error of ours that DuckDB's error tells of; None if it is DuckDB's own.

    Args:
        whole: the text of DuckDB's error.
        quoteless: the same without what it quotes of the statement.
    """
    found = _WHOLE.search(whole) or _OF_LINE.search(quoteless)
    if found is None:
        return None
    parts = found.groupdict()
    return InvalidValueError(
        parts["message"],
        detail=parts.get("detail") or None,
        hint=parts.get("hint") or None,
        sqlstate=parts["state"],
    )
