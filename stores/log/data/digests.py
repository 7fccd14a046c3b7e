"""Digests of rows, independent of their layout, and of files as they are written."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_Array: TypeAlias = Any
"""An Arrow array; the stubs for pyarrow lack most of its methods."""


class _Hash(Protocol):
    def update(self, data: Any, /) -> None: ...
    def hexdigest(self) -> str: ...


def rows_digest(rows: pa.Table) -> str:
    """Return the SHA-256 of rows, in hexadecimal: of their columns' names, types and values.

    Chunks, slices and the bytes under a NULL make no difference, so equal tables have one digest in
    all versions of Arrow. Takes a nanosecond per byte.
    """
    digest = hashlib.sha256()
    for field in rows.schema:
        digest.update(f"{field.name}\0{field.type}\0{rows.num_rows}\0".encode())
        column = rows.column(field.name).combine_chunks()
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            _add(digest, chunk)
    return digest.hexdigest()


def _add(digest: _Hash, array: _Array) -> None:
    digest.update(np.packbits(array.is_valid().to_numpy(zero_copy_only=False)))
    kind, valid = array.type, array.drop_null()
    if pa.types.is_null(kind):
        return
    if pa.types.is_struct(kind):
        for inner in valid.flatten():
            _add(digest, inner)
    elif pa.types.is_map(kind) or pa.types.is_list(kind):
        ends = valid.offsets.to_numpy()
        digest.update(np.diff(ends).astype("<i8"))
        parts = [valid.keys, valid.items] if pa.types.is_map(kind) else [valid.values]
        for inner in parts:
            _add(digest, inner.slice(ends[0], ends[-1] - ends[0]))
    elif pa.types.is_string(kind) or pa.types.is_binary(kind):
        digest.update(pc.binary_length(valid).to_numpy().astype("<i8"))
        ends = np.frombuffer(valid.buffers()[1] or b"\0" * 4, np.int32)
        start, stop = ends[valid.offset], ends[valid.offset + len(valid)] if len(valid) else 0
        digest.update(memoryview(valid.buffers()[2] or b"")[start : max(start, stop)])
    elif pa.types.is_boolean(kind):
        digest.update(np.packbits(valid.to_numpy(zero_copy_only=False)))
    else:
        width = kind.bit_width // 8
        values = memoryview(valid.buffers()[1] or b"")
        digest.update(values[valid.offset * width : (valid.offset + len(valid)) * width])


class HashingStream:
    """Hashes a file while it is written from start to end.

    It has only the methods that `pyarrow.parquet` calls on a file that it writes.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.closed = False

    def write(self, data: Any) -> int:
        """Append bytes."""
        self._digest.update(data)
        return int(self._stream.write(data))

    def tell(self) -> int:
        """Return the number of bytes so far."""
        return int(self._stream.tell())

    def flush(self) -> None:
        """Flush the file."""
        self._stream.flush()

    def writable(self) -> bool:
        """Return True."""
        return True

    def readable(self) -> bool:
        """Return False."""
        return False

    def seekable(self) -> bool:
        """Return False."""
        return False

    def close(self) -> None:
        """Mark it as closed; the caller closes the file."""
        self.closed = True

    def hexdigest(self) -> str:
        """Return the SHA-256 of all bytes so far."""
        return self._digest.hexdigest()
