"""Queries by name: `POST /v1/stores/{name}/query`. The answer has one result for each partition.

`{"store", "type", "position", "partitions": [{store, partition, node, status, reason, message,
epoch, rows, info, position, result}], "elapsed_ms"}`. A result is a cell of its SQL type
(`gateway.http.formats.json_cells`), or `{"columns": [{name, type}], "rows": [[…]]}`.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from functools import partial

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from gateway.access.rules import USER
from gateway.http.endpoint import (
    ANONYMOUS,
    Call,
    QueryingEndpoint,
    Services,
    unless_disconnected,
)
from gateway.http.formats.json_cells import Cell, batch_cells, cell_of
from gateway.http.requests.parameters import convert_arguments
from gateway.http.requests.parsing import read_typed_request
from gateway.http.requests.receiving import read_json
from planner.engine import Cancellation, DataType, Position, Session
from planner.typed import Argument, Rows, TypedAnswer, TypedQueries, TypedQuery, TypedResult


class TypedEndpoint(QueryingEndpoint):
    """Runs a query by name in a thread."""

    def __init__(self, services: Services, typed: TypedQueries) -> None:
        self._typed = typed
        self._threads = services.threads
        self._settings = services.settings

    async def _answer(self, call: Call) -> None:
        cancellation = Cancellation(timeout_s=self._settings.statement_timeout_ms / 1000)
        body = await read_json(Headers(scope=call.scope), call.receive, self._settings)
        work = partial(self._ask, call.scope, body, cancellation, time.perf_counter())
        raw = await unless_disconnected(
            self._threads.run(work), cancellation, call.receive, is_ended=lambda: False
        )
        response = Response(
            raw, media_type="application/json", headers={"Cache-Control": "no-store"}
        )
        await response(call.scope, call.receive, call.send)

    def _ask(
        self, scope: Scope, body: bytes, cancellation: Cancellation, started_s: float
    ) -> bytes:
        request = read_typed_request(body)
        query = self._typed.describe(scope["path_params"]["name"], request.type)
        answer = self._typed.ask(
            query,
            convert_arguments(request.args, query.arguments),
            Session(settings=request.settings, user=scope[USER] or ANONYMOUS),
            partitions=request.partitions,
            active=request.active,
            cancellation=cancellation,
        )
        elapsed_ms = (time.perf_counter() - started_s) * 1000
        return orjson.dumps(typed_document(query, answer, elapsed_ms=elapsed_ms))


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
        rows = [
            row
            for batch in value.batches
            for row in zip(*batch_cells(batch, value.columns), strict=True)
        ]
        columns = [{"name": each.name, "type": str(each.type)} for each in value.columns]
        return {"columns": columns, "rows": rows}
    if value is None or data_type is None:
        return None
    to_cell = cell_of(data_type)
    return value if to_cell is None else to_cell(value)


def _position(position: Position) -> dict[str, dict[str, int]]:
    return {topic: {str(p): o for p, o in offsets} for topic, offsets in position.components}
