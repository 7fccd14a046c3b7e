"""Keys of the reference engine: compared as SQL compares them, and checked to fit their columns.

No codec of RocksDB is used, so that an error in one of the two engines is noticed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from stategate.stores.errors import CodecError
from stategate.stores.spec.query import Interval
from stategate.stores.spec.scans import PrefixQuery
from stategate.stores.spec.schema import TEXT, Column, DataType, Key, Kind, StoreSchema, Value
from stategate.stores.types.record import KeyForm

Test: TypeAlias = Callable[[Key], bool]
"""Returns whether a key is wanted."""


def sort_key(key: Key) -> tuple[tuple[int, Value], ...]:
    """Return a value that Python orders as SQL orders keys: NULLs first, NaN last."""
    return tuple(map(_sortable, key))


def _sortable(value: Value) -> tuple[int, Value]:
    if value is None:
        return 0, 0
    if isinstance(value, float):
        return (2, 0) if math.isnan(value) else (1, value + 0.0)
    return 1, value


def fit_prefix(schema: StoreSchema, key: Key) -> Key:
    """Return a key or a prefix with the values that its columns hold; `real` rounds a float.

    Raises:
        CodecError: a value does not fit its column, or there are more values than columns.
    """
    if not 0 < len(key) <= len(schema.key):
        raise CodecError(f"the number of key columns is {len(schema.key)}, not {len(key)}")
    return tuple(_fit(column, value) for column, value in zip(schema.key, key, strict=False))


def fit_key(schema: StoreSchema, key: Key) -> Key:
    """Return a key with the values that its columns hold; it must have all columns.

    Raises:
        CodecError: a value does not fit its column, or there are too few or too many.
    """
    if len(key) != len(schema.key):
        raise CodecError(f"the number of key columns is {len(schema.key)}, not {len(key)}")
    return fit_prefix(schema, key)


def in_interval(schema: StoreSchema, interval: Interval) -> Test:
    """Return a test of whether a key lies in an interval.

    Raises:
        CodecError: an end of the interval is neither a key nor the prefix of one.
    """
    lower = None if interval.lower is None else sort_key(fit_prefix(schema, interval.lower))
    upper = None if interval.upper is None else sort_key(fit_prefix(schema, interval.upper))

    def test(key: Key) -> bool:
        ordered = sort_key(key)
        if lower is not None:
            head = ordered[: len(lower)]
            if head < lower or (head == lower and not interval.lower_inclusive):
                return False
        if upper is not None:
            head = ordered[: len(upper)]
            return head < upper or (head == upper and interval.upper_inclusive)
        return True

    return test


def has_prefix(schema: StoreSchema, query: PrefixQuery) -> Test:
    """Return a test of whether a key has the prefix of a query.

    Raises:
        CodecError: the values do not fit, or no text column follows them.
    """
    count, text = len(query.prefix), query.text
    prefix = sort_key(fit_prefix(schema, query.prefix)) if query.prefix else ()
    if text is None:
        return lambda key: sort_key(key[:count]) == prefix
    wanted = Kind.TEXT if isinstance(text, str) else Kind.BYTEA
    if count == len(schema.key) or schema.key[count].type.kind is not wanted:
        raise CodecError(f"the key has no {wanted.value} column after {count} others")
    _fit(schema.key[count], text)
    return lambda key: (
        sort_key(key[:count]) == prefix and key[count] is not None and key[count].startswith(text)
    )


def _fit(column: Column, value: Value) -> Value:
    if value is None:
        return None
    try:
        found = _fitter(column.type)(value, column.type)
    except (ArithmeticError, ValueError, struct.error) as error:
        raise _misfit(column, value) from error
    if found is None:
        raise _misfit(column, value)
    return found


def _misfit(column: Column, value: Value) -> CodecError:
    return CodecError(
        f'{type(value).__name__} does not fit key column "{column.name}" of type {column.type}'
    )


def _integer(value: Value, data_type: DataType) -> Value:
    end = 1 << (8 * struct.calcsize(f"<{data_type.kind.record.slot}") - 1)
    return value if isinstance(value, int) and -end <= value < end else None


def _boolean(value: Value, data_type: DataType) -> Value:
    del data_type
    return bool(value) if isinstance(value, int) and value in {0, 1} else None


def _float(value: Value, data_type: DataType) -> Value:
    if not isinstance(value, float | int):
        return None
    single = struct.Struct("<f")
    found = float(value)
    return single.unpack(single.pack(found))[0] if data_type.kind is Kind.REAL else found


def _decimal(value: Value, data_type: DataType) -> Value:
    if not isinstance(value, Decimal | int):
        return None
    unscaled = Fraction(value) * 10**data_type.scale
    fits = unscaled.denominator == 1 and abs(unscaled) < 10**data_type.precision
    return value if fits else None


def _text(value: Value, data_type: DataType) -> Value:
    del data_type
    return value if isinstance(value, str) and value.encode() is not None else None


def _bytes(value: Value, data_type: DataType) -> Value:
    del data_type
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else None


def _fitter(data_type: DataType) -> Callable[[Value, DataType], Value]:
    """Return the function that returns a value as its column holds it, or None."""
    record = data_type.kind.record
    match record.key:
        case KeyForm.FLOAT:
            return _float
        case KeyForm.DECIMAL:
            return _decimal
        case KeyForm.BYTES:
            return _text if record.arrow == TEXT.arrow else _bytes
        case _:
            return _boolean if data_type.kind is Kind.BOOLEAN else _integer
