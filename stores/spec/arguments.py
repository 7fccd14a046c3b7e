"""Checks of callers' arguments, before any of them is used."""

from __future__ import annotations

import os
import re

from stategate.stores.errors import ArgumentError

INT64_MAX = 2**63 - 1

_NAME_TEXT = re.compile("[^\0\ud800-\udfff]+")


def is_integer(value: object, *, least: int, most: int) -> bool:
    """Whether a value is an `int` within both limits, and not a `bool`."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_name(value: object) -> bool:
    """Whether a value can be the name of a column, a field or an input.

    PostgreSQL allows no empty name and no NUL, and half of a surrogate pair has no UTF-8.
    """
    return isinstance(value, str) and _NAME_TEXT.fullmatch(value) is not None


def shown(value: object) -> str:
    """Return a value as an error shows it: text in quotes, anything else as Python writes it."""
    text = value if isinstance(value, str) else repr(value)
    cut = text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"
    return f'"{cut}"' if isinstance(value, str) else cut


_SHOWN_MAX = 100


def same_name(names: list[str]) -> str | None:
    """Describe two names that SQL takes for the same; None if all names differ.

    Quoted names keep their case, but DuckDB and Spark ignore it.
    """
    found: dict[str, str] = {}
    for name in names:
        folded = name.lower()
        if folded in found:
            other = found[folded]
            return f'"{name}" twice' if other == name else f'"{other}" and "{name}" for two names'
        found[folded] = name
    return None


def require_integer(argument: str, value: object, *, least: int = 0, most: int = INT64_MAX) -> int:
    """Return the value of an argument, which must be an integer within both limits.

    Raises:
        ArgumentError: it has another type.
    """
    if not is_integer(value, least=least, most=most):
        limits = f"from {least} on" if most == INT64_MAX else f"from {least} to {most}"
        raise ArgumentError(f"{argument} must be an integer {limits}, not {shown(value)}")
    assert isinstance(value, int), "is_integer says so"
    return value


def require_name(argument: str, value: object) -> str:
    """Return the value of an argument, which must be a name.

    Raises:
        ArgumentError: it has another type.
    """
    if not isinstance(value, str) or not is_name(value):
        raise ArgumentError(f"{argument} must be a name, not {shown(value)}")
    return value


def require_path(argument: str, value: object) -> str:
    """Return the value of an argument, which must be a path or a URI, as text or as a Path.

    Raises:
        ArgumentError: it has another type.
    """
    if isinstance(value, str | os.PathLike):
        text: object = os.fspath(value)
        if isinstance(text, str) and is_name(text):
            return text
    raise ArgumentError(f"{argument} must be a path, as text or as a Path, not {shown(value)}")
