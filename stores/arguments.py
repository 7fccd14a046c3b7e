"""What a caller passes, looked at before any of it is used.

Only questions and their words; what an answer means to the caller, its own error says.
"""

from __future__ import annotations

import re

_NAME_TEXT = re.compile("[^\0\ud800-\udfff]+")


def is_integer(value: object, *, least: int, most: int) -> bool:
    """Whether a value is an `int`, and no `bool`, within both limits."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_name(value: object) -> bool:
    """Whether a value can be the name of a column, a field or an input.

    PostgreSQL knows no empty names, and none with NUL; half a surrogate pair has no UTF-8.
    """
    return isinstance(value, str) and _NAME_TEXT.fullmatch(value) is not None


def shown(value: object) -> str:
    """A value as an error shows it: text in quotes, anything else as Python writes it."""
    text = value if isinstance(value, str) else repr(value)
    cut = text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"
    return f'"{cut}"' if isinstance(value, str) else cut


_SHOWN_MAX = 100


def same_name(names: list[str]) -> str | None:
    """What is wrong with names of which SQL takes two for one; None if it tells all apart.

    Quoted names keep their case, but DuckDB and Spark do not mind it.
    """
    found: dict[str, str] = {}
    for name in names:
        folded = name.lower()
        if folded in found:
            other = found[folded]
            return f'"{name}" twice' if other == name else f'"{other}" and "{name}" for two names'
        found[folded] = name
    return None
