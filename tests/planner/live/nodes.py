"""Three nodes in one process, over stores that are applied by hand; the engine is on node `a`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from stategate.planner.planning.groupings import reduce_streams
from stategate.planner.sql import SqlEngine
from stategate.stores.codec.partitioner import partition_column
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.nodes.codec import decode, encode
from stategate.stores.nodes.links import NodeError, OnReply, Replied
from stategate.stores.nodes.messages import Met, Request, WaitForBound
from stategate.stores.spec.position import Progress
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import Store, Waiting
from tests.planner.live.watching import comparable_row
from tests.planner.sides import rows_of, run
from tests.stores.nodes.memory_links import MemoryLink
from tests.support.stores import FixedCatalog, batch, progress

NAMES = ("a", "b", "c")


class LiveLink(MemoryLink):
    """A link whose waits take no thread, and end when the node is lost."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.waits: dict[_Wait, None] = {}

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Ask the node; it is lost once it has got as many requests as it may."""
        if self.requests_left <= 0:
            self.lose()
        return super().ask(request, timeout_s=timeout_s)

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Send a request; a wait is answered in the thread that applies the epoch."""
        if not isinstance(request, WaitForBound):
            return super().begin(request, on_reply)
        self.asked.append(request)
        wait = _Wait(self, on_reply, request.store)
        if not self.is_up:
            wait.end(NodeError("the node is down"))
            return wait
        self.waits[wait] = None
        arrived = decode(encode(request))
        try:
            store = self.answering.store(arrived.store)
            wait.waiting = store.when(arrived.partition, arrived.bound, wait.on_bound)
        except StoreError as error:
            wait.end(NodeError(str(error)))
        return wait

    def lose(self) -> None:
        """Lose the node, and all that it has opened."""
        self.is_up = False
        self.answering.close()
        for wait in tuple(self.waits):
            wait.end(NodeError("the node was lost"))


class _Wait:
    def __init__(self, link: LiveLink, on_reply: OnReply, store: str) -> None:
        self._link, self._on_reply, self.store = link, on_reply, store
        self._lock = threading.Lock()
        self._is_over = False
        self.waiting: Waiting | None = None

    def on_bound(self, is_met: bool) -> None:
        self.end(Met(is_met))

    def end(self, reply: Met | NodeError) -> None:
        if self._ends():
            self._on_reply(reply if isinstance(reply, NodeError) else (reply, ()))

    def cancel(self) -> bool:
        ends = self._ends()
        if ends and self.waiting is not None:
            self.waiting.cancel()
        return ends

    def _ends(self) -> bool:
        with self._lock:
            was_over, self._is_over = self._is_over, True
            self._link.waits.pop(self, None)
            return not was_over


@dataclass
class _Epoch:
    progress: Progress
    mine: list[pa.RecordBatch]
    """The changed rows of each partition."""


@dataclass
class LiveNodes:
    """The nodes, and one store that has all partitions.

    Args:
        schemas: the stores.
        copies: how many nodes have a partition at the beginning.
        pipeline: the writer of all stores.
    """

    schemas: Sequence[StoreSchema]
    copies: int = 2
    pipeline: str | None = None
    committed_ms: int = 0
    """Tells stores that were made anew apart."""
    stuck: set[str] = field(default_factory=set)
    """Nodes that do not follow the log."""
    placed: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """The nodes that are to have a partition."""
    stores: dict[str, dict[str, LocalStore]] = field(default_factory=dict)
    links: dict[str, LiveLink] = field(default_factory=dict)
    history: dict[str, list[_Epoch]] = field(default_factory=dict)
    _reference: SqlEngine | None = None

    def __post_init__(self) -> None:
        for schema in self.schemas:
            self.history[schema.name] = []
            for number in range(schema.partitions):
                self.placed[schema.name, number] = [
                    NAMES[(number + at + 1) % len(NAMES)] for at in range(self.copies)
                ]
        for name in NAMES:
            self.stores[name] = {}
            for schema in self.schemas:
                mine = [n for n in range(schema.partitions) if name in self.homes(schema, n)]
                self.stores[name][schema.name] = self._store(schema, mine)
        self.catalog = FixedCatalog(*self.stores["a"].values())
        for name in NAMES[1:]:
            self.links[name] = LiveLink(self.answering(name))
        self.whole = {
            schema.name: self._store(schema, range(schema.partitions)) for schema in self.schemas
        }

    def homes(self, schema: StoreSchema, partition: int) -> list[str]:
        """Return the nodes that are to have a partition, and can be asked."""
        placed = self.placed[schema.name, partition]
        up = [name for name in placed if name == "a" or name not in self.links or self.is_up(name)]
        return up or placed

    def holders(self, schema: StoreSchema, partition: int) -> list[str]:
        """Return the nodes that have a partition, those that are to have it first."""
        placed = self.placed[schema.name, partition]
        able = [
            name
            for name in NAMES
            if partition in self.stores[name][schema.name].replicas and name not in placed
        ]
        return [*placed, *able]

    def is_up(self, name: str) -> bool:
        """Whether a node can be asked."""
        return self.links[name].is_up

    def cluster(self) -> Cluster:
        """Return the stores of all nodes, as node `a` shows them."""
        return Cluster(
            self.catalog, node="a", links=self.links, holders=self.holders, homes=self.homes
        )

    def apply(
        self,
        name: str,
        rows: Sequence[Row],
        epoch: int,
        gone: Sequence[Row] = (),
        *,
        times_us: Sequence[int | None] | None = None,
    ) -> None:
        """Apply an epoch to all copies on nodes that are up.

        Args:
            name: the store.
            rows: its changed rows.
            epoch: the number.
            gone: whole rows whose keys are deleted.
            times_us: the event times of those that are deleted, then of those that changed.
        """
        (schema,) = (each for each in self.schemas if each.name == name)
        listed = [*gone, *rows]
        flags = [True] * len(gone) + [False] * len(rows)
        changed = batch(schema, listed, times_us=times_us, deleted=flags)
        numbers = partition_column(changed, schema.key, schema.partitions)
        found = _Epoch(
            progress(epoch, committed_ms=self.committed_ms + epoch),
            [changed.filter(pa.array(numbers == n)) for n in range(schema.partitions)],
        )
        self.history[name].append(found)
        for node in NAMES:
            if node not in self.stuck and (node == "a" or self.is_up(node)):
                _catch_up(self.stores[node][name], self.history[name])
        _catch_up(self.whole[name], self.history[name])

    def lose(self, node: str) -> None:
        """Lose a node."""
        self.links[node].lose()

    def bring_back(self, node: str) -> None:
        """Let a node come back; it has caught up before it answers."""
        for name, store in self.stores[node].items():
            _catch_up(store, self.history[name])
        self.links[node].answering = self.answering(node)
        self.links[node].is_up, self.links[node].requests_left = True, 1 << 30

    def restart(self, node: str) -> None:
        """Let a node begin without its replicas; it fills them as it comes back."""
        for name, store in self.stores[node].items():
            for number in tuple(store.replicas):
                store.drop(number)
                store.add(self._replica(store.schema, number))
            self.stores[node][name] = store

    def see_anew(self, node: str, anew: LiveNodes) -> None:
        """Let a node see that the stores were made anew."""
        self.stores[node] = anew.stores[node]
        if node == "a":
            self.catalog.replace(*self.stores["a"].values())
        else:
            self.lose(node)
            self.links[node].answering = self.answering(node)
            self.links[node].is_up = True

    def rows(self, sql: str, parameters: Row = ()) -> Counter[Row]:
        """Return how often each row of a statement occurs, as one node has it."""
        if self._reference is None:
            self._reference = SqlEngine(FixedCatalog(*self.whole.values()))
        return Counter(map(comparable_row, rows_of(run(self._reference, sql, parameters))))

    def placed_of(self, name: str) -> list[list[str]]:
        """Return the nodes that are to have each partition of a store."""
        return [placed for (store, _), placed in self.placed.items() if store == name]

    def waiting(self, name: str) -> int:
        """Return how many waits for epochs of a store there are at other nodes."""
        waiting = [w for link in self.links.values() for w in tuple(link.waits)]
        return sum(each.store == name for each in waiting)

    def move(self, name: str, partition: int, to: Sequence[str]) -> None:
        """Place a partition elsewhere; `drop_moved` takes it from the nodes that had it."""
        for node in to:
            store = self.stores[node][name]
            if partition not in store.replicas:
                store.add(self._replica(store.schema, partition))
                if node == "a" or self.is_up(node):
                    _catch_up(store, self.history[name])
        self.placed[name, partition] = list(to)

    def drop_moved(self) -> bool:
        """Drop what has moved from where no reader keeps an epoch of it; True if all is dropped."""
        is_done = True
        for (name, number), placed in self.placed.items():
            for node in NAMES:
                status = self.stores[node][name].statuses().get(number)
                if status is not None and node not in placed:
                    if status.held_epochs:
                        is_done = False
                    else:
                        self.stores[node][name].drop(number)
        return is_done

    def sent(self, kind: type[Request]) -> int:
        """Return how many requests of a kind were sent."""
        return sum(isinstance(each, kind) for link in self.links.values() for each in link.asked)

    def close(self) -> None:
        """Close all stores."""
        if self._reference is not None:
            self._reference.close()
        for stores in (*self.stores.values(), self.whole):
            for store in stores.values():
                store.close()

    def answering(self, node: str) -> Answering:
        """Return what answers for a node on a new connection."""

        def stores() -> dict[str, Store]:
            return {each.schema.address: each for each in self.stores[node].values()}

        return Answering(stores, reduce_streams)

    def _store(self, schema: StoreSchema, partitions: Sequence[int]) -> LocalStore:
        return LocalStore(schema, {n: self._replica(schema, n) for n in partitions})

    def _replica(self, schema: StoreSchema, partition: int) -> Replica:
        return Replica(
            MemoryPartition(schema, partition),
            schema=schema,
            partition=partition,
            pipeline=self.pipeline,
        )


def _catch_up(store: LocalStore, history: Sequence[_Epoch]) -> None:
    for number, replica in store.replicas.items():
        for each in history:
            if each.progress.epoch > replica.progress.epoch:
                replica.apply(each.progress, [each.mine[number]])
