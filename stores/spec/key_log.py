"""The keys that the latest epochs of a partition have changed, as their readers see them."""

from __future__ import annotations

from typing import Protocol

from stategate.stores.spec.schema import Column, Key, StoreKind, StoreSchema


def recorded_columns(schema: StoreSchema) -> tuple[Column, ...]:
    """Return the columns whose values are recorded: the key, and the start of windows."""
    if schema.kind is StoreKind.WINDOW:
        return (*schema.key, *schema.logged_time_columns[:1])
    return schema.key


class KeyLog(Protocol):
    """The changed keys of one partition. Safe to use from many threads."""

    def changed(self, after: int, up_to: int) -> list[Key] | None:
        """Return the keys of all rows that differ between two epochs, and perhaps some others.

        A key has the values of `recorded_columns`. Rows that have only expired are not among them.

        Args:
            after: the earlier epoch.
            up_to: the later epoch.

        Returns:
            None if they are not known: they were not recorded, are too many, or all rows were
            replaced.
        """
