"""Authenticates HTTP requests: Basic with a password, Bearer with a token, or none.

This ASGI middleware puts the user into the scope under `USER` and answers refused requests itself.
`/healthz` and `/readyz` are open, because probes have no credentials; without them they show only a
status.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.access.proxies import Proxies
from gateway.access.rules import ON_AUTHENTICATED, USER, Access, Method, TooManyAttemptsError
from gateway.access.verifiers import decode_base64
from gateway.errors import HttpRequestError
from gateway.http.routes import error_response
from planner.engine import QueryError

_OPEN: Final = frozenset({"/healthz", "/readyz"})
_CHALLENGE: Final = 'Bearer realm="stategate", Basic realm="stategate", charset="UTF-8"'
_HEADER_BYTES_MAX: Final = 16_384
"""Longest header that is read: the longest name and password, in base64."""


class HttpAccess:
    """Authenticates a request, then passes it to the application.

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
        if scope["type"] == "http":
            try:
                scope[USER] = await self._identify(scope)
            except QueryError as error:
                if scope["path"] not in _OPEN:
                    await _refuse(error, scope, receive, send)
                    return
                scope[USER] = None
            else:
                _on_authenticated(scope)
        await self._app(scope, receive, send)

    async def _identify(self, scope: Scope) -> str:
        client = scope.get("client")
        peer = self._proxies.peer(
            client[0] if client else None, scope["headers"], secured=scope["scheme"] == "https"
        )
        if self._access.method_for(peer) is Method.TRUST:
            for name, value in scope["headers"]:
                # A browser always sends a Host header; a probe of HTTP/1.0 may send none.
                if name == b"host":
                    self._access.require_host(value)
            return ""
        scheme, credentials = _credentials(scope)
        self._access.require_confidential(peer)
        if scheme == "bearer":
            return await self._access.check_token(peer, credentials)
        user, password = _user_and_password(credentials)
        await self._access.check_password(peer, user=user, password=password)
        return user


def _on_authenticated(scope: Scope) -> None:
    callback: Callable[[], None] | None = scope.get(ON_AUTHENTICATED)
    if callback is not None:
        callback()


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


def _credentials(scope: Scope) -> tuple[str, str]:
    """Return the scheme, `basic` or `bearer`, and the credentials.

    Raises:
        HttpRequestError: there are no credentials of either scheme.
    """
    found = [value for name, value in scope["headers"] if name == b"authorization"]
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
