"""The keys that the latest epochs of a partition have changed, as their readers see them."""

from __future__ import annotations

from typing import Protocol

from stores.spec.schema import Key


class KeyLog(Protocol):
    """The changed keys of one partition. Safe to use from many threads."""

    def changed(self, after: int, up_to: int) -> list[Key] | None:
        """Return the keys of all rows that differ between two epochs, and perhaps some others.

        Args:
            after: the earlier epoch.
            up_to: the later epoch.

        Returns:
            None if they are not known: they were not recorded, are too many, or all rows were
            replaced.
        """
