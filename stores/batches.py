"""Stored entries to batches: which columns lie where in an entry's bytes, decided once a query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from stores.arrow import array_of_ints
from stores.errors import SchemaError
from stores.keys import KeyCodec
from stores.query import Batch
from stores.rows import RowCodec
from stores.schema import TIMESTAMPTZ, StoreSchema


class EntryDecoder:
    """Makes batches of the wanted columns out of entries, given as key bytes, starts and rows.

    Args:
        schema: the store.
        partition: the number that `_partition` shows.
        keys: the store's key codec.
        rows: the store's row codec.
        columns: wanted columns in order; None for all of `*`.

    Raises:
        SchemaError: a column is not one of the store's.
    """

    def __init__(
        self,
        *,
        schema: StoreSchema,
        partition: int,
        keys: KeyCodec,
        rows: RowCodec,
        columns: tuple[str, ...] | None,
    ) -> None:
        names = tuple(c.name for c in schema.columns) if columns is None else columns
        for name in names:
            if name not in schema.column_by_name:
                raise SchemaError(f'store "{schema.name}" has no column "{name}"')
        wanted = set(names)
        self._names = names
        self._schema = schema.arrow_schema(names)
        self._size_ms = schema.window_size_ms or 0
        self._partition = partition
        self._keys, self._rows = keys, rows
        self._key_names = [c.name for c in schema.key]
        self._value_names = [c.name for c in schema.value]
        self._wanted_keys = [name in wanted for name in self._key_names]
        self._wanted_values = [name in wanted for name in self._value_names]
        self._wants_header = bool(wanted & {"_timestamp", "_epoch"})

    def batch(
        self, key_bytes: Sequence[bytes], rows: Sequence[bytes], starts: Sequence[bytes] | None
    ) -> Batch:
        """The batch of these entries.

        Args:
            key_bytes: the encoded key of each.
            rows: the encoded row of each.
            starts: for windows, the window start of each: 8 bytes, sign bit flipped.
        """
        count = len(rows)
        arrays: dict[str, pa.Array | None] = dict(
            zip(
                self._key_names,
                self._keys.decode_columns(key_bytes, self._wanted_keys),
                strict=True,
            )
        )
        arrays.update(
            zip(
                self._value_names, self._rows.decode_columns(rows, self._wanted_values), strict=True
            )
        )
        if starts is not None:
            micros = decode_times(starts) * 1000
            arrays["window_start"] = array_of_ints(micros, TIMESTAMPTZ)
            arrays["window_end"] = array_of_ints(micros + self._size_ms * 1000, TIMESTAMPTZ)
        if self._wants_header:
            arrays["_epoch"], arrays["_timestamp"] = self._rows.decode_headers(rows)
        if "_partition" in self._names:
            arrays["_partition"] = pa.array(np.full(count, self._partition, dtype=np.int32))
        if not self._names:
            # A batch without columns still has rows: they are what count(*) counts.
            return pa.RecordBatch.from_struct_array(pa.array([{}] * count, type=pa.struct([])))
        return pa.RecordBatch.from_arrays(
            [arrays[name] for name in self._names], schema=self._schema
        )


def encode_time(time_ms: int) -> bytes:
    """A time as 8 bytes that sort as times do, those before 1970 too."""
    return ((time_ms + (1 << 63)) & ((1 << 64) - 1)).to_bytes(8, "big")


def decode_time(encoded: bytes) -> int:
    """What `encode_time` has encoded."""
    return int.from_bytes(encoded, "big") - (1 << 63)


def decode_times(encoded: Sequence[bytes]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Many times at once."""
    raw = np.frombuffer(b"".join(encoded), dtype=">u8").astype(np.uint64)
    return (raw ^ np.uint64(1 << 63)).view(np.int64)
