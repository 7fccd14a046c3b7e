"""Results of catalog statements as tables with SQL types, and object types as names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from stategate.planner.errors import LimitExceededError
from stategate.planner.values.catalog_types import names_objects, postgres_name
from stategate.stores.spec.schema import Column, DataType, Kind

RESULT_BYTES_MAX = 64 << 20
"""Largest result: pg_attribute of 10,000 stores with 20 columns takes about 40 MB."""

Displays = Mapping[str, Mapping[int, str]]
"""Object type, such as regclass → oid → name, as PostgreSQL prints it."""


def result_type(data_type: DataType) -> DataType:
    """Return the type of a result column: object types are text there."""
    if data_type.kind is Kind.ARRAY and data_type.element is not None:
        return replace(data_type, element=result_type(data_type.element))
    return replace(data_type, kind=Kind.TEXT) if names_objects(data_type) else data_type


def collect_result(
    batches: Iterable[pa.RecordBatch], columns: Sequence[Column], displays: Displays
) -> pa.Table:
    """Return all rows with the columns' Arrow types; oids of object types become names.

    Raises:
        LimitExceededError: the rows take more than RESULT_BYTES_MAX.
    """
    kept: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        size += batch.nbytes
        if size > RESULT_BYTES_MAX:
            raise LimitExceededError(f"the catalog's result exceeds {RESULT_BYTES_MAX} bytes")
        kept.append(batch)
    schema = pa.schema([(column.name, column.type.arrow) for column in columns])
    if not kept:
        return schema.empty_table()
    table = pa.Table.from_batches(kept)
    arrays = [
        _converted(table.column(at), column.type, displays) for at, column in enumerate(columns)
    ]
    return pa.table(arrays, schema=schema)


def _converted(values: pa.ChunkedArray, wanted: DataType, displays: Displays) -> pa.ChunkedArray:
    if values.type == wanted.arrow:
        return values
    innermost = wanted if wanted.element is None else wanted.element
    known = displays.get(postgres_name(innermost))
    if known is not None:
        return pa.chunked_array(
            [pa.array([_named(v, known) for v in values.to_pylist()], wanted.arrow)]
        )
    return values.cast(wanted.arrow)


def _named(value: object, names: Mapping[int, str]) -> object:
    """Return the name of an oid: `-` for 0, and the number itself if it is unknown."""
    if value is None:
        return None
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    assert isinstance(value, int)
    return names.get(value, str(value)) if value else "-"
