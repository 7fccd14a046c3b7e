"""How much memory the rows of data files take, known before they are decoded.

Parquet packs what repeats: a file of some kB may hold gigabytes. So the size of the rows is
measured by the metadata of the file and, where a dictionary hides it, by the numbers of its
entries. How much the rows of one partition in an epoch may take follows from the size of its files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.log.data.footers import Chunk
from stategate.stores.log.metadata.named_files import PACKED_MAX, decoded_most

OpenPacked: TypeAlias = Callable[[list[str]], Any]
"""Takes the paths of columns, and returns a ParquetFile of pyarrow."""
_WIDTH_BYTES = 16
"""The widest number in a column, or the place of a text, whose bytes are counted apart."""
_ROWS_AT_ONCE = 65_536


class TooLargeError(Exception):
    """The rows of a file take too much memory; the message goes on after the file's name."""


class DecodedLimit:
    """Counts the data files of one partition in an epoch as they are read, up to their limit."""

    def __init__(self) -> None:
        self._stored_bytes = self._decoded_bytes = 0

    def add(
        self,
        metadata: Any,
        read_chunks: Callable[[], list[Chunk]],
        open_packed: OpenPacked,
        size_bytes: int,
    ) -> None:
        """Count a file that is about to be decoded.

        Args:
            metadata: pyarrow's metadata of the file.
            read_chunks: returns the parts of its columns.
            open_packed: opens it so that the dictionaries of some columns are kept.
            size_bytes: its size.

        Raises:
            TooLargeError: its rows, with those of the files before it, take too much memory.
        """
        self._stored_bytes += size_bytes
        if _most_bytes(metadata) <= size_bytes * PACKED_MAX:
            return
        found = read_chunks()
        decoded = sum(_fixed_bytes(chunk.size_bytes, chunk.values) for chunk in found)
        packed = [chunk for chunk in found if chunk.is_packed]
        # Each value may be as long as all of its dictionary.
        hidden = sum(chunk.size_bytes * chunk.values for chunk in packed)
        if packed and decoded + hidden > size_bytes * PACKED_MAX:
            paths = sorted({chunk.path for chunk in packed})
            decoded += _value_bytes(open_packed(paths), paths)
        self._decoded_bytes += decoded
        most = decoded_most(self._stored_bytes)
        if self._decoded_bytes > most:
            raise TooLargeError(
                f"takes {self._decoded_bytes} bytes of memory with those before it, and may take "
                f"{most}: write its epoch again, as several smaller ones"
            )


def decoded_bytes(metadata: Any, texts_bytes: int) -> int:
    """Return the memory that a written file will be counted with, or a little more.

    Args:
        metadata: what pyarrow has written about it.
        texts_bytes: the memory of all columns that were given dictionaries.
    """
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    parts = (group.column(number) for group in groups for number in range(group.num_columns))
    return texts_bytes + sum(_fixed_bytes(p.total_uncompressed_size, p.num_values) for p in parts)


def _most_bytes(metadata: Any) -> float:
    """Return what the rows of a small file take at most, without a look at its columns.

    Each value may be as long as all of its row group. Lists may have any number of values.
    """
    count = metadata.num_columns
    if any(metadata.schema.column(number).max_repetition_level for number in range(count)):
        return math.inf
    total = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        total += (group.total_byte_size + _WIDTH_BYTES) * (group.num_rows * count + 1)
    return total


def _fixed_bytes(size_bytes: int, values: int) -> int:
    """Return the memory of a part of a column, without what a dictionary hides."""
    return size_bytes + values * _WIDTH_BYTES


def _value_bytes(source: Any, paths: list[str]) -> int:
    """Return the bytes of all values of columns whose dictionaries were kept."""
    total = 0
    for batch in source.iter_batches(_ROWS_AT_ONCE, columns=paths, use_threads=False):
        for column in batch.columns:
            for found in _dictionaries(column):
                lengths = pc.binary_length(found.dictionary).cast(pa.int64())
                total += pc.sum(lengths.take(found.indices)).as_py() or 0
    return total


def _dictionaries(array: Any) -> Iterator[Any]:
    """Yield the arrays with a dictionary in a column of any type."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        yield array
    elif pa.types.is_map(kind):
        yield from _dictionaries(array.keys)
        yield from _dictionaries(array.items)
    elif pa.types.is_struct(kind):
        for field in array.flatten():
            yield from _dictionaries(field)
    elif pa.types.is_nested(kind):
        yield from _dictionaries(array.flatten())
