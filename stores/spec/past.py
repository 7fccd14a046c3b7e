"""What a reader sees of the past of stores: them as of epochs that no replica keeps any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import Stop, Store


class PastEpoch(Struct, frozen=True, kw_only=True):
    """An epoch of a store that a reader has seen."""

    schema: StoreSchema
    """The definition of the store, as the reader knows it."""
    epoch: int
    """Its number; the store may have no epoch of its own there, but one before. -1 if it was empty.
    """
    committed_ms: int | None
    """When it was committed, in epoch milliseconds: it tells epochs of one number apart, after a
    store was made anew. None if that is not known."""


class PastOpened(Protocol):
    """Stores as of some epochs, for one reader."""

    @property
    def stores(self) -> Mapping[str, Store]:
        """The stores by name. Each partition has the rows of the epoch, and no other epoch."""

    @property
    def problem(self) -> str | None:
        """Why a partition has failed, as one clause; None if none has."""


class PastStores(Protocol):
    """Opens stores as of earlier epochs."""

    def open(
        self, epochs: Sequence[PastEpoch], *, stop: Stop
    ) -> AbstractContextManager[PastOpened]:
        """Open stores as of some epochs until the end of a `with` block.

        It may take long, and so may the first query of each partition.

        Args:
            epochs: the epoch of each store.
            stop: ends the work; its error is raised then.

        Raises:
            LogError: an epoch is not, or no longer, there, or is another one by now.
        """
