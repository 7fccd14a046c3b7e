"""Streams, held epochs and waits at another node, as stores give them to their readers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

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


class RemoteRows:
    """The rows of a stream on another node, and on a third one if that is lost.

    Args:
        link: the link to the other node.
        stream: the number of the stream there.
        reopen: returns the same rows from another node, or raises NodeError.
    """

    def __init__(self, link: Link, stream: int, reopen: Callable[[], BatchStream]) -> None:
        self._link, self._stream, self._reopen = link, stream, reopen

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches from the first one on.

        Raises:
            NodeError: the node was lost, and no other has the epoch.
        """
        rows, again = 0, True
        while True:
            try:
                reply, batches = self._link.ask(ReadStream(self._stream, again=again))
            except NodeError:
                yield from _after(self._reopen(), rows)
                return
            if not isinstance(reply, Batches):
                raise NodeError(reply.message if isinstance(reply, Refused) else "unexpected reply")
            again = False
            for batch in batches:
                rows += batch.num_rows
                yield batch
            if reply.is_last:
                return

    def __del__(self) -> None:
        self._link.tell(Release(streams=(self._stream,)))


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
