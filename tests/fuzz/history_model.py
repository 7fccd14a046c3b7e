"""What the answers of a gateway may be, given what was written: checked as each one comes.

A *stamp* is the offset of a write, and rises with every one. Each epoch of a store writes all its
cells with its stamp, and one *mark*, a key that no other epoch writes. So a row tells which epoch
it is of, and a mark that is missing tells of an epoch that was lost. Nothing here knows processes.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

CELLS = 16
"""The keys 0 … 15; marks are keys far above."""

Row: TypeAlias = tuple[int, int, int, int]
"""Key, stamp, partition, epoch of a cell."""


class Mode(enum.Enum):
    """What a reader asks for."""

    EVENTUAL = "eventual"
    MONOTONIC = "monotonic"
    LATEST = "latest"
    SNAPSHOT = "snapshot"
    LATEST_SNAPSHOT = "latest snapshot"
    BOUND = "bound"
    TOKEN = "token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A promise that an answer broke."""

    store: str
    kind: str
    what: str


@dataclass(slots=True, kw_only=True)
class Seen:
    """What one session has seen of a store: the stamp of each partition."""

    stamps: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Store:
    acknowledged: dict[int, int] = field(default_factory=dict)
    """Stamp of each epoch whose writer was told that it is committed."""
    newest: int = 0
    """The greatest acknowledged stamp."""
    contents: dict[int, int] = field(default_factory=dict)
    """Stamp of each epoch, as it was first read."""


class History:
    """What was written and read. Safe to share between threads."""

    def __init__(self) -> None:
        self._stores: dict[str, _Store] = {}
        self._lock = threading.Lock()
        self.violations: list[Violation] = []
        self.answers = 0

    def acknowledge(self, store: str, *, epoch: int, stamp: int) -> None:
        """A writer was told that this write is this epoch."""
        with self._lock:
            found = self._stores.setdefault(store, _Store())
            before = found.acknowledged.get(epoch, stamp)
            if before != stamp:
                self._wrong(store, "two writes are one epoch", f"{epoch}: {before} and {stamp}")
            found.acknowledged[epoch] = stamp
            found.newest = max(found.newest, stamp)
            self._compare(store, found, epoch, stamp)

    def newest(self, store: str) -> int:
        """The greatest stamp acknowledged so far; 0 before the first."""
        with self._lock:
            found = self._stores.get(store)
            return 0 if found is None else found.newest

    def acknowledged(self, store: str) -> Mapping[int, int]:
        """Stamps of the epochs whose writers know that they are committed."""
        with self._lock:
            return dict(self._stores[store].acknowledged) if store in self._stores else {}

    def answered(
        self,
        store: str,
        mode: Mode,
        rows: Sequence[Row],
        *,
        least: int = 0,
        seen: Seen | None = None,
        keys: Sequence[int] = range(CELLS),
    ) -> None:
        """Check an answer.

        Args:
            store: who was asked.
            mode: for what.
            rows: what came.
            least: the least stamp that the bound of the statement allows.
            seen: what the session had seen; it is brought up to date.
            keys: those that were asked for, all of which exist.
        """
        with self._lock:
            self.answers += 1
            shown = f"{mode.value}: {sorted(rows)}"
            if missing := set(keys) - {row[0] for row in rows}:
                self._wrong(store, "rows are missing", f"keys {sorted(missing)} of {shown}")
                return
            by_partition: dict[int, set[int]] = {}
            for _, stamp, partition, _ in rows:
                by_partition.setdefault(partition, set()).add(stamp)
            for partition, stamps in by_partition.items():
                if len(stamps) > 1:
                    self._wrong(store, "a partition is of two epochs", f"{partition} of {shown}")
            stamps = {row[1] for row in rows}
            if mode in {Mode.SNAPSHOT, Mode.LATEST_SNAPSHOT} and len(stamps) > 1:
                self._wrong(store, "a snapshot is of two epochs", shown)
            if min(stamps) < least:
                self._wrong(store, "older than its bound", f"{least} asked for; {shown}")
            if seen is not None:
                self._forward(store, by_partition, seen, shown)
            found = self._stores.setdefault(store, _Store())
            for _, stamp, _, epoch in rows:
                self._compare(store, found, epoch, stamp)

    def finished(self, store: str, marks: Sequence[int]) -> None:
        """Check the marks that are there once all is healed and read at LATEST."""
        there = set(marks)
        with self._lock:
            found = self._stores.setdefault(store, _Store())
            lost = {e: s for e, s in found.acknowledged.items() if s not in there}
            if lost:
                self._wrong(
                    store,
                    "acknowledged writes are lost",
                    f"{len(lost)} of {len(found.acknowledged)}, epochs {sorted(lost)[:20]}",
                )

    def fail(self, store: str, kind: str, what: str) -> None:
        """Note an answer that is wrong for another reason."""
        with self._lock:
            self._wrong(store, kind, what)

    def _forward(
        self, store: str, by_partition: Mapping[int, set[int]], seen: Seen, shown: str
    ) -> None:
        for partition, stamps in by_partition.items():
            before = seen.stamps.get(partition, 0)
            if min(stamps) < before:
                self._wrong(store, "a session went back", f"behind {before}; {shown}")
            seen.stamps[partition] = max(before, *stamps)

    def _compare(self, store: str, found: _Store, epoch: int, stamp: int) -> None:
        """One epoch has one stamp, whoever tells."""
        for known in (found.acknowledged, found.contents):
            if known.get(epoch, stamp) != stamp:
                what = f"epoch {epoch} is {known[epoch]}, and was read as {stamp}"
                self._wrong(store, "an epoch is not what was written", what)
        found.contents.setdefault(epoch, stamp)

    def _wrong(self, store: str, kind: str, what: str) -> None:
        self.violations.append(Violation(store=store, kind=kind, what=what[:1500]))
