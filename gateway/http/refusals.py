"""Answers to requests that break HTTP itself; the connection closes after each.

They are applications, so that a request that is pipelined is refused in its turn.
"""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from stategate.gateway.access.peers import Headers
from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.endpoint import error_response

NO_SNIFFING: Final = (b"x-content-type-options", b"nosniff")
"""A browser takes each answer for what it says it is."""


def lacks_host(version: str, headers: Headers) -> bool:
    """Whether a request does not say for which host it is: HTTP/1.1 demands it, once.

    A proxy before us may take the first one, and a check of ours the last.
    """
    count = sum(name == b"host" for name, _ in headers)
    return count > 1 or (count == 0 and version != "1.0")


def refusing(message: str, hint: str | None = None) -> ASGIApp:
    """Return an application that refuses a request (400), and closes its connection."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {"Connection": "close"}
        error = HttpRequestError(message, hint=hint, headers=headers)
        await error_response(error)(scope, receive, send)

    return refuse


REFUSED_HOST: Final = refusing(
    "a request of HTTP/1.1 has one Host header", "Send the name under which you reach the gateway."
)
MALFORMED: Final = refusing("the request is not valid HTTP")
