"""The HTTP endpoints: request in, engine or catalog asked, response out.

    POST /v1/query                runs one statement
    GET  /v1/stores               the stores, without their replicas
    GET  /v1/stores/{name}        one store, with the state of each replica
    GET  /v1/stores/{name}/{key}  the rows of one key; a segment for each key column
    POST /v1/stores/{name}/query  asks a query that a third party has registered
    GET  /healthz                 200 while the process lives
    GET  /readyz                  200 once every replica runs, 503 with the reasons before
    GET  /metrics                 what Prometheus asks for

What runs queries is an ASGI application rather than a function, because it watches the connection
meanwhile: a client that leaves cancels it. JSON must be declared as such, which keeps web pages
from sending statements to a gateway on the reader's own machine without a preflight.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from gateway.access.rules import USER
from gateway.errors import (
    HttpRequestError,
    error_document,
    response_headers,
    response_status,
)
from gateway.failures import RequestContext, to_query_error
from gateway.http.exchange import (
    Answer,
    ClientGoneError,
    Exchange,
    open_result,
    recall,
    send_result,
)
from gateway.http.formats import RENDERERS, RendererFactory, choose_renderer
from gateway.http.metrics import Metrics
from gateway.http.receiving import ReadRequest, read_json, read_lookup, read_statement
from gateway.http.requests import (
    convert_arguments,
    read_typed_request,
)
from gateway.http.typed_queries import typed_document
from gateway.settings import Settings
from gateway.workers import Workers
from planner.engine import (
    Cancellation,
    Engine,
    QueryError,
    Result,
    Session,
    Statement,
)
from planner.errors import UnavailableError
from planner.typed import TypedQueries

T = TypeVar("T")

logger = logging.getLogger(__name__)

ANONYMOUS = "stategate"
"""Whom `current_user` names where nobody has to say who it is."""

StoreDocument = Mapping[str, object]
"""What `/v1/stores/{name}` gives of a store; `name` and `replicas` are always there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the endpoints work with."""

    engine: Engine
    workers: Workers
    settings: Settings
    describe_stores: Callable[[], Sequence[StoreDocument]]
    """The stores as they stand now; may block, so it is called in a worker."""
    not_ready: Callable[[], Sequence[str]]
    """Why the node cannot answer everything yet, as clauses; empty once it can."""
    require_missing: Callable[[str], None] = lambda _: None
    """Raises a QueryError if there may be a store of a name that is not described."""
    typed: TypedQueries | None = None
    """What can be asked of stores beside SQL; None leaves out the routes for it."""
    metrics: Metrics | None = None
    """What is told of the gateway's work; None leaves out the route for it."""


def build_routes(services: Services) -> list[BaseRoute]:
    """All routes of the application."""
    catalog = CatalogEndpoints(services)
    beside = [] if services.typed is None else _store_routes(services, services.typed)
    if services.metrics is not None:
        beside.append(Route("/metrics", partial(show_metrics, services.metrics), methods=["GET"]))
    return [
        Route("/v1/query", QueryEndpoint(services), methods=["POST"]),
        Route("/v1/stores", catalog.list_stores, methods=["GET"]),
        Route("/v1/stores/{name}", catalog.show_store, methods=["GET"]),
        *beside,
        Route("/healthz", catalog.health, methods=["GET"]),
        Route("/readyz", catalog.readiness, methods=["GET"]),
    ]


def _store_routes(services: Services, typed: TypedQueries) -> list[BaseRoute]:
    look_up = QueryEndpoint(services, partial(read_lookup, typed))
    return [
        Route("/v1/stores/{name}/query", TypedEndpoint(services, typed), methods=["POST"]),
        Route("/v1/stores/{name}/{key:path}", look_up, methods=["GET"]),
    ]


async def show_metrics(metrics: Metrics, request: Request) -> Response:
    """All metrics, in the format that the scraper takes."""
    body, content_type = await metrics.scrape(",".join(request.headers.getlist("accept")))
    headers = {"Content-Type": content_type, "Cache-Control": "no-store"}
    return Response(body, headers=headers)


def json_response(document: object, status: int = 200) -> Response:
    """A JSON body that no cache keeps, for all of ours change."""
    return Response(
        orjson.dumps(document),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def error_response(error: QueryError) -> Response:
    """The one shape of every error."""
    response = json_response({"error": error_document(error)}, response_status(error))
    response.headers.update(response_headers(error))
    return response


class CatalogEndpoints:
    """What there is to query, and whether it can be queried."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def list_stores(self, request: Request) -> Response:
        """All stores, by name."""
        del request
        stores = await self._services.workers.run(self._services.describe_stores)
        shown = [{k: v for k, v in store.items() if k != "replicas"} for store in stores]
        return json_response({"stores": shown})

    async def show_store(self, request: Request) -> Response:
        """One store, with its replicas."""
        name = request.path_params["name"]
        stores = await self._services.workers.run(self._services.describe_stores)
        found = next((store for store in stores if store["name"] == name), None)
        if found is None:
            self._services.require_missing(name)
            raise HttpRequestError(
                f'store "{name}" does not exist',
                status=404,
                hint="GET /v1/stores lists the stores.",
                sqlstate="42P01",
            )
        return json_response(found)

    async def health(self, request: Request) -> Response:
        """The process lives and its event loop turns."""
        del request
        return json_response({"status": "ok"})

    async def readiness(self, request: Request) -> Response:
        """Whether every replica runs."""
        reasons = self._services.not_ready()
        if not reasons:
            return json_response({"status": "ready"})
        if request.scope[USER] is None:
            # The reasons name stores, which are no business of strangers.
            raise UnavailableError("the gateway is not ready", sqlstate="55S04")
        more = f"; and {len(reasons) - 20} more" if len(reasons) > 20 else ""
        raise UnavailableError(
            "the gateway is not ready", detail="; ".join(reasons[:20]) + more, sqlstate="55S04"
        )


class QueryEndpoint:
    """Runs the statement that a request stands for.

    Args:
        services: what it works with.
        read: reads the request.
    """

    def __init__(self, services: Services, read: ReadRequest = read_statement) -> None:
        self._read_request = read
        self._engine = services.engine
        self._workers = services.workers
        self._settings = services.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; an error is an answer too."""
        answer: Answer | None = None
        exchange: Exchange | None = None
        try:
            exchange = await self._read(scope, receive)
            answer = Answer(send, exchange, stall_s=self._settings.stall_timeout_ms / 1000)
            error = await self._answer(exchange, answer, receive)
        except ClientGoneError as gone:
            # Nothing, or half an answer, was sent: the server closes the connection for us.
            logger.info("client is gone: %s", gone)
            return
        except asyncio.CancelledError:
            # The grace period is over. This is the outermost call of its task, so nobody above
            # has to see the cancellation; the client is told, if that can still be done.
            error = UnavailableError("the gateway is shutting down", sqlstate="57P01")
            if answer is not None and answer.begun:
                logger.warning("answer cut off by shutdown")
                return
        except Exception as caught:
            error = to_query_error(
                caught, request_context(scope) if exchange is None else exchange.context
            )
        if error is not None:
            await error_response(error)(scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> Exchange:
        started_s = time.perf_counter()
        headers = Headers(scope=scope)
        factory = _negotiate(headers)
        request = await self._read_request(scope, receive, self._settings)
        return Exchange(
            request=request,
            session=Session(settings=request.settings, user=scope[USER] or ANONYMOUS),
            cancellation=Cancellation(timeout_s=self._settings.statement_timeout_ms / 1000),
            factory=factory,
            started_s=started_s,
            context=request_context(scope, request.sql),
        )

    async def _answer(
        self, exchange: Exchange, answer: Answer, receive: Receive
    ) -> QueryError | None:
        statement = recall(self._engine, exchange)
        if statement is not None and self._engine.is_inline(statement, exchange.session):
            result = open_result(self._engine, exchange, statement)
            if result.batches is None:
                return await self._send(exchange, result, answer)
            sending = self._send(exchange, result, answer)
            return await _watched(sending, exchange, answer, receive)
        return await _watched(self._run(exchange, statement, answer), exchange, answer, receive)

    async def _run(
        self, exchange: Exchange, statement: Statement | None, answer: Answer
    ) -> QueryError | None:
        result: Result = await self._workers.run(
            open_result, self._engine, exchange, statement, on_abandon=Result.close
        )
        return await self._send(exchange, result, answer)

    async def _send(self, exchange: Exchange, result: Result, answer: Answer) -> QueryError | None:
        return await send_result(
            exchange,
            result,
            answer,
            workers=self._workers,
            chunk_bytes=self._settings.chunk_bytes,
        )


class TypedEndpoint:
    """`POST /v1/stores/{name}/query`: a query by name, in a worker, answered as a whole."""

    def __init__(self, services: Services, typed: TypedQueries) -> None:
        self._typed = typed
        self._workers = services.workers
        self._settings = services.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; an error is an answer too."""
        cancellation = Cancellation(timeout_s=self._settings.statement_timeout_ms / 1000)
        try:
            body = await read_json(Headers(scope=scope), receive, self._settings)
            asked = partial(self._answer, scope, body, cancellation, time.perf_counter())
            working = self._workers.run(asked)
            raw = await _while_there(working, cancellation, receive, is_ended=lambda: False)
        except ClientGoneError as gone:
            logger.info("client is gone: %s", gone)
            return
        except asyncio.CancelledError:
            # As for a statement: the grace period is over, and nobody above has to know.
            response = error_response(
                UnavailableError("the gateway is shutting down", sqlstate="57P01")
            )
        except Exception as caught:
            response = error_response(to_query_error(caught, request_context(scope)))
        else:
            response = Response(
                raw, media_type="application/json", headers={"Cache-Control": "no-store"}
            )
        await response(scope, receive, send)

    def _answer(
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


def request_context(scope: Scope, sql: str | None = None) -> RequestContext:
    """Who asks for what, as the log has it."""
    client = scope.get("client")
    where = f"{client[0]}:{client[1]}" if client else "unknown"
    return RequestContext(client=where, user=scope.get(USER) or ANONYMOUS, sql=sql)


async def _watched(
    work: Coroutine[None, None, QueryError | None],
    exchange: Exchange,
    answer: Answer,
    receive: Receive,
) -> QueryError | None:
    """Do the work while the client stays; cancel the statement when it leaves.

    Raises:
        ClientGoneError: the client has left.
    """
    return await _while_there(work, exchange.cancellation, receive, is_ended=lambda: answer.ended)


async def _while_there(
    work: Coroutine[None, None, T],
    cancellation: Cancellation,
    receive: Receive,
    *,
    is_ended: Callable[[], bool],
) -> T:
    """Do the work while the client stays; cancel the statement when it leaves.

    Raises:
        ClientGoneError: the client has left.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_wait_for_leave(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done() or is_ended():
            return await working
        raise ClientGoneError("the client has closed the connection")
    finally:
        if not working.done() or working.cancelled():
            # Never after it has ended: what it registered to be cancelled may serve another by now.
            cancellation.cancel()
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _wait_for_leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _negotiate(headers: Headers) -> RendererFactory:
    factory = choose_renderer(headers.get("accept"))
    if factory is None:
        raise HttpRequestError(
            "no format of the Accept header is offered",
            status=406,
            hint=f"Accept one of {', '.join(RENDERERS)}.",
        )
    return factory
