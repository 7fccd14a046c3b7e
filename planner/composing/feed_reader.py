"""The composing process's end of a feed: relations that arrive in part, and the rest on request."""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Iterator

import pyarrow as pa

from planner.composing import frames
from planner.composing.messages import ASK, FeedKind, SentRelation


class _Stream:
    """One scan of a relation."""

    def __init__(self, relation: int, number: int) -> None:
        self.relation, self.number = relation, number
        self.arrived: frames.Frame | None = None


class FeedReader:
    """Requests batches from the gateway. Safe to use from many threads, as DuckDB does.

    Args:
        sock: of the feed; closed with the reader.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._asking, self._taking = threading.Lock(), threading.Lock()
        self._awaited: deque[_Stream] = deque()

    def read(self, relation: int, number: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one scan of a relation.

        Raises:
            RuntimeError: the gateway could not read the relation.
            OSError: the feed is closed.
        """
        stream = _Stream(relation, number)
        self._ask(stream)
        while True:
            frame = self._take(stream)
            if frame.kind == FeedKind.END:
                return
            if frame.kind == FeedKind.FAILED:
                raise RuntimeError(frame.head.decode())
            self._ask(stream)  # so that the gateway reads ahead while DuckDB works
            size = 0 if frame.body is None else frame.body.size
            yield from frames.batches_in(frame.body, [size], schema)

    def close(self) -> None:
        """Close the feed; threads that wait for rows fail."""
        self._sock.close()

    def _ask(self, stream: _Stream) -> None:
        with self._asking:
            self._awaited.append(stream)
            self._sock.sendall(ASK.pack(stream.relation, stream.number))

    def _take(self, stream: _Stream) -> frames.Frame:
        """Return the reply for a stream; replies for other streams are kept for them."""
        with self._taking:
            while stream.arrived is None:
                frame = frames.receive(self._sock)
                if frame is None:
                    raise frames.TornFrameError("the feed is closed")
                self._awaited.popleft().arrived = frame
            taken, stream.arrived = stream.arrived, None
            return taken


class ReceivedRelation:
    """A relation that arrived with its statement, in whole or in part."""

    def __init__(
        self,
        place: int,
        given: SentRelation,
        schema: pa.Schema,
        body: pa.Buffer | None,
        feed: FeedReader | None,
    ) -> None:
        self._place, self._schema, self._feed = place, schema, feed
        self._first = frames.batches_in(body, given.sizes, schema)
        self._is_whole = given.is_whole
        self._streams = 0
        self._lock = threading.Lock()

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in a new scan."""
        with self._lock:
            number = self._streams
            self._streams += 1
        if self._is_whole or number == 0:
            yield from self._first
        if not self._is_whole:
            assert self._feed is not None, "a relation in part has a feed"
            yield from self._feed.read(self._place, number, self._schema)
