"""Arrow IPC streams and Parquet.

After an error neither body can be read to its end: readers raise, so that no one takes half of a
result for all of it. The error is in the last bytes, where a program can find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from stategate.gateway.errors import error_document
from stategate.gateway.http.formats.byte_sink import ByteSink
from stategate.gateway.http.formats.json_cells import arrow_values, batch_cells
from stategate.gateway.http.formats.rendering import Trailer, trailer_json
from stategate.planner.engine import Column, Kind, QueryError, Row

_GROUP_BYTES: Final = 8 << 20
"""Rows in memory before a group of them is written: small ones read slowly, and each takes some
hundred bytes a column until the end of the file."""
_ERROR: Final = b"stategate.error"
_TRAILER: Final = b"stategate.trailer"


class ArrowRenderer:
    """An Arrow IPC stream; each field's metadata names its SQL type under `stategate.type`."""

    media_type: ClassVar[str] = "application/vnd.apache.arrow.stream"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._schema = _schema(columns)
        self._sink = ByteSink()
        self._writer = pa.ipc.new_stream(self._sink, self._schema)

    def head(self) -> bytes:
        """Render the schema message."""
        return self._sink.taken()

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render a record batch message."""
        self._writer.write_batch(self._batch(_arrays(self._columns, rows)))
        return self._sink.taken()

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render a batch without copying its columns."""
        self._writer.write_batch(self._batch(batch.columns))
        return self._sink.taken()

    def _batch(self, arrays: Sequence[Any]) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(list(arrays), schema=self._schema)

    def tail(self, trailer: Trailer) -> bytes:
        """Render an empty batch with `stategate.trailer` as metadata, and the end mark."""
        self._write_last(_TRAILER, trailer_json(trailer))
        self._writer.close()
        return self._sink.taken()

    def failure(self, error: QueryError) -> bytes:
        """Render an empty batch with `stategate.error` as metadata, and a second schema.

        A reader that knows the metadata finds the error. All others raise at the schema, which may
        not come there; they would take a stream that only lacks its end mark for a whole one.
        """
        document = orjson.dumps(error_document(error))
        self._write_last(_ERROR, document)
        stray = pa.schema([], metadata={_ERROR: document}).serialize()
        return self._sink.taken() + bytes(stray)

    def _write_last(self, name: bytes, document: bytes) -> None:
        empty = self._batch([pa.array([], type=field.type) for field in self._schema])
        self._writer.write_batch(empty, custom_metadata=pa.KeyValueMetadata({name: document}))


class ParquetRenderer:
    """A Parquet file; an interval is a text, as in JSON, because Parquet has no such type.

    The position is metadata of the file, under `stategate.trailer`.
    """

    media_type: ClassVar[str] = "application/vnd.apache.parquet"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._intervals = {
            at for at, column in enumerate(columns) if column.type.kind is Kind.INTERVAL
        }
        fields = _schema(columns)
        for at in self._intervals:
            fields = fields.set(at, fields.field(at).with_type(pa.string()))
        self._schema = fields
        self._sink = ByteSink()
        self._writer = pq.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0

    def head(self) -> bytes:
        """Render the magic number."""
        return self._sink.taken()

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Hold rows, and render them if there are enough."""
        columns, names = self._columns, [column.name for column in self._columns]
        return self.batch(pa.RecordBatch.from_arrays(_arrays(columns, rows), names=names))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Hold a batch, and render the held ones if there are enough."""
        arrays = list(batch.columns)
        if self._intervals:
            texts = batch_cells(batch, self._columns)
            for at in self._intervals:
                arrays[at] = pa.array(texts[at], type=pa.string())
        self._held.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._held_bytes += batch.nbytes
        return self._written() if self._held_bytes >= _GROUP_BYTES else b""

    def tail(self, trailer: Trailer) -> bytes:
        """Render the held rows and the footer."""
        self._writer.add_key_value_metadata({_TRAILER: trailer_json(trailer)})
        body = self._written()
        self._writer.close()
        return body + self._sink.taken()

    def failure(self, error: QueryError) -> bytes:
        """Render the error as a last line instead of the footer, without which no reader reads."""
        return b"\n%b %b\n" % (_ERROR, orjson.dumps(error_document(error)))

    def _written(self) -> bytes:
        held, self._held, self._held_bytes = self._held, [], 0
        rows = sum(batch.num_rows for batch in held)
        if rows:
            table = pa.Table.from_batches(held, schema=self._schema)
            self._writer.write_table(table, row_group_size=rows)
        return self._sink.taken()


def _schema(columns: Sequence[Column]) -> pa.Schema:
    return pa.schema(
        pa.field(each.name, each.type.arrow, metadata={"stategate.type": str(each.type)})
        for each in columns
    )


def _arrays(columns: Sequence[Column], rows: Sequence[Row]) -> list[Any]:
    return [
        pa.array(arrow_values(column, [row[at] for row in rows]), type=column.type.arrow)
        for at, column in enumerate(columns)
    ]
