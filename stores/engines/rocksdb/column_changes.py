"""The rows that epochs change, collected until kept columns are brought up to date with them."""

from __future__ import annotations

from dataclasses import dataclass, field


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
    """The changes of the epochs after one at which columns were read. Not synchronised."""

    def __init__(self) -> None:
        self.rows = 0
        """How many rows its changes have, together."""
        self._changes: list[Change] = []

    def add(self, change: Change) -> None:
        """Add the change of the next epoch; many epochs change no row, and take no memory."""
        if len(change):
            self._changes.append(change)
            self.rows += len(change)

    def up_to(self, epoch: int) -> list[Change]:
        """Return the changes of the epochs up to this one, oldest first."""
        return [change for change in self._changes if change.epoch <= epoch]

    def drop_up_to(self, epoch: int) -> None:
        """Remove the changes of the epochs up to this one."""
        self._changes = [change for change in self._changes if change.epoch > epoch]
        self.rows = sum(map(len, self._changes))
