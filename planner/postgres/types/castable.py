"""Which types PostgreSQL casts to which; DuckDB tries more casts, and fails for some values."""

from __future__ import annotations

from collections.abc import Mapping

from stategate.planner.errors import MismatchedTypeError
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import (
    NAME,
    OBJECTS,
    is_of_catalog,
    is_record,
    postgres_name,
)
from stategate.planner.values.sqltypes import format_type
from stategate.planner.values.type_modifiers import is_string
from stategate.stores.spec.schema import DataType, Kind
from stategate.stores.types.kinds import SCALARS

_NUMBERS = frozenset({*INTEGERS, *FLOATS, Kind.DECIMAL})
_CASTS: Mapping[Kind, frozenset[Kind]] = {
    **dict.fromkeys(set(SCALARS) - {Kind.TEXT, Kind.NULL}, frozenset()),
    **dict.fromkeys(_NUMBERS, _NUMBERS),
    Kind.INTEGER: _NUMBERS | {Kind.BOOLEAN},
    Kind.BOOLEAN: frozenset({Kind.INTEGER}),
    Kind.DATE: frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ}),
    Kind.TIMESTAMP: frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMPTZ}),
    Kind.TIMESTAMPTZ: frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP}),
    Kind.TIME: frozenset({Kind.INTERVAL}),
    Kind.INTERVAL: frozenset({Kind.TIME}),
    Kind.JSON: frozenset({Kind.JSONB}),
    Kind.JSONB: _NUMBERS | {Kind.BOOLEAN, Kind.JSON},
}
"""PostgreSQL's casts of each kind, apart from those to itself and those from and to text."""
_OIDS = frozenset({"oid", *OBJECTS})
_OF_FUNCTIONS = ({"regproc", "regprocedure"}, {"regoper", "regoperator"})
_CLOSED = frozenset({*("char", "inet", "xid", "cid", "tid", "pg_lsn")})
"""Types of the catalog that are cast to and from texts only, but for `char` and integer."""


def is_castable(source: DataType, target: DataType) -> bool:  # noqa: PLR0911 - one per family
    """Return whether PostgreSQL has a cast."""
    if depth_of(source) and depth_of(target):
        return is_castable(leaf_of(source), leaf_of(target))
    if is_record(leaf_of(source)):
        return _is_text(target) or target == source
    kinds = {source.kind, target.kind}
    if target.kind in {Kind.JSON, Kind.JSONB} and (depth_of(source) or is_record(source)):
        return False
    if Kind.NULL in kinds or any(map(_is_text, (source, target))):
        return True
    if _is_special(source) or _is_special(target):
        return _is_cast_by_name(source, target)
    if Kind.ARRAY in kinds:
        return source.kind is target.kind or not kinds <= {Kind.ARRAY, *_CASTS}
    casts = _CASTS.get(source.kind)
    return casts is None or target.kind not in _CASTS or target.kind in casts | {source.kind}


def check_assigned(number: int, source: DataType, target: DataType) -> None:
    """Require a value that a parameter takes without a cast that is written.

    Raises:
        MismatchedTypeError: PostgreSQL has no cast by assignment (42804).
    """
    if not _is_assigned(source, target):
        raise MismatchedTypeError(
            f"parameter ${number} of type {format_type(source)} cannot be coerced to the expected "
            f"type {format_type(target)}",
            hint="You will need to rewrite or cast the expression.",
            sqlstate="42804",
        )


def _is_assigned(source: DataType, target: DataType) -> bool:
    if depth_of(source) and depth_of(target):
        return _is_assigned(leaf_of(source), leaf_of(target))
    if _is_text(target) or source.kind in {Kind.NULL, target.kind}:
        return is_castable(source, target)
    explicit = {Kind.TEXT, Kind.BOOLEAN, Kind.JSONB}
    is_explicit = source.kind in explicit or target.kind is Kind.BOOLEAN
    is_document = {source.kind, target.kind} == {Kind.JSON, Kind.JSONB}
    return is_castable(source, target) and (is_document or not is_explicit)


def _is_text(data_type: DataType) -> bool:
    """Whether values are texts, to which all types are cast."""
    is_plain = data_type.kind is Kind.TEXT and not is_of_catalog(data_type)
    return is_plain or is_string(data_type) or data_type == NAME


def _is_special(data_type: DataType) -> bool:
    return is_of_catalog(data_type) and not is_string(data_type)


def _is_cast_by_name(source: DataType, target: DataType) -> bool:
    """Return whether there is a cast from or to a type of the catalog."""
    one, other = postgres_name(source), postgres_name(target)
    if one in _OIDS and other in _OIDS:
        return one == other or "oid" in {one, other} or {one, other} in _OF_FUNCTIONS
    if one in _OIDS:
        return target.kind in {Kind.INTEGER, Kind.BIGINT} and not other
    if other in _OIDS:
        return source.kind in INTEGERS and not one
    if "char" in {one, other}:
        return {source.kind, target.kind} == {Kind.TEXT, Kind.INTEGER} or one == other
    return _CLOSED.isdisjoint({one, other}) or one == other
