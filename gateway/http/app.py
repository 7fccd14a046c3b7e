"""Builds the HTTP application from routes, middleware and error handlers."""

from __future__ import annotations

from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from gateway.access.proxies import Proxies
from gateway.access.rules import Access
from gateway.errors import HttpRequestError
from gateway.failures import to_query_error
from gateway.http.authentication import HttpAccess
from gateway.http.routes import Services, build_routes, error_response, request_context
from planner.engine import QueryError


def create_app(
    services: Services, *, access: Access | None = None, proxies: Proxies | None = None
) -> Starlette:
    """Build the application. All errors, routing errors included, have one shape.

    Args:
        services: the dependencies of the endpoints.
        access: authenticates clients; by default loopback is trusted and others are refused.
        proxies: the trusted proxies; none by default.
    """
    app = Starlette(
        routes=build_routes(services),
        middleware=[Middleware(HttpAccess, access=access or Access(), proxies=proxies)],
        exception_handlers={HTTPException: _routing_error, QueryError: _error, Exception: _error},
    )
    # A path has one spelling: a redirect would turn a POST into two requests.
    app.router.redirect_slashes = False
    return app


async def _routing_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for this class only"
    hints = {
        404: "The paths are /v1/query, /v1/stores, /v1/stores/{name}, /v1/stores/{name}/{key}, "
        "/v1/stores/{name}/query, /healthz, /readyz and /metrics.",
        405: "POST to /v1/query and /v1/stores/{name}/query, GET all other paths.",
    }
    phrase = HTTPStatus(error.status_code).phrase.lower()
    return error_response(
        HttpRequestError(
            f"{phrase}: {request.method} {request.url.path[:200]}",
            status=error.status_code,
            hint=hints.get(error.status_code),
            headers=error.headers,
        )
    )


async def _error(request: Request, error: Exception) -> Response:
    return error_response(to_query_error(error, request_context(request.scope)))
