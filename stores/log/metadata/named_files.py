"""The files that records name, and how many a record may name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stores.errors import LogError
from stores.log.metadata.documents import optional_text, text_value, whole_value
from stores.spec.arguments import shown

FILES_MAX = 10_000
"""Files of one partition in an epoch. A rebuild writes the most: one for each partition of the old
store, and for each million rows in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A Parquet file with rows of one partition."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int
    sha256: str | None = None
    """SHA-256 of its bytes, in hexadecimal: Parquet checks its pages, but not its footer. None in
    format 1."""


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


def data_file(item: Mapping[str, Any], *, hashed: bool) -> DataFile:
    """Return a data file of a decoded document; in format 1 they have no hash."""
    return DataFile(
        path=_inside(item["path"]),
        partition=whole_value(item["partition"]),
        rows=whole_value(item["rows"]),
        size_bytes=whole_value(item["size_bytes"]),
        sha256=optional_text(item["sha256"]) if hashed else None,
    )


def snapshot_file(item: Mapping[str, Any]) -> SnapshotFile:
    """Return the file of a snapshot in a decoded document."""
    return SnapshotFile(
        path=_inside(item["path"]),
        partition=whole_value(item["partition"]),
        rows=whole_value(item["rows"]),
        size_bytes=whole_value(item["size_bytes"]),
        sha256=text_value(item["sha256"]),
    )


def check_count(files: Iterable[Mapping[str, Any]]) -> None:
    """Make sure that an epoch has no more files than a reader reads.

    Args:
        files: the files of the document.

    Raises:
        LogError: it has more.
    """
    counts = Counter(file["partition"] for file in files)
    for partition, count in counts.most_common(1):
        if count > FILES_MAX:
            raise LogError(
                f"the epoch has {count} files of partition {shown(partition)}, and may have "
                f"{FILES_MAX}: write fewer, or several epochs"
            )


def _inside(item: Any) -> str:
    """Return a path that must stay inside the store's directory."""
    path = text_value(item)
    if not path or path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise ValueError(f"path {path!r} leads out of the store")
    return path
