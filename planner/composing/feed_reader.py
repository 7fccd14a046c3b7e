"""The process's end of a feed: relations as they came, and the rest of them as it is asked for."""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Iterator

import pyarrow as pa

from planner.composing import frames
from planner.composing.messages import ASK, FeedKind, SentRelation


class _Stream:
    """One reading of a relation, in the process."""

    def __init__(self, relation: int, number: int) -> None:
        self.relation, self.number = relation, number
        self.arrived: frames.Frame | None = None


class FeedReader:
    """The process's end of a feed. Safe to use from many threads, as DuckDB does.

    Args:
        sock: the socket, closed with the reader.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._asking, self._taking = threading.Lock(), threading.Lock()
        self._awaited: deque[_Stream] = deque()

    def read(self, relation: int, number: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The batches of one stream of a relation.

        Raises:
            RuntimeError: the relation could not be read.
            OSError: the feed has been closed.
        """
        stream = _Stream(relation, number)
        self._ask(stream)
        while True:
            frame = self._take(stream)
            if frame.kind == FeedKind.END:
                return
            if frame.kind == FeedKind.FAILED:
                raise RuntimeError(frame.head.decode())
            self._ask(stream)  # the next is read while DuckDB works on this one
            size = 0 if frame.body is None else frame.body.size
            yield from frames.batches_in(frame.body, [size], schema)

    def close(self) -> None:
        """Close the feed; who waits for rows fails."""
        self._sock.close()

    def _ask(self, stream: _Stream) -> None:
        with self._asking:
            self._awaited.append(stream)
            self._sock.sendall(ASK.pack(stream.relation, stream.number))

    def _take(self, stream: _Stream) -> frames.Frame:
        """What was asked for; what arrives for other streams is laid aside for them."""
        with self._taking:
            while stream.arrived is None:
                frame = frames.receive(self._sock)
                if frame is None:
                    raise frames.TornFrameError("the feed has been closed")
                self._awaited.popleft().arrived = frame
            taken, stream.arrived = stream.arrived, None
            return taken


class ReceivedRelation:
    """A relation as it came, and what is missing from the feed."""

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
        """A new stream of the rows."""
        with self._lock:
            number = self._streams
            self._streams += 1
        if self._is_whole or number == 0:
            yield from self._first
        if not self._is_whole:
            assert self._feed is not None, "what is not whole has a feed"
            yield from self._feed.read(self._place, number, self._schema)
