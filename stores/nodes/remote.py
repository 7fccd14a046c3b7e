"""Streams at another node, as stores give them to their readers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from weakref import ReferenceType, ref

import pyarrow as pa

from stategate.stores.nodes.failover import (
    LostError,
    Releasable,
    Reopen,
    UnreadableError,
    rows_of_copies,
)
from stategate.stores.nodes.links import REAL_TIME, Inbox, Link, NodeError, Replied, Timing
from stategate.stores.nodes.messages import (
    Batches,
    FirstRows,
    ReadStream,
    Reduce,
    Reduced,
    Refused,
    Release,
)
from stategate.stores.spec.query import FirstRowsQuery, Query
from stategate.stores.spec.reductions import Elsewhere, NotReducedError, Reduction
from stategate.stores.spec.store import Stop

READ_S = 60.0
"""How long a node may take to send the next rows."""
AHEAD = 3
"""Streams whose first rows are asked for while another one is read; each takes some 1 MiB."""


class RemoteRows:
    """The rows of a stream on another node, and on a third one if that is lost.

    The next rows are asked for while the last ones are read. The first rows of the next streams of
    the same question are, too, so that several nodes work at a time.

    Args:
        node: the name of the other node.
        link: the link to it.
        stream: the number of the stream there.
        connections: how often the link was connected before the stream was asked for.
        reopen: opens the same rows at another node.
        on_long: called when there are more rows than one reply has.
        on_unreadable: gets why the node cannot read the rows.
        spare: keeps the epoch at that other node meanwhile; None if there is no other.
        stop: ends the waits for rows.
        timing: how to wait for replies.
    """

    def __init__(
        self,
        node: str,
        link: Link,
        stream: int,
        *,
        connections: int,
        reopen: Reopen,
        on_long: Callable[[], object] = bool,
        on_unreadable: Callable[[str], object] = str,
        spare: Releasable | None = None,
        stop: Stop | None = None,
        timing: Timing = REAL_TIME,
    ) -> None:
        self.node, self._link, self._stream, self._reopen = node, link, stream, reopen
        self._on_long, self._on_unreadable = on_long, on_unreadable
        self._connections = connections
        self._spare, self._stop, self._timing = spare, stop, timing
        self._reads = 0
        self._ahead: _Pending | None = None
        self.next: Sequence[ReferenceType[RemoteRows]] = ()
        """Those that are probably read after it."""

    def read_ahead(self) -> None:
        """Ask for the first rows, unless they have been read."""
        if self._reads == 0 and self._ahead is None:
            self._ahead = self._ask(1)

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches from the first one on; see `rows_of_copies`."""
        return rows_of_copies(self, self._reopen)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches that the node sends; see `Copy`."""
        pending, self._ahead = self._ahead, None
        self._reads += 1
        number = self._reads
        if pending is None:
            pending = self._ask(number)
        for following in self.next:
            other = following()
            if other is not None:
                other.read_ahead()
        while True:
            reply, batches = self._replied(pending)
            if not reply.is_last:
                pending = self._ask(number)
                self._on_long()
            yield from batches
            if reply.is_last:
                return

    def _replied(self, pending: _Pending) -> tuple[Batches, Sequence[pa.RecordBatch]]:
        """Wait for the next rows.

        A refusal is a loss if there is another connection: the node has closed its streams with the
        first one. It is one, too, if the node cannot read the rows. What else it refuses, such as a
        row that is too large, any other node would refuse as well.

        Raises:
            NodeError: the node was lost, a `LostError`; or it refuses.
            Exception: the error of `stop`.
        """
        why = "was lost while its rows were read"
        try:
            reply, batches = pending.reply(self._stop)
        except NodeError as error:
            raise LostError(f"{why}: {error}") from None
        if isinstance(reply, Batches):
            return reply, batches
        if not isinstance(reply, Refused):
            raise NodeError("unexpected reply")
        if reply.is_unreadable:
            self._on_unreadable(reply.message)
            raise UnreadableError(f"cannot read its rows: {reply.message}")
        if self._link.connections != self._connections:
            raise LostError(f"{why}: {reply.message}")
        raise NodeError(reply.message)

    @property
    def reducer(self) -> Link | None:
        """See `Elsewhere`."""
        return self._link

    def begin_reducing(self, places: Sequence[Elsewhere], how: object) -> RemoteReducing:
        """See `Elsewhere`."""
        streams = tuple([each._stream for each in places if isinstance(each, RemoteRows)])
        return RemoteReducing(self._link, Reduce(streams, how), self._stop, self._timing)

    def _ask(self, number: int) -> _Pending:
        return _Pending(self._link, ReadStream(self._stream, number), self._timing)

    def __del__(self) -> None:
        self._link.tell(Release(streams=(self._stream,)))
        if self._spare is not None:
            self._spare.release()


class RemoteReducing:
    """A reduction at another node; see `Reducing`.

    Args:
        link: the link to the node, which begins at once.
        request: which streams to reduce, and how.
        stop: ends the wait.
        timing: how to wait for replies.
    """

    def __init__(self, link: Link, request: Reduce, stop: Stop | None, timing: Timing) -> None:
        self._link, self._request, self._stop, self._timing = link, request, stop, timing
        self._pending = _Pending(link, request, timing)

    def wait(self) -> Reduction | None:
        """Return the reduction; None if the node was lost, or cannot read; see `Reducing`."""
        while True:
            try:
                reply, batches = self._pending.reply(self._stop)
            except NodeError:
                return None
            if isinstance(reply, Refused) and reply.is_unreadable:
                return None
            if not isinstance(reply, Reduced):
                raise NotReducedError(
                    reply.message if isinstance(reply, Refused) else "unexpected reply"
                )
            if reply.rows is not None:
                if len(reply.rows) != len(self._request.streams):
                    raise NotReducedError("unexpected reply")
                return Reduction(reply.rows, batches)
            self._pending = _Pending(self._link, self._request, self._timing)


class _Pending:
    """A request that was sent, and its reply."""

    def __init__(self, link: Link, request: ReadStream | Reduce, timing: Timing) -> None:
        self._replies: Inbox[Replied | NodeError] = timing.inbox()
        link.begin(request, self._replies.put)

    def reply(self, stop: Stop | None) -> Replied:
        """Wait for the reply.

        Raises:
            NodeError: there is none in time, or there cannot be one.
            Exception: the error of `stop`.
        """
        found = self._replies.get(0.0)
        if found is None:
            found = self._waited_for(stop)
        if found is None:
            raise NodeError("it did not send the rows in time")
        if isinstance(found, NodeError):
            # An error that its own frame refers to would keep streams from being released.
            raise NodeError(str(found))
        return found

    def _waited_for(self, stop: Stop | None) -> Replied | NodeError | None:
        if stop is None:
            return self._replies.get(READ_S)
        forget = stop.on_cancel(partial(self._replies.put, NodeError("no one waits for it")))
        try:
            found = self._replies.get(wait_s(READ_S, stop))
        finally:
            forget()
        if not isinstance(found, tuple):
            stop.check()
        return found


def wait_s(seconds: float, stop: Stop | None) -> float:
    """Return how long to wait, which is no longer than a reader does."""
    remaining_s = None if stop is None else stop.remaining_s
    return seconds if remaining_s is None else min(seconds, remaining_s)


def read_in_turn(rows: Sequence[RemoteRows]) -> None:
    """Let each of some streams read ahead for those after it."""
    references = [ref(each) for each in rows]
    for at, each in enumerate(rows):
        each.next = references[at + 1 : at + 1 + AHEAD]


def sent_query(query: Query[Any]) -> Any:
    """Return a query as it travels."""
    if type(query) is not FirstRowsQuery:
        return query
    left_s = query.until_s - time.perf_counter()
    return FirstRows(query.of, query.count, None if math.isinf(left_s) else left_s)
