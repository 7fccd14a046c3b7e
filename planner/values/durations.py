"""Settings that are durations, read and shown as in PostgreSQL."""

from __future__ import annotations

import re
from functools import lru_cache

from stategate.planner.errors import InvalidValueError

DURATIONS = frozenset(
    {
        "idle_in_transaction_session_timeout",
        "idle_session_timeout",
        "lock_timeout",
        "statement_timeout",
    }
)
"""The settings that are durations; a number without a unit counts milliseconds."""
_MS_MAX = (1 << 31) - 1
_UNITS_MS = {"us": 0.001, "": 1, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_TEXT = re.compile(
    r"\s*([+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?)\s*(\S*)\s*"
)


def canonical_duration(name: str, text: str) -> str:
    """Return a duration in the largest unit that divides it: `5s` for `5000`.

    Raises:
        InvalidValueError: it is not a duration, or negative, or longer than 24 days (22023).
    """
    return _shown(duration_ms(name, text))


@lru_cache(maxsize=256)
def duration_ms(name: str, text: str) -> int:
    """Return the milliseconds of a duration: 250 for `250`, 5000 for `5s`, 90000 for `1.5min`.

    Args:
        name: the setting, for the error.
        text: the duration.

    Raises:
        InvalidValueError: it is not a duration, or negative, or longer than 24 days (22023).
    """
    found = _TEXT.fullmatch(text)
    if found is None or found[2] not in _UNITS_MS:
        raise InvalidValueError(
            f'invalid value for parameter "{name}": "{text[:100]}"',
            hint=None
            if found is None
            else 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".',
        )
    milliseconds = round(float(found[1]) * _UNITS_MS[found[2]])
    if not 0 <= milliseconds <= _MS_MAX:
        raise InvalidValueError(
            f'{milliseconds} ms is outside the valid range for parameter "{name}" (0 .. {_MS_MAX})'
        )
    return milliseconds


def _shown(milliseconds: int) -> str:
    if not milliseconds:
        return "0"
    whole = (unit for unit in ("d", "h", "min", "s") if not milliseconds % _UNITS_MS[unit])
    unit = next(whole, "ms")
    return f"{int(milliseconds // _UNITS_MS[unit])}{unit}"
