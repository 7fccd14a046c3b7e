"""A relation of a statement in a composing process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pyarrow as pa

Read: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]


def no_rows() -> Iterator[pa.RecordBatch]:
    """Return an empty stream."""
    return iter(())


class LocalRelation:
    """A relation with the Arrow stream interface.

    Args:
        schema: the schema of the rows.
        read: returns a new stream of the rows; called for each scan.
        is_whole: whether all rows are in memory, so that reading them again costs little.
    """

    def __init__(self, schema: pa.Schema, read: Read = no_rows, *, is_whole: bool = False) -> None:
        self.schema, self.read, self.is_whole = schema, read, is_whole

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self.schema, self.read())
        return reader.__arrow_c_stream__(requested_schema)
