"""Which columns the scans of a partition ask for, and when it pays to read them ahead."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from stores.engines.rocksdb.column_arrays import COMPUTED
from stores.engines.rocksdb.column_budget import Scans

PAUSE_S, PAUSE_S_MAX = 1.0, 3600.0
"""How long columns that were lost and that no one scans stay unread: at first, and at most."""
_clock_s = time.monotonic


class ColumnDemand:
    """The scans of one partition. Not synchronised: its owner holds a lock."""

    def __init__(self) -> None:
        self.scans = Scans()
        """The last two scans."""
        self._columns: dict[str, None] = {}
        self._is_due = True
        self._due_s, self._pause_s = math.inf, PAUSE_S
        self._refused_bytes: dict[tuple[str, ...], int] = {}

    @property
    def is_due(self) -> bool:
        """Whether work in the background can make the next scan faster.

        It can at first, after each scan, and when the pause is over after columns were lost.
        """
        return self._is_due or _clock_s() >= self._due_s

    @property
    def was_scanned(self) -> bool:
        """Whether there has been a scan; before the first one, reading ahead is a guess."""
        return self.scans.last > 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that scans have asked for."""
        return tuple(self._columns)

    def note_scan(self, number: int, columns: Sequence[str]) -> None:
        """Note a scan, by its number on the node, and the columns that it asks for."""
        self.scans = Scans(self.scans.last, number)
        self._is_due, self._pause_s = True, PAUSE_S
        self._columns.update((name, None) for name in columns if name not in COMPUTED)

    def settle(self) -> None:
        """Note that the work is done, or has begun: it is due again after the next scan."""
        self._is_due, self._due_s = False, math.inf

    def postpone(self) -> None:
        """Note that the columns were lost: read them again, each time after a longer pause.

        Otherwise a store that changes all the time would be read more often than scanned.
        """
        self._due_s = _clock_s() + self._pause_s
        self._pause_s = min(2 * self._pause_s, PAUSE_S_MAX)

    def choices(self, all_columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the sets of columns to try to keep, the best first: all, then those asked for."""
        scanned = self.columns
        everything = tuple(dict.fromkeys((*all_columns, *scanned)))
        if not self.was_scanned or scanned == everything:
            return [everything]
        return [everything, scanned]

    def refuse(self, names: tuple[str, ...], size_bytes: int) -> None:
        """Note that there was no room for columns of this size, unless no one asked for them."""
        if self.was_scanned:
            self._refused_bytes[names] = size_bytes

    def least_bytes(self, names: tuple[str, ...]) -> int:
        """Return how much room there must be before it pays to try these columns."""
        return self._refused_bytes.get(names, 1)
