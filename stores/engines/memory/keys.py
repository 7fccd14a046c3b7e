"""Keys as the reference engine compares them: as SQL does, and only with what a column can hold.

No codec of RocksDB is used here: what that one refuses or rounds, this must find out by itself.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from stores.errors import CodecError
from stores.spec.query import Interval
from stores.spec.scans import PrefixQuery
from stores.spec.schema import Column, DataType, Key, Kind, StoreSchema, Value

Test: TypeAlias = Callable[[Key], bool]
"""Whether a key is one of those that are asked for."""


def sort_key(key: Key) -> tuple[tuple[int, Value], ...]:
    """What Python must compare to order keys as SQL does: NULLs first, NaN last."""
    return tuple(map(_sortable, key))


def _sortable(value: Value) -> tuple[int, Value]:
    if value is None:
        return 0, 0
    if isinstance(value, float):
        return (2, 0) if math.isnan(value) else (1, value + 0.0)
    return 1, value


def fitted(schema: StoreSchema, key: Key) -> Key:
    """A key, or the prefix of one, as the columns hold it: a `real` has fewer digits than Python's.

    Raises:
        CodecError: a value does not fit its column, or there are more values than columns.
    """
    if not 0 < len(key) <= len(schema.key):
        raise CodecError(f"a key has {len(schema.key)} columns, not {len(key)}")
    return tuple(_fitted(column, value) for column, value in zip(schema.key, key, strict=False))


def whole(schema: StoreSchema, key: Key) -> Key:
    """The same of a key that must have all columns.

    Raises:
        CodecError: a value does not fit its column, or there is not one for each.
    """
    if len(key) != len(schema.key):
        raise CodecError(f"a key has {len(schema.key)} columns, not {len(key)}")
    return fitted(schema, key)


def within(schema: StoreSchema, interval: Interval) -> Test:
    """Whether a key lies in an interval.

    Raises:
        CodecError: an end of it is no key, nor the prefix of one.
    """
    lower = None if interval.lower is None else sort_key(fitted(schema, interval.lower))
    upper = None if interval.upper is None else sort_key(fitted(schema, interval.upper))

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


def begins(schema: StoreSchema, query: PrefixQuery) -> Test:
    """Whether a key begins as asked.

    Raises:
        CodecError: the prefix is none, or no column of text is behind it.
    """
    count, text = len(query.prefix), query.text
    prefix = sort_key(fitted(schema, query.prefix)) if query.prefix else ()
    if text is None:
        return lambda key: sort_key(key[:count]) == prefix
    wanted = Kind.TEXT if isinstance(text, str) else Kind.BYTEA
    if count == len(schema.key) or schema.key[count].type.kind is not wanted:
        raise CodecError(f"the key has no {wanted.value} column after {count} others")
    _fitted(schema.key[count], text)
    return lambda key: (
        sort_key(key[:count]) == prefix and key[count] is not None and key[count].startswith(text)
    )


def _fitted(column: Column, value: Value) -> Value:
    if value is None:
        return None
    try:
        found = _FITS.get(column.type.kind, _integer)(value, column.type)
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


_FITS: Mapping[Kind, Callable[[Value, DataType], Value]] = {
    Kind.BOOLEAN: _boolean,
    Kind.REAL: _float,
    Kind.DOUBLE: _float,
    Kind.DECIMAL: _decimal,
    Kind.TEXT: _text,
    Kind.BYTEA: _bytes,
}
"""The value as a column holds it, or None; those that are not here are integers."""
