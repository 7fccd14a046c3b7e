"""What queries by name answer, by plain Python over the rows of the stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from stategate.stores.codec.partitioner import partitioner
from stategate.stores.codec.segments import Segments
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from tests.fuzz.ways.nodes import World

Arguments: TypeAlias = Mapping[str, Any]
"""Physical values by name."""
_OF_ONE_KEY = frozenset(
    {"key", "timestamped_key", "window_key", "session_key", "versioned_key", "multi_versioned_key"}
)
_SESSION_LIMITS: Mapping[str, Callable[[int, int, int], bool]] = {
    "earliest_start_ms": lambda start, end, limit: start >= limit,
    "latest_start_ms": lambda start, end, limit: start <= limit,
    "earliest_end_ms": lambda start, end, limit: end >= limit,
    "latest_end_ms": lambda start, end, limit: end <= limit,
}


class Expected:
    """The answers to queries of one store, by their definition.

    Args:
        world: the stores.
        schema: the one that is asked.
    """

    def __init__(self, world: World, schema: StoreSchema) -> None:
        self._schema, self._width = schema, len(schema.key)
        self._rows = world.rows_of(schema.name)
        self.partitions = schema.partitions
        self._facts = world.facts[schema.name]
        self.partition_of = partitioner(schema.key, schema.partitions)

    def is_refused(self, name: str, given: Arguments) -> bool:
        """Whether the arguments are no such query."""
        low, high = given.get("from_ms"), given.get("to_ms")
        prefix, text = given.get("prefix") or (), given.get("text")
        has_text = len(prefix) < self._width and str(self._schema.key[len(prefix)].type) == "text"
        return (
            (given.get("limit") or 0) < 0
            or str(given.get("order") or "asc").lower() not in {"asc", "desc"}
            or () in (given.get("lower"), given.get("upper"))
            or (low is not None and high is not None and low > high)
            or not {*(given.get("columns") or ())} <= {*self._schema.column_by_name}
            or (name == "prefix" and not prefix and text is None)
            or (name == "prefix" and text is not None and not has_text)
        )

    def rows(self, name: str, given: Arguments, asked: Sequence[int]) -> dict[int, list[Row]]:
        """Return the rows of each of some partitions, in their order."""
        found: dict[int, list[Row]] = {number: [] for number in asked}
        for row in self._rows:
            number = self.partition_of(row[: self._width])
            if number in found and self._is_meant(name, given, row):
                found[number].append(row)
        default = "desc" if name == "multi_versioned_key" else "asc"
        is_down = str(given.get("order") or default).lower() == "desc"
        for number, rows in found.items():
            rows.sort(key=self._place, reverse=is_down)
            found[number] = [self._shown(name, given, row) for row in rows[: given.get("limit")]]
        return found

    def _is_meant(self, name: str, given: Arguments, row: Row) -> bool:
        key = row[: self._width]
        if name in _OF_ONE_KEY:
            is_meant = key == given["key"]
        elif name == "keys":
            is_meant = key in given["keys"]
        elif name == "prefix":
            is_meant = _begins(key, given.get("prefix") or (), given.get("text"))
        else:
            is_meant = _lies_in(key, given)
        return is_meant and self._is_timely(name, given, row)

    def _is_timely(self, name: str, given: Arguments, row: Row) -> bool:
        """Whether a row has the time that is asked for; milliseconds mean that instant."""
        kind = self._schema.kind
        if kind in {StoreKind.KEYVALUE, StoreKind.GLOBAL} or name in {"prefix", "count"}:
            return True
        begins: Any = row[self._width]
        ends: Any = row[self._width + 1]
        if kind is StoreKind.WINDOW:
            return _between(begins, given.get("start_ms"), given.get("end_ms"))
        if kind is StoreKind.SESSION:
            return all(
                holds(begins, ends, given[limit] * 1000)
                for limit, holds in _SESSION_LIMITS.items()
                if given.get(limit) is not None
            )
        if name == "versioned_key":
            at = given.get("as_of_ms")
            if at is None:
                return ends is None
            return bool(begins <= at * 1000 and (ends is None or at * 1000 < ends))
        low, high = given.get("from_ms"), given.get("to_ms")
        is_open = low is None or ends is None or ends > low * 1000
        return bool(is_open and (high is None or begins <= high * 1000))

    def _place(self, row: Row) -> tuple[Any, ...]:
        """Return what rows of a partition are ordered by."""
        key = _sortable(row[: self._width])
        times = row[self._width : self._width + len(self._schema.time_columns)]
        number_of = Segments.of(self._schema).number_of
        match self._schema.kind:
            case StoreKind.WINDOW:
                return (number_of(times[0]), key, times[0])
            case StoreKind.SESSION:
                return (number_of(times[1]), key, times[1], times[0])
            case StoreKind.VERSIONED:
                return (key, times[0])
            case _:
                return (key,)

    def _shown(self, name: str, given: Arguments, row: Row) -> Row:
        """Return the columns of a row that the query gives."""
        values = dict(zip([c.name for c in self._schema.columns], row, strict=True))
        values["_partition"] = self.partition_of(row[: self._width])
        identity = row[: self._width + len(self._schema.time_columns)]
        values["_timestamp"], values["_epoch"] = self._facts[identity]
        names: list[str] = [column.name for column in self._schema.columns]
        if given.get("columns") is not None:
            names = list(given["columns"])
        elif name.startswith("timestamped"):
            names = [*names, "_timestamp"]
        elif name == "versioned_key":
            names = [c.name for c in (*self._schema.key, *self._schema.value)]
            names += ["valid_from", "valid_to"]
        return tuple(values[each] for each in names)


def _sortable(key: Row) -> tuple[Any, ...]:
    """Return a key or the beginning of one, so that it sorts as in SQL with NULLs first."""
    return tuple((value is not None, value) for value in key)


def _begins(key: Row, prefix: Row, text: str | None) -> bool:
    if key[: len(prefix)] != tuple(prefix):
        return False
    if text is None:
        return True
    next_value = key[len(prefix)]
    return isinstance(next_value, str) and next_value.startswith(text)


def _lies_in(key: Row, given: Arguments) -> bool:
    lower, upper = given.get("lower"), given.get("upper")
    if lower is not None:
        head, low = _sortable(key[: len(lower)]), _sortable(lower)
        if head < low or (head == low and given.get("lower_inclusive") is False):
            return False
    if upper is not None:
        head, high = _sortable(key[: len(upper)]), _sortable(upper)
        if head > high or (head == high and given.get("upper_inclusive") is False):
            return False
    return True


def _between(time_us: int, first_ms: int | None, last_ms: int | None) -> bool:
    if first_ms is not None and time_us < first_ms * 1000:
        return False
    return last_ms is None or time_us <= last_ms * 1000
