"""The stores of all nodes, as one of them shows them to the planner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stores.errors import StoreError
from stores.nodes.cluster_store import ClusterStore, Holders
from stores.nodes.links import Link
from stores.spec.store import Store, StoreCatalog


class Cluster:
    """A `StoreCatalog` over the replicas of all nodes.

    Every node follows the log, so each knows all stores, also those without a replica on it.

    Args:
        local: the stores of this node.
        node: the name of this node.
        links: the other nodes by name, as of now.
        holders: which nodes hold a partition.
    """

    asks_nodes = True

    def __init__(
        self, local: StoreCatalog, *, node: str, links: Mapping[str, Link], holders: Holders
    ) -> None:
        self._local = local
        self.stores: Mapping[str, Store] = _Stores(local, node, links, holders)
        """The stores by name, as of now."""

    @property
    def version(self) -> int:
        """Counts up whenever a definition is added, changed or removed."""
        return self._local.version

    def is_whole(self) -> bool:
        """Whether all stores that are in the log now are open."""
        return self._local.is_whole()

    def missing(self, store: str) -> StoreError:
        """Return why a store is not open; see `StoreCatalog.missing`."""
        return self._local.missing(store)


class _Stores(Mapping[str, Store]):
    """The stores of a node, each with its replicas on other nodes."""

    def __init__(
        self, local: StoreCatalog, node: str, links: Mapping[str, Link], holders: Holders
    ) -> None:
        self._local, self._node, self._links, self._holders = local, node, links, holders
        self._made: dict[str, ClusterStore] = {}

    def __getitem__(self, name: str) -> Store:
        local = self._local.stores.get(name)
        if local is None:
            self._made.pop(name, None)
            raise KeyError(name)
        made = self._made.get(name)
        if made is None or made.local is not local:
            made = self._made[name] = ClusterStore(
                local, node=self._node, links=self._links, holders=self._holders
            )
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._local.stores))

    def __len__(self) -> int:
        return len(self._local.stores)
