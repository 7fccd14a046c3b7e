"""A database whose statements run in composing processes, and are tried again if one ends."""

from __future__ import annotations

import logging
import pickle
import socket
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
from msgspec import structs

from stategate.planner.composing import frames
from stategate.planner.composing.database import (
    Answer,
    ArrowRelation,
    DatabaseClosedError,
    DatabaseError,
    Definition,
    DescribedColumn,
)
from stategate.planner.composing.feeds import FeedSender
from stategate.planner.composing.messages import (
    Describe,
    Described,
    Kind,
    Reply,
    Rows,
    Run,
    SentRelation,
)
from stategate.planner.composing.process import ProcessEndedError, ProcessSpentError, connected
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.composing.remote_statement import RemoteStatement, StatementLostError
from stategate.planner.composing.shared_batches import SharedBatch
from stategate.planner.errors import QueryError, UnavailableError
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.redaction import statement_shape
from stategate.stores.spec.query import BATCH_ROWS

T = TypeVar("T")

logger = logging.getLogger(__name__)

INLINE_BYTES_MAX = 128 << 10
"""Bytes of a relation that are sent with the statement; sending them takes as long as a message."""
ATTEMPTS_MAX = 20
"""How often a statement begins, if other statements cause its process to be killed: this happens at
most twice a second.
"""


class RemoteDatabase:
    """A `Database` in composing processes.

    Args:
        processes: the pool; a process makes the database when it first needs it.
        definition: the definition of the database.
    """

    def __init__(self, processes: ProcessPool, definition: Definition) -> None:
        self._processes, self._definition = processes, definition
        self._number = processes.number()
        self._finalizer = weakref.finalize(self, processes.drop, self._number)
        self._closed = False

    def describe(
        self,
        sql: str,
        *,
        relations: Mapping[str, pa.Schema] | None = None,
        parameters: Sequence[str] = (),
        cancellation: Cancellation,
    ) -> tuple[DescribedColumn, ...]:
        """Return the columns of a statement without computing anything."""

        def begin(statement: RemoteStatement) -> tuple[DescribedColumn, ...]:
            schemas = {name: frames.bytes_of(schema) for name, schema in (relations or {}).items()}
            asked = Describe(statement.number, self._number, sql, schemas, tuple(parameters))
            try:
                reply, _ = statement.call(Kind.DESCRIBE, pickle.dumps(asked))
            finally:
                statement.end()
            assert isinstance(reply, Described), "the reply to DESCRIBE"
            schema = pa.ipc.read_schema(pa.py_buffer(reply.schema))
            return tuple(
                DescribedColumn(name=each.name, kind=kind, arrow=each.type)
                for each, kind in zip(schema, reply.kinds, strict=True)
            )

        return self._try(begin, sql, cancellation)

    def run(
        self,
        sql: str,
        *,
        script: str = "",
        relations: Mapping[str, ArrowRelation] | None = None,
        parameters: Mapping[str, Any] | None = None,
        cancellation: Cancellation,
    ) -> Answer:
        """Begin a statement; return when its first rows have arrived."""

        def begin(statement: RemoteStatement) -> Answer:
            return _RemoteAnswer(
                statement,
                self._processes,
                asked=Run(
                    statement.number, self._number, sql, script, (), parameters or {}, BATCH_ROWS
                ),
                relations=relations or {},
            )

        return self._try(begin, sql, cancellation)

    def close(self) -> None:
        """Close the database; no more statements can begin."""
        self._closed = True
        self._finalizer()

    def _try(
        self, begin: Callable[[RemoteStatement], T], sql: str, cancellation: Cancellation
    ) -> T:
        """Begin a statement, and again if its process ends because of others.

        If a process ends by itself, one of its statements is to blame. With several it is unknown
        which, so each gets a process of its own, and fails if that ends, too.
        """
        is_suspect = False
        for _ in range(ATTEMPTS_MAX):
            cancellation.check()
            if self._closed:
                raise DatabaseClosedError
            try:
                if is_suspect:
                    with self._processes.alone(cancellation):
                        return self._begin(begin, cancellation, fresh=True)
                return self._begin(begin, cancellation)
            except StatementLostError as ended:
                if ended.is_suspect:
                    shape = statement_shape(sql)
                    logger.warning("a composing process ended statement=%s", shape)
                    is_suspect = True
                ended.check(self._processes, cancellation)
        raise UnavailableError(
            "the processes of the statement were ended by other statements too often",
            hint="Retry.",
            sqlstate="55000",
        )

    def _begin(
        self,
        begin: Callable[[RemoteStatement], T],
        cancellation: Cancellation,
        *,
        fresh: bool = False,
    ) -> T:
        process = self._processes.take(fresh=fresh)
        try:
            process.open(self._number, self._definition)
            statement = RemoteStatement(process, self._processes, cancellation)
        except ProcessEndedError as error:
            is_retired = isinstance(error, ProcessSpentError)
            if not is_retired:
                process.end()
            self._processes.give(process)
            raise StatementLostError(process, is_culprit=False, is_retired=is_retired) from error
        except BaseException:
            self._processes.give(process)
            raise
        return begin(statement)


class _RemoteAnswer:
    """The rows of one statement."""

    def __init__(
        self,
        statement: RemoteStatement,
        processes: ProcessPool,
        *,
        asked: Run,
        relations: Mapping[str, ArrowRelation],
    ) -> None:
        self._statement, self._processes = statement, processes
        self._relations = tuple(relations.values())
        self._batches: deque[pa.RecordBatch] = deque()
        self._feed: FeedSender | None = None
        self._lock = threading.Lock()
        try:
            self._begin(asked, tuple(relations))
        except DatabaseError as error:
            self._finish(error)
            raise
        except BaseException:
            self._finish()
            raise
        statement.when_interrupted(self.close)

    @property
    def is_computed(self) -> bool:
        """Whether the statement has ended, so that all remaining rows are in memory."""
        return self._statement.is_ended

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        statement = self._statement
        with self._lock:
            statement.cancellation.check()
            while not self._batches:
                if statement.is_ended:
                    raise StopIteration
                try:
                    self._take(*statement.call(Kind.NEXT))
                except StatementLostError as ended:
                    self._finish()
                    ended.check(self._processes, statement.cancellation)
                    raise UnavailableError(
                        "the process of the statement was ended by another statement",
                        hint="Retry.",
                        sqlstate="55000",
                    ) from ended
                except DatabaseError as error:
                    self._finish(error)
                    raise
            return self._batches.popleft()

    def close(self) -> None:
        """End the statement."""
        with self._lock:
            self._batches.clear()
            self._finish()

    def _begin(self, asked: Run, names: Sequence[str]) -> None:
        given: list[SentRelation] = []
        body: list[pa.Buffer] = []
        shared: list[SharedBatch] = []
        begun: list[Iterator[pa.RecordBatch]] = []
        for name, relation in zip(names, self._relations, strict=True):
            stream = relation.read()
            begun.append(stream)
            sizes, is_whole = self._read_ahead(stream, body, shared)
            given.append(SentRelation(name, frames.bytes_of(relation.schema), sizes, is_whole))
        fds = [each.fileno() for each in shared]
        head = pickle.dumps(structs.replace(asked, relations=tuple(given)))
        theirs: socket.socket | None = None
        if not all(each.is_whole for each in given):
            ours, theirs = connected()
            processes = self._processes
            self._feed = FeedSender(
                ours, self._relations, begun, processes.feed_pool, processes.shared_batches
            )
            fds.insert(0, theirs.fileno())
        try:
            reply, rows = self._statement.call(Kind.RUN, head, body, fds=fds)
        finally:
            if theirs is not None:
                theirs.close()
        assert isinstance(reply, Rows), "the reply to RUN and NEXT"
        self.schema = frames.schema_of(reply.schema)
        self._take(reply, rows)

    def _read_ahead(
        self,
        stream: Iterator[pa.RecordBatch],
        body: list[pa.Buffer],
        shared: list[SharedBatch],
    ) -> tuple[tuple[int, ...], bool]:
        """Read the first batches of a stream, to be sent with the statement.

        Args:
            stream: the rows.
            body: gets those that are copied, serialised.
            shared: gets those in shared memory.

        Returns:
            The bytes of each in the body, and whether these are all rows.
        """
        sizes: list[int] = []
        copied = 0
        for batch in stream:
            if not batch.num_rows:
                continue
            held: SharedBatch | None = None
            if len(shared) < frames.FDS_MAX - 1:
                held = self._processes.shared_batches.find(batch)
            if held is not None:
                shared.append(held)
                sizes.append(0)
            else:
                body.append(batch.serialize())
                sizes.append(body[-1].size)
                copied += sizes[-1]
            if copied > INLINE_BYTES_MAX:
                return tuple(sizes), False
        return tuple(sizes), True

    def _take(self, reply: Reply, body: pa.Buffer | None) -> None:
        assert isinstance(reply, Rows), "the reply to RUN and NEXT"
        try:
            self._batches.extend(frames.batches_in(body, reply.sizes, self.schema))
        except frames.TornFrameError as error:
            self._statement.process.end()
            self._statement.end()
            raise StatementLostError(self._statement.process, is_culprit=False) from error
        if reply.is_last:
            self._statement.end()
            self._finish()

    def _finish(self, error: DatabaseError | None = None) -> None:
        """End the statement, and let go of its relations.

        Args:
            error: DuckDB's error, if it has ended the statement.

        Raises:
            QueryError: one of the relations has failed, which is why DuckDB has.
        """
        if self._feed is not None:
            self._feed.close()
        self._statement.close()
        relations, self._relations = self._relations, ()
        taken = [each.take_error() for each in relations]
        failures = [each for each in taken if isinstance(each, QueryError)]
        taken.clear()
        if error is not None and failures:
            raise failures.pop(0) from error
