"""The files that records name, and how many a record may name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from stategate.stores.errors import LogError
from stategate.stores.log.metadata.documents import (
    optional_whole,
    text_value,
    whole_value,
)

FILES_MAX = 10_000
"""Files of one partition in an epoch. A rebuild writes the most: one for each partition of the old
store, and for each million rows in it."""
DECODED_BYTES_FREE = 256 << 20
"""Memory that the rows of one partition in an epoch may take, however small their files are."""
PACKED_MAX = 1_000
"""How many times the size of their files the rows may take beyond that. Distinct keys alone take a
byte or two of each row, so only rows with kilobytes of the same text are packed so tightly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A Parquet file with rows of one partition."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int
    sha256: str
    """SHA-256 of its bytes, in hexadecimal: Parquet checks its pages, but not its footer."""
    decoded_bytes: int | None = None
    """Memory that its rows take; None if the writer did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFile:
    """One whole partition as of an epoch, as a file of the engine."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int
    sha256: str
    """SHA-256 of its bytes, in hexadecimal: the engine itself does not check them."""


def data_file(item: Mapping[str, Any]) -> DataFile:
    """Return a data file of a decoded document."""
    return DataFile(
        path=_inside(item["path"]),
        partition=whole_value(item["partition"]),
        rows=whole_value(item["rows"]),
        size_bytes=whole_value(item["size_bytes"]),
        sha256=text_value(item["sha256"]),
        decoded_bytes=optional_whole(item.get("decoded_bytes")),
    )


def data_file_json(file: DataFile) -> dict[str, Any]:
    """Return the fields of a data file in a document."""
    fields = asdict(file)
    if file.decoded_bytes is None:
        del fields["decoded_bytes"]
    return fields


def snapshot_file(item: Mapping[str, Any]) -> SnapshotFile:
    """Return the file of a snapshot in a decoded document."""
    return SnapshotFile(
        path=_inside(item["path"]),
        partition=whole_value(item["partition"]),
        rows=whole_value(item["rows"]),
        size_bytes=whole_value(item["size_bytes"]),
        sha256=text_value(item["sha256"]),
    )


def decoded_most(size_bytes: int) -> int:
    """Return how much memory the rows of files of this size may take."""
    return max(DECODED_BYTES_FREE, size_bytes * PACKED_MAX)


def check_files(files: Iterable[DataFile]) -> None:
    """Make sure that the files of an epoch do not exceed what a reader reads.

    Raises:
        LogError: they do.
    """
    of_partition: dict[int, list[DataFile]] = {}
    for file in files:
        of_partition.setdefault(file.partition, []).append(file)
    for partition, found in of_partition.items():
        if len(found) > FILES_MAX:
            raise LogError(
                f"the epoch has {len(found)} files of partition {partition}, and may have "
                f"{FILES_MAX}: write fewer, or several epochs"
            )
        if len({file.path for file in found}) < len(found):
            raise LogError(f"the epoch names a file of partition {partition} twice")
        most = decoded_most(sum(file.size_bytes for file in found))
        decoded = sum(file.decoded_bytes or 0 for file in found)
        if decoded > most:
            raise LogError(
                f"the rows of partition {partition} take {decoded} bytes of memory, and may take "
                f"{most} by the size of their files: write them as several epochs"
            )


def _inside(item: Any) -> str:
    """Return a path that must stay inside the store's directory."""
    path = text_value(item)
    if not path or path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise ValueError(f"path {path!r} leads out of the store")
    return path
