"""Rows of every type, and a series of any length, for the fake engine and tests of encoders."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa

from stategate.planner.engine import Column, DataType, Kind, Row
from stategate.planner.values.cancel import Cancellation

SERIES_BATCH_ROWS = 1000

_TEXT = DataType(kind=Kind.TEXT)
_BIGINT = DataType(kind=Kind.BIGINT)
_INTEGER = DataType(kind=Kind.INTEGER)


def _of(kind: Kind) -> DataType:
    return DataType(kind=kind)


def array_of(element: DataType) -> DataType:
    """Return an array type."""
    return DataType(kind=Kind.ARRAY, element=element)


TYPES: tuple[tuple[str, DataType, object], ...] = (
    ("a_bool", _of(Kind.BOOLEAN), True),
    ("a_tinyint", _of(Kind.TINYINT), -7),
    ("a_smallint", _of(Kind.SMALLINT), -32768),
    ("an_integer", _INTEGER, 2147483647),
    ("a_bigint", _BIGINT, -9223372036854775808),
    ("a_real", _of(Kind.REAL), 1.5),
    ("a_double", _of(Kind.DOUBLE), 1e20),
    ("a_decimal", DataType(kind=Kind.DECIMAL, precision=12, scale=2), Decimal("-1234.50")),
    ("a_text", _TEXT, 'söme "text"'),
    ("a_bytea", _of(Kind.BYTEA), b"\x00\xffa"),
    ("a_date", _of(Kind.DATE), 15706),
    ("a_time", _of(Kind.TIME), 36_000_500_000),
    ("a_timestamp", _of(Kind.TIMESTAMP), 1_357_034_400_000_000),
    ("a_timestamptz", _of(Kind.TIMESTAMPTZ), 1_357_034_400_123_456),
    ("an_interval", _of(Kind.INTERVAL), (14, -3, 14_706_000_007)),
    ("a_uuid", _of(Kind.UUID), "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    ("a_json", _of(Kind.JSON), '{"a": [1, null]}'),
    ("some_ints", array_of(_INTEGER), [1, None, 3]),
    ("some_texts", array_of(_TEXT), ["a b", None, 'q"\\', "", "NULL"]),
    ("a_matrix", array_of(array_of(_BIGINT)), [[1, 2], [3, 4]]),
    (
        "a_struct",
        DataType(kind=Kind.STRUCT, fields=(("n", _INTEGER), ("t", _of(Kind.TIMESTAMPTZ)))),
        {"n": 1, "t": 0},
    ),
    (
        "a_map",
        DataType(kind=Kind.MAP, fields=(("key", _TEXT),), element=_of(Kind.DOUBLE)),
        [("x", 0.5)],
    ),
)
"""Columns of the relation `types`, with the physical value of its first row."""
SCALAR_TYPES = 17
"""Number of columns before the nested ones, which asyncpg looks up in the catalog."""
TYPE_COLUMNS = tuple(Column(name=name, type=data_type) for name, data_type, _ in TYPES)
TYPE_ROWS: tuple[Row, ...] = (
    tuple(value for _, _, value in TYPES),
    tuple(None for _ in TYPES),
)

SERIES_COLUMNS = (
    Column(name="n", type=_BIGINT),
    Column(name="name", type=_TEXT),
    Column(name="x", type=_of(Kind.DOUBLE)),
    Column(name="at", type=_of(Kind.TIMESTAMPTZ)),
)


def type_batches(columns: tuple[Column, ...] = TYPE_COLUMNS) -> Iterator[pa.RecordBatch]:
    """Return the rows of `types`, each in its own batch."""
    schema = pa.schema([(column.name, column.type.arrow) for column in columns])
    for row in TYPE_ROWS:
        values = zip(row, columns, strict=False)
        arrays = [_arrow(value, column.type) for value, column in values]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _arrow(value: object, data_type: DataType) -> pa.Array[Any]:
    if data_type.kind is Kind.INTERVAL and value is not None:
        assert isinstance(value, tuple)
        months, days, micros = value
        value = pa.MonthDayNano((months, days, micros * 1000))
    return pa.array([value], data_type.arrow)


def series_batches(
    count: int, cancellation: Cancellation, batch_rows: int = SERIES_BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """Yield rows (n, 'row n', n / 4, n seconds after 1970) in batches."""
    schema = pa.schema([(column.name, column.type.arrow) for column in SERIES_COLUMNS])
    for start in range(0, count, batch_rows):
        cancellation.check()
        numbers = range(start, min(start + batch_rows, count))
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(numbers, pa.int64()),
                pa.array([f"row {n}" for n in numbers], pa.string()),
                pa.array([n / 4 for n in numbers], pa.float64()),
                pa.array([n * 1_000_000 for n in numbers], pa.int64()).cast(
                    pa.timestamp("us", tz="UTC")
                ),
            ],
            schema=schema,
        )
