"""The gateway's end of a feed: the batches of relations that are too long for one message.

A feed is a socket of one statement, on which the process requests batches, one ahead of the one
that it works on. A few threads serve all feeds and none waits for a process, so that a slow client
holds no thread.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Iterator, Sequence

import pyarrow as pa

from planner.composing import frames
from planner.composing.database import ArrowRelation
from planner.composing.messages import ASK, FeedKind
from planner.composing.socket_pool import READ, WRITE, SocketPool

FEED_THREADS_MAX = 8
"""Threads that read relations; about as many statements run at once."""


class FeedSender:
    """Sends batches as a composing process requests them.

    Args:
        sock: of the feed; closed with it.
        relations: of the statement.
        begun: the first stream of each relation, whose beginning went with the statement.
        feed_pool: the threads that serve feeds.
    """

    def __init__(
        self,
        sock: socket.socket,
        relations: Sequence[ArrowRelation],
        begun: Sequence[Iterator[pa.RecordBatch]],
        feed_pool: SocketPool,
    ) -> None:
        sock.setblocking(False)
        self._sock, self._relations, self._feed_pool = sock, relations, feed_pool
        self._streams = {(n, 0): stream for n, stream in enumerate(begun)}
        self._asked = b""
        self._unsent: deque[memoryview] = deque()
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
        except Exception as error:  # the relation keeps it for the statement
            self._unsent.extend(frames.parts_of(FeedKind.FAILED, str(error).encode()))
            return
        if batch is None:
            self._unsent.extend(frames.parts_of(FeedKind.END))
        else:
            self._unsent.extend(frames.parts_of(FeedKind.BATCH, b"", [batch.serialize()]))


def close_stream(stream: Iterator[pa.RecordBatch]) -> None:
    """Close a stream, if it can be closed."""
    close = getattr(stream, "close", None)
    if close is not None:
        close()
