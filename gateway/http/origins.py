"""Requests that web pages of other origins send (CORS).

A page may send GET and a plain text to any server without asking, though it cannot read the answer.
Such requests are refused, so that no page makes a gateway on the user's machine or network work for
it. Origins of an allow-list may send requests and read answers. Credentials that a browser has kept
for the gateway are never used for them: a page sends its own in the header `Authorization`, and as
a subprotocol with a WebSocket. Any page may open and read one, so those are refused, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.endpoint import error_response

_ALLOWED_METHODS: Final = "GET, HEAD, POST"
_ALLOWED_HEADERS: Final = "Accept, Authorization, Content-Type, If-None-Match"
_EXPOSED_HEADERS: Final = "ETag, Retry-After, Stategate-Next"
_PREFLIGHT_S: Final = "600"


class AllowedOrigins:
    """The origins whose pages may use the gateway.

    Args:
        origins: each as a browser sends it, such as `https://tools.example:8443`.

    Raises:
        ValueError: one of them is not an origin, such as `*`.
    """

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(_checked(each.strip()) for each in origins if each.strip())

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._origins)

    def __contains__(self, origin: object) -> bool:
        """Return whether pages of this origin may use the gateway."""
        return origin in self._origins

    def require(self, headers: Headers) -> None:
        """Refuse a request that a page of another origin has sent, unless it is allowed.

        Links are followed: a page that opens an address cannot read it.

        Raises:
            HttpRequestError: the request is refused (403).
        """
        origin = headers.get("origin")
        if origin not in self._origins and _is_foreign(headers, origin):
            raise _refused(origin)

    def require_for_socket(self, headers: Headers) -> None:
        """Refuse a WebSocket that a page of another origin opens, unless it is allowed.

        Raises:
            HttpRequestError: it is refused (403).
        """
        origin = headers.get("origin")
        if origin not in self._origins and has_other_origin(headers):
            raise _refused(origin)


def _checked(origin: str) -> str:
    parts = urlsplit(origin)
    is_whole = origin == f"{parts.scheme}://{parts.netloc}" and "@" not in parts.netloc
    if parts.scheme not in {"http", "https"} or not parts.hostname or not is_whole:
        raise ValueError(f"{origin[:200]!r} is not an origin")
    if origin != origin.lower() or "*" in origin:
        raise ValueError(f"{origin[:200]!r} is not an origin as browsers write it")
    return origin


def has_other_origin(headers: Headers) -> bool:
    """Whether a page of another host has sent a request; browsers send each WebSocket's origin."""
    if headers.get("sec-fetch-site") == "same-origin":
        return False  # a proxy may have changed the host
    origin, host = headers.get("origin"), headers.get("host")
    return origin is not None and (not host or origin.partition("://")[2] != host)


def _refused(origin: str | None) -> HttpRequestError:
    return HttpRequestError(
        "pages of other origins may not use this gateway",
        status=403,
        detail=None if origin is None else f"The origin is {origin[:200]}.",
        hint="Add the origin to the setting http_origins.",
        sqlstate="42501",
    )


def _is_foreign(headers: Headers, origin: str | None) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        is_link = (
            headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
            and origin is None
        )
        return site not in {"same-origin", "none"} and not is_link
    # Old browsers, and those that reach another machine without TLS, send an origin only.
    return has_other_origin(headers)


class CrossOriginRequests:
    """Middleware: refuses foreign requests, answers preflights, and marks answers as readable.

    Args:
        app: the application.
        allowed: the origins whose pages may use it.
    """

    def __init__(self, app: ASGIApp, *, allowed: AllowedOrigins) -> None:
        self._app, self._allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await self._open_socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            await self._preflight(origin)(scope, receive, self._marking(origin, send))
            return
        try:
            self._allowed.require(headers)
        except HttpRequestError as error:
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, self._marking(origin, send))

    async def _open_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._allowed.require_for_socket(Headers(scope=scope))
        except HttpRequestError as error:
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _preflight(self, origin: str | None) -> Response:
        response = Response(status_code=HTTPStatus.NO_CONTENT)
        if origin in self._allowed:
            response.headers["Access-Control-Allow-Methods"] = _ALLOWED_METHODS
            response.headers["Access-Control-Allow-Headers"] = _ALLOWED_HEADERS
            response.headers["Access-Control-Max-Age"] = _PREFLIGHT_S
        return response

    def _marking(self, origin: str | None, send: Send) -> Send:
        """Return a `send` that adds the headers of this origin."""
        if origin is None or origin not in self._allowed:
            return send

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "origin" not in headers.get("vary", "").lower().replace(" ", "").split(","):
                    headers.add_vary_header("Origin")
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = _EXPOSED_HEADERS
            await send(message)

        return marked
