"""Queries by name: `POST /v1/stores/{name}/query`. The answer has one result for each partition.

`{"store", "type", "position", "partitions": [{store, partition, node, status, reason, message,
epoch, rows, info, position, result}], "elapsed_ms"}`. A result is a cell of its SQL type
(`stategate.gateway.http.formats.json_cells`), or `{"columns": [{name, type}], "rows": [[…]]}`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

import orjson
from msgspec import Struct
from starlette.datastructures import Headers

from stategate.gateway.access.rules import USER
from stategate.gateway.http.answers import Answer
from stategate.gateway.http.endpoint import (
    ANONYMOUS,
    Call,
    QueryingEndpoint,
    Services,
    client_of,
    threads_of,
    unless_disconnected,
)
from stategate.gateway.http.formats.json_cells import Cell, batch_cells, cell_of, row_cells
from stategate.gateway.http.requests.parameters import convert_arguments
from stategate.gateway.http.requests.parsing import read_typed_request
from stategate.gateway.http.requests.receiving import read_json
from stategate.planner.engine import Cancellation, DataType, Position, Session
from stategate.planner.typed import (
    Argument,
    Rows,
    TypedAnswer,
    TypedQueries,
    TypedQuery,
    TypedResult,
)

_SHORT_BYTES: Final = 4_096
"""Longest body that is read on the event loop: that of one key."""


class TypedCall(Struct, frozen=True, kw_only=True):
    """A request for a query by name."""

    store: str
    """The store in its path."""
    body: bytes
    user: str | None
    """Who asks; None or empty where no login is required."""
    started_s: float
    """`time.perf_counter()` when it arrived."""
    cancellation: Cancellation
    trace: object | None = None
    """The trace that its headers name."""
    client: tuple[str, str | None] = "", None
    """The protocol and the address of the client."""


class TypedEndpoint(QueryingEndpoint):
    """Runs a query by name: one that reads the row of a key at once, any other in a thread."""

    def __init__(self, services: Services, typed: TypedQueries) -> None:
        self._typed = typed
        self._services = services
        self._settings = services.settings
        self._trace_of = services.trace_of

    async def _answer(self, call: Call) -> None:
        cancellation = Cancellation(timeout_s=self._settings.statement_timeout_ms / 1000)
        headers = Headers(scope=call.scope)
        body = await read_json(headers, call.receive, self._settings)
        asked = TypedCall(
            store=call.scope["path_params"]["name"],
            body=body,
            user=call.scope[USER],
            started_s=time.perf_counter(),
            cancellation=cancellation,
            trace=None if self._trace_of is None else self._trace_of(headers),
            client=client_of(call.scope),
        )
        raw = typed_at_once(self._typed, asked)
        if raw is None:
            waits = f"POST /v1/stores/{asked.store}/query", _session(asked)
            raw = await unless_disconnected(
                threads_of(self._services, call.scope).run(
                    _answered, self._typed, asked, cancellation=cancellation, statement=waits
                ),
                cancellation,
                call.receive,
                is_ended=lambda: False,
            )
        assert raw is not None, "it was not asked to be at once"
        answer = Answer(call.send, cancellation, stall_s=self._settings.stall_timeout_ms / 1000)
        await answer.whole("application/json", raw)


def typed_at_once(typed: TypedQueries, asked: TypedCall) -> bytes | None:
    """Return the body of the answer to a query of one row; None if it needs a thread.

    Raises:
        QueryError: the request is wrong, or a partition fails.
    """
    return None if len(asked.body) > _SHORT_BYTES else _answered(typed, asked, at_once=True)


def _answered(typed: TypedQueries, asked: TypedCall, *, at_once: bool = False) -> bytes | None:
    """Return the body of the answer; with `at_once`, None if it may block."""
    request = read_typed_request(asked.body)
    query = typed.describe(asked.store, request.type)
    session = _session(asked, request.settings)
    if at_once and not typed.is_inline(query, session):
        return None
    asked.cancellation.holds_loop = at_once
    answer = typed.ask(
        query,
        convert_arguments(request.args, query.arguments),
        session,
        partitions=request.partitions,
        active=request.active,
        cancellation=asked.cancellation,
    )
    elapsed_ms = (time.perf_counter() - asked.started_s) * 1000
    return orjson.dumps(typed_document(query, answer, elapsed_ms=elapsed_ms))


def _session(asked: TypedCall, settings: Mapping[str, str] | None = None) -> Session:
    session = Session(settings=settings, user=asked.user or ANONYMOUS)
    session.trace, session.client = asked.trace, asked.client
    return session


def query_document(query: TypedQuery) -> dict[str, Cell]:
    """Return the description of a query by name."""
    return {
        "type": query.name,
        "about": query.about,
        "args": [_argument(each) for each in query.arguments.values()],
        "result": "rows" if query.result is None else str(query.result),
    }


def _argument(argument: Argument) -> dict[str, Cell]:
    types: Cell = [str(each) for each in argument.types]
    return {
        "name": argument.name,
        "type": types if argument.is_key else types[0],
        "required": argument.required,
        "is_key": argument.is_key,
        "is_prefix": argument.is_prefix,
        "is_list": argument.is_list,
    }


def typed_document(query: TypedQuery, answer: TypedAnswer, *, elapsed_ms: float) -> dict[str, Cell]:
    """Return the JSON document of an answer."""
    return {
        "store": query.store,
        "type": query.name,
        "position": _position(answer.position),
        "partitions": [_partition(each, query.result) for each in answer.partitions],
        "elapsed_ms": round(elapsed_ms, 3),
    }


def _partition(result: TypedResult, data_type: DataType | None) -> dict[str, Cell]:
    return {
        **asdict(result.answer),
        "position": _position(result.position),
        "result": _result(result, data_type),
    }


def _result(result: TypedResult, data_type: DataType | None) -> Cell:
    value = result.value
    if isinstance(value, Rows):
        rows: list[Cell] = [
            [*row]
            for batch in value.batches
            for row in zip(*batch_cells(batch, value.columns), strict=True)
        ]
        if value.row is not None:
            rows += row_cells(value.columns)([value.row])
        columns = [{"name": each.name, "type": str(each.type)} for each in value.columns]
        return {"columns": columns, "rows": rows}
    if value is None or data_type is None:
        return None
    to_cell = cell_of(data_type)
    return value if to_cell is None else to_cell(value)


def _position(position: Position) -> dict[str, dict[str, int]]:
    return {topic: {str(p): o for p, o in offsets} for topic, offsets in position.components}
