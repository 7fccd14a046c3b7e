"""Renders the answers to planned lookups of one key as JSON, from parts that are kept.

The columns and the encoding of the row belong to the plan. The rest, except the elapsed time, is
the same for all answers of a partition at one epoch. Of an answer that is given again all is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Final

import orjson
from msgspec import Struct

from gateway.elsewhere import Elsewhere, begin_elsewhere, rows_elsewhere
from gateway.http.exchange import recall
from gateway.http.json_cells import row_cells
from gateway.http.json_formats import JsonRenderer
from gateway.http.parameters import convert_parameters
from gateway.http.rendering import RendererFactory, Trailer
from gateway.http.requests import QueryRequest
from planner.engine import (
    Cancellation,
    Column,
    Engine,
    LookedUp,
    LookUp,
    PartitionAnswer,
    Position,
    Row,
    Session,
    Statement,
)

_NO_TIME: Final = b"0.0}"
"""The end of an answer that took no time."""
_PLANS_MAX: Final = 1024
_TAILS_BYTES_MAX: Final = 16 << 20
"""All kept tails: one has some 250 bytes, and a position of many inputs more."""


class _Tail(Struct):
    """The part between the rows and the elapsed time, at one epoch of a partition."""

    position: Position
    epoch: int
    rendered: bytes


class _Plan(Struct):
    """The parts of the answers to one plan."""

    head: bytes
    rows: Callable[[Sequence[Row]], bytes]
    tails: dict[tuple[int | None, int, tuple[str | None, ...]], _Tail]
    """The tails, by partition, by the number of rows read and by the node that has read them."""


class Lookups:
    """Answers planned lookups whose requests change no setting.

    Args:
        engine: runs them.
        node: this node's name, as answers show it.
        timeout_s: how long a statement may take.
    """

    def __init__(self, engine: Engine, *, node: str, timeout_s: float) -> None:
        self._engine, self._node, self._timeout_s = engine, node, timeout_s
        # Such requests share a session, because a lookup depends on its settings only.
        self._session = Session()
        self._plans: dict[LookUp, _Plan] = {}
        self._tails_bytes = 0

    def answer(
        self,
        request: QueryRequest,
        factory: RendererFactory,
        started_s: float,
        take: Callable[[bytes | None], object] | None = None,
    ) -> bytes | Elsewhere | None:
        """Return the body of an answer of status 200; None if the request is not such a lookup.

        Args:
            request: the statement.
            factory: makes the renderer that the client asks for.
            started_s: `time.perf_counter()` when the request arrived.
            take: gets the answer later if other nodes are asked; None asks none.

        Raises:
            QueryError: a parameter is wrong.
        """
        statement = self._statement(request, factory)
        if statement is None or statement.look_up is None:
            return None
        parameters = convert_parameters(request.params, statement.parameters, request.names)
        values = statement.literals or parameters
        if take is None or not self._engine.asks_nodes:
            found = statement.look_up(values, self._session)
            return None if found is None else self._body(statement, found, started_s)

        def on_found(found: LookedUp | None) -> None:
            take(None if found is None else self._body(statement, found, started_s))

        begun = begin_elsewhere(
            self._engine,
            statement.look_up,
            values,
            self._session,
            on_found,
            within_s=self._timeout_s,
        )
        return self._body(statement, begun, started_s) if isinstance(begun, LookedUp) else begun

    async def answer_anywhere(
        self,
        request: QueryRequest,
        factory: RendererFactory,
        started_s: float,
        cancellation: Cancellation,
    ) -> bytes | None:
        """Return the body of an answer as `answer` does, also if other nodes make it.

        Raises:
            QueryError: a parameter is wrong, or the statement is cancelled (57014).
        """
        statement = self._statement(request, factory)
        if statement is None or statement.look_up is None:
            return None
        parameters = convert_parameters(request.params, statement.parameters, request.names)
        found = await rows_elsewhere(
            self._engine,
            statement.look_up,
            statement.literals or parameters,
            self._session,
            cancellation=cancellation,
        )
        return None if found is None else self._body(statement, found, started_s)

    def _statement(self, request: QueryRequest, factory: RendererFactory) -> Statement | None:
        """Return the plan of a request for few rows with default settings, if it is kept."""
        if request.settings or request.page is not None or factory is not JsonRenderer:
            return None
        return recall(self._engine, request.sql, self._session)

    def _body(self, statement: Statement, found: LookedUp, started_s: float) -> bytes:
        assert statement.look_up is not None, "it has found the rows"
        plan = self._plans.get(statement.look_up) or self._add_plan(statement)
        kept = found.kept
        encoder, body = (None, b"") if kept is None else kept.form
        if encoder is not plan.rows:
            tail = self._tail(plan, statement, found)
            body = b"%b%b%b" % (plan.head, plan.rows(found.rows), tail)
            if kept is not None:
                kept.form = plan.rows, body
        elapsed_ms = round((time.perf_counter() - started_s) * 1000, 3)
        return b"%b%b}" % (body, orjson.dumps(elapsed_ms))

    def _tail(self, plan: _Plan, statement: Statement, found: LookedUp) -> bytes:
        reads = found.reads
        if len(reads) > 1 or len(found.rows) > 1:
            return self._rendered(statement, found)
        _, partition, epoch, read = reads[0] if reads else ("", None, -1, 0)
        key = partition, read, found.nodes
        tail = plan.tails.get(key)
        if tail is None or tail.position is not found.position or tail.epoch != epoch:
            tail = _Tail(found.position, epoch, self._rendered(statement, found))
            self._tails_bytes += len(tail.rendered)
            if self._tails_bytes > _TAILS_BYTES_MAX:
                self._forget()
            plan.tails[key] = tail
        return tail.rendered

    def _add_plan(self, statement: Statement) -> _Plan:
        assert statement.look_up is not None
        if len(self._plans) >= _PLANS_MAX:
            self._forget()
        head = JsonRenderer(statement.columns).head()
        made = _Plan(head, _rows_renderer(statement.columns), {})
        self._plans[statement.look_up] = made
        return made

    def _rendered(self, statement: Statement, found: LookedUp) -> bytes:
        rendered = JsonRenderer(statement.columns).tail(self._trailer(found))
        assert rendered.endswith(_NO_TIME), "the elapsed time is the last member"
        return rendered.removesuffix(_NO_TIME)

    def _trailer(self, found: LookedUp) -> Trailer:
        """Return the part after the rows; it equals that of the engine's result."""
        partitions = [
            PartitionAnswer(
                store=store,
                partition=partition,
                node=node or self._node,
                status="ok",
                epoch=epoch,
                rows=rows,
            )
            for (store, partition, epoch, rows), node in zip_longest(found.reads, found.nodes)
        ]
        return Trailer(position=found.position, partitions=partitions, notices=(), elapsed_ms=0.0)

    def _forget(self) -> None:
        self._plans.clear()
        self._tails_bytes = 0


def _rows_renderer(columns: tuple[Column, ...]) -> Callable[[Sequence[Row]], bytes]:
    cells = row_cells(columns)
    return lambda rows: orjson.dumps(cells(rows))[1:-1]
