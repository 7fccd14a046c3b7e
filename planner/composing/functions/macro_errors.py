"""Errors that macros raise."""

from __future__ import annotations

from planner.errors import RAISED


def raising(sqlstate: str, message: str) -> str:
    """Return SQL that raises an error when it is evaluated.

    Args:
        sqlstate: the code of the error.
        message: its text, as an SQL expression.
    """
    return f"pg_sg_error('{RAISED}{sqlstate} ' || {message})"
