"""What a reader of stores sees: all of them by name, and the nodes that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stategate.stores.errors import StoreError
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import PartitionStatus, Store, Target
from stategate.stores.spec.traces import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """A node as another one sees it."""

    name: str
    zone: str = ""
    weight: float = 1.0
    is_connected: bool = True
    """Whether it can be asked."""
    is_leaving: bool = False
    """Whether it is about to stop."""
    version: str = ""
    """The version of Stategate that it runs; empty before it has said so."""
    running: int = 0
    """How many of its replicas answer."""
    restoring: int = 0
    reply_ms: float | None = None
    """The usual time of its replies; None before the first one."""
    problem: str | None = None
    """Why it cannot be asked, or places partitions otherwise."""


class Nodes(Protocol):
    """The nodes that hold the stores of a catalog."""

    def statuses(self) -> Sequence[NodeStatus]:
        """Return the status of each node, by name."""

    def begin(
        self,
        store: str,
        targets: Sequence[Target],
        on_answers: Callable[[Sequence[QueryResult[Any]] | None], object],
        trace: Trace | None = None,
    ) -> float:
        """Ask partitions at other nodes, without waiting and without a second try.

        Args:
            store: its name.
            targets: what to ask; queries without streams.
            on_answers: gets the answers in the order of the targets; None if one of them failed.
                It is called in the thread in which replies arrive, or before this returns.
            trace: the trace that the answers belong to.

        Returns:
            After how many seconds the answers are overdue.
        """

    def begin_key(
        self,
        store: str,
        partition: int,
        key: Key,
        on_answer: Callable[[Success[Any] | None], object],
        trace: Trace | None = None,
    ) -> float:
        """Look up one key at another node, as `begin` does.

        Args:
            store: its name.
            partition: the partition of the key.
            key: the key.
            on_answer: gets the answer, or None without one. It is called as that of `begin`.
            trace: the trace that the answer belongs to.

        Returns:
            After how many seconds the answer is overdue.
        """

    def replicas(self, store: str) -> Sequence[PartitionStatus]:
        """Return the status of each replica of a store on the nodes that can be asked."""


class StoreCatalog(Protocol):
    """The stores that can be queried, by name. They may change at any time."""

    nodes: Nodes | None
    """The nodes that hold the stores; None if this one holds all of them. Reads that ask other
    nodes block, so an event loop leaves them to a thread."""

    @property
    def stores(self) -> Mapping[str, Store]:
        """The stores by name, as of now."""

    @property
    def version(self) -> int:
        """A number that grows whenever a definition is added, changed or removed."""

    def is_whole(self) -> bool:
        """Whether `stores` has every store of the log: none is new or failed to open.

        May read the log.
        """

    def missing(self, store: str) -> StoreError:
        """Return the error for a store that is not in `stores`; it says whether a retry can help.

        An UnknownStoreError only if the log has been read since the start.
        """
