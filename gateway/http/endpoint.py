"""What all endpoints share: their dependencies, errors as responses, and clients that leave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope

from gateway.access.rules import USER
from gateway.errors import error_document, response_headers, response_status
from gateway.failures import RequestContext
from gateway.http.exchange import ClientGoneError
from gateway.http.metrics import Metrics
from gateway.settings import Settings
from gateway.workers import Workers
from planner.engine import Cancellation, Engine, QueryError
from planner.typed import TypedQueries

T = TypeVar("T")

ANONYMOUS = "stategate"
"""The value of `current_user` where no login is required."""

StoreDocument = Mapping[str, object]
"""The JSON document of a store; it always has `name` and `replicas`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The dependencies of the endpoints."""

    engine: Engine
    workers: Workers
    settings: Settings
    describe_stores: Callable[[], Sequence[StoreDocument]]
    """Describes the current stores; may block, so it is called in a worker."""
    not_ready: Callable[[], Sequence[str]]
    """Returns the reasons why the node is not ready, as clauses; empty once it is."""
    require_missing: Callable[[str], None] = lambda _: None
    """Raises a QueryError if an undescribed store of that name may exist."""
    typed: TypedQueries | None = None
    """Runs queries by name; None omits their routes."""
    metrics: Metrics | None = None
    """The metrics; None omits their route."""


def json_response(document: object, status: int = 200) -> Response:
    """Return a JSON response that is never cached, because all answers change."""
    return Response(
        orjson.dumps(document),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def error_response(error: QueryError) -> Response:
    """Return the response of an error; all errors have one shape."""
    response = json_response({"error": error_document(error)}, response_status(error))
    response.headers.update(response_headers(error))
    return response


def request_context(scope: Scope, sql: str | None = None) -> RequestContext:
    """Return the client and the statement, for the log."""
    client = scope.get("client")
    where = f"{client[0]}:{client[1]}" if client else "unknown"
    return RequestContext(client=where, user=scope.get(USER) or ANONYMOUS, sql=sql)


async def unless_disconnected(
    work: Coroutine[None, None, T],
    cancellation: Cancellation,
    receive: Receive,
    *,
    is_ended: Callable[[], bool],
) -> T:
    """Await the work, and cancel the statement if the client disconnects.

    Raises:
        ClientGoneError: the client has disconnected.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_wait_for_disconnect(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done() or is_ended():
            return await working
        raise ClientGoneError("the client has closed the connection")
    finally:
        if not working.done() or working.cancelled():
            # Only while it runs: later, its cancellation callback may belong to another.
            cancellation.cancel()
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
