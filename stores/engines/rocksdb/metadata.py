"""The records of a partition besides its rows: the store that they belong to, and its progress.

In the database, before all rows:

    00 "definition"    fingerprint of the store's definition
    00 "progress"      epoch, position and watermark of the rows

In a file, which outlives a killed process: the newest epoch that the partition has answered at.
After a crash, a database without a write-ahead log may be older than the answers it has given. As a
rule the log brings it forward again before it answers. If the log can no longer be read, this file
shows whether the database is as new as its answers were, or older.
"""

from __future__ import annotations

import hashlib
import os
import struct
from functools import lru_cache
from pathlib import Path

import orjson

from stategate.stores.codec.segments import Segments
from stategate.stores.errors import CodecError, StoreError
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import StoreSchema

DEFINITION = b"\0definition"
PROGRESS = b"\0progress"
FIRST_KEY = b"\0"
"""Prefix of the keys of both, which sorts before the keys of all rows."""
METADATA_ENTRIES = 2


def fingerprint(schema: StoreSchema) -> bytes:
    """Return bytes that are equal for two stores if their databases have the same meaning."""
    columns = [(c.name, str(c.type)) for c in (*schema.key, *schema.value)]
    # With another retention, rows that were dropped under the old one would be missing.
    times = [Segments.of(schema).interval_ms, schema.window_size_ms, schema.retention_ms]
    parts = [2, schema.kind.value, columns, schema.partitions, times]
    return orjson.dumps([*parts, "by event time"] if schema.by_event_time else parts)


def layout_of(schema: StoreSchema) -> str:
    """Return the name of a store's database layout, as the record of a snapshot has it."""
    return f"rocksdb-{hashlib.sha256(fingerprint(schema)).hexdigest()[:32]}"


def encode_progress(progress: Progress) -> bytes:
    """Encode a progress as JSON."""
    return orjson.dumps(
        {
            "epoch": progress.epoch,
            "position": orjson.Fragment(progress.position.token()),
            "watermark_ms": progress.watermark_ms,
            "committed_ms": progress.committed_ms,
        }
    )


@lru_cache(maxsize=256)
def decode_progress(encoded: bytes | None) -> Progress:
    """Decode a progress; None is that of an empty database.

    It is cached, so partitions that were opened at one epoch share one position object.

    Raises:
        CodecError: it is damaged.
    """
    if encoded is None:
        return Progress()
    try:
        document = orjson.loads(encoded)
        return Progress(
            epoch=document["epoch"],
            position=Position.from_json(document["position"]),
            watermark_ms=document["watermark_ms"],
            committed_ms=document["committed_ms"],
        )
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise CodecError("the progress record of a replica is damaged") from error


_EPOCH = struct.Struct("<q")
NEVER = -1
"""The database has answered nothing yet."""


class AnsweredEpoch:
    """One number in a file. Written by the one thread that applies; it costs a microsecond.

    It is not synchronised to the disk: it outlives the process, but after a loss of power it may be
    some seconds old.

    Args:
        path: the path of the file.
        applied: the newest epoch of the database. If the file is missing, the database was made by
            a version without it, and counts as having answered at this epoch.
        at_rest: the database is at rest; nothing is written before its next epoch.

    Raises:
        StoreError: the file cannot be read or written.
    """

    __slots__ = ("_handle", "_is_closed", "_is_live", "_is_written", "_path", "epoch")

    def __init__(self, path: Path, *, applied: int, at_rest: bool = False) -> None:
        self._path = path
        self._is_live = self._is_closed = False
        self._handle = -1
        try:
            found = path.read_bytes()
        except FileNotFoundError:
            found = b""
        except OSError as error:
            raise StoreError(f"cannot open {path}: {error}") from error
        self._is_written = len(found) == _EPOCH.size
        self.epoch: int = _EPOCH.unpack(found)[0] if self._is_written else applied
        """`NEVER` before the first answer."""
        if not at_rest:
            self._set(self.epoch)

    def begin(self, epoch: int) -> None:
        """Start to count each epoch as answered, beginning with this one."""
        if epoch != self.epoch:
            self._set(epoch)
        self._is_live = True

    def pause(self) -> None:
        """Stop counting epochs as answered until `begin`, even if more are applied."""
        self._is_live = False

    def advance(self, epoch: int) -> None:
        """Note that an epoch is about to be shown.

        Raises:
            StoreError: the file cannot be written; the epoch must not be shown.
        """
        if self._is_live:
            self._set(epoch)
        elif not self._is_written:
            self._set(self.epoch)

    def forget(self) -> None:
        """Start over, because the database has another content now."""
        self._set(NEVER)

    def rest(self) -> None:
        """Release the file until an epoch is written; repeated calls do nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def close(self) -> None:
        """Release the file for good; repeated calls do nothing."""
        self._is_closed = True
        self.rest()

    def _set(self, epoch: int) -> None:
        try:
            if self._handle < 0 and not self._is_closed:
                self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            os.pwrite(self._handle, _EPOCH.pack(epoch), 0)
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error}") from error
        self.epoch, self._is_written = epoch, True
