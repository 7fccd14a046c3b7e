"""From conditions to access: which typed queries, to which partitions, can answer them.

An access reads every row that its conditions allow, and perhaps more. All key columns fixed: a
lookup, routed by the key's hash. A prefix of the key fixed, or an interval on the next column: a
range. Windows, sessions and versions take a time range beside. Nothing of that: a scan.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from planner.fit import Fitted, Outside
from planner.predicates import (
    IN_LIST_MAX,
    Compares,
    Condition,
    Equals,
    Operand,
    fitted,
    fitted_value,
)
from planner.times import session_time, valid_since
from stores.query import (
    EVERYTHING,
    BatchStream,
    Interval,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
    SessionKeyQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)
from stores.schema import Key, Row, StoreKind, StoreSchema, Value
from stores.sessions import SessionRangeQuery
from stores.versions import MultiVersionedKeyQuery, VersionedRangeQuery

Route: TypeAlias = Callable[[Key], int]
"""The partition that a key lies in."""
Target: TypeAlias = tuple[int, Query[BatchStream]]
"""A partition and what it is asked."""
_OfKey: TypeAlias = Callable[[Key], Query[BatchStream]]
_OfRange: TypeAlias = Callable[[Interval], Query[BatchStream]]

_READ_NAMES = {
    StoreKind.WINDOW: "window ",
    StoreKind.SESSION: "session ",
    StoreKind.VERSIONED: "version ",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reads:
    """The queries that read one kind of store."""

    of_key: _OfKey | None
    """Of one key; None if many keys can be had with one query."""
    of_range: _OfRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How one relation of a statement is read; the parameters are still open."""

    schema: StoreSchema
    columns: tuple[str, ...]
    """What is decoded."""
    keys: tuple[Equals, ...] = ()
    """The leading key columns that are fixed; all of them make a lookup."""
    bounds: tuple[Compares, ...] = ()
    """Comparisons on the key column behind them."""
    times: tuple[Condition, ...] = ()
    """Conditions on the time columns."""
    partitions: tuple[Condition, ...] = ()
    """Conditions on _partition."""
    order: Order = Order.ASCENDING
    limit: int | None = None

    @property
    def is_lookup(self) -> bool:
        """Whether every key column is fixed."""
        return len(self.keys) == len(self.schema.key)

    @property
    def single_key(self) -> tuple[Operand, ...] | None:
        """The operands of a lookup of one key of a keyvalue store; None for any other access."""
        plain = self.schema.kind in {StoreKind.KEYVALUE, StoreKind.GLOBAL}
        if not plain or not self.is_lookup or self.partitions:
            return None
        if not all(equals.is_single for equals in self.keys):
            return None
        return tuple(equals.operands[0] for equals in self.keys)

    def decides(self, conditions: Iterable[Condition]) -> bool:
        """Whether the access reads exactly the rows that meet all the conditions."""
        mine = [*self.keys, *self.bounds, *self.times, *self.partitions]
        times = {column.name for column in self.schema.time_columns}
        if self.schema.kind in {StoreKind.SESSION, StoreKind.VERSIONED} and self.times:
            return False  # see planner.times
        return all(
            any(condition is held for held in mine)
            and not _is_wide(condition, is_time=condition.column in times)
            for condition in conditions
        )

    def targets(self, parameters: Row, route: Route) -> list[Target]:
        """The queries for these parameters; none if no row can match.

        Raises:
            QueryError: a parameter has not the type that was agreed on.
        """
        reads = self._reads(parameters)
        if reads is None:
            return []
        allowed = _allowed_partitions(self.partitions, self.schema, parameters)
        keys = _keys(self.keys, parameters) if self.is_lookup else None
        if keys is not None:
            targets = self._lookup(keys, route, reads.of_key)
        else:
            targets = self._range(parameters, reads.of_range)
        return [target for target in targets if target[0] in allowed]

    def _lookup(self, keys: list[Key], route: Route, of_key: _OfKey | None) -> list[Target]:
        if of_key is not None:
            return [(route(key), of_key(key)) for key in keys]
        by_partition: dict[int, list[Key]] = {}
        for key in keys:
            by_partition.setdefault(route(key), []).append(key)
        return [
            (partition, KeysQuery(keys=tuple(found), columns=self.columns))
            for partition, found in sorted(by_partition.items())
        ]

    def _range(self, parameters: Row, of_range: _OfRange) -> list[Target]:
        # Of keys that are too many to look up, those before the first list still make a prefix.
        prefix = tuple(itertools.takewhile(lambda key: key.is_single, self.keys))
        interval = _interval(prefix, self.bounds, parameters)
        if interval is None:
            return []
        query = of_range(interval)
        queries = [query]
        if self.limit is not None and interval.lower is None and isinstance(query, RangeQuery):
            # The first rows in key order begin with NULLs, which may be last in the statement's.
            nulls = Interval(lower=(None,), upper=(None,))
            rest = Interval(lower=(None,), lower_inclusive=False)
            queries = [replace(query, interval=nulls), replace(query, interval=rest)]
        return [(p, query) for p in range(self.schema.partitions) for query in queries]

    def _reads(self, parameters: Row) -> _Reads | None:
        """The queries of the store's kind; None if no time meets the conditions."""
        match self.schema.kind:
            case StoreKind.WINDOW:
                time = _time_range(self.times, self.schema, parameters)
                return None if time is None else self._window_reads(time)
            case StoreKind.SESSION:
                ends = session_time(self.times, parameters)
                return None if ends is None else self._session_reads(ends)
            case StoreKind.VERSIONED:
                since = valid_since(self.times, parameters)
                return None if since is None else self._version_reads(since.from_ms)
            case _:
                order, limit, columns = self.order, self.limit, self.columns
                return _Reads(
                    of_key=None,
                    of_range=lambda interval: RangeQuery(
                        interval=interval, order=order, limit=limit, columns=columns
                    ),
                )

    def _window_reads(self, time: TimeRange) -> _Reads:
        order, limit, columns = self.order, self.limit, self.columns
        return _Reads(
            of_key=lambda key: WindowKeyQuery(
                key=key, time=time, order=order, limit=limit, columns=columns
            ),
            of_range=lambda interval: WindowRangeQuery(
                interval=interval, time=time, order=order, limit=limit, columns=columns
            ),
        )

    def _session_reads(self, time: SessionTime) -> _Reads:
        order, limit, columns = self.order, self.limit, self.columns
        return _Reads(
            of_key=lambda key: SessionKeyQuery(
                key=key, time=time, order=order, limit=limit, columns=columns
            ),
            of_range=lambda interval: SessionRangeQuery(
                interval=interval, time=time, order=order, limit=limit, columns=columns
            ),
        )

    def _version_reads(self, from_ms: int | None) -> _Reads:
        order, limit, columns = self.order, self.limit, self.columns
        return _Reads(
            of_key=lambda key: MultiVersionedKeyQuery(
                key=key, from_ms=from_ms, order=order, limit=limit, columns=columns
            ),
            of_range=lambda interval: VersionedRangeQuery(
                interval=interval, from_ms=from_ms, order=order, limit=limit, columns=columns
            ),
        )

    def describe(self) -> str:
        """One line: what is read, by which conditions, of how many partitions."""
        windows = _READ_NAMES.get(self.schema.kind, "")
        conditions = [*self.keys, *self.bounds, *self.times, *self.partitions]
        if self.is_lookup:
            count = math.prod(len(equals.operands) for equals in self.keys)
            name = f"{windows}lookup"
            where = "1 partition" if count == 1 else f"the partitions of {count} keys"
            if any(operand.is_list for equals in self.keys for operand in equals.operands):
                where = "the partitions of the keys"
        else:
            name = f"{windows}range" if self.keys or self.bounds or self.times else "scan"
            where = f"{self.schema.partitions} partitions"
        parts = [f"{name} {self.schema.name}"]
        if conditions:
            parts.append(" and ".join(describe_condition(c) for c in conditions))
        if self.limit is not None:
            parts.append(f"first {self.limit} in {self.order.value} key order")
        parts.append(f"columns {', '.join(self.columns)}")
        parts.append(f"on {where}")
        return "; ".join(parts)


def _is_wide(condition: Condition, *, is_time: bool) -> bool:
    """Whether an access may read more for a condition than it allows.

    Several times are read as one range; an array may be so long that its keys are not looked up.
    """
    if isinstance(condition, Compares):
        return False
    return any(operand.is_list for operand in condition.operands) or (
        is_time and len(condition.operands) > 1
    )


def describe_condition(condition: Condition) -> str:
    """A condition as SQL."""
    if isinstance(condition, Compares):
        return f"{condition.column} {condition.operator} {condition.operand.text}"
    texts = [operand.text for operand in condition.operands]
    if len(texts) == 1:
        return f"{condition.column} = {texts[0]}"
    shown = ", ".join(texts[:5]) + (f", … {len(texts)} values" if len(texts) > 5 else "")
    return f"{condition.column} in ({shown})"


def plan_access(
    schema: StoreSchema, conditions: Sequence[Condition], columns: tuple[str, ...]
) -> Access:
    """The access with the fewest reads that still reads every row the conditions allow."""
    equals: dict[str, Equals] = {}
    for condition in conditions:
        if isinstance(condition, Equals):
            held = equals.get(condition.column)
            if held is None or len(condition.operands) < len(held.operands):
                equals[condition.column] = condition
    keys: list[Equals] = []
    for column in schema.key:
        if column.name not in equals:
            break
        keys.append(equals[column.name])
    if len(keys) == len(schema.key):
        if math.prod(len(key.operands) for key in keys) > IN_LIST_MAX:
            keys = []
    else:
        # A range needs one value per fixed column.
        keys = list(itertools.takewhile(lambda key: key.is_single, keys))
    bounds: tuple[Compares, ...] = ()
    if len(keys) < len(schema.key):
        behind = schema.key[len(keys)].name
        bounds = tuple(c for c in conditions if isinstance(c, Compares) and c.column == behind)
    times = {column.name for column in schema.time_columns}
    return Access(
        schema=schema,
        columns=columns,
        keys=tuple(keys),
        bounds=bounds,
        times=tuple(c for c in conditions if c.column in times),
        partitions=tuple(c for c in conditions if c.column == "_partition"),
    )


def _keys(equals: Sequence[Equals], parameters: Row) -> list[Key] | None:
    """Every key that the conditions name, each once; None if there are too many to look up.

    Those that no column can hold are left out.
    """
    columns = [list(_values(each, parameters)) for each in equals]
    if math.prod(len(column) for column in columns) > IN_LIST_MAX:
        return None
    return list(dict.fromkeys(itertools.product(*columns)))


def _values(equals: Equals, parameters: Row) -> Iterable[Value]:
    for operand in equals.operands:
        for value in operand.values(parameters):
            found = fitted_value(operand, value)
            if isinstance(found, Fitted) and found.exact:
                yield found.value


def _interval(
    keys: Sequence[Equals], bounds: Sequence[Compares], parameters: Row
) -> Interval | None:
    """The interval of keys, or None if it is empty."""
    prefix: Key = ()
    for equals in keys:
        values = list(_values(equals, parameters))
        if not values:
            return None
        prefix += (values[0],)
    low, high = _ends(bounds, parameters)
    if low is _EMPTY or high is _EMPTY:
        return None
    if low is None and high is not None:
        low = (None, False)  # a comparison holds for no NULL, and NULLs sort first
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


_End: TypeAlias = tuple[Value, bool]
"""A value, and whether it is in."""
_EMPTY: _End = (None, True)
"""Stands for an end that no value meets."""


def _ends(bounds: Sequence[Compares], parameters: Row) -> tuple[_End | None, _End | None]:
    """The tightest lower and upper end of all comparisons; None where there is none."""
    lows: list[_End] = []
    highs: list[_End] = []
    for bound in bounds:
        found = fitted(bound.operand, parameters)
        is_lower = bound.operator[0] == ">"
        if found is None or found is (Outside.ABOVE if is_lower else Outside.BELOW):
            return _EMPTY, _EMPTY
        if isinstance(found, Outside):
            continue
        inclusive = len(bound.operator) == 2
        if is_lower:
            lows.append((found.value, inclusive and found.exact))
        else:
            highs.append((found.value, inclusive or not found.exact))
    low = max(lows, key=lambda end: (_Sorted(end[0]), not end[1]), default=None)
    high = min(highs, key=lambda end: (_Sorted(end[0]), end[1]), default=None)
    return low, high


@dataclass(frozen=True, slots=True)
class _Sorted:
    """A value in SQL's order, in which NaN is the greatest number."""

    value: Value

    def __lt__(self, other: _Sorted) -> bool:
        if self.value != self.value:
            return False
        if other.value != other.value:
            return True
        return bool(self.value < other.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Sorted):
            return NotImplemented
        return not self < other and not other < self

    __hash__ = None  # type: ignore[assignment]


def _time_range(
    conditions: Sequence[Condition], schema: StoreSchema, parameters: Row
) -> TimeRange | None:
    """Window starts in milliseconds that the conditions allow; None if there are none."""
    starts: list[int] = []
    ends: list[int] = []
    for condition in conditions:
        shift_us = (schema.window_size_ms or 0) * 1000 if condition.column == "window_end" else 0
        if isinstance(condition, Equals):
            micros = [value - shift_us for value in _values(condition, parameters)]
            if not micros:
                return None
            starts.append(-(-min(micros) // 1000))
            ends.append(max(micros) // 1000)
            continue
        found = fitted(condition.operand, parameters)
        is_lower = condition.operator[0] == ">"
        if found is None or found is (Outside.ABOVE if is_lower else Outside.BELOW):
            return None
        if isinstance(found, Outside):
            continue  # true of every time that a column holds
        value = found.value - shift_us
        match condition.operator:
            case ">=":
                starts.append(-(-value // 1000))
            case ">":
                starts.append(value // 1000 + 1)
            case "<=":
                ends.append(value // 1000)
            case _:
                ends.append(-(-value // 1000) - 1)
    return TimeRange(start_ms=max(starts, default=None), end_ms=min(ends, default=None))


def _allowed_partitions(
    conditions: Sequence[Condition], schema: StoreSchema, parameters: Row
) -> set[int]:
    allowed = set(range(schema.partitions))
    for condition in conditions:
        if isinstance(condition, Equals):
            allowed &= set(_values(condition, parameters))
            continue
        low, high = _ends([condition], parameters)
        if low is _EMPTY or high is _EMPTY:
            return set()
        if low is not None:
            allowed = {p for p in allowed if p > low[0] or (low[1] and p == low[0])}
        if high is not None:
            allowed = {p for p in allowed if p < high[0] or (high[1] and p == high[0])}
    return allowed
