"""The rows that a caller gives for an epoch: anything that hands out Arrow data.

The Arrow PyCapsule interface makes one way of all libraries: tables and readers of pyarrow, frames
of pandas and Polars, relations of DuckDB and others have its methods.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import pyarrow as pa

from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.spec.arguments import shown


class ArrowStream(Protocol):
    """Rows as a stream of Arrow batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule of the stream."""


class ArrowArray(Protocol):
    """Rows as one Arrow array of structs, such as a batch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return a capsule of the schema and one of the array."""


GivenRows: TypeAlias = pa.Table | pa.RecordBatch | ArrowStream | ArrowArray


def table_of(rows: GivenRows) -> pa.Table:
    """Return rows as a table, in memory.

    Raises:
        ArgumentError: they do not hand out Arrow data.
        SchemaError: the data are not rows with columns, or their library fails to make them.
    """
    if isinstance(rows, pa.Table):
        return rows
    if not hasattr(rows, "__arrow_c_stream__") and not hasattr(rows, "__arrow_c_array__"):
        raise ArgumentError(
            "rows must be a table of Arrow, or a frame or relation that can be read as one, not "
            f"{shown(rows)}"
        )
    try:
        return pa.table(rows)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise SchemaError(f"rows cannot be read as a table of Arrow: {error}") from error
