"""The HTTP application: its routes, the authentication of every request, and its errors.

Requests authenticate with Basic and a password, with Bearer and a token, or not at all. The same
holds for WebSockets, which are requests until they are accepted.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stategate.gateway.access.peers import Headers, Peer, Proxies
from stategate.gateway.access.rules import (
    ADDRESS,
    ON_AUTHENTICATED,
    SESSIONS,
    USER,
    Access,
    Method,
    OnAuthenticated,
    TooManyAttemptsError,
)
from stategate.gateway.access.verifiers import decode_base64
from stategate.gateway.errors import HttpRequestError
from stategate.gateway.failures import to_query_error
from stategate.gateway.http.console_routes import CONSOLE_PATHS
from stategate.gateway.http.endpoint import Services, error_response, request_context
from stategate.gateway.http.live.handshakes import handshake_headers
from stategate.gateway.http.origins import AllowedOrigins, CrossOriginRequests
from stategate.gateway.http.page_routes import DOCS_PATHS
from stategate.gateway.http.routes import build_routes
from stategate.planner.engine import QueryError

_AUTHENTICATED: Final = frozenset({"http", "websocket"})
_CLAIMED: Final = "stategate.claimed"
"""Key in the scope of the name of a user whose password is being checked."""
_OPEN_PATHS: Final = frozenset({"/healthz", "/readyz", "/", *DOCS_PATHS})
_WATCHED_PATHS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths by which others judge the gateway: if it were too busy for them, they would restart it. A
connection that asks for nothing else takes no place of a client, and is closed soon."""
_CHALLENGE: Final = 'Bearer realm="stategate", Basic realm="stategate", charset="UTF-8"'
_HEADER_BYTES_MAX: Final = 16_384
"""Longest header that is read: the longest name and password, in base64."""


def create_app(
    services: Services,
    *,
    access: Access | None = None,
    proxies: Proxies | None = None,
    origins: AllowedOrigins | None = None,
) -> Starlette:
    """Build the application. All errors, routing errors included, have one shape.

    Args:
        services: the dependencies of the endpoints.
        access: authenticates clients; by default loopback is trusted and others are refused.
        proxies: the trusted proxies; none by default.
        origins: the origins whose pages may use it; none by default.
    """
    app = Starlette(
        routes=build_routes(services),
        middleware=[
            Middleware(CrossOriginRequests, allowed=origins or AllowedOrigins()),
            Middleware(HttpAccess, access=access or Access(), proxies=proxies),
        ],
        exception_handlers={HTTPException: _routing_error, QueryError: _error, Exception: _error},
    )
    # A path has one form, because a redirect would turn a POST into two requests.
    app.router.redirect_slashes = False
    return app


async def _routing_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for this class only"
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted({"OPTIONS", *headers["Allow"].split(", ")}))
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=headers)
    hints = {
        404: "The paths are /v1/query, /v1/batch, /v1/subscribe, /v1/stores, /v1/stores/{name}, "
        "/v1/stores/{name}/{key}, "
        "/v1/stores/{name}/query, /v1/stores/{name}/notify, /healthz, /readyz, "
        "/metrics, /openapi.json, /docs and / for the console.",
        405: "POST to /v1/batch, /v1/stores/{name}/query and /v1/stores/{name}/notify, "
        "GET or POST to "
        "/v1/query, GET all other paths.",
    }
    phrase = HTTPStatus(error.status_code).phrase.lower()
    return error_response(
        HttpRequestError(
            f"{phrase}: {request.method} {request.url.path[:200]}",
            status=error.status_code,
            hint=hints.get(error.status_code),
            headers=headers,
        )
    )


async def _error(request: Request, error: Exception) -> Response:
    return error_response(to_query_error(error, request_context(request.scope)))


class HttpAccess:
    """Authenticates a request, then passes it to the application.

    This middleware puts the user into the scope under `USER` and answers refused requests itself.
    `/healthz` and `/readyz` are open, because probes have no credentials; without them they show
    only a status. The files of the pages are open, too: they are the same for everyone, and each
    page asks for credentials before it reads anything.

    Args:
        app: the application.
        access: decides who must authenticate, and checks it.
        proxies: the trusted proxies; none by default.
    """

    def __init__(self, app: ASGIApp, *, access: Access, proxies: Proxies | None = None) -> None:
        self._app = app
        self._access = access
        self._proxies = proxies or Proxies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] in _AUTHENTICATED:
            user: str | None = None
            try:
                user = scope[USER] = await self._identify(scope)
                self._take_place(scope, user)
            except QueryError as error:
                if not _is_open(scope["path"]):
                    user = user or scope.get(_CLAIMED)
                    self._access.note_login("http", self._peer(scope), user=user, error=error)
                    await _refuse(error, scope, receive, send)
                    return
                scope[USER] = None
        await self._app(scope, receive, send)

    def _take_place(self, scope: Scope, user: str) -> None:
        """Take a place for the connection, unless it has one.

        Raises:
            QueryError: no place is free (53300).
        """
        callback: OnAuthenticated | None = scope.get(ON_AUTHENTICATED)
        if callback is not None and scope["path"] not in _WATCHED_PATHS:
            callback(user, self._peer(scope))

    def _peer(self, scope: Scope) -> Peer:
        client = scope.get("client")
        return self._proxies.peer(
            client[0] if client else None,
            scope["headers"],
            secured=scope["scheme"] in {"https", "wss"},
        )

    async def _identify(self, scope: Scope) -> str:
        peer = self._peer(scope)
        scope[ADDRESS], scope[SESSIONS] = peer.address, self._access.sessions
        is_socket = scope["type"] == "websocket"
        headers = handshake_headers(scope) if is_socket else scope["headers"]
        known = user_at_once(self._access, peer, headers)
        if known is not None:
            return known
        scheme, credentials = _credentials(headers)
        if scheme == "bearer":
            return await self._access.check_token(peer, credentials)
        user, password = _user_and_password(credentials)
        scope[_CLAIMED] = user
        await self._access.check_password(peer, user=user, password=password)
        self._access.note_login("http", peer, user=user)
        return user


def _is_open(path: str) -> bool:
    return path in _OPEN_PATHS or path.startswith(CONSOLE_PATHS)


def user_at_once(access: Access, peer: Peer, headers: Headers) -> str | None:
    """Return the user of a request; None if a password or token has to be checked.

    Args:
        access: decides who must authenticate.
        peer: where the client is.
        headers: the headers of the request, with names in lower case.

    Raises:
        QueryError: the request is refused.
    """
    if access.method_for(peer) is Method.TRUST:
        for name, value in headers:
            # A browser always sends a Host header; a probe of HTTP/1.0 may send none.
            if name == b"host":
                access.require_host(value)
        return ""
    scheme, credentials = _credentials(headers)
    access.require_confidential(peer)
    if scheme == "bearer":
        return access.user_of_token(credentials)
    user, password = _user_and_password(credentials)
    return user if access.has_verified(user=user, password=password) else None


async def _refuse(error: QueryError, scope: Scope, receive: Receive, send: Send) -> None:
    await error_response(_with_status(error))(scope, receive, send)


def _with_status(error: QueryError) -> QueryError:
    """Return the error with its HTTP status and headers."""
    match error:
        case HttpRequestError():
            return error
        case TooManyAttemptsError():
            status, headers = 429, {"Retry-After": str(error.wait_s)}
        case QueryError(sqlstate="28P01"):
            status, headers = 401, {"WWW-Authenticate": _CHALLENGE}
        case QueryError(sqlstate="28000"):
            status, headers = 403, {}
        case _:
            return error
    return HttpRequestError(
        error.message,
        status=status,
        detail=error.detail,
        hint=error.hint,
        sqlstate=error.sqlstate,
        headers=headers,
    )


def _credentials(headers: Headers) -> tuple[str, str]:
    """Return the scheme, `basic` or `bearer`, and the credentials.

    Raises:
        HttpRequestError: there are no credentials of either scheme.
    """
    found = [value for name, value in headers if name == b"authorization"]
    if not found:
        raise _unauthorized("no credentials were sent")
    scheme, _, rest = found[0][:_HEADER_BYTES_MAX].decode("latin-1").partition(" ")
    if len(found) > 1 or scheme.lower() not in {"basic", "bearer"}:
        raise _unauthorized("the credentials are neither Basic nor Bearer")
    return scheme.lower(), rest.strip(" ")


def _user_and_password(credentials: str) -> tuple[str, str]:
    try:
        text = decode_base64(credentials).decode()
    except ValueError:
        raise _unauthorized("the credentials are malformed") from None
    user, colon, password = text.partition(":")
    if not colon:
        raise _unauthorized("the credentials are malformed")
    return user, password


def _unauthorized(message: str) -> HttpRequestError:
    return HttpRequestError(
        message,
        status=401,
        hint="Send user and password as Basic, or a token as Bearer.",
        sqlstate="28000",
        headers={"WWW-Authenticate": _CHALLENGE},
    )
