"""How a version enters the chain of its key anywhere: its neighbours' ends change with it.

Only RocksDB needs this, which stores the end of each version, so that history expires by segment.
The chain of a key is read as far back as the epoch's rows reach, once an epoch. For versions that
follow the latest, as most do, `stores.engines.rocksdb.version_append` has a shorter way.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Protocol

from stores.codec.layout import TIME_BYTES, TOMBSTONE, Layout, decode_time
from stores.codec.segments import END_OF_TIME, MICROS_MIN
from stores.engines.rocksdb.handlers_versions import history, latest
from stores.engines.rocksdb.readers import Reader
from stores.spec.position import Progress


class Writes(Protocol):
    """What takes the changes: later ones go over earlier ones."""

    def put(self, key: bytes, value: bytes, /) -> None:
        """Add or replace an entry."""

    def delete(self, key: bytes, /) -> None:
        """Remove an entry, if it is there."""


@dataclass(frozen=True, slots=True)
class _Version:
    valid_from: int
    valid_to: int
    row: bytes


@dataclass(slots=True)
class _Chain:
    """The newest versions of a key, oldest first; each ends where the next begins."""

    known_from: int
    """All versions that end behind this time are here."""
    versions: list[_Version] = field(default_factory=list)

    def reaches(self, time_us: int) -> bool:
        """Whether what is valid at a time, or comes next, is here."""
        if self.versions and self.versions[0].valid_from <= time_us:
            return True
        return self.known_from <= time_us


class Chains:
    """The chains of one partition while an epoch is applied.

    Args:
        layout: of the store.
        reader: the epoch before; None if nothing of it remains.
        progress: of the new epoch. By its watermark old versions are forgotten.
        writes: takes the changes.
    """

    def __init__(
        self, layout: Layout, reader: Reader | None, progress: Progress, writes: Writes
    ) -> None:
        self._layout, self._reader, self._writes = layout, reader, writes
        self._history_from = layout.segments.history_from_us(progress)
        self._chains: dict[bytes, _Chain] = {}

    def insert(self, key: bytes, time_us: int, row: bytes) -> None:
        """Let a version in; a tombstone has the empty row."""
        versions = self._chain(key, time_us).versions
        at = bisect_right(versions, time_us, key=lambda version: version.valid_from)
        valid_to = versions[at].valid_from if at < len(versions) else END_OF_TIME
        new = _Version(time_us, valid_to, row)
        if at and versions[at - 1].valid_to > time_us:
            before = versions[at - 1]
            self._writes.delete(self._key(key, before))
            if before.valid_from == time_us:
                versions[at - 1] = new
                self._put(key, new)
                return
            ended = _Version(before.valid_from, time_us, before.row)
            versions[at - 1] = ended
            self._put(key, ended)
        versions.insert(at, new)
        self._put(key, new)

    def _put(self, key: bytes, version: _Version) -> None:
        self._writes.put(self._key(key, version), version.row)

    def _key(self, key: bytes, version: _Version) -> bytes:
        gone = version.row == TOMBSTONE
        return self._layout.version_key(key, version.valid_from, version.valid_to, gone=gone)

    def _chain(self, key: bytes, time_us: int) -> _Chain:
        """The chain of a key, read back to a time."""
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = self._begin(key, time_us)
        if not chain.reaches(time_us):
            self._extend(key, chain, time_us)
        return chain

    def _begin(self, key: bytes, time_us: int) -> _Chain:
        if self._reader is None:
            return _Chain(MICROS_MIN)
        newest = latest(self._reader, key)
        if newest is not None:
            version = _version(*newest)
            return _Chain(version.valid_from, [version])
        # The newest may be a tombstone, which lies where it will expire: in any segment.
        chain = _Chain(END_OF_TIME)
        self._extend(key, chain, time_us, all_segments=True)
        return chain

    def _extend(
        self, key: bytes, chain: _Chain, time_us: int, *, all_segments: bool = False
    ) -> None:
        """Read the versions that end behind a time and are not here yet."""
        if self._reader is None:
            return
        found = history(
            self._layout,
            self._reader,
            key,
            after=time_us,
            up_to=chain.known_from,
            first=self._history_from if all_segments else time_us,
        )
        older = [_version(*entry) for entry in found]
        if older and older[0].valid_to == END_OF_TIME and older[0].valid_from <= self._history_from:
            # A tombstone that has expired: gone or still there, it must not matter.
            self._writes.delete(self._key(key, older.pop(0)))
        chain.versions[:0] = older
        chain.known_from = min(time_us, chain.known_from)


def _version(entry_key: bytes, row: bytes) -> _Version:
    return _Version(
        decode_time(entry_key[-TIME_BYTES:]),
        decode_time(entry_key[-2 * TIME_BYTES : -TIME_BYTES]),
        row,
    )
