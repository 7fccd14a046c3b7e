"""Turns the filters of a read into conditions of Arrow, and finds a key's partitions.

A filter is written as `pyarrow.parquet` has them: `[column, operator, value]`. It selects exactly
the rows that Spark's `where` would: NaN is greater than all other numbers, and zeros are equal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import orjson
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from stategate.stores.codec.partitioner import partition_column
from stategate.stores.errors import SchemaError
from stategate.stores.log.data.scanning import Condition
from stategate.stores.spec.arguments import shown
from stategate.stores.spec.query_engine import EngineFilter
from stategate.stores.spec.schema import DataType, StoreSchema

_Field: TypeAlias = Any
_Scalar: TypeAlias = Any

_KEYS_MAX = 10_000
"""Keys that are hashed to find their partitions; more would be in all of them."""
_PLAIN_TYPES = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_string,
    pa.types.is_binary,
    pa.types.is_date32,
    pa.types.is_timestamp,
)
"""The types that Arrow compares as Spark does, apart from NaN."""


_OPERATORS: Mapping[str, Callable[[tuple[str, ...], Any], Filter]] = {
    "=": EqualTo,
    "!=": lambda path, value: Not(EqualTo(path, value)),
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
    "in": lambda path, values: In(path, tuple(values)),
    "not in": lambda path, values: Not(In(path, tuple(values))),
    "starts with": StringStartsWith,
    "ends with": StringEndsWith,
    "contains": StringContains,
}
_PARTS = 3
"""Column, operator, value."""
_OF_TEXTS = frozenset({"starts with", "ends with", "contains"})


class _UnusableError(Exception):
    """No condition of Arrow selects the rows of this filter."""


def decode_filters(text: str, types: pa.Schema) -> list[Filter]:
    """Decode the option `filters`: a JSON list of `[column, operator, value]`, which all must hold.

    Args:
        text: the option; empty without one.
        types: the type of each column.

    Raises:
        SchemaError: it is malformed, or a filter does not fit its column.
    """
    if not text:
        return []
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, list) or not all(
        isinstance(each, list) and len(each) == _PARTS for each in found
    ):
        raise SchemaError(
            'option "filters" is not a JSON list of [column, operator, value], such as '
            f'[["usr", "=", "ann"]]: {shown(text)}'
        )
    return [_filter(column, operator, value, types) for column, operator, value in found]


def encode_filters(filters: Iterable[EngineFilter]) -> str:
    """Return filters of physical values as the option `filters`.

    A filter that the option cannot say, as of a year after 9999, is left out: more rows are read.
    """
    written = [item for each in filters if (item := _encoded(each)) is not None]
    return orjson.dumps(written).decode() if written else ""


def _encoded(given: EngineFilter) -> list[Any] | None:
    try:
        values = _json_values(given.values, given.type)
        item = [given.column, given.operator, values if given.operator == "in" else values[0]]
        decode_filters(orjson.dumps([item]).decode(), pa.schema([(given.column, given.type.arrow)]))
    except (SchemaError, pa.ArrowException, orjson.JSONEncodeError, ValueError, OverflowError):
        return None
    return item


def _json_values(values: Sequence[Any], data_type: DataType) -> list[Any]:
    """Return physical values as JSON has them; those of times as texts."""
    arrow = data_type.arrow
    if pa.types.is_temporal(arrow):
        count = pa.int32() if pa.types.is_date32(arrow) else pa.int64()
        texts: list[Any] = pa.array(values, count).cast(arrow).cast(pa.string()).to_pylist()
        return texts
    if pa.types.is_binary(arrow):
        return [None if value is None else value.hex() for value in values]
    if pa.types.is_decimal(arrow):
        return [None if value is None else f"{value:f}" for value in values]
    return list(values)


def _filter(column: Any, operator: Any, value: Any, types: pa.Schema) -> Filter:
    if column not in types.names:
        raise SchemaError(f'option "filters": there is no column {shown(column)}')
    if operator not in _OPERATORS:
        known = ", ".join(_OPERATORS)
        raise SchemaError(f'option "filters": operator {shown(operator)} is not one of {known}')
    data_type = types.field(column).type
    if not any(is_plain(data_type) for is_plain in _PLAIN_TYPES):
        raise SchemaError(f'option "filters": column "{column}" has type {data_type}: use where()')
    try:
        if operator in {"in", "not in"}:
            if not isinstance(value, list):
                raise TypeError("it takes a list of values")
            operand = [_value(each, data_type) for each in value]
        else:
            operand = _value(value, data_type)
        if operator in _OF_TEXTS and not (pa.types.is_string(data_type) and isinstance(value, str)):
            raise TypeError("it takes a text")
        if value is None and operator in {"=", "!="}:
            path = (column,)
            return IsNull(path) if operator == "=" else IsNotNull(path)
        found = _OPERATORS[operator]((column,), operand)
        condition(found, data_type)
    except (_UnusableError, pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise SchemaError(
            f'option "filters": {column} {operator} {shown(value)} does not fit type {data_type}'
            f"{f': {error}' if str(error) else ''}"
        ) from None
    return found


def _value(given: Any, data_type: pa.DataType) -> Any:
    """Return a value of JSON as one of a column: numbers, or texts as SQL writes them."""
    if given is None:
        return None
    if isinstance(given, bool) != pa.types.is_boolean(data_type) or isinstance(given, list | dict):
        raise TypeError("it has another type")
    if pa.types.is_binary(data_type):
        return bytes.fromhex(given)
    if pa.types.is_decimal(data_type):
        return Decimal(str(given))
    if isinstance(given, str):
        return pa.array([given]).cast(data_type)[0].as_py()
    if pa.types.is_string(data_type) or pa.types.is_temporal(data_type):
        raise TypeError("it is written as text")
    return float(given) if pa.types.is_floating(data_type) else given


def conditions(filters: Iterable[Filter], types: pa.Schema) -> Iterator[tuple[str, Condition]]:
    """Yield for each filter its column, and the condition that is true for its rows."""
    for each in filters:
        name = column_of(each)
        yield name, condition(each, types.field(name).type)


def column_of(given: Filter) -> str:
    """Return the name of the column that a filter tests."""
    inner = given.child if isinstance(given, Not) else given
    path: tuple[str, ...] = getattr(inner, "attribute", ())
    return path[0]


def condition(given: Filter, data_type: pa.DataType) -> Condition:
    """Return the condition that is true for the rows of a filter."""
    inner = given.child if isinstance(given, Not) else given
    found = _condition(inner, column_of(given), data_type)
    # A comparison with NULL is NULL, and so is its negation: neither selects the row.
    return ~found if isinstance(given, Not) else found


def _condition(pushed: Filter, name: str, data_type: pa.DataType) -> Condition:
    field: _Field = pc.field(name)
    found: Condition
    match pushed:
        case IsNull():
            found = field.is_null()
        case IsNotNull():
            found = field.is_valid()
        case In(value=values):
            found = _is_in(field, values, data_type)
        case StringStartsWith(value=text):
            found = pc.starts_with(field, text)
        case StringEndsWith(value=text):
            found = pc.ends_with(field, text)
        case StringContains(value=text):
            found = pc.match_substring(field, text)
        case EqualTo() | GreaterThan() | GreaterThanOrEqual() | LessThan() | LessThanOrEqual():
            found = _compared(pushed, field, _scalar(pushed.value, data_type))
        case _:
            raise _UnusableError
    return found


def _compared(pushed: Filter, field: _Field, value: _Scalar) -> Condition:
    has_nan = pa.types.is_floating(value.type)
    match pushed:
        case EqualTo():
            return field == value
        case LessThan():
            return field < value
        case LessThanOrEqual():
            return field <= value
        case GreaterThan():
            return (field > value) | field.is_nan() if has_nan else field > value
        case _:
            return (field >= value) | field.is_nan() if has_nan else field >= value


def _is_in(field: _Field, values: Iterable[Any], data_type: pa.DataType) -> Condition:
    scalars = [_scalar(value, data_type) for value in values if value is not None]
    if pa.types.is_floating(data_type):
        # Arrow's sets tell the two zeros apart.
        scalars = [pa.scalar(value.as_py() + 0.0, data_type) for value in scalars]
        zeros = [pa.scalar(-0.0, data_type)] if any(s.as_py() == 0 for s in scalars) else []
        scalars += zeros
    found = field.isin(pa.array([each.as_py() for each in scalars], data_type))
    unknown = pc.if_else(field.is_null(), pa.scalar(None, pa.bool_()), found)
    if any(value is None for value in values):
        # Other values may equal the NULL in the list: the answer is true or NULL.
        return pc.if_else(found, found, pa.scalar(None, pa.bool_()))
    return unknown


def _scalar(value: Any, data_type: pa.DataType) -> _Scalar:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise _UnusableError
    if pa.types.is_integer(data_type) and not isinstance(value, int):
        raise _UnusableError
    return pa.scalar(value, data_type)


def chosen_partitions(
    pushed: Iterable[Filter], schema: StoreSchema, options: Mapping[str, str]
) -> list[int]:
    """Return the partitions to read: those of the filters, and of the option `partitions`.

    Raises:
        SchemaError: the option is not a list of partitions of the store.
    """
    found, text = partitions_of(pushed, schema), options.get("partitions")
    if text is None:
        return found
    listed = [each.strip() for each in text.split(",") if each.strip()]
    if not all(each.isascii() and each.isdecimal() for each in listed):
        raise SchemaError(f'option "partitions" is not a list of partitions: {shown(text)}')
    wanted = {int(each) for each in listed}
    if wanted and max(wanted) >= schema.partitions:
        raise SchemaError(f'store "{schema.name}" has no partition {max(wanted)}')
    return [each for each in found if each in wanted]


def partitions_of(pushed: Iterable[Filter], schema: StoreSchema) -> list[int]:
    """Return the partitions that rows of all filters can be in: few if they name whole keys."""
    everywhere = list(range(schema.partitions))
    named: dict[str, tuple[Any, ...]] = {}
    for each in pushed:
        name = column_of(each)
        match each:
            case EqualTo(value=value):
                named[name] = (value,)
            case IsNull():
                named[name] = (None,)
            case In(value=values):
                named.setdefault(name, tuple(values))
    if any(column.name not in named for column in schema.key):
        return everywhere
    columns = [named[column.name] for column in schema.key]
    if math.prod(map(len, columns)) > _KEYS_MAX:
        return everywhere
    keys = list(itertools.product(*columns))
    try:
        rows = pa.table(
            [
                pa.array([key[i] for key in keys], column.type.arrow)
                for i, column in enumerate(schema.key)
            ],
            names=[column.name for column in schema.key],
        )
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return everywhere
    return sorted(set(partition_column(rows, schema.key, schema.partitions).tolist()))
