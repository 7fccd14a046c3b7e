"""Receives requests: reads path and body within their limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import parse_qsl, unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from gateway.errors import HttpRequestError
from gateway.http.exchange import ClientGoneError
from gateway.http.requests import QueryRequest, read_request, read_settings
from gateway.settings import Settings
from planner.engine import quote_always
from planner.typed import TypedQueries

ReadRequest: TypeAlias = Callable[[Scope, Receive, Settings], Awaitable[QueryRequest]]
"""Reads a request.

Raises:
    QueryError: the request does not fit its path.
    ClientGoneError: the client left before its request was whole.
"""


async def read_statement(scope: Scope, receive: Receive, settings: Settings) -> QueryRequest:
    """Read the statement of `POST /v1/query`."""
    body = await read_json(Headers(scope=scope), receive, settings)
    return read_request(body, parameters_max=settings.parameters_max)


async def read_lookup(
    typed: TypedQueries, scope: Scope, receive: Receive, settings: Settings
) -> QueryRequest:
    """Read `GET /v1/stores/{name}/{key}` as a statement."""
    del receive, settings
    # The raw path, because an escaped slash belongs to the key.
    name, *key = _segments(scope)[2:]
    columns = typed.key(name)
    if len(key) != len(columns):
        raise HttpRequestError(
            f'the key of store "{name}" has {len(columns)} columns, not {len(key)}',
            hint="Send one path segment for each: "
            + "/".join(f"{{{column.name}}}" for column in columns),
        )
    conditions = " AND ".join(
        f"{quote_always(c.name)} = ${n}" for n, c in enumerate(columns, start=1)
    )
    return QueryRequest(
        sql=f"SELECT * FROM {quote_always(name)} WHERE {conditions}",
        params=tuple(key),
        settings=read_settings(parse_qsl(scope["query_string"].decode(), keep_blank_values=True)),
    )


def _segments(scope: Scope) -> list[str]:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    try:
        parts = [unquote_to_bytes(part).decode() for part in raw.partition(b"?")[0].split(b"/")]
    except UnicodeDecodeError as error:
        raise HttpRequestError("the path is not UTF-8") from error
    # The application may be mounted below a root path.
    return parts[len(scope.get("root_path", "").rstrip("/").split("/")) :]


async def read_json(headers: Headers, receive: Receive, settings: Settings) -> bytes:
    """Return the whole body of a request that declares it as JSON.

    Raises:
        HttpRequestError: it is declared as something else, is too long or takes too long.
        ClientGoneError: the client left before its request was whole.
    """
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise HttpRequestError(
            f'content type "{content_type[:100]}" is not application/json',
            status=415,
            hint="Send the header Content-Type: application/json.",
        )
    return await _read_body(headers, receive, settings)


async def _read_body(headers: Headers, receive: Receive, settings: Settings) -> bytes:
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > settings.body_bytes_max:
        raise _too_long(settings)
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_timeout_ms / 1000):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError("the client left before its request was whole")
                body += message.get("body", b"")
                if len(body) > settings.body_bytes_max:
                    raise _too_long(settings)
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError as error:
        raise HttpRequestError(
            f"the body did not arrive within {settings.body_timeout_ms} ms", status=408
        ) from error


def _too_long(settings: Settings) -> HttpRequestError:
    return HttpRequestError(
        f"the body is longer than {settings.body_bytes_max} bytes",
        status=413,
        hint="Send fewer parameters, or raise body_bytes_max.",
        sqlstate="54000",
        headers={"Connection": "close"},
    )
