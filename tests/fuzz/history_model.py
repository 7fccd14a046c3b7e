"""The answers that a gateway may give after the writes so far; each is checked as it arrives.

A *stamp* is the offset of a write; it rises with each. Every epoch writes its stamp to all *cells*;
writes or deletes each *flag*, as a bit of the stamp says; and writes one *mark*, a key of its own.
So a row shows its epoch, the stamp of any cell shows what its partition must hold, and a missing
mark reveals a lost epoch. Marks with odd keys are deleted some epochs later. Nothing here knows
processes.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

CELLS = 16
"""First key of the flags; cells are 0 to 15, marks far above."""
MARKS = 32
"""First key of the marks."""

Row: TypeAlias = tuple[int, int, int, int | None]
"""Key, stamp, partition, and the epoch if the statement selects it."""


def is_set(flag: int, stamp: int) -> bool:
    """Whether the epoch with this stamp writes a flag; otherwise it deletes the flag."""
    return bool(stamp >> (flag - CELLS) & 1)


def is_passing(mark: int) -> bool:
    """Whether a mark is deleted later on."""
    return mark % 2 == 1


class Mode(enum.Enum):
    """How a reader reads."""

    EVENTUAL = "eventual"
    MONOTONIC = "monotonic"
    LATEST = "latest"
    SNAPSHOT = "snapshot"
    LATEST_SNAPSHOT = "latest snapshot"
    BOUND = "bound"
    TOKEN = "token"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An answer that breaks a promise."""

    store: str
    kind: str
    what: str


@dataclass(slots=True, kw_only=True)
class Seen:
    """Stamps that one session has seen of a store, by partition."""

    stamps: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Store:
    acknowledged: dict[int, int] = field(default_factory=dict)
    """Stamps of acknowledged epochs, by epoch."""
    newest: int = 0
    """The greatest acknowledged stamp."""
    contents: dict[int, int] = field(default_factory=dict)
    """Stamps by epoch, as first read."""
    deleted: dict[int, int] = field(default_factory=dict)
    """Stamps of the writes that deleted a mark, by mark."""


def _for_ever(store: str, mark: int, stamp: int) -> bool:
    return True


class History:
    """Everything written and read so far. Safe to share between threads.

    Args:
        place: the partition of a key.
        is_live: whether a mark of a store has not expired in the epoch with a stamp.
    """

    def __init__(
        self,
        *,
        place: Callable[[int], int],
        is_live: Callable[[str, int, int], bool] = _for_ever,
    ) -> None:
        self.place = place
        self._is_live = is_live
        self._stores: dict[str, _Store] = {}
        self._lock = threading.Lock()
        self.violations: list[Violation] = []
        self.answers = 0

    def acknowledge(
        self, store: str, *, epoch: int, stamp: int, deleted: Iterable[int] = ()
    ) -> None:
        """Note an acknowledged write: its epoch, its stamp and the marks that it deletes."""
        with self._lock:
            found = self._stores.setdefault(store, _Store())
            before = found.acknowledged.get(epoch, stamp)
            if before != stamp:
                self._wrong(store, "two writes are one epoch", f"{epoch}: {before} and {stamp}")
            found.acknowledged[epoch] = stamp
            found.newest = max(found.newest, stamp)
            found.deleted.update(dict.fromkeys(deleted, stamp))
            self._compare(store, found, epoch, stamp)

    def newest(self, store: str) -> int:
        """Return the greatest acknowledged stamp; 0 before the first."""
        with self._lock:
            found = self._stores.get(store)
            return 0 if found is None else found.newest

    def answered(
        self,
        store: str,
        mode: Mode,
        rows: Sequence[Row],
        *,
        least: int = 0,
        seen: Seen | None = None,
        claimed: int = 0,
        keys: Sequence[int] | None = range(MARKS),
        everywhere: bool = False,
    ) -> None:
        """Check an answer.

        Args:
            store: the store that was read.
            mode: how it was read.
            rows: the rows of the answer.
            least: the least stamp that the statement's bound allows.
            seen: the stamps that the session had seen; updated here.
            claimed: the stamp that the gateway says the session reflects.
            keys: the cells and flags selected; None for the whole store.
            everywhere: whether partitions without any of the keys were read, too.
        """
        with self._lock:
            self.answers += 1
            shown = f"{mode.value}: {sorted(rows, key=str)}"
            known = [row for row in rows if row[0] < MARKS]
            there = {row[0] for row in known}
            cells = range(CELLS) if keys is None else [key for key in keys if key < CELLS]
            if missing := set(cells) - there:
                self._wrong(store, "rows are missing", f"keys {sorted(missing)} of {shown}")
                return
            at: dict[int, set[int]] = {}
            for _, stamp, partition, _ in known:
                at.setdefault(partition, set()).add(stamp)
            self._check_stamps(store, mode, at, least, shown)
            read = range(MARKS) if keys is None or everywhere else keys
            places = {self.place(key) for key in read}
            if places <= at.keys() and claimed > max(map(max, at.values())):
                self._wrong(store, "a position is ahead of its rows", f"{claimed}; {shown}")
            if seen is not None:
                self._forward(store, at, seen, shown)
            asked = range(CELLS, MARKS) if keys is None else [key for key in keys if key >= CELLS]
            self._check_flags(store, asked, there, at, shown)
            found = self._stores.setdefault(store, _Store())
            if keys is None:
                marks = {row[0] for row in rows if row[0] >= MARKS}
                self._check_marks(store, found, marks, {p: min(s) for p, s in at.items()})
            for _, stamp, _, epoch in rows:
                if epoch is not None:
                    self._compare(store, found, epoch, stamp)

    def _check_stamps(
        self, store: str, mode: Mode, at: Mapping[int, set[int]], least: int, shown: str
    ) -> None:
        """Check that partitions show one epoch, snapshots one stamp, and bounds hold."""
        for partition, stamps in at.items():
            if len(stamps) > 1:
                self._wrong(store, "a partition is of two epochs", f"{partition} of {shown}")
        stamps = {stamp for each in at.values() for stamp in each}
        if mode in {Mode.SNAPSHOT, Mode.LATEST_SNAPSHOT} and len(stamps) > 1:
            self._wrong(store, "a snapshot is of two epochs", shown)
        if stamps and min(stamps) < least:
            self._wrong(store, "older than its bound", f"{least} asked for; {shown}")

    def _check_flags(
        self,
        store: str,
        asked: Iterable[int],
        there: set[int],
        at: Mapping[int, set[int]],
        shown: str,
    ) -> None:
        """Check that a flag exists if, and only if, its partition's epoch has written it."""
        for flag in asked:
            for stamp in at.get(self.place(flag), ()):
                if is_set(flag, stamp) and flag not in there:
                    self._wrong(store, "rows are missing", f"flag {flag} of {shown}")
                elif not is_set(flag, stamp) and flag in there:
                    self._wrong(store, "a deleted row is still there", f"flag {flag} of {shown}")

    def _check_marks(
        self, store: str, found: _Store, marks: set[int], at: Mapping[int, int]
    ) -> None:
        """Check that a mark exists from its epoch on, unless it was deleted or has expired."""

        def is_live(mark: int) -> bool:
            return self._is_live(store, mark, at[self.place(mark)])

        lost = {
            epoch: mark
            for epoch, mark in found.acknowledged.items()
            if mark not in marks
            and not is_passing(mark)
            and mark <= at.get(self.place(mark), 0)
            and is_live(mark)
        }
        if lost:
            what = f"{len(lost)} of {len(found.acknowledged)}, epochs {sorted(lost)[:20]}, at {at}"
            self._wrong(store, "acknowledged writes are lost", what)
        back = {m for m in marks if found.deleted.get(m, 1 << 63) <= at[self.place(m)]}
        for kind, wrong in {
            "a deleted row is still there": back,
            "an expired row is there": {mark for mark in marks if not is_live(mark)},
            "a partition is of two epochs": {m for m in marks if m > at[self.place(m)]},
        }.items():
            if wrong:
                self._wrong(store, kind, f"{len(wrong)} marks, {sorted(wrong)[:20]}, at {at}")

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
        """Check that an epoch has the same stamp in every answer."""
        for known in (found.acknowledged, found.contents):
            if known.get(epoch, stamp) != stamp:
                what = f"epoch {epoch} is {known[epoch]}, and was read as {stamp}"
                self._wrong(store, "an epoch is not what was written", what)
        found.contents.setdefault(epoch, stamp)

    def _wrong(self, store: str, kind: str, what: str) -> None:
        self.violations.append(Violation(store=store, kind=kind, what=what[:1500]))
