"""Feeds: the batches of relations that are too long for one message, sent as they are requested.

A feed is a socket of one statement. The process requests each batch on it while it works on the
batch before. A few threads of the gateway serve all feeds. None of them waits for a process, so a
slow client holds no thread.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Iterator, Sequence

import pyarrow as pa

from stategate.planner.composing import frames
from stategate.planner.composing.database import ArrowRelation
from stategate.planner.composing.messages import ASK, FeedKind
from stategate.planner.composing.shared_batches import SharedBatch, SharedBatches
from stategate.planner.composing.socket_pool import READ, WRITE, SocketPool

FEED_THREADS_MAX = 8
"""Threads that read relations; about this many statements run at once."""


class FeedSender:
    """The gateway's end: sends batches as a composing process requests them.

    Args:
        sock: the socket of the feed; closed with it.
        relations: the relations of the statement.
        begun: the first stream of each relation, whose first batches were sent with the statement.
        feed_pool: the threads that serve feeds.
        shared: the batches in shared memory.
    """

    def __init__(
        self,
        sock: socket.socket,
        relations: Sequence[ArrowRelation],
        begun: Sequence[Iterator[pa.RecordBatch]],
        feed_pool: SocketPool,
        shared: SharedBatches,
    ) -> None:
        sock.setblocking(False)
        self._shared_batches = shared
        self._sock, self._relations, self._feed_pool = sock, relations, feed_pool
        self._streams = {(n, 0): stream for n, stream in enumerate(begun)}
        self._asked = b""
        self._unsent: deque[memoryview] = deque()
        self._shared: SharedBatch | None = None
        """Goes with the first bytes of the reply."""
        self._lock = threading.Lock()
        self._closed = False
        feed_pool.add(sock, self._serve)

    def close(self) -> None:
        """Close the feed and all streams; wait for a batch that is being read."""
        self._feed_pool.drop(self._sock)
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._feed_pool.drop(self._sock)
            self._sock.close()
            for stream in self._streams.values():
                close_stream(stream)
            self._streams.clear()
            self._relations = ()

    def _serve(self) -> int:
        with self._lock:
            if self._closed:
                return 0
            try:
                while self._flush() and self._is_asked():
                    self._answer(*ASK.unpack(self._asked))
                    self._asked = b""
            except BlockingIOError:
                return WRITE if self._unsent else READ
            except OSError:
                return 0  # the process has ended, or the statement has
            return 0

    def _flush(self) -> bool:
        """Send the rest of the last reply.

        Raises:
            BlockingIOError: the socket is full.
        """
        while self._unsent:
            if self._shared is not None:
                sent = socket.send_fds(self._sock, [self._unsent[0]], [self._shared.fileno()])
                self._shared = None
            else:
                sent = self._sock.send(self._unsent[0])
            if sent == len(self._unsent[0]):
                self._unsent.popleft()
            else:
                self._unsent[0] = self._unsent[0][sent:]
        return True

    def _is_asked(self) -> bool:
        """Read a whole request; return False at the end of the feed.

        Raises:
            BlockingIOError: the request is not complete.
        """
        while len(self._asked) < ASK.size:
            more = self._sock.recv(ASK.size - len(self._asked))
            if not more:
                return False
            self._asked += more
        return True

    def _answer(self, relation: int, number: int) -> None:
        if relation >= len(self._relations):
            raise frames.TornFrameError("a request names an unknown relation")
        key = relation, number
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = self._relations[relation].read()
        try:
            batch = next(stream, None)
        except Exception as error:  # the relation keeps the error for the statement
            said = f"out of memory: {error}" if isinstance(error, MemoryError) else str(error)
            self._unsent.extend(frames.parts_of(FeedKind.FAILED, said.encode()))
            return
        if batch is None:
            self._unsent.extend(frames.parts_of(FeedKind.END))
            return
        self._shared = self._shared_batches.find(batch)
        body = [batch.serialize()] if self._shared is None else []
        self._unsent.extend(frames.parts_of(FeedKind.BATCH, b"", body))


def close_stream(stream: Iterator[pa.RecordBatch]) -> None:
    """Close a stream, if it can be closed."""
    close = getattr(stream, "close", None)
    if close is not None:
        close()


class _Stream:
    """One scan of a relation."""

    def __init__(self, relation: int, number: int) -> None:
        self.relation, self.number = relation, number
        self.arrived: frames.Frame | None = None


class FeedReader:
    """The process's end: requests batches from the gateway.

    Safe to use from many threads, as DuckDB does.

    Args:
        sock: the socket of the feed; closed with the reader.
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
                frame = frames.receive(self._sock, fds_max=1)
                if frame is None:
                    raise frames.TornFrameError("the feed is closed")
                if frame.fds:
                    frame = frames.Frame(frame.kind, frame.head, *frames.mapped(frame.fds))
                self._awaited.popleft().arrived = frame
            taken, stream.arrived = stream.arrived, None
            return taken


class ReceivedRelation:
    """A relation that arrived with its statement, in whole or in part.

    Args:
        place: its place in the statement.
        schema: the schema of its rows.
        first: the batches that arrived.
        feed: has the rest; None if these are all.
    """

    def __init__(
        self,
        place: int,
        schema: pa.Schema,
        first: Sequence[pa.RecordBatch],
        feed: FeedReader | None,
    ) -> None:
        self._place, self._schema = place, schema
        self._first, self._feed = first, feed
        self._streams = 0
        self._lock = threading.Lock()

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in a new scan."""
        with self._lock:
            number = self._streams
            self._streams += 1
        if self._feed is None or number == 0:
            yield from self._first
        if self._feed is not None:
            yield from self._feed.read(self._place, number, self._schema)
