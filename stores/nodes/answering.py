"""Answers the requests of one other node from the replicas of this one.

A connection of a node has one `Answering`, which keeps the streams and epochs that the node has
opened, and releases them when the connection ends. Nothing here waits: the caller decides in which
thread a request is answered.
"""

from __future__ import annotations

import itertools
import math
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.nodes.messages import (
    Answer,
    Answers,
    Ask,
    AskHold,
    AskKeys,
    AskStatuses,
    FirstRows,
    Followed,
    FollowKeys,
    HeldEpoch,
    HoldEpoch,
    Keys,
    Opened,
    ReadStream,
    Reduce,
    Reduced,
    Refused,
    Release,
    Reply,
    Request,
    Statuses,
)
from stategate.stores.nodes.open_streams import OpenStream
from stategate.stores.nodes.packed_keys import AskedKey
from stategate.stores.nodes.traced_reads import OpenRead
from stategate.stores.spec import reductions
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.position import UNBOUNDED
from stategate.stores.spec.query import BatchStream, FewKeysQuery, FirstRowsQuery, KeyQuery, Query
from stategate.stores.spec.reductions import NotReducedError, Reduction
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.store import DEFAULT_CONFIG, Hold, QueryConfig, Store
from stategate.stores.spec.traces import OnRead

STREAMS_MAX = 10_000
HOLDS_MAX = 100_000
"""Limits of one connection; a node closes both when their statement ends."""
LOGS_MAX = 100_000
"""Partitions whose changed keys a connection may follow: one of each that is subscribed to."""
REDUCE_S = 0.2
"""How long a node reduces streams before others get the thread, and the reader has to ask again."""
SHORT_S = 0.005
"""How long a request may take that an event loop answers."""
_SMALL_KEYS_MAX = 64
_NUMBER_BITS = 62
"""The first number of a connection has so many bits; a message takes one more."""


@dataclass(frozen=True, slots=True)
class _Followed:
    """A log, and of what it is: a partition may be opened anew, or its store be another one."""

    store: str
    partition: int
    log: KeyLog


@dataclass(frozen=True, slots=True)
class _Reducing:
    streams: tuple[int, ...]
    steps: Iterator[Reduction | None]


def cannot_reduce(
    how: object, streams: Sequence[Iterable[pa.RecordBatch]]
) -> Iterator[Reduction | None]:
    """Reduce nothing, as a node does whose readers have not said how.

    Raises:
        NotReducedError: always.
    """
    del how, streams
    raise NotReducedError("this node reduces no streams")


class Answering:
    """The replies to one node.

    Args:
        stores: the stores of this node, by address, as of now.
        reduce: reduces streams.
        on_read: takes the reads of traced statements; None if they are not recorded here.
    """

    def __init__(
        self,
        stores: Callable[[], Mapping[str, Store]],
        reduce: reductions.Reduce = cannot_reduce,
        on_read: OnRead | None = None,
    ) -> None:
        self._stores, self._reduce, self._on_read = stores, reduce, on_read
        # A node asks by the numbers of a connection that was lost before it knows that. They must
        # not be those of other streams and epochs on the next connection.
        self._numbers = itertools.count(secrets.randbits(_NUMBER_BITS))
        self._streams: dict[int, OpenStream] = {}
        self._reducing: dict[int, _Reducing] = {}
        """Reductions that are not complete, by their first stream."""
        self._holds: dict[int, Hold] = {}
        self._logs: dict[int, _Followed] = {}

    @staticmethod
    def is_short(request: Request) -> bool:
        """Whether a request takes microseconds, so that an event loop may answer it."""
        if isinstance(request, Ask):
            keys = sum(_keys(query) for _, query, _ in request.targets)
            return keys <= _SMALL_KEYS_MAX
        return isinstance(request, Release | AskHold)

    def reply(self, request: Request) -> tuple[Reply | None, list[pa.RecordBatch]]:
        """Return the reply and the batches that follow it; no reply to `Release`.

        `WaitForBound` is not answered here, since it waits: see `store`.
        """
        if isinstance(request, ReadStream):
            return self._batches(request)
        if isinstance(request, Reduce):
            return self._reduced(request)
        if isinstance(request, Release):
            self._release(request)
            return None, []
        try:
            return self._reply(request), []
        except StoreError as error:
            return Refused(str(error)), []

    def _reply(self, request: Request) -> Reply:
        found: Reply = Refused("a wait is not answered at once")
        match request:
            case Ask():
                found = self._answers(request)
            case AskStatuses():
                found = Statuses(tuple(self.store(request.store).statuses().values()))
            case HoldEpoch():
                found = self._hold(request)
            case AskHold():
                found = self._held(request.hold)
            case FollowKeys():
                found = self._followed(request)
            case AskKeys():
                found = self._changed(request)
        return found

    def store(self, address: str) -> Store:
        """Return a store.

        Raises:
            StoreError: there is none of that name, or not with that definition.
        """
        found = self._stores().get(address)
        if found is None:
            raise StoreError(f'store "{address}" is not on this node')
        return found

    def look_up(self, asked: AskedKey) -> QueryResult[Any]:
        """Return the answer to a lookup of one key; failures are values, too."""
        _, address, partition, key = asked
        store = self._stores().get(address)
        if store is None:
            message = f'store "{address}" is not on this node'
            return Failure(reason=FailureReason.NOT_PRESENT, message=message)
        try:
            return store.query_partition(partition, KeyQuery(key=key))
        except StoreError as error:
            return Failure(reason=FailureReason.STORE_EXCEPTION, message=str(error))

    @property
    def is_idle(self) -> bool:
        """Whether the other node reads no stream and keeps no epoch here."""
        return not self._streams and not self._holds

    def close(self) -> None:
        """Release all streams and epochs."""
        streams, self._streams = self._streams, {}
        self._reducing.clear()
        holds, self._holds = self._holds, {}
        self._logs = {}
        for stream in streams.values():
            stream.end()
        streams.clear()
        for hold in holds.values():
            hold.release()

    def _answers(self, request: Ask) -> Answers:
        try:
            store = self.store(request.store)
        except StoreError as error:
            failed = (FailureReason.NOT_PRESENT.value, str(error), False)
            return Answers(tuple(Answer(-1, failed=failed) for _ in request.targets))
        # The queries are converted first, so that all of them end within the time of one.
        queries = [_local(query) for _, query, _ in request.targets]
        trace, traced = request.trace, None
        answers = []
        for query, (partition, _, config) in zip(queries, request.targets, strict=True):
            if trace is not None and self._on_read is not None:
                traced = OpenRead(self._on_read, trace, store.schema.name, partition, query)
            result = store.query_partition(partition, query, _own(config))
            answers.append(self._answer(result, traced))
        return Answers(tuple(answers))

    def _answer(self, result: QueryResult[Any], traced: OpenRead | None) -> Answer:
        if type(result) is Success and type(result.value) is BatchStream:
            result = result.swap(self._opened(result.value, traced))
        if traced is not None:
            traced.note(result)
        return Answer.of(result)

    def _opened(self, stream: BatchStream, traced: OpenRead | None) -> Opened:
        if len(self._streams) >= STREAMS_MAX:
            raise StoreError(f"a node may read {STREAMS_MAX:,} streams of another at a time")
        number = next(self._numbers)
        self._streams[number] = OpenStream(stream, traced)
        return Opened(number, stream.rows_in_memory, stream.has_rows)

    def _batches(self, request: ReadStream) -> tuple[Reply, list[pa.RecordBatch]]:
        stream = self._streams.get(request.stream)
        if stream is None:
            return Refused("the stream is closed"), []
        return stream.next(request.read)

    def _reduced(self, request: Reduce) -> tuple[Reply, list[pa.RecordBatch]]:
        """Work on a reduction for a while."""
        asked = map(self._streams.get, request.streams)
        streams = [each for each in asked if each is not None]
        if not streams or len(streams) < len(request.streams):
            return Refused("a stream is closed"), []
        first = request.streams[0]
        reducing = self._reducing.pop(first, None)
        try:
            if reducing is None or reducing.streams != request.streams:
                rows_of = [each.rows for each in streams]
                reducing = _Reducing(request.streams, self._reduce(request.how, rows_of))
            found = _worked_on(reducing)
        except NotReducedError as error:
            return Refused(str(error)), []
        except StoreError as error:
            return Refused(str(error), is_unreadable=True), []
        if found is None:
            self._reducing[first] = reducing
            if first not in self._streams:  # released meanwhile
                self._reducing.pop(first, None)
            return Reduced(None), []
        for stream, rows in zip(streams, found.rows, strict=False):
            stream.end(rows)
        return Reduced(found.rows), list(found.batches)

    def _release(self, request: Release) -> None:
        for number in request.streams:
            stream = self._streams.pop(number, None)
            if stream is not None:
                stream.end()
            self._reducing.pop(number, None)
        for number in request.holds:
            hold = self._holds.pop(number, None)
            if hold is not None:
                hold.release()
        for number in request.logs:
            self._logs.pop(number, None)

    def _hold(self, request: HoldEpoch) -> HeldEpoch:
        if len(self._holds) >= HOLDS_MAX:
            raise StoreError(f"a node may hold {HOLDS_MAX:,} epochs of another at a time")
        hold = self.store(request.store).hold(request.partition, request.epoch)
        if hold is None:
            return HeldEpoch(-1)
        number = next(self._numbers)
        self._holds[number] = hold
        return _shown(number, hold)

    def _held(self, number: int) -> HeldEpoch:
        hold = self._holds.get(number)
        if hold is None:
            return HeldEpoch(-1)
        return _shown(number, hold)

    def _followed(self, request: FollowKeys) -> Followed:
        if len(self._logs) >= LOGS_MAX:
            raise StoreError(f"a node may follow {LOGS_MAX:,} partitions of another at a time")
        log = self.store(request.store).follow_keys(request.partition)
        if log is None:
            return Followed(-1)
        number = next(self._numbers)
        self._logs[number] = _Followed(request.store, request.partition, log)
        return Followed(number)

    def _changed(self, request: AskKeys) -> Keys:
        followed = self._logs.get(request.log)
        if followed is None or not self._is_current(followed):
            return Keys(None, is_followed=False)
        keys = followed.log.changed(request.after, request.up_to)
        if keys is None:
            return Keys(None)
        return Keys(tuple(list(values) for values in zip(*keys, strict=True)))

    def _is_current(self, followed: _Followed) -> bool:
        """Whether a log is still that of the replica that is here now."""
        store = self._stores().get(followed.store)
        return store is not None and store.follow_keys(followed.partition) is followed.log


def _worked_on(reducing: _Reducing) -> Reduction | None:
    """Return a reduction if it is complete before others need the thread."""
    until_s = time.monotonic() + REDUCE_S
    for found in reducing.steps:
        if found is not None or time.monotonic() >= until_s:
            return found
    raise NotReducedError("the reduction gave nothing")


def _shown(number: int, hold: Hold) -> HeldEpoch:
    return HeldEpoch(number, hold.epoch, hold.is_held, hold.is_missed, hold.committed_ms)


def _keys(query: Query[Any] | FirstRows) -> int:
    """Return how many keys a query looks up; any other query counts as many."""
    if type(query) is KeyQuery or (isinstance(query, FirstRows) and _is_limited(query)):
        return 1
    return len(query.keys) if isinstance(query, FewKeysQuery) else _SMALL_KEYS_MAX + 1


def _is_limited(query: FirstRows) -> bool:
    """Whether a query reads no longer than an event loop may."""
    return query.left_s is not None and query.left_s <= SHORT_S


def _own(config: QueryConfig | None) -> QueryConfig:
    """Return the configuration; stores know the default one and no bound as the same objects."""
    if config is None or config == DEFAULT_CONFIG:
        return DEFAULT_CONFIG
    if config.bound == UNBOUNDED:
        return QueryConfig(active=config.active, info=config.info, at_epoch=config.at_epoch)
    return config


def _local(query: Query[Any] | FirstRows) -> Query[Any]:
    """Return a query as this node runs it."""
    if isinstance(query, FirstRows):
        until_s = math.inf if query.left_s is None else time.perf_counter() + query.left_s
        return FirstRowsQuery(query.of, query.count, until_s)
    return query
