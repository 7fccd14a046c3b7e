"""DuckDB's results as tables whose columns have the gateway's types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pyarrow as pa
from sqlglot import exp

from planner.composing.database import Answer
from planner.errors import LimitExceeded
from planner.pg_catalog.macros import VOID
from stores.errors import SchemaError
from stores.schema import BIGINT, TEXT, Column, DataType, Kind, decimal_type

_VOID_OID = 2278
RESULT_BYTES_MAX = 64 << 20
"""Largest answer: pg_attribute of 10,000 stores of 20 columns is about 40 MB."""

_TYPES: Mapping[str, DataType] = {
    '"NULL"': TEXT,
    "BLOB": DataType(kind=Kind.BYTEA),
    "JSON": DataType(kind=Kind.JSON),
    "HUGEINT": decimal_type(38, 0),
    "UBIGINT": decimal_type(20, 0),
    "UINTEGER": BIGINT,
    "USMALLINT": DataType(kind=Kind.INTEGER),
    "UTINYINT": DataType(kind=Kind.SMALLINT),
}


def result_type(duckdb_name: str) -> DataType:
    """The gateway's type for one of DuckDB's; TEXT for those that have no counterpart."""
    if duckdb_name.endswith("[]"):
        return DataType(kind=Kind.ARRAY, element=result_type(duckdb_name[:-2]))
    if (found := _TYPES.get(duckdb_name)) is not None:
        return found
    try:
        return DataType.parse(re.sub(r'"', "", duckdb_name))
    except SchemaError:
        return TEXT


def void_oids(tree: exp.Expr) -> tuple[int, ...]:
    """Oid of the type of each column that is a call of a function of type void; 0 for others."""
    items = [item.unalias() for item in tree.selects] if isinstance(tree, exp.Query) else []
    if any(item.is_star for item in items):
        return ()  # how many columns it is, DuckDB knows
    calls = (each.expression if isinstance(each, exp.Dot) else each for each in items)
    oids = tuple(
        _VOID_OID if isinstance(call, exp.Anonymous) and call.name.lower() in VOID else 0
        for call in calls
    )
    return oids if any(oids) else ()


def gather(batches: Answer, columns: Sequence[Column]) -> pa.Table:
    """All rows, each column in the Arrow type of its column.

    Raises:
        LimitExceeded: the rows take more than RESULT_BYTES_MAX.
    """
    kept: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        size += batch.nbytes
        if size > RESULT_BYTES_MAX:
            raise LimitExceeded(f"the catalog's answer exceeds {RESULT_BYTES_MAX} bytes")
        kept.append(batch)
    table = pa.Table.from_batches(kept, schema=batches.schema)
    arrays = [_converted(table.column(at), column.type.arrow) for at, column in enumerate(columns)]
    schema = pa.schema([(column.name, column.type.arrow) for column in columns])
    return pa.table(arrays, schema=schema)


def _converted(values: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    if values.type == wanted:
        return values
    if pa.types.is_nested(values.type) and not pa.types.is_nested(wanted):
        return pa.chunked_array([pa.array([_as_text(v) for v in values.to_pylist()], wanted)])
    return values.cast(wanted)


def _as_text(value: object) -> str | None:
    """A row value as PostgreSQL writes it: `(1,a)`; NULL inside is nothing."""
    if value is None:
        return None
    fields = value.values() if isinstance(value, dict) else (value,)
    return "(" + ",".join("" if field is None else str(field) for field in fields) + ")"
