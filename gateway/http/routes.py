"""The HTTP endpoints.

    GET, POST /v1/query           runs one statement
    POST /v1/batch                runs several statements
    GET  /v1/subscribe            the rows of a statement, then their changes; also a WebSocket
    GET  /v1/stores               the stores, without their replicas
    GET  /v1/stores/{name}        one store, with the state of each replica
    GET  /v1/stores/{name}/{key}  the rows of one key; one segment for each key column
    POST /v1/stores/{name}/query  runs a query that a third party has registered
    POST /v1/stores/{name}/notify looks for the store's next epoch now
    GET  /healthz                 200 while the process runs
    GET  /readyz                  200 once every replica runs; before that 503 with the reasons
    GET  /metrics                 metrics for Prometheus
    GET  /openapi.json            the OpenAPI document of these routes
    GET  /, /docs                 the console, and a page to try the API

JSON must be declared as such, so that web pages cannot send statements to a gateway on the user's
machine without a preflight.
"""

from __future__ import annotations

from functools import partial

from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Scope

from stategate.gateway.access.rules import USER
from stategate.gateway.addresses import host_port
from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.console_routes import console_routes
from stategate.gateway.http.endpoint import (
    Services,
    json_response,
    threads_of,
)
from stategate.gateway.http.live.socket_subscribing import SocketEndpoint
from stategate.gateway.http.live.subscribing import SubscribeEndpoint
from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.metrics.spark_state import spark_document
from stategate.gateway.http.page_routes import page_routes
from stategate.gateway.http.statements.batches import BatchEndpoint
from stategate.gateway.http.statements.queries import KeyEndpoint, QueryEndpoint
from stategate.gateway.http.statements.typed_queries import TypedEndpoint, query_document
from stategate.planner.errors import UnavailableError
from stategate.planner.typed import TypedQueries


class _KeyConvertor(PathConvertor):
    """Matches the segments of a key: a key may have line breaks, at which `path` ends."""

    regex = r"[\s\S]*"


register_url_convertor("key", _KeyConvertor())


def build_routes(services: Services) -> list[BaseRoute]:
    """Build all routes of the application."""
    catalog = CatalogEndpoints(services)
    beside = [] if services.typed is None else _store_routes(services, services.typed)
    if services.metrics is not None:
        beside.append(Route("/metrics", partial(show_metrics, services.metrics), methods=["GET"]))
    described = [
        Route("/v1/query", QueryEndpoint(services), methods=["GET", "POST"]),
        Route("/v1/batch", BatchEndpoint(services), methods=["POST"]),
        Route("/v1/subscribe", SubscribeEndpoint(services), methods=["GET"]),
        Route("/v1/stores", catalog.list_stores, methods=["GET"]),
        Route("/v1/stores/{name}", catalog.show_store, methods=["GET"]),
        Route("/v1/stores/{name}/notify", catalog.notify, methods=["POST"]),
        *beside,
        Route("/healthz", catalog.health, methods=["GET"]),
        Route("/readyz", catalog.readiness, methods=["GET"]),
    ]
    socket = WebSocketRoute("/v1/subscribe", SocketEndpoint(services))
    return [*described, socket, *page_routes(described, services), *console_routes()]


def _store_routes(services: Services, typed: TypedQueries) -> list[BaseRoute]:
    look_up = KeyEndpoint(services, typed)
    return [
        Route("/v1/stores/{name}/query", TypedEndpoint(services, typed), methods=["POST"]),
        Route("/v1/stores/{name}/{key:key}", look_up, methods=["GET"]),
    ]


async def show_metrics(metrics: Metrics, request: Request) -> Response:
    """Return all metrics in the scraper's format."""
    body, content_type = await metrics.scrape(",".join(request.headers.getlist("accept")))
    headers = {"Content-Type": content_type, "Cache-Control": "no-store"}
    return Response(body, headers=headers)


class CatalogEndpoints:
    """The stores, and the state of the gateway."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def list_stores(self, request: Request) -> Response:
        """List the stores that the user may read, by name."""
        may_read, user = self._services.rights.may_read, request.scope[USER]
        threads = threads_of(self._services, request.scope).short
        stores = await threads.run(self._services.describe_stores)
        shown = [
            {k: v for k, v in store.items() if k != "replicas"}
            for store in stores
            if may_read(user, store["name"])
        ]
        return json_response({"stores": shown, "addresses": self._addresses(request.scope)})

    def _addresses(self, scope: Scope) -> dict[str, str | None]:
        """Return where this request has arrived, and where the Postgres wire listens."""
        server = scope.get("server")
        arrived = host_port(*server) if server and server[1] is not None else None
        return {"http": arrived, "postgres": self._services.wire_address()}

    async def show_store(self, request: Request) -> Response:
        """Describe one store, with its replicas."""
        name = request.path_params["name"]
        threads = threads_of(self._services, request.scope).short
        stores = await threads.run(self._services.describe_stores)
        found = next((store for store in stores if store["name"] == name), None)
        if found is None:
            self._services.require_missing(name)
            raise HttpRequestError(
                f'store "{name}" does not exist',
                status=404,
                hint="GET /v1/stores lists the stores.",
                sqlstate="42P01",
            )
        self._services.rights.require(request.scope[USER], (name,))
        typed = self._services.typed
        if typed is not None:
            found = {**found, "queries": [query_document(each) for each in typed.known(name)]}
        return json_response(found)

    async def notify(self, request: Request) -> Response:
        """Look for the next epoch of a store now, in all workers.

        It answers before that, and also where the store is not known: it may be a new one.
        """
        name = request.path_params["name"]
        self._services.rights.require(request.scope[USER], (name,))
        await self._services.notify(name)
        return json_response({"status": "accepted"}, 202)

    async def health(self, request: Request) -> Response:
        """Answer, to show that the process and its event loop run."""
        del request
        return json_response({"status": "ok"})

    async def readiness(self, request: Request) -> Response:
        """Answer 200 if every replica runs, otherwise 503 with the reasons."""
        reasons = self._services.not_ready()
        if not reasons:
            return json_response({"status": "ready", **self._spark(request)})
        if request.scope[USER] is None:
            # The reasons contain store names, which unauthenticated clients may not see.
            raise UnavailableError("the gateway is not ready", sqlstate="55S04")
        more = f"; and {len(reasons) - 20} more" if len(reasons) > 20 else ""
        raise UnavailableError(
            "the gateway is not ready", detail="; ".join(reasons[:20]) + more, sqlstate="55S04"
        )

    def _spark(self, request: Request) -> dict[str, object]:
        """Return the state of the Spark engine; a gateway is ready without it."""
        read = self._services.spark
        if read is None:
            return {}
        is_trusted = request.scope[USER] is not None
        return {"spark": spark_document(read(), is_trusted=is_trusted)}
