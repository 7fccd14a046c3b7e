"""The incarnations of stores that are open on a node, for the other nodes.

A store that was rebuilt has another log, with other columns, keys or partitions; one that was
removed and created again has other rows. Nodes do not change over to it in the same moment, so each
asks the others for the incarnation that it has itself: by `StoreSchema.address`. So no answer has
rows of two. The old store and the rebuilt one are both here for a while.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import PartitionStatus, Store


def _at_once(store: LocalStore) -> bool:
    del store
    return True


class Editions:
    """The open stores by address. Safe to share between threads."""

    def __init__(self) -> None:
        self.stores: Mapping[str, Store] = {}
        """It is replaced as a whole, so a reader may keep the old mapping."""
        self.may_answer: Callable[[LocalStore], bool] = _at_once
        """Whether a rebuilt store that has caught up may take the place of the old one."""
        self._local: dict[str, LocalStore] = {}
        self._changing = threading.Lock()

    def held(self) -> dict[str, tuple[StoreSchema, Mapping[int, PartitionStatus]]]:
        """Return all of them with their replicas here, also those that do not answer yet."""
        return {at: (s.schema, s.statuses()) for at, s in tuple(self.stores.items())}

    def put(self, store: LocalStore, served: Store | None = None) -> None:
        """Add a store, or replace the one of its address.

        Args:
            store: the store.
            served: the same, as others are to ask it.
        """
        with self._changing:
            self._local[store.schema.address] = store
            self.stores = {**self.stores, store.schema.address: store if served is None else served}

    def remove(self, store: LocalStore) -> None:
        """Remove a store, unless another one has its address by now."""
        address = store.schema.address
        with self._changing:
            if self._local.get(address) is store:
                del self._local[address]
                self.stores = {a: each for a, each in self.stores.items() if a != address}
