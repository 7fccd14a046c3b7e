"""The conversions between types that give the same values in Spark and in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from stategate.planner.postgres.types.result_types import INTEGERS
from stategate.planner.spark.refusal import refused
from stategate.planner.spark.values import COMPUTED, Arguments, Typed, spark_name
from stategate.planner.values.sqltypes import SPELLED, format_type
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    TEXT,
    DataType,
    Kind,
    decimal_type,
)

DIGITS_MAX = 38
_EXACT_DIGITS = 15
"""Decimals with up to this many digits have one nearest double, which all ways to convert find."""
_WHOLE = (Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT)
_NUMBERS = frozenset({*_WHOLE, Kind.DECIMAL, Kind.DOUBLE})


def is_whole(data_type: DataType) -> bool:
    """Whether a type is one of the integers that Spark computes with."""
    return data_type.kind in _WHOLE


def as_decimal(data_type: DataType) -> DataType:
    """Return the decimal type that holds an integer or a decimal."""
    if data_type.kind is Kind.DECIMAL:
        return data_type
    return decimal_type(INTEGERS[data_type.kind], 0)


def common_type(found: Sequence[Typed]) -> DataType:
    """Return the type in which values are compared, or that alternatives have.

    Raises:
        NotSupportedError: there is none, or conversions to it could change a value.
    """
    types = [each.type for each in found if each.literal is None and not each.is_null]
    if not types:
        return TEXT
    common = types[0]
    for other in types[1:]:
        common = _wider(common, other)
    if common.kind not in COMPUTED:
        raise refused(f"comparisons of type {format_type(common)}")
    return common


def _wider(one: DataType, other: DataType) -> DataType:
    if one == other or (one.kind is other.kind and one.kind is not Kind.DECIMAL):
        return one
    if not {one.kind, other.kind} <= _NUMBERS:
        raise refused(f"{format_type(one)} beside {format_type(other)}")
    if is_whole(one) and is_whole(other):
        return max(one, other, key=lambda each: _WHOLE.index(each.kind))
    if Kind.DOUBLE in {one.kind, other.kind}:
        return DOUBLE
    left, right = as_decimal(one), as_decimal(other)
    scale = max(left.scale, right.scale)
    digits = max(left.precision - left.scale, right.precision - right.scale) + scale
    if digits > DIGITS_MAX:
        raise refused(f"{format_type(one)} beside {format_type(other)}")
    return decimal_type(digits, scale)


def convert(value: Typed, to: DataType, arguments: Arguments) -> Typed:
    """Return a value in another type.

    Raises:
        NotSupportedError: the conversion could change the value.
        InvalidValueError: a literal is not a value of the type.
    """
    if value.literal is not None:
        return arguments.constant(parse_value(value.literal, to), to)
    if value.is_null:
        return Typed(sql=f"CAST(NULL AS {spark_name(to)})", type=to)
    if value.type == to or (value.kind is to.kind and to.kind is not Kind.DECIMAL):
        return value
    if not _is_widening(value.type, to):
        raise refused(f"{format_type(value.type)} as {format_type(to)}")
    return Typed(sql=f"CAST({value.sql} AS {spark_name(to)})", type=to)


def _is_widening(of: DataType, to: DataType) -> bool:
    if not {of.kind, to.kind} <= _NUMBERS or of.kind is Kind.DOUBLE:
        return False
    if to.kind is Kind.DOUBLE:
        return is_whole(of) or of.precision <= _EXACT_DIGITS
    if is_whole(to):
        return is_whole(of) and _WHOLE.index(of.kind) <= _WHOLE.index(to.kind)
    held = as_decimal(of)
    return held.scale <= to.scale and held.precision - held.scale <= to.precision - to.scale


def agree(found: Sequence[Typed], arguments: Arguments) -> list[Typed]:
    """Return values in their common type.

    Raises:
        NotSupportedError: they have none.
    """
    common = common_type(found)
    return [convert(each, common, arguments) for each in found]


def settled(value: Typed, arguments: Arguments) -> Typed:
    """Return a value with a type of its own: a bare literal and NULL are texts."""
    return convert(value, TEXT, arguments) if value.literal is not None or value.is_null else value


def cast(value: Typed, to: DataType, arguments: Arguments) -> Typed:
    """Return `value::type`, for the casts that mean the same.

    Raises:
        NotSupportedError: the cast means something else in Spark, or may.
    """
    if value.literal is not None or value.is_null or value.type == to:
        return convert(value, to, arguments)
    of, fresh = value.kind, Typed(sql=f"CAST({value.sql} AS {spark_name(to)})", type=to)
    if value.kind is to.kind and to.kind is not Kind.DECIMAL:
        return value
    if _is_widening(value.type, to):
        return fresh
    is_exact = is_whole(value.type) and is_whole(to)  # out of range is an error on both sides
    is_text = to == TEXT and (is_whole(value.type) or of in {Kind.DATE, *SPELLED})
    if is_text and of is Kind.DATE:
        raise refused(
            "casts of dates to text"
        )  # years beyond 9999, and before 1, are written apart
    if is_exact or is_text or (value.type == BOOLEAN and to == INTEGER):
        return fresh
    if of is Kind.DECIMAL and (is_whole(to) or to.kind is Kind.DECIMAL):
        return _rounded(value, to)
    raise refused(f"casts of {format_type(value.type)} to {format_type(to)}")


def _rounded(value: Typed, to: DataType) -> Typed:
    """Round a decimal away from zero where it is half between two, as PostgreSQL does.

    Spark cuts the digits off in casts to integers.
    """
    scale = 0 if is_whole(to) else to.scale
    rounded = f"round({value.sql}, {scale})" if scale < value.type.scale else value.sql
    return Typed(sql=f"CAST({rounded} AS {spark_name(to)})", type=to)
