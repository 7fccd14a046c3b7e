"""A composing process: it serves requests on its lanes, and ends with its gateway.

`shared_process` has a process that several gateway processes use. Each of them is a `Guest`.

It can be killed at any time: it holds nothing that cannot be made again, and writes no files. The
operating system limits its memory, because DuckDB's own limit does not count the memory of
functions.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import select
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pyarrow as pa

from stategate.planner.composing import frames
from stategate.planner.composing.database import OUT_OF_MEMORY, ROW_TOO_LONG, DatabaseError
from stategate.planner.composing.feeds import FeedReader, ReceivedRelation
from stategate.planner.composing.local import OWN_ERRORS, LocalDatabase, LocalStatement
from stategate.planner.composing.local_relation import LocalRelation
from stategate.planner.composing.messages import (
    NUMBERS,
    RETIRED,
    Describe,
    Described,
    Done,
    Failed,
    Kind,
    Open,
    ProcessLimits,
    Reply,
    Rows,
    Run,
    SentRelation,
    encode_reply,
)
from stategate.planner.composing.priority import step_back
from stategate.planner.composing.socket_pool import READ, SocketPool

STATEMENTS_MAX = 1_024
"""Threads of a composing process. A gateway must not have more threads for statements, because each
of its threads waits for one of these."""
ANSWER_BYTES = 64 << 10
"""Minimum bytes of rows in a reply that is not the last: a batch with two numbers in each row."""
BATCH_BYTES_MAX = 4 << 20
"""Maximum bytes of a batch that is sent whole, so that the gateway holds few rows of long values.
"""
ROW_BYTES_MAX = 16 << 20
"""Longer rows are refused: the gateway encodes each row as a whole. A list of ten million numbers
would block its interpreter for seconds and take ten times its own memory."""
LINGER_MS = 5
"""How long a thread waits for the next request of its lane, in milliseconds. A busy lane gets one
sooner, and to hand it to another thread takes some 50 µs."""
_PR_SET_PDEATHSIG = 1
_OOM_SCORE = b"500"


def main(control: socket.socket, limits: ProcessLimits, parent: int) -> NoReturn:
    """Serve until the gateway closes the control socket; never returns.

    Args:
        control: the control socket.
        limits: enforced by the operating system.
        parent: the process id of the fork server.
    """
    settle(limits, parent)
    guest = Guest(Process(limits))
    try:
        frames.send(control, Kind.HELLO, NUMBERS.pack(os.getpid(), 0))
        while (frame := frames.receive(control, fds_max=1)) is not None:
            guest.control(frame)
    except (OSError, RuntimeError):
        pass  # the gateway has gone, or there is no memory for a thread
    os._exit(0)  # without waiting for running statements


def settle(limits: ProcessLimits, parent: int) -> None:
    """Limit this process, and let it end with the fork server."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the gateway drains, then ends the process
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_bytes(_OOM_SCORE)
    if os.getppid() != parent:
        os._exit(0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    step_back()
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    least = limits.memory_bytes if most < 0 else min(limits.memory_bytes, most)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (least, most))


class Process:
    """What all guests of a composing process have in common."""

    is_spent = False
    """Whether no statement may begin, because the process is broken or holds too much memory."""

    def __init__(self, limits: ProcessLimits) -> None:
        self.socket_pool = SocketPool("lane", threads_max=STATEMENTS_MAX)
        self._limits = limits

    @property
    def is_full(self) -> bool:
        """Whether the process still holds half of its memory limit after a statement has failed."""
        try:
            pages = int(Path("/proc/self/statm").read_bytes().split()[5])
        except OSError:
            return True
        return pages * resource.getpagesize() > self._limits.memory_bytes // 2

    def open(self, asked: Open, body: pa.Buffer | None) -> LocalDatabase:
        """Make a database."""
        tables = dict(_tables(asked.tables, body))
        return LocalDatabase(replace(asked.definition, tables=tables))

    def spend(self) -> None:
        """Note that the process is spent. Its only guest is told, and lets no more begin."""

    def begun(self, lane: Lane) -> None:
        """Note that a lane has a request."""

    def ended(self, lane: Lane) -> None:
        """Note that a lane has nothing to do; its last reply has been sent."""


class Guest:
    """The databases and lanes of one gateway process."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.databases: dict[int, LocalDatabase] = {}
        self.lanes: dict[int, Lane] = {}

    def control(self, frame: frames.Frame) -> None:
        """Serve a frame of the control socket. Does not block."""
        number, other = NUMBERS.unpack(frame.head)
        if frame.kind == Kind.LANE and frame.fd is not None:
            sock = socket.socket(fileno=frame.fd)
            lane = self.lanes[number] = Lane(self, sock, number)
            self.process.socket_pool.add(sock, lane.serve)
        elif frame.kind == Kind.INTERRUPT:
            lane_asked = self.lanes.get(number)
            if lane_asked is not None:
                lane_asked.interrupt(other)
        elif frame.kind == Kind.DROP:
            self.databases.pop(number, None)

    def database(self, number: int) -> LocalDatabase:
        """Return a database that has been opened.

        Raises:
            DatabaseError: the number is unknown.
        """
        found = self.databases.get(number)
        if found is None:
            raise DatabaseError("Connection", "Connection Error: the database is not open")
        return found

    def forget(self, lane: int) -> None:
        """Forget a lane that has been closed."""
        self.lanes.pop(lane, None)


class Lane:
    """Serves the statements of one lane, one after the other."""

    def __init__(self, guest: Guest, sock: socket.socket, number: int) -> None:
        self._guest, self._process = guest, guest.process
        self._sock, self._number = sock, number
        self._statement: LocalStatement | None = None
        self._current = 0
        self._interrupted = 0
        self._feed: FeedReader | None = None
        self._unsent: deque[pa.RecordBatch] = deque()
        self._lock = threading.Lock()
        self._soon = select.poll()
        self._soon.register(sock, select.POLLIN)

    def interrupt(self, number: int) -> None:
        """End a statement early, even one that has not arrived yet."""
        with self._lock:
            self._interrupted = number
            if self._statement is not None and self._current == number:
                self._statement.interrupt()

    def abandon(self) -> None:
        """End the present statement and the lane; if the gateway process waits, it sees that."""
        self.interrupt(self._current)
        with suppress(OSError):  # it has been closed
            self._sock.shutdown(socket.SHUT_RDWR)

    def serve(self) -> int:
        """Serve requests until none has come for a while; return what to wait for next."""
        try:
            while self._serve_one():
                if not self._soon.poll(LINGER_MS):
                    return READ
        except OSError:  # the gateway process has gone
            pass
        except Exception:  # no memory for a frame, say; the pool of threads reports it
            self._process.spend()
            self._close()
            raise
        self._close()
        return 0

    def _close(self) -> None:
        try:
            self._end()
        finally:
            self._sock.close()
            self._guest.forget(self._number)
            self._process.ended(self)

    def _serve_one(self) -> bool:
        """Serve one request; return False at the end of the lane."""
        frame = frames.receive(self._sock, fds_max=frames.FDS_MAX, is_alone=True)
        if frame is None:
            return False
        self._process.begun(self)
        body: list[pa.Buffer] = []
        reply = self._reply(frame, body)
        frames.send(self._sock, Kind.REPLY, encode_reply(reply), body)
        if self._statement is None:
            self._process.ended(self)
        return True

    def _reply(self, frame: frames.Frame, body: list[pa.Buffer]) -> Reply:
        try:
            with OWN_ERRORS:
                return self._serve(frame, body)
        except DatabaseError as error:
            self._end()
            is_broken = error.kind in {"Internal", "Fatal", "Error"}
            is_full = error.kind == OUT_OF_MEMORY and self._process.is_full
            if is_broken or is_full:
                self._process.spend()
            return Failed(error.kind, str(error), is_broken or is_full)
        except Exception as error:  # the outermost loop of this process
            self._end()
            self._process.spend()
            return Failed("Internal", f"Internal Error: {type(error).__name__}: {error}", True)

    def _serve(self, frame: frames.Frame, body: list[pa.Buffer]) -> Reply:
        if frame.kind == Kind.NEXT:
            return self._rows(body)
        if frame.kind == Kind.CLOSE:
            self.interrupt(self._current)
            self._end()
            return Done()
        if self._process.is_spent:
            raise DatabaseError(RETIRED, "the process is spent")
        asked = pickle.loads(frame.head)
        if isinstance(asked, Run):
            return self._run(asked, frame, body)
        if isinstance(asked, Describe):
            return self._describe(asked)
        assert isinstance(asked, Open)
        self._guest.databases[asked.database] = self._process.open(asked, frame.body)
        return Done()

    def _describe(self, asked: Describe) -> Described:
        schemas = {
            name: pa.ipc.read_schema(pa.py_buffer(schema))
            for name, schema in asked.relations.items()
        }
        statement = self._begin(asked.database, asked.sql, asked.number)
        found = statement.describe(schemas, asked.parameters)
        self._end()
        schema = pa.schema([pa.field(each.name, each.arrow) for each in found])
        return Described([each.kind for each in found], schema.serialize().to_pybytes())

    def _run(self, asked: Run, frame: frames.Frame, body: list[pa.Buffer]) -> Rows:
        fds, feed = frame.fds, None
        if not all(each.is_whole for each in asked.relations):
            feed, fds = FeedReader(socket.socket(fileno=fds[0])), fds[1:]
        shared = iter(frames.mapped(fds))
        statement = self._begin(asked.database, asked.sql, asked.number)
        self._feed = feed
        relations: dict[str, LocalRelation] = {}
        at = 0
        for place, given in enumerate(asked.relations):
            schema = frames.schema_of(given.schema)
            size = sum(given.sizes)
            part = None if frame.body is None else frame.body.slice(at, size)
            at += size
            first = frames.batches_in(part, given.sizes, schema, shared)
            rest = None if given.is_whole else feed
            relation = ReceivedRelation(place, schema, first, rest)
            relations[given.name] = LocalRelation(schema, relation.read, is_whole=given.is_whole)
        schema = statement.begin(asked.script, relations, asked.parameters, asked.rows_max)
        rows = self._rows(body)
        return Rows(rows.sizes, rows.is_last, plain_schema(schema).serialize().to_pybytes())

    def _rows(self, body: list[pa.Buffer]) -> Rows:
        """Return rows for one reply, of at least `ANSWER_BYTES` unless they are the last."""
        statement, sizes, total = self._statement, list[int](), 0
        if statement is None:
            raise DatabaseError("Interrupt", "INTERRUPT Error: Interrupted!")
        while total < ANSWER_BYTES:
            if not self._unsent and (made := statement.next()) is not None:
                self._unsent.extend(parts_of(plain(made)))
            if not self._unsent:
                self._end()
                return Rows(sizes, True)
            part = self._unsent.popleft().serialize()
            body.append(part)
            sizes.append(part.size)
            total += part.size
        return Rows(sizes, False)

    def _begin(self, database: int, sql: str, number: int) -> LocalStatement:
        self._end()
        statement = self._guest.database(database).statement(sql)
        with self._lock:
            self._statement, self._current = statement, number
            if self._interrupted == number:
                statement.interrupt()
        return statement

    def _end(self) -> None:
        with self._lock:
            statement, self._statement = self._statement, None
            feed, self._feed = self._feed, None
        self._unsent.clear()
        if statement is not None:
            statement.close()
        if feed is not None:
            feed.close()


def _tables(
    given: Sequence[SentRelation], body: pa.Buffer | None
) -> Iterator[tuple[str, pa.Table]]:
    at = 0
    for each in given:
        schema = pa.ipc.read_schema(pa.py_buffer(each.schema))
        part = None if body is None else body.slice(at)
        at += sum(each.sizes)
        yield each.name, pa.Table.from_batches(frames.batches_in(part, each.sizes, schema), schema)


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema without dictionaries, which would need additional messages."""
    return pa.schema(
        [
            pa.field(each.name, each.type.value_type)
            if pa.types.is_dictionary(each.type)
            else each.remove_metadata()
            for each in schema
        ]
    )


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch without dictionaries."""
    if not any(pa.types.is_dictionary(kind) for kind in batch.schema.types):
        return batch
    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=plain_schema(batch.schema))


def parts_of(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield a batch in parts of at most `BATCH_BYTES_MAX`, or of one row.

    Raises:
        DatabaseError: a row is longer than `ROW_BYTES_MAX`.
    """
    if batch.get_total_buffer_size() <= BATCH_BYTES_MAX:  # quicker than `nbytes`, and no less
        yield batch
        return
    size = batch.nbytes
    if size > BATCH_BYTES_MAX and batch.num_rows > 1:
        half = batch.num_rows // 2
        yield from parts_of(batch.slice(0, half))
        yield from parts_of(batch.slice(half))
    elif size > ROW_BYTES_MAX:
        raise DatabaseError(ROW_TOO_LONG, f"a row of the result takes {size:,} bytes")
    else:
        yield batch
