"""Conditions on the time columns of sessions and versions, as the times that queries can take.

Queries count in milliseconds and columns in microseconds, so what is read may be a little wider
than what is asked for: these conditions are always evaluated again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planner.fit import Fitted, Outside
from planner.predicates import Compares, Condition, Equals, fitted, fitted_value
from stores.query import SessionTime
from stores.schema import VALID_FROM, VALID_TO, WINDOW_END, WINDOW_START, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """The least and the greatest value that conditions allow in a column, in microseconds."""

    low_us: int | None = None
    high_us: int | None = None

    @property
    def first_ms(self) -> int | None:
        """The last millisecond that is not behind the least."""
        return None if self.low_us is None else self.low_us // 1000

    @property
    def last_ms(self) -> int | None:
        """The first millisecond that is not before the greatest."""
        return None if self.high_us is None else -(-self.high_us // 1000)


def session_time(conditions: Sequence[Condition], parameters: Row) -> SessionTime | None:
    """What the conditions allow of the ends of a session; None if they allow nothing."""
    starts = _limits(conditions, WINDOW_START.name, parameters)
    ends = _limits(conditions, WINDOW_END.name, parameters)
    if starts is None or ends is None:
        return None
    return SessionTime(
        earliest_start_ms=starts.first_ms,
        latest_start_ms=starts.last_ms,
        earliest_end_ms=ends.first_ms,
        latest_end_ms=ends.last_ms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidSince:
    """Versions that end behind a time; None sets no limit."""

    from_ms: int | None


def valid_since(conditions: Sequence[Condition], parameters: Row) -> ValidSince | None:
    """Behind which time the versions end that the conditions allow; None if they allow nothing.

    No time is given up to which they begin: a query with one that is behind the retention finds
    only latest versions, while a relation still shows what was replaced after it.
    """
    starts = _limits(conditions, VALID_FROM.name, parameters)
    ends = _limits(conditions, VALID_TO.name, parameters)
    if starts is None or ends is None:
        return None
    # A version ends behind its start, and one that ends at a time ends behind any before it.
    before_end = None if ends.low_us is None else (ends.low_us - 1) // 1000
    known = [time for time in (starts.first_ms, before_end) if time is not None]
    return ValidSince(from_ms=max(known, default=None))


def _limits(conditions: Iterable[Condition], column: str, parameters: Row) -> _Limits | None:
    lows: list[int] = []
    highs: list[int] = []
    for condition in conditions:
        if condition.column != column:
            continue
        if isinstance(condition, Equals):
            micros = list(_values(condition, parameters))
            if not micros:
                return None
            lows.append(min(micros))
            highs.append(max(micros))
        elif not _add_limit(condition, parameters, lows, highs):
            return None
    return _Limits(low_us=max(lows, default=None), high_us=min(highs, default=None))


def _add_limit(condition: Compares, parameters: Row, lows: list[int], highs: list[int]) -> bool:
    """Whether any value can meet the comparison; if so, its limit is added to the others."""
    found = fitted(condition.operand, parameters)
    is_lower = condition.operator[0] == ">"
    if isinstance(found, Fitted):
        (lows if is_lower else highs).append(found.value)
        return True
    return found is not None and found is not (Outside.ABOVE if is_lower else Outside.BELOW)


def _values(equals: Equals, parameters: Row) -> Iterable[int]:
    for operand in equals.operands:
        for value in operand.values(parameters):
            found = fitted_value(operand, value)
            if isinstance(found, Fitted) and found.exact:
                yield found.value
