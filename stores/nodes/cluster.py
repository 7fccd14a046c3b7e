"""The stores of all nodes, as one of them shows them to the planner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, overload

from stategate.stores.errors import StoreError
from stategate.stores.nodes.asking import Holders
from stategate.stores.nodes.asking_once import begin_key, begin_once
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.failover import Unreadable
from stategate.stores.nodes.links import Link
from stategate.stores.spec.catalog import Nodes, NodeStatus, StoreCatalog
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import PartitionStatus, Store, Target
from stategate.stores.spec.traces import Trace

T = TypeVar("T")


class Cluster:
    """A `StoreCatalog` over the replicas of all nodes.

    Every node follows the log, so each knows all stores, also those without a replica on it.

    Args:
        local: the stores of this node.
        node: the name of this node.
        links: the other nodes by name, as of now.
        holders: which nodes to ask for a partition, in this order.
        statuses: returns the status of each node.
        on_overdue: gets the node of each reply that is overdue; from any thread.
        on_unreadable: gets each copy that could not be read; from any thread.
        homes: which nodes are to hold a partition and can; None if nothing moves.
    """

    def __init__(
        self,
        local: StoreCatalog,
        *,
        node: str,
        links: Mapping[str, Link],
        holders: Holders,
        statuses: Callable[[], Sequence[NodeStatus]] = list,
        on_overdue: Callable[[str], object] = str,
        on_unreadable: Callable[[Unreadable], object] = repr,
        homes: Holders | None = None,
    ) -> None:
        self._local = local
        self.stores: _Stores = _Stores(
            local,
            partial(
                ClusterStore,
                node=node,
                links=links,
                holders=holders,
                on_overdue=on_overdue,
                on_unreadable=on_unreadable,
                homes=homes,
            ),
        )
        """The stores by name, as of now."""
        self.statuses = statuses
        self.nodes: Nodes | None = self

    def begin(
        self,
        store: str,
        targets: Sequence[Target],
        on_answers: Callable[[Sequence[QueryResult[Any]] | None], object],
        trace: Trace | None = None,
    ) -> float:
        """Ask partitions at other nodes, without waiting; see `Nodes.begin`."""
        found = self.stores.get(store)
        if found is None:
            on_answers(None)
            return 0.0
        return begin_once(found.around, targets, on_answers, trace)

    def begin_key(
        self,
        store: str,
        partition: int,
        key: Key,
        on_answer: Callable[[Success[Any] | None], object],
        trace: Trace | None = None,
    ) -> float:
        """Look up a key at another node, without waiting; see `Nodes.begin_key`."""
        found = self.stores.get(store)
        if found is None:
            on_answer(None)
            return 0.0
        return begin_key(found.around, partition, key, on_answer, trace)

    def replicas(self, store: str) -> Sequence[PartitionStatus]:
        """Return the status of each replica of a store; see `Nodes.replicas`."""
        found = self.stores.get(store)
        return (
            [] if found is None else [each for some in found.replicas().values() for each in some]
        )

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


class _Stores(Mapping[str, ClusterStore]):
    """The stores of a node, each with its replicas on other nodes."""

    def __init__(self, local: StoreCatalog, make: Callable[[Store], ClusterStore]) -> None:
        self._local, self._make = local, make
        self._made: dict[str, ClusterStore] = {}

    def __getitem__(self, name: str) -> ClusterStore:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    @overload
    def get(self, key: str, /) -> ClusterStore | None: ...

    @overload
    def get(self, key: str, default: T, /) -> ClusterStore | T: ...

    def get(self, key: str, default: T | None = None, /) -> ClusterStore | T | None:
        """Return a store as a dict does; each lookup asks for one."""
        found = self._find(key)
        return default if found is None else found

    def _find(self, name: str) -> ClusterStore | None:
        local = self._local.stores.get(name)
        if local is None:
            self._made.pop(name, None)
            return None
        made = self._made.get(name)
        if made is None or made.local is not local:
            made = self._made[name] = self._make(local)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._local.stores))

    def __len__(self) -> int:
        return len(self._local.stores)
