"""Turn conditions on the time columns of windows, sessions and versions into times of queries.

Queries count in milliseconds and columns in microseconds, so a query may read slightly more than
the conditions allow; `is_exact` says when it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, structs

from stategate.planner.binding.domains import Domain, End
from stategate.stores.codec.segments import MICROS_MAX
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.windows import SessionTime, TimeRange

TIMES_MAX = 16
"""Maximum number of window starts that are read one by one; more are read as one range."""

_Micros: TypeAlias = int | None
"""Microseconds since 1970; None leaves an end open."""


class TimeBox(Struct, frozen=True, kw_only=True):
    """Limits of the two times of a row; all limits are included."""

    start_low: _Micros = None
    start_high: _Micros = None
    end_low: _Micros = None
    end_high: _Micros = None

    @property
    def window_starts(self) -> TimeRange:
        """Return the range of window starts, from which the ends follow."""
        return TimeRange(start_ms=_floor_ms(self.start_low), end_ms=_ceil_ms(self.start_high))

    @property
    def session_time(self) -> SessionTime:
        """Return the limits of session times."""
        return SessionTime(
            earliest_start_ms=_floor_ms(self.start_low),
            latest_start_ms=_ceil_ms(self.start_high),
            earliest_end_ms=_floor_ms(self.end_low),
            latest_end_ms=_ceil_ms(self.end_high),
        )

    @property
    def valid_since_ms(self) -> int | None:
        """Return the time after which the versions end.

        No upper limit of their starts is set: if it were before the retention, a query would return
        only latest versions, while the relation still has versions that were replaced later.
        """
        # A version ends after its start; one that ends at a time ends after any earlier time.
        before_end = None if self.end_low is None else (self.end_low - 1) // 1000
        known = [time for time in (_floor_ms(self.start_low), before_end) if time is not None]
        return max(known, default=None)


ANY_TIME = TimeBox()


class Times(Struct, frozen=True, kw_only=True):
    """Disjoint boxes, and whether every row in them meets the conditions."""

    boxes: tuple[TimeBox, ...] = (ANY_TIME,)
    is_exact: bool = True


EVER = Times()


def times_of(schema: StoreSchema, domains: Mapping[str, Domain]) -> Times:
    """Return the times that the domains of the time columns allow; no box if they allow none."""
    names = [column.name for column in schema.time_columns]
    if not any(name in domains for name in names):
        return EVER
    first, last = (domains.get(name) for name in names)
    if schema.kind is StoreKind.WINDOW:
        return _windows(first, last, (schema.window_size_ms or 0) * 1000)
    start_low, start_high = _limits(first)
    end_low, end_high = _limits(last)
    box = TimeBox(start_low=start_low, start_high=start_high, end_low=end_low, end_high=end_high)
    return Times(boxes=(box,), is_exact=False)


def _windows(first: Domain | None, last: Domain | None, size_us: int) -> Times:
    """Return the times of windows by their starts; an end is a start plus the size."""
    starts = first or Domain(null=True)
    shifted = starts if last is None else _shifted(last, -size_us)
    values = _both(starts, shifted) if last is not None else starts.values
    if values is not None and len(values) <= TIMES_MAX:
        boxes = [TimeBox(start_low=value, start_high=value) for value in values]
        apart_by_ms = disjoint(boxes, StoreKind.WINDOW)
        return Times(boxes=apart_by_ms, is_exact=all(value % 1000 == 0 for value in values))
    if values is not None:
        box = TimeBox(start_low=min(values), start_high=max(values))
        return Times(boxes=(box,), is_exact=False)
    lows = [end for domain in (starts, shifted) if (end := domain.low) is not None]
    highs = [end for domain in (starts, shifted) if (end := domain.high) is not None]
    box = TimeBox(
        start_low=max((value for value, _ in lows), default=None),
        start_high=min((value for value, _ in highs), default=None),
    )
    return Times(boxes=(box,), is_exact=all(_is_whole(end) for end in (*lows, *highs)))


def _is_whole(end: End) -> bool:
    """Whether a query can express an end exactly."""
    return bool(end[1]) and end[0] % 1000 == 0


def _both(one: Domain, other: Domain) -> tuple[int, ...] | None:
    if one.values is None and other.values is None:
        return None
    listed, limit = (one, other) if one.values is not None else (other, one)
    allowed = None if limit.values is None else set(limit.values)
    return tuple(
        value
        for value in listed.values or ()
        if limit.holds(value) and (allowed is None or value in allowed)
    )


def _shifted(domain: Domain, by_us: int) -> Domain:
    def moved(end: End | None) -> End | None:
        return None if end is None else (end[0] + by_us, end[1])

    values = None if domain.values is None else tuple(v + by_us for v in domain.values)
    return structs.replace(domain, values=values, low=moved(domain.low), high=moved(domain.high))


def _limits(domain: Domain | None) -> tuple[_Micros, _Micros]:
    """Return the least and the greatest time; NULL as an end comes after all times."""
    if domain is None:
        return None, None
    if domain.values is not None:
        values = domain.values
        low = min(values, default=MICROS_MAX if domain.null else None)
        return low, None if domain.null else max(values, default=None)
    low = None if domain.low is None else domain.low[0]
    return low, None if domain.high is None else domain.high[0]


def hull_of(boxes: Sequence[TimeBox]) -> TimeBox:
    """Return the smallest box that contains all of them."""

    def least(values: list[_Micros]) -> _Micros:
        known = [value for value in values if value is not None]
        return min(known) if len(known) == len(values) else None

    def most(values: list[_Micros]) -> _Micros:
        known = [value for value in values if value is not None]
        return max(known) if len(known) == len(values) else None

    return TimeBox(
        start_low=least([box.start_low for box in boxes]),
        start_high=most([box.start_high for box in boxes]),
        end_low=least([box.end_low for box in boxes]),
        end_high=most([box.end_high for box in boxes]),
    )


def disjoint(boxes: Sequence[TimeBox], kind: StoreKind) -> tuple[TimeBox, ...]:
    """Return disjoint boxes with the same rows; those of windows are merged by their starts."""
    if len(boxes) < 2:
        return tuple(boxes)
    if kind is not StoreKind.WINDOW:
        return (hull_of(boxes),)
    ordered = sorted(boxes, key=lambda box: (box.start_low is not None, box.start_low or 0))
    found = [ordered[0]]
    for box in ordered[1:]:
        high_ms, low_ms = _ceil_ms(found[-1].start_high), _floor_ms(box.start_low)
        if high_ms is None or low_ms is None or low_ms <= high_ms:
            found[-1] = hull_of((found[-1], box))
        else:
            found.append(box)
    return tuple(found)


def _floor_ms(micros: _Micros) -> int | None:
    return None if micros is None else micros // 1000


def _ceil_ms(micros: _Micros) -> int | None:
    return None if micros is None else -(-micros // 1000)
