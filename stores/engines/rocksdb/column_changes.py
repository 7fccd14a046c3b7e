"""The changes that later epochs make to kept columns, until they are merged into these."""

from __future__ import annotations

from dataclasses import dataclass, field

PENDING_SHARE = 4
"""At most a quarter of the kept rows may wait as changes: with more, reading again is as cheap."""
MERGED_SHARE = 16
"""Changes of more than a sixteenth of the kept rows are merged in the background."""
PENDING_ROWS_MIN = 1024
"""This many changed rows may wait, however few are kept."""
PENDING_ROWS_COLLECTING = 1 << 18
"""Changed rows that may wait while a partition is read: one partition at a time, some 50 MB."""


@dataclass(slots=True, kw_only=True)
class Change:
    """The entries that one epoch put into a partition, and the keys that it deleted."""

    epoch: int
    keys: list[bytes] = field(default_factory=list)
    rows: list[bytes] = field(default_factory=list)
    deleted: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        """Return how many rows it changes."""
        return len(self.keys) + len(self.deleted)


class ChangeLog:
    """The changes of all epochs after the one at which columns were read. Not synchronised."""

    def __init__(self) -> None:
        self.rows = 0
        """How many rows its changes have, together."""
        self._changes: list[Change] = []

    def add(self, change: Change) -> None:
        """Add the change of the next epoch; many epochs change no row, and take no memory."""
        if len(change):
            self._changes.append(change)
            self.rows += len(change)

    def is_long(self, kept_rows: int) -> bool:
        """Whether to merge the changes into this many rows before a scan comes."""
        return self.rows > max(PENDING_ROWS_MIN, kept_rows // MERGED_SHARE)

    def is_too_long(self, kept_rows: int) -> bool:
        """Whether to read this many rows again rather than merge the changes into them."""
        return self.rows > max(PENDING_ROWS_MIN, kept_rows // PENDING_SHARE)

    def up_to(self, epoch: int) -> list[Change]:
        """Return the changes of the epochs up to this one, oldest first."""
        return [change for change in self._changes if change.epoch <= epoch]

    def drop_up_to(self, epoch: int) -> None:
        """Remove the changes of the epochs up to this one."""
        self._changes = [change for change in self._changes if change.epoch > epoch]
        self.rows = sum(map(len, self._changes))
