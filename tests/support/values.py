"""Strategies for physical values of every type, and functions that make values comparable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

import pyarrow as pa
from hypothesis import strategies as st

from stategate.stores.spec.arrow import physical_array, physical_list
from stategate.stores.spec.query import Batch
from stategate.stores.spec.schema import Column, DataType, Row, Value


def _integers(bits: int) -> st.SearchStrategy[Value]:
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return st.one_of(st.sampled_from([low, -1, 0, 1, high]), st.integers(low, high))


def _decimals(precision: int, scale: int) -> st.SearchStrategy[Value]:
    most = 10**precision - 1
    unscaled = st.one_of(st.sampled_from([-most, -1, 0, 1, most]), st.integers(-most, most))
    # Decimals are made from digits, because the default context would round to 28 digits.
    return unscaled.map(
        lambda n: Decimal((int(n < 0), tuple(int(digit) for digit in str(abs(n))), -scale))
    )


def _floats(width: int) -> st.SearchStrategy[Value]:
    odd = [0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf]
    wide = st.floats() if width == 64 else st.floats(width=32)
    return st.one_of(st.sampled_from(odd), wide)


_PIECES = st.sampled_from(["\0", "\0\0", "\x01", "a", "b", "\0abcdef", "é", "\U0010ffff"])
TEXTS = st.one_of(st.lists(_PIECES, max_size=4).map("".join), st.text(max_size=12))
BYTES = st.one_of(
    st.lists(st.sampled_from([b"\0", b"\xff", b"\0\xff", b"a"]), max_size=5).map(b"".join),
    st.binary(max_size=12),
)
DAYS, MICROS = _integers(32), _integers(64)

KEY_VALUES: dict[str, st.SearchStrategy[Value]] = {
    "boolean": st.booleans(),
    "tinyint": _integers(8),
    "smallint": _integers(16),
    "integer": _integers(32),
    "bigint": _integers(64),
    "real": _floats(32),
    "double": _floats(64),
    "decimal(1,1)": _decimals(1, 1),
    "decimal(18,4)": _decimals(18, 4),
    "decimal(19,0)": _decimals(19, 0),
    "decimal(38,10)": _decimals(38, 10),
    "text": TEXTS,
    "macaddr": st.binary(min_size=6, max_size=6).map(lambda raw: raw.hex(":")),
    "bytea": BYTES,
    "date": DAYS,
    "timestamp": MICROS,
    "timestamptz": MICROS,
}
"""Every type that a key column can have, with its values."""

VALUES: dict[str, st.SearchStrategy[Value]] = {
    **KEY_VALUES,
    "time": st.integers(0, 86_400_000_000 - 1),
    # Arrow counts an interval's time in nanoseconds, which ends after 292 years.
    "interval": st.tuples(DAYS, DAYS, st.integers(-(2**53), 2**53)),
    "json": st.sampled_from(["{}", "null", '{"a": [1, "\\u0000"]}', '"é"']),
    "uuid": st.uuids().map(str),
}
"""Every type that a value column can have."""


def column(name: str, data_type: str) -> Column:
    """Draw one column."""
    return Column(name=name, type=DataType.parse(data_type))


@st.composite
def tables(
    draw: st.DrawFn,
    types: dict[str, st.SearchStrategy[Value]],
    *,
    columns_min: int = 1,
    columns_max: int = 4,
    rows_max: int = 8,
) -> tuple[tuple[Column, ...], list[Row]]:
    """Draw some columns, and rows of them with NULLs."""
    names = draw(
        st.lists(st.sampled_from(sorted(types)), min_size=columns_min, max_size=columns_max)
    )
    columns = tuple(column(f"c{i}", name) for i, name in enumerate(names))
    # Columns without a NULL take another path than those with one.
    fields = [types[name] if draw(st.booleans()) else _maybe(types[name]) for name in names]
    rows = draw(st.lists(st.tuples(*fields), max_size=rows_max))
    return columns, rows


def _maybe(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(st.none(), values, values)


def arrays_of(columns: Sequence[Column], rows: Sequence[Row], *, pad: int = 0) -> list[pa.Array]:
    """Return the rows as Arrow columns; with padding they are slices of longer ones."""
    found = []
    for i, each in enumerate(columns):
        values = [row[i] for row in rows]
        padded = values[:1] * pad + values + values[:1] * pad
        array = physical_array(padded, each.type)
        found.append(array.slice(pad if values else 0, len(values)))
    return found


def same(value: Value) -> Value:
    """Return the value in a form in which equal values compare equal, with one NaN."""
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def stored(value: Value) -> Value:
    """Return the value as a key keeps it: one NaN, and no negative zero."""
    return value + 0.0 if isinstance(value, float) and value == 0 else same(value)


def rows_of(batches: Iterable[Batch]) -> list[Row]:
    """Return the rows of a stream as comparable tuples; batches without columns give empty ones."""
    found: list[Row] = []
    for batch in batches:
        lists = [
            [same(value) for value in physical_list(array, DataType.from_arrow(array.type))]
            for array in batch.columns
        ]
        found.extend(zip(*lists, strict=True) if lists else [()] * batch.num_rows)
    return found
