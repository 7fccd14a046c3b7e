"""Domains: the values that a column can have once the parameters are known, as a list or a range.

It also defines the order of keys in intervals: NULL comes before all values, NaN after all numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from stategate.planner.binding.predicates import (
    Compares,
    Condition,
    Equals,
    OneOf,
    fitted,
    fitted_values,
)
from stategate.planner.values.comparison_bounds import Fitted, Outside
from stategate.stores.codec.rows import row_getter
from stategate.stores.spec.query import EVERYTHING, Interval
from stategate.stores.spec.schema import Key, Row, Value

End: TypeAlias = tuple[Value, bool]
"""A value, and whether the range includes it."""
Place: TypeAlias = tuple[tuple[int, Value], ...]
"""A place in the order of keys: a key comes after the place of each of its prefixes."""

_NO_LIMITS: tuple[End | None, End | None] = None, None
_FIRST: Place = ()
_BEHIND_KEYS = (3, 0)
"""After every value that can continue a key."""
_LAST: Place = ((4, 0),)


def sortable(value: Value) -> tuple[int, Value]:
    """Return a value that Python orders as SQL orders the original."""
    if value is None:
        return 0, 0
    return (2, 0) if is_nan(value) else (1, value)


def is_nan(value: Value) -> bool:
    """Whether a value is NaN."""
    return isinstance(value, float) and math.isnan(value)


class Domain(Struct, frozen=True, kw_only=True):
    """The values that a column can have."""

    values: tuple[Value, ...] | None = None
    """The only values, each once; None for all values between the ends."""
    null: bool = False
    """Whether the column can be NULL."""
    low: End | None = None
    high: End | None = None

    def holds(self, value: Value) -> bool:
        """Whether a value that is not NULL lies between the ends."""
        at = sortable(value)
        if self.low is not None:
            low = sortable(self.low[0])
            if at < low or (at == low and not self.low[1]):
                return False
        if self.high is not None:
            high = sortable(self.high[0])
            return at < high or (at == high and self.high[1])
        return True

    @property
    def fixed(self) -> tuple[Value, ...] | None:
        """Return all values, including NULL; None if they cannot be listed."""
        if self.values is None:
            return None
        return (None, *self.values) if self.null else self.values

    @property
    def is_empty(self) -> bool:
        """Whether no value is left."""
        if self.null:
            return False
        if self.values is not None:
            return not self.values
        if self.low is None or self.high is None:
            return False
        low, high = sortable(self.low[0]), sortable(self.high[0])
        return low > high or (low == high and not (self.low[1] and self.high[1]))


def domains(conditions: Iterable[Condition], parameters: Row) -> dict[str, Domain] | None:
    """Return the domain of each column in the conditions; None if one of them is empty.

    For a condition on several columns, each column is considered alone.

    Raises:
        MismatchedTypeError: a parameter does not have its declared type.
    """
    return domain_reader(conditions)(parameters)


def domain_reader(conditions: Iterable[Condition]) -> Callable[[Row], dict[str, Domain] | None]:
    """Return `domains` of these conditions as a function of the parameters."""
    by_column: dict[str, list[Condition]] = {}
    for condition in conditions:
        for column in condition.columns:
            by_column.setdefault(column, []).append(condition)
    readers = [(column, _column_reader(column, held)) for column, held in by_column.items()]

    def read(parameters: Row) -> dict[str, Domain] | None:
        found: dict[str, Domain] = {}
        for column, domain_of in readers:
            domain = domain_of(parameters)
            if domain is None or domain.is_empty:
                return None
            found[column] = domain
        return found

    return read


def _column_reader(column: str, conditions: Sequence[Condition]) -> Callable[[Row], Domain | None]:
    """Return the function from the parameters to the domain of one column."""
    lists = [lister(c, column) for c in conditions if isinstance(c, Equals | OneOf)]
    ends = [c for c in conditions if isinstance(c, Compares)]
    null = all(isinstance(c, Equals) and c.null for c in conditions)

    def domain_of(parameters: Row) -> Domain | None:
        listed = [values_of(parameters) for values_of in lists]
        limits = _limits(ends, parameters) if ends else _NO_LIMITS
        if limits is None:
            return None
        low, high = limits
        if not listed:
            return Domain(null=null, low=low, high=high)
        values = listed[0]
        for other in listed[1:]:
            kept = set(map(sortable, other))
            values = tuple([value for value in values if sortable(value) in kept])
        if ends:
            between = Domain(low=low, high=high)
            values = tuple([value for value in values if between.holds(value)])
        return Domain(values=values, null=null)

    return domain_of


def lister(condition: Equals | OneOf, column: str) -> Callable[[Row], tuple[Value, ...]]:
    """Return the function from the parameters to a column's values, each once and without NULL."""
    if isinstance(condition, OneOf):
        at = condition.columns.index(column)
        rows_of = condition.values
        return lambda parameters: tuple(dict.fromkeys([row[at] for row in rows_of(parameters)]))
    known, operands = condition.known, condition.operands
    if known is not None:
        return lambda _: known
    places = [each.place for each in operands if each.place is not None and each.fit is Fitted]
    if len(places) == len(operands):
        take = row_getter(places)
        return lambda parameters: _distinct(take(parameters))
    if len(operands) == 1 and operands[0].is_list and operands[0].fit is Fitted:
        return lambda parameters: _distinct(tuple(operands[0].values(parameters)))
    return lambda parameters: tuple(dict.fromkeys(fitted_values(operands, parameters)))


def _distinct(values: Row) -> Row:
    """Return the values that are not NULL, each once."""
    if len(values) == 1:
        return () if values[0] is None else values
    found = dict.fromkeys(values)
    found.pop(None, None)
    return tuple(found)


def _limits(
    conditions: Sequence[Compares], parameters: Row
) -> tuple[End | None, End | None] | None:
    """Return the greatest lower and the least upper end; None if no value can meet both."""
    low: End | None = None
    high: End | None = None
    for condition in conditions:
        found = fitted(condition.operand, parameters)
        if found is None:
            return None
        operator = condition.operator
        is_lower, inclusive = operator[0] == ">", len(operator) == 2
        if isinstance(found, Outside):
            if found is (Outside.ABOVE if is_lower else Outside.BELOW):
                return None
        elif is_lower:
            end = found.value, inclusive and found.exact
            low = end if low is None else max(low, end, key=_low_rank)
        else:
            end = found.value, inclusive or not found.exact
            high = end if high is None else min(high, end, key=_high_rank)
    return low, high


def _low_rank(end: End) -> tuple[tuple[int, Value], bool]:
    return sortable(end[0]), not end[1]


def _high_rank(end: End) -> tuple[tuple[int, Value], bool]:
    return sortable(end[0]), end[1]


# Intervals of keys


class Span(Struct, frozen=True, kw_only=True):
    """An interval of keys as two places: the first is included, the last is not."""

    start: Place
    stop: Place
    interval: Interval

    @property
    def is_empty(self) -> bool:
        """Whether it contains no key."""
        return self.start >= self.stop


def span_of(interval: Interval) -> Span:
    """Return the places of the ends of an interval."""
    start, stop = _FIRST, _LAST
    if interval.lower is not None:
        start = place_of(interval.lower)
        if not interval.lower_inclusive:
            start = (*start, _BEHIND_KEYS)
    if interval.upper is not None:
        stop = place_of(interval.upper)
        if interval.upper_inclusive:
            stop = (*stop, _BEHIND_KEYS)
    return Span(start=start, stop=stop, interval=interval)


def place_of(key: Key) -> Place:
    """Return the place of a key, or of the first key with this prefix."""
    return tuple(map(sortable, key))


def united(one: Span, other: Span) -> Span:
    """Return the span from the start of `one`, which begins first, to the later of both ends."""
    if other.stop <= one.stop:
        return one
    interval = Interval(
        lower=one.interval.lower,
        lower_inclusive=one.interval.lower_inclusive,
        upper=other.interval.upper,
        upper_inclusive=other.interval.upper_inclusive,
    )
    return Span(start=one.start, stop=other.stop, interval=interval)


def interval_after(prefix: Key, domain: Domain | None) -> Interval:
    """Return the keys with a prefix whose next column is in a domain that is a range."""
    if domain is None:
        return Interval(lower=prefix, upper=prefix) if prefix else EVERYTHING
    low, high = domain.low, domain.high
    if low is None and not domain.null:
        low = (None, False)  # NULLs sort first
    lower = (*prefix, low[0]) if low is not None else prefix or None
    upper = (*prefix, high[0]) if high is not None else prefix or None
    if lower is None and upper is None:
        return EVERYTHING
    return Interval(
        lower=lower,
        upper=upper,
        lower_inclusive=low is None or low[1],
        upper_inclusive=high is None or high[1],
    )


def hull(domain: Domain) -> Domain:
    """Return the smallest range that contains a list of values."""
    assert domain.values is not None, "the domain is a list"
    if not domain.values:
        return Domain(null=domain.null, high=(None, True))
    ordered = sorted(domain.values, key=sortable)
    low = None if domain.null else (ordered[0], True)
    return Domain(null=domain.null, low=low, high=(ordered[-1], True))
