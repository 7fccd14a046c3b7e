"""Relations too long to go with their statement: the process asks for them, batch by batch.

A feed is a socket of one statement. The process asks for the next batch of a stream, one ahead of
what it works on; the gateway reads it from the relation and sends it. No thread waits for either:
a few threads serve all feeds, so that a statement whose client reads slowly holds none of them.
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
"""Threads that read relations: as many as statements run at once."""


class FeedSender:
    """The gateway's end of a feed.

    Args:
        sock: the socket; closed with the feed.
        relations: the relations of the statement.
        begun: their streams, as far as they have been read for the statement itself.
        feed_pool: who serves it.
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
        """Close all streams; waits for the batch in the making."""
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
                return 0  # the process is gone, or the statement has ended
            return 0

    def _flush(self) -> bool:
        """Send what is left of the last answer.

        Raises:
            BlockingIOError: the process takes no more for now.
        """
        while self._unsent:
            sent = self._sock.send(self._unsent[0])
            if sent == len(self._unsent[0]):
                self._unsent.popleft()
            else:
                self._unsent[0] = self._unsent[0][sent:]
        return True

    def _is_asked(self) -> bool:
        """Whether there is a whole question; False at the end of the feed.

        Raises:
            BlockingIOError: there is none yet.
        """
        while len(self._asked) < ASK.size:
            more = self._sock.recv(ASK.size - len(self._asked))
            if not more:
                return False
            self._asked += more
        return True

    def _answer(self, relation: int, number: int) -> None:
        if relation >= len(self._relations):
            raise frames.TornFrameError("there is no such relation")
        key = relation, number
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = self._relations[relation].read()
        try:
            batch = next(stream, None)
        except Exception as error:  # the relation keeps it, for whoever runs the statement
            self._unsent.extend(frames.parts_of(FeedKind.FAILED, str(error).encode()))
            return
        if batch is None:
            self._unsent.extend(frames.parts_of(FeedKind.END))
        else:
            self._unsent.extend(frames.parts_of(FeedKind.BATCH, b"", [batch.serialize()]))


def close_stream(stream: Iterator[pa.RecordBatch]) -> None:
    """Give back what a stream holds."""
    close = getattr(stream, "close", None)
    if close is not None:
        close()
