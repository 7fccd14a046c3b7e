"""The queries of this package by name, so that clients can ask them as they ask registered ones.

The names are those of the types: `KeyQuery` is `key`, `WindowRangeQuery` is `window_range`. Times
are epoch milliseconds. A query that answers with one row gives rows here, too, at most one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from stategate.planner.errors import InvalidValueError
from stategate.stores.spec.query import (
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    TimestampedRow,
)
from stategate.stores.spec.scans import ApproximateCountQuery, CountQuery, PrefixQuery
from stategate.stores.spec.schema import Column, DataType, Kind, Row, StoreKind, StoreSchema
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
    VersionedRow,
)
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)


class Shape(Enum):
    """The shapes of arguments."""

    VALUE = "a value"
    KEY = "a whole key"
    KEYS = "a list of whole keys"
    PREFIX = "a key, or its first columns"


BIGINT = DataType(kind=Kind.BIGINT)
TEXT = DataType(kind=Kind.TEXT)
BOOLEAN = DataType(kind=Kind.BOOLEAN)
TEXTS = DataType.parse("text[]")
Arguments: TypeAlias = Mapping[str, Any]
"""Physical values by name."""
ArgumentType: TypeAlias = DataType | Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedQuery:
    """A query of this package, as clients ask it by name."""

    name: str
    about: str
    arguments: Mapping[str, ArgumentType]
    required: frozenset[str]
    build: Callable[[Arguments], Query[Any]]
    result: DataType | None
    """The type of its value; None for rows."""


_RANGE: Mapping[str, ArgumentType] = {
    "lower": Shape.PREFIX,
    "upper": Shape.PREFIX,
    "lower_inclusive": BOOLEAN,
    "upper_inclusive": BOOLEAN,
}
_ROWS: Mapping[str, ArgumentType] = {"order": TEXT, "limit": BIGINT, "columns": TEXTS}


def _interval(given: Arguments) -> Interval:
    return Interval(
        lower=given.get("lower"),
        upper=given.get("upper"),
        lower_inclusive=given.get("lower_inclusive", True) is not False,
        upper_inclusive=given.get("upper_inclusive", True) is not False,
    )


def _rows(given: Arguments, default: Order = Order.ASCENDING) -> dict[str, Any]:
    columns = given.get("columns")
    return {
        "order": _order(given.get("order"), default),
        "limit": given.get("limit"),
        "columns": None if columns is None else tuple(columns),
    }


def _order(text: object, default: Order) -> Order:
    if text is None:
        return default
    try:
        return Order(str(text).lower())
    except ValueError:
        raise InvalidValueError(f'order "{str(text)[:20]}" is neither asc nor desc') from None


def _range(given: Arguments) -> dict[str, Any]:
    return {"interval": _interval(given), **_rows(given)}


def _times(given: Arguments, *names: str) -> dict[str, Any]:
    return {name: given.get(name) for name in names}


_SESSION_TIMES = ("earliest_start_ms", "latest_start_ms", "earliest_end_ms", "latest_end_ms")


def _query(
    name: str,
    about: str,
    build: Callable[[Arguments], Query[Any]],
    *needed: str,
    arguments: Mapping[str, ArgumentType],
    result: DataType | None = None,
) -> ShippedQuery:
    return ShippedQuery(
        name=name,
        about=about,
        arguments=arguments,
        required=frozenset(needed),
        build=build,
        result=result,
    )


_OF_ALL = (
    _query(
        "prefix",
        "The rows of all keys with the same first columns, or the same start of a text.",
        lambda g: PrefixQuery(prefix=g.get("prefix") or (), text=g.get("text"), **_rows(g)),
        arguments={"prefix": Shape.PREFIX, "text": TEXT, **_ROWS},
    ),
    _query(
        "count",
        "The number of rows in an interval of keys.",
        lambda g: CountQuery(interval=_interval(g)),
        arguments={**_RANGE},
        result=BIGINT,
    ),
    _query(
        "approximate_count",
        "About how many rows there are, without reading them.",
        lambda _: ApproximateCountQuery(),
        arguments={},
        result=BIGINT,
    ),
)
_OF_KEYS = (
    _query(
        "key",
        "The row of one key.",
        lambda g: KeyQuery(key=g["key"], skip_cache=bool(g.get("skip_cache"))),
        "key",
        arguments={"key": Shape.KEY, "skip_cache": BOOLEAN},
    ),
    _query(
        "keys",
        "The rows of many keys.",
        lambda g: KeysQuery(keys=g["keys"]),
        "keys",
        arguments={"keys": Shape.KEYS},
    ),
    _query(
        "range",
        "The rows of an interval of keys.",
        lambda g: RangeQuery(skip_cache=bool(g.get("skip_cache")), **_range(g)),
        arguments={"skip_cache": BOOLEAN, **_RANGE, **_ROWS},
    ),
    _query(
        "timestamped_key",
        "The row of one key, with its event time.",
        lambda g: TimestampedKeyQuery(key=g["key"]),
        "key",
        arguments={"key": Shape.KEY},
    ),
    _query(
        "timestamped_range",
        "The rows of an interval of keys, with their event times.",
        lambda g: TimestampedRangeQuery(
            interval=_interval(g),
            order=_order(g.get("order"), Order.ASCENDING),
            limit=g.get("limit"),
        ),
        arguments={**_RANGE, "order": TEXT, "limit": BIGINT},
    ),
)
_WINDOW_TIMES: Mapping[str, ArgumentType] = {"start_ms": BIGINT, "end_ms": BIGINT}
_OF_WINDOWS = (
    _query(
        "window_key",
        "The windows of one key that start in a time, both ends inclusive.",
        lambda g: WindowKeyQuery(
            key=g["key"], time=TimeRange(**_times(g, "start_ms", "end_ms")), **_rows(g)
        ),
        "key",
        arguments={"key": Shape.KEY, **_WINDOW_TIMES, **_ROWS},
    ),
    _query(
        "window_range",
        "The windows of an interval of keys that start in a time.",
        lambda g: WindowRangeQuery(time=TimeRange(**_times(g, "start_ms", "end_ms")), **_range(g)),
        arguments={**_WINDOW_TIMES, **_RANGE, **_ROWS},
    ),
)
_SESSION_ARGUMENTS: Mapping[str, ArgumentType] = dict.fromkeys(_SESSION_TIMES, BIGINT)
_OF_SESSIONS = (
    _query(
        "session_key",
        "The sessions of one key, by limits on their ends.",
        lambda g: SessionKeyQuery(
            key=g["key"], time=SessionTime(**_times(g, *_SESSION_TIMES)), **_rows(g)
        ),
        "key",
        arguments={"key": Shape.KEY, **_SESSION_ARGUMENTS, **_ROWS},
    ),
    _query(
        "session_range",
        "The sessions of an interval of keys, by limits on their ends.",
        lambda g: SessionRangeQuery(time=SessionTime(**_times(g, *_SESSION_TIMES)), **_range(g)),
        arguments={**_SESSION_ARGUMENTS, **_RANGE, **_ROWS},
    ),
)
_VERSION_TIMES: Mapping[str, ArgumentType] = {"from_ms": BIGINT, "to_ms": BIGINT}
_OF_VERSIONS = (
    _query(
        "versioned_key",
        "The version of one key as of a time, by default the latest.",
        lambda g: VersionedKeyQuery(key=g["key"], as_of_ms=g.get("as_of_ms")),
        "key",
        arguments={"key": Shape.KEY, "as_of_ms": BIGINT},
    ),
    _query(
        "multi_versioned_key",
        "The versions of one key that were valid in a time, the newest first.",
        lambda g: MultiVersionedKeyQuery(
            key=g["key"], **_times(g, "from_ms", "to_ms"), **_rows(g, Order.DESCENDING)
        ),
        "key",
        arguments={"key": Shape.KEY, **_VERSION_TIMES, **_ROWS},
    ),
    _query(
        "versioned_range",
        "The versions of an interval of keys that were valid in a time.",
        lambda g: VersionedRangeQuery(**_times(g, "from_ms", "to_ms"), **_range(g)),
        arguments={**_VERSION_TIMES, **_RANGE, **_ROWS},
    ),
)
_BY_KIND: Mapping[StoreKind, Sequence[ShippedQuery]] = {
    StoreKind.KEYVALUE: (*_OF_KEYS, *_OF_ALL),
    StoreKind.GLOBAL: (*_OF_KEYS, *_OF_ALL),
    StoreKind.WINDOW: (*_OF_WINDOWS, *_OF_ALL),
    StoreKind.SESSION: (*_OF_SESSIONS, *_OF_ALL),
    StoreKind.VERSIONED: (*_OF_VERSIONS, *_OF_ALL),
}


def shipped_queries(kind: StoreKind) -> dict[str, ShippedQuery]:
    """Return the queries of this package that stores of a kind answer, by name."""
    return {each.name: each for each in _BY_KIND.get(kind, ())}


_TIMESTAMP = Column(name="_timestamp", type=DataType(kind=Kind.TIMESTAMPTZ))
_VALIDITY = tuple(
    Column(name=name, type=DataType(kind=Kind.TIMESTAMPTZ)) for name in ("valid_from", "valid_to")
)


def one_row(
    schema: StoreSchema, query: Query[Any], value: object
) -> tuple[tuple[Column, ...], Row] | None:
    """Return the columns and the row of an answer that is one row; None if it is something else.

    Args:
        schema: the store.
        query: a query of one key.
        value: what it gave, not None.
    """
    key = getattr(query, "key", None)
    if key is None:
        return None
    columns = (*schema.key, *schema.value)
    if isinstance(value, TimestampedRow):
        return (*columns, _TIMESTAMP), (*key, *value.row, value.timestamp_us)
    if isinstance(value, VersionedRow):
        row = (*key, *value.row, value.valid_from_us, value.valid_to_us)
        return (*columns, *_VALIDITY), row
    return (columns, (*key, *value)) if isinstance(value, tuple) else None
