"""Runs the statements of a batch, one after the other, and renders their results.

The lookups of one statement are read together, a list of keys for each partition. No error ends a
batch: each result has its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Final

import orjson

from stategate.gateway.errors import error_document
from stategate.gateway.failures import RequestContext, to_query_error
from stategate.gateway.http.formats.json_cells import many_row_cells
from stategate.gateway.http.formats.json_renderers import JsonRenderer
from stategate.gateway.http.formats.rendering import Trailer, chunked, shape_of, trailer_json
from stategate.gateway.http.requests.batches import BatchRequest, ManySets
from stategate.gateway.http.requests.parameters import convert_each
from stategate.gateway.http.requests.parsing import QueryRequest
from stategate.gateway.http.statements.exchange import (
    Exchange,
    open_result,
    plan,
    render_stream,
    render_whole,
)
from stategate.gateway.http.statements.lookups import bound_of
from stategate.planner.engine import (
    Cancellation,
    EachLookedUp,
    Engine,
    PartitionAnswer,
    Position,
    QueryError,
    Result,
    Row,
    Session,
    Statement,
)

_AT_ONCE: Final = 1_000
"""Results of lookups that are rendered at once: about a millisecond."""
_NOTHING: Final = Position.of({})


@dataclass(slots=True, kw_only=True)
class _Reads:
    """What the runs of one statement have read."""

    position: Position = _NOTHING
    notices: dict[str, None] = field(default_factory=dict)
    partitions: dict[tuple[object, ...], PartitionAnswer] = field(default_factory=dict)
    """What was read of each partition, by epoch: runs may read later ones than those before."""

    def add(self, result: Result) -> None:
        """Add the reads of a result whose rows are read."""
        self.position = self.position.merge(result.position)
        self.notices.update(dict.fromkeys(notice.message for notice in result.notices))
        for each in result.partitions:
            key = each.store, each.partition, each.epoch, each.node, each.status
            known = self.partitions.setdefault(key, each)
            if known is not each:
                known.rows += each.rows

    def add_lookups(self, found: EachLookedUp, node: str) -> None:
        """Add the reads of lookups."""
        self.position = found.position
        for (store, partition, epoch, rows), other in zip_longest(found.reads, found.nodes):
            self.partitions[store, partition] = PartitionAnswer(
                store=store,
                partition=partition,
                node=other or node,
                status="ok",
                epoch=epoch,
                rows=rows,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch that is to be run, by one thread at a time."""

    engine: Engine
    request: BatchRequest
    session: Session
    cancellation: Cancellation
    started_s: float
    """`time.perf_counter()` when the request arrived."""
    context: RequestContext
    node: str
    """This node's name, as answers show it."""
    chunk_bytes: int

    def render(self) -> Generator[bytes, None, None]:
        """Yield the body of the answer in chunks.

        Raises:
            QueryError: the only statement cannot be planned; nothing was yielded then.
        """
        work = self.request.work
        pieces = self._of_sets(work) if isinstance(work, ManySets) else self._of_statements()
        held, size = list[bytes](), 0
        for piece in pieces:
            held.append(piece)
            size += len(piece)
            if size >= self.chunk_bytes:
                yield b"".join(held)
                held, size = [], 0
        yield b"".join(held)

    @property
    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self.started_s) * 1000

    def _exchange(self, request: QueryRequest) -> Exchange:
        context = self.context
        return Exchange(
            request=request,
            session=self.session,
            cancellation=self.cancellation,
            factory=JsonRenderer,
            started_s=time.perf_counter(),
            context=RequestContext(client=context.client, user=context.user, sql=request.sql),
        )

    def _joined(self, results: Iterable[Iterator[bytes]]) -> Iterator[bytes]:
        """Yield each result on its line, or as an element of an array."""
        is_lines = self.request.is_lines
        for number, result in enumerate(results):
            if number and not is_lines:
                yield b","
            yield from result
            if is_lines:
                yield b"\n"

    # --- different statements --------------------------------------------------------------------

    def _of_statements(self) -> Iterator[bytes]:
        work, is_lines = self.request.work, self.request.is_lines
        assert not isinstance(work, ManySets)
        if not is_lines:
            yield b'{"results":['
        yield from self._joined(map(self._answer, work.statements))
        elapsed = orjson.dumps({"elapsed_ms": round(self._elapsed_ms, 3)})
        yield elapsed + b"\n" if is_lines else b"]," + elapsed[1:]

    def _answer(self, request: QueryRequest | QueryError) -> Iterator[bytes]:
        """Render the answer of one statement, as if it had come alone."""
        if isinstance(request, QueryError):
            return iter((_error(request),))
        exchange = self._exchange(request)
        return _contained(exchange, partial(self._run, exchange), JsonRenderer.ending)

    def _run(self, exchange: Exchange) -> Iterator[bytes]:
        result = open_result(self.engine, exchange)
        try:
            renderer = JsonRenderer(result.columns)
            if result.batches is None:
                yield render_whole(exchange, result, renderer)
            else:
                yield from render_stream(exchange, result, renderer, chunk_bytes=self.chunk_bytes)
        finally:
            result.close()

    # --- one statement ---------------------------------------------------------------------------

    def _of_sets(self, work: ManySets) -> Iterator[bytes]:
        exchange = self._exchange(QueryRequest(sql=work.sql, names=work.names, settings={}))
        statement = plan(self.engine, exchange)
        sets = convert_each(work.sets, statement.parameters, work.names)
        shape, is_lines, reads = shape_of(statement.columns), self.request.is_lines, _Reads()
        yield b'{"columns":' + shape.json + (b"}\n" if is_lines else b',"results":[')
        found = self._looked_up(statement, sets)
        if found is not None:
            reads.add_lookups(found, self.node)
            yield from self._of_lookups(statement, sets, found)
        else:
            each = partial(self._rows_of, exchange, statement, reads)
            yield from self._joined(map(each, sets))
        tail = trailer_json(
            Trailer(
                position=reads.position,
                partitions=list(reads.partitions.values()),
                notices=list(reads.notices),
                elapsed_ms=self._elapsed_ms,
            )
        )
        yield tail + b"\n" if is_lines else b"]," + tail[1:]

    def _looked_up(
        self, statement: Statement, sets: Sequence[Row | QueryError]
    ) -> EachLookedUp | None:
        """Look all keys up together; None if that is not possible, or one of them would fail."""
        bound = bound_of(self.request.settings)
        if statement.look_up is None or statement.literals or bound is None:
            return None
        rows = [each for each in sets if not isinstance(each, QueryError)]
        session = Session(user=self.session.user)  # without the bound, which `bound` is
        session.trace, session.client = self.session.trace, self.session.client
        try:
            return self.engine.look_up_each(
                statement, rows, session, bound=bound, cancellation=self.cancellation
            )
        except QueryError:
            return None  # each run has its own error

    def _of_lookups(
        self, statement: Statement, sets: Sequence[Row | QueryError], found: EachLookedUp
    ) -> Iterator[bytes]:
        present = [row for row in found.rows if row is not None]
        cells = iter(many_row_cells(statement.columns, present))
        is_lines, rows = self.request.is_lines, iter(found.rows)
        for at in range(0, len(sets), _AT_ONCE):
            results: list[dict[str, object]] = []
            for each in sets[at : at + _AT_ONCE]:
                if isinstance(each, QueryError):
                    results.append({"error": error_document(each)})
                else:
                    results.append({"rows": () if next(rows) is None else (next(cells),)})
            if is_lines:
                yield b"".join([orjson.dumps(each) + b"\n" for each in results])
            else:
                yield (b"," if at else b"") + orjson.dumps(results)[1:-1]

    def _rows_of(
        self, base: Exchange, statement: Statement, reads: _Reads, parameters: Row | QueryError
    ) -> Iterator[bytes]:
        if isinstance(parameters, QueryError):
            return iter((_error(parameters),))
        return _contained(
            base, partial(self._run_set, statement, parameters, reads), JsonRenderer.ending
        )

    def _run_set(self, statement: Statement, parameters: Row, reads: _Reads) -> Iterator[bytes]:
        self.cancellation.check()
        result = self.engine.execute(
            statement, parameters, self.session, cancellation=self.cancellation
        )
        try:
            renderer = JsonRenderer(result.columns)
            if result.batches is None:
                yield b'{"rows":[' + renderer.rows(result.rows or ()) + b"]}"
            else:
                held = b'{"rows":['
                for batch in result.batches:
                    for part in chunked(batch, chunk_bytes=self.chunk_bytes):
                        self.cancellation.check()
                        yield held + renderer.batch(part)
                        held = b""
                yield held + b"]}"
            reads.add(result)
        finally:
            result.close()


def _error(error: QueryError) -> bytes:
    return orjson.dumps({"error": error_document(error)})


def _contained(
    exchange: Exchange,
    run: Callable[[], Iterator[bytes]],
    ending: Callable[[QueryError], bytes],
) -> Iterator[bytes]:
    """Yield a result; its error becomes a part of it."""
    is_begun = False
    try:
        for part in run():
            yield part
            is_begun = True
    except Exception as caught:  # the statement's own: the others still run
        error = to_query_error(caught, exchange.context)
        yield ending(error) if is_begun else _error(error)
