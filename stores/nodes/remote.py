"""Streams, held epochs and waits at another node, as stores give them to their readers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any
from weakref import ReferenceType, ref

import pyarrow as pa

from stores.errors import StoreError
from stores.nodes.links import Link, NodeError, Replied
from stores.nodes.messages import (
    AskHold,
    Batches,
    FirstRows,
    HeldEpoch,
    Met,
    ReadStream,
    Refused,
    Release,
    WaitForBound,
)
from stores.spec.query import BatchStream, FirstRowsQuery, Query
from stores.spec.store import OnBound, Waiting

READ_S = 60.0
"""How long a node may take to send the next rows."""
AHEAD = 3
"""Streams whose first rows are asked for while another one is read; each takes some 1 MiB."""


class RemoteRows:
    """The rows of a stream on another node, and on a third one if that is lost.

    The next rows are asked for while the last ones are read. The first rows of the next streams of
    the same question are, too, so that several nodes work at a time.

    Args:
        link: the link to the other node.
        stream: the number of the stream there.
        reopen: returns the same rows from another node, or raises NodeError.
    """

    def __init__(self, link: Link, stream: int, reopen: Callable[[], BatchStream]) -> None:
        self._link, self._stream, self._reopen = link, stream, reopen
        self._reads = 0
        self._ahead: _Pending | None = None
        self.next: Sequence[ReferenceType[RemoteRows]] = ()
        """Those that are probably read after it."""

    def read_ahead(self) -> None:
        """Ask for the first rows, unless they have been read."""
        if self._reads == 0 and self._ahead is None:
            self._ahead = self._ask(1)

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches from the first one on.

        Raises:
            NodeError: the node was lost, and no other has the epoch.
        """
        pending, self._ahead = self._ahead, None
        self._reads += 1
        number, rows = self._reads, 0
        if pending is None:
            pending = self._ask(number)
        for following in self.next:
            other = following()
            if other is not None:
                other.read_ahead()
        while True:
            try:
                reply, batches = pending.reply()
            except NodeError:
                yield from _after(self._reopen(), rows)
                return
            if not isinstance(reply, Batches):
                raise NodeError(reply.message if isinstance(reply, Refused) else "unexpected reply")
            if not reply.is_last:
                pending = self._ask(number)
            for batch in batches:
                rows += batch.num_rows
                yield batch
            if reply.is_last:
                return

    def _ask(self, number: int) -> _Pending:
        return _Pending(self._link, ReadStream(self._stream, number))

    def __del__(self) -> None:
        self._link.tell(Release(streams=(self._stream,)))


class _Pending:
    """A request that was sent, and its reply."""

    def __init__(self, link: Link, request: ReadStream) -> None:
        self._replies: SimpleQueue[Replied | NodeError] = SimpleQueue()
        link.begin(request, self._replies.put)

    def reply(self) -> Replied:
        """Wait for the reply.

        Raises:
            NodeError: there is none in time, or there cannot be one.
        """
        try:
            found = self._replies.get(timeout=READ_S)
        except Empty:
            raise NodeError("it did not send the rows in time") from None
        if isinstance(found, NodeError):
            raise found
        return found


def read_in_turn(rows: Sequence[RemoteRows]) -> None:
    """Let each of some streams read ahead for those after it."""
    references = [ref(each) for each in rows]
    for at, each in enumerate(rows):
        each.next = references[at + 1 : at + 1 + AHEAD]


class RemoteHold:
    """An epoch that another node keeps.

    Args:
        link: the link to the other node.
        held: its reply.
    """

    def __init__(self, link: Link, held: HeldEpoch) -> None:
        self._link, self._held = link, held
        self._is_released = False

    @property
    def epoch(self) -> int:
        """The epoch to ask at."""
        return self._held.epoch

    @property
    def is_held(self) -> bool:
        """Whether the other node still keeps it."""
        return not self._is_released and self._now().is_held

    @property
    def is_missed(self) -> bool:
        """Whether the replica skipped the epoch."""
        return self._now().is_missed

    def release(self) -> None:
        """Let the other node forget it."""
        if not self._is_released:
            self._is_released = True
            self._link.tell(Release(holds=(self._held.hold,)))

    def _now(self) -> HeldEpoch:
        try:
            reply, _ = self._link.ask(AskHold(self._held.hold))
        except StoreError:
            return HeldEpoch(-1)
        return reply if isinstance(reply, HeldEpoch) else HeldEpoch(-1)


class RemoteWait:
    """Waits at one node after the other until a bound is met.

    Args:
        request: the bound.
        links: the nodes to ask, in order.
        callback: gets whether the bound was met.
    """

    def __init__(self, request: WaitForBound, links: Sequence[Link], callback: OnBound) -> None:
        self._request, self._left, self._callback = request, list(links), callback
        self._current: Waiting | None = None
        self._is_over = False

    def begin(self) -> None:
        """Ask the next node."""
        if self._is_over:
            return
        if not self._left:
            self._is_over = True
            self._callback(False)
            return
        link = self._left.pop(0)
        self._current = link.begin(self._request, self._on_reply)

    def cancel(self) -> bool:
        """Stop waiting; False if the callback was called or is about to be."""
        if self._is_over:
            return False
        self._is_over = True
        if self._current is not None:
            self._current.cancel()
        return True

    def _on_reply(self, replied: Replied | NodeError) -> None:
        if self._is_over:
            return
        if isinstance(replied, tuple) and isinstance(replied[0], Met) and replied[0].is_met:
            self._is_over = True
            self._callback(True)
        else:
            self.begin()


def sent_query(query: Query[Any]) -> Any:
    """Return a query as it travels."""
    if type(query) is not FirstRowsQuery:
        return query
    left_s = query.until_s - time.perf_counter()
    return FirstRows(query.of, query.count, None if math.isinf(left_s) else left_s)


def _after(stream: BatchStream, rows: int) -> Iterator[pa.RecordBatch]:
    for batch in stream:
        if rows < batch.num_rows:
            yield batch.slice(rows)
        rows = max(0, rows - batch.num_rows)
