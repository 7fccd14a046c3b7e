"""Which types can be cast to which, as in Postgres: DuckDB tries more, and fails by the value."""

from __future__ import annotations

from collections.abc import Mapping

from planner.values.catalog_types import is_of_catalog
from planner.values.character_types import is_string
from planner.values.sqltypes import spelled_type
from stores.spec.schema import DataType, Kind

_NUMBERS = frozenset(
    {
        *(Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT),
        *(Kind.DECIMAL, Kind.REAL, Kind.DOUBLE),
    }
)
_CASTS: Mapping[Kind, frozenset[Kind]] = {
    **dict.fromkeys(_NUMBERS, _NUMBERS),
    Kind.INTEGER: _NUMBERS | {Kind.BOOLEAN},
    Kind.BOOLEAN: frozenset({Kind.INTEGER}),
    Kind.DATE: frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ}),
    Kind.TIMESTAMP: frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMPTZ}),
    Kind.TIMESTAMPTZ: frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP}),
    Kind.TIME: frozenset({Kind.INTERVAL}),
    Kind.INTERVAL: frozenset({Kind.TIME}),
    Kind.JSON: _NUMBERS | {Kind.BOOLEAN},  # as jsonb
    **dict.fromkeys((Kind.BYTEA, Kind.UUID), frozenset()),
}
"""What values of a kind become, beside themselves and text, which becomes and is made of all."""


def is_castable(source: DataType, target: DataType) -> bool:
    """Whether there is a cast; where it is not known, there is one."""
    one, other = _plain(source), _plain(target)
    if one is None or other is None or Kind.TEXT in {one.kind, other.kind}:
        return True
    if one.element is not None and other.element is not None:
        return is_castable(one.element, other.element)
    if Kind.ARRAY in {one.kind, other.kind}:
        return one.kind is other.kind or not {one.kind, other.kind} <= {Kind.ARRAY, *_CASTS}
    casts = _CASTS.get(one.kind)
    return casts is None or other.kind not in _CASTS or other.kind in casts | {one.kind}


def no_cast(source: DataType, target: DataType) -> str:
    """What Postgres says of a cast that there is not."""
    return f"cannot cast type {spelled_type(source)} to {spelled_type(target)}"


def _plain(data_type: DataType) -> DataType | None:
    """A type that has no rules of its own, as those of the catalog have."""
    return data_type if is_string(data_type) or not is_of_catalog(data_type) else None
