"""The log of a simulation and its replicas, whose rows follow from partition and epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from stategate.stores.errors import StoreError
from stategate.stores.hosting.held_epochs import HeldEpochs
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.nodes.open_streams import BATCHES_BYTES
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.query import BatchStream, KeyQuery, Query, RangeQuery
from stategate.stores.spec.store import Handler, Role, View
from tests.stores.nodes.simulation.virtual_time import VirtualTime
from tests.support.stores import keyvalue

PARTITIONS = 4
SCHEMA = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=PARTITIONS)
TOPIC = "events"
LOOKUP = KeyQuery.with_key("k")
SCAN = RangeQuery()

Row = tuple[int, int]
"""Its place in the partition, and the epoch of the view that it was read from."""


@dataclass(slots=True)
class Log:
    """What the pipeline has committed."""

    newest: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a partition at an epoch; the part of a record batch that nodes use."""

    epoch: int
    start: int
    end: int
    nbytes: int = BATCHES_BYTES
    """So large that a reply has one batch."""

    @property
    def num_rows(self) -> int:
        return self.end - self.start

    def slice(self, rows: int) -> Rows:
        """Return them without the first ones."""
        return Rows(self.epoch, self.start + rows, self.end)

    def listed(self) -> list[Row]:
        """Return them one by one."""
        return [(number, self.epoch) for number in range(self.start, self.end)]


def count_of(partition: int, epoch: int) -> int:
    """Return how many rows a partition has at an epoch."""
    return 3 + (epoch * (partition + 3)) % 7


@cache
def position_of(epoch: int) -> Position:
    return Position.of({TOPIC: {0: epoch}})


@cache
def progress_of(epoch: int) -> Progress:
    return Progress(epoch=epoch, position=position_of(epoch))


def _batches(partition: int, epoch: int) -> Iterator[Any]:
    count = count_of(partition, epoch)
    for start in range(0, count, 2):
        yield Rows(epoch, start, min(start + 2, count))


class SimulatedEngine:
    """A `StorePartition` whose rows follow from the epoch."""

    def __init__(self, partition: int, epoch: int) -> None:
        self._partition = partition
        self.readable: int | None = None
        """How many batches of a scan can be read; None for all of them, and for keys, too."""
        self.handlers: Mapping[type[Query[Any]], Handler] = {
            KeyQuery: self._look_up,
            RangeQuery: lambda view, query: BatchStream(partial(self._scan, view)),
        }
        self.view = View(progress=progress_of(epoch), data=partition)

    def apply(self, progress: Progress, batches: Iterable[Any], *, replace: bool = False) -> None:
        del batches, replace
        self.view = View(progress=progress, data=self._partition)

    def _look_up(self, view: View, query: object) -> Row:
        if self.readable is not None:
            raise StoreError("the key is damaged")
        return view.data, view.progress.epoch

    def _scan(self, view: View) -> Iterator[Any]:
        for at, batch in enumerate(_batches(view.data, view.progress.epoch)):
            if at == self.readable:
                raise StoreError("the rows are damaged")
            yield batch

    layout = ""

    def restore(self, fetch: Callable[[Path], object], progress: Progress) -> None:
        fetch(Path())
        self.view = View(progress=progress, data=self._partition)

    def close(self) -> None:
        """Do nothing."""


def open_replica(partition: int, epoch: int, role: Role, log: Log, time: VirtualTime) -> Replica:
    """Open a replica whose files have an epoch; -1 without files."""
    return Replica(
        SimulatedEngine(partition, epoch),
        schema=SCHEMA,
        partition=partition,
        role=role,
        restore_to=log.newest,
        clock=lambda: int(time.now_s * 1000),
        holds=HeldEpochs(clock=lambda: time.now_s),
    )


class SimulatedStore(LocalStore):
    """The replicas of one node."""

    def __init__(self, replicas: Mapping[int, Replica], log: Log) -> None:
        super().__init__(SCHEMA, replicas)
        self._followed = log

    def committed_epoch(self) -> int:
        """Return the newest epoch of the log, which every node can read."""
        return self._followed.newest


@dataclass(slots=True)
class Disk:
    """What a node finds again after a restart: the epoch of each partition."""

    epochs: dict[int, int] = field(default_factory=dict)
