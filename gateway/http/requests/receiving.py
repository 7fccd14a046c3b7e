"""Receives requests: reads path and body within their limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.answers import ClientGoneError
from stategate.gateway.http.requests.fields import read_object, url_fields, wrong_field
from stategate.gateway.http.requests.parsing import (
    QueryRequest,
    query_request,
    read_settings,
    read_url_request,
)
from stategate.gateway.settings import Settings
from stategate.planner.engine import Column, quote_always
from stategate.planner.typed import TypedQueries

_SQL_TYPES = frozenset({"text/plain", "application/sql"})

ReadRequest: TypeAlias = Callable[[Scope, Receive, Settings], Awaitable[QueryRequest]]
"""Reads a request.

Raises:
    QueryError: the request does not fit its path.
    ClientGoneError: the client left before its request was whole.
"""


async def read_statement(scope: Scope, receive: Receive, settings: Settings) -> QueryRequest:
    """Read the statement of `/v1/query`: fields in JSON or in the URL, or SQL as a text."""
    query, limit = scope["query_string"], settings.parameters_max
    if scope["method"] != "POST":
        return read_url_request(query, sql=None, parameters_max=limit)
    headers = Headers(scope=scope)
    if is_statement_text(headers.get("content-type")):
        sql = _text(await _read_body(headers, receive, settings))
        return read_url_request(query, sql=sql, parameters_max=limit)
    body = await read_json(headers, receive, settings)
    if query:
        raise HttpRequestError(
            "the fields of a JSON body cannot be in the URL, too",
            hint="Send all fields in the body, or the SQL as text/plain.",
        )
    return query_request(read_object(body), parameters_max=limit)


async def read_lookup(
    typed: TypedQueries, scope: Scope, receive: Receive, settings: Settings
) -> QueryRequest:
    """Read `GET /v1/stores/{name}/{key}` as a statement."""
    del receive, settings
    return key_request(typed, _path(scope), scope["query_string"])


def read_key(typed: TypedQueries, scope: Scope) -> tuple[str, list[str]]:
    """Return the store and the key of `GET /v1/stores/{name}/{key}`.

    Raises:
        QueryError: the store does not exist, or has another number of key columns.
    """
    name, *key = _path(scope)[2:]
    _check_count(name, key, typed.key(name))
    return name, key


def asks_where(query: bytes) -> bool:
    """Whether a URL's query asks where a key is instead of its rows: it has the field `locate`.

    Raises:
        HttpRequestError: a field is unknown or has a wrong value, or another format is asked for.
    """
    fields = dict(url_fields(query)) if query else {}
    if (value := fields.pop("locate", None)) is None:
        return False
    if value:
        raise wrong_field("locate", "empty")
    _, format_name = read_settings([*fields.items()])
    if format_name is not None and format_name.lower() != "json":
        raise wrong_field("format", "json beside locate")
    return True


def _path(scope: Scope) -> list[str]:
    """Return the segments of `v1/stores/{name}/{key}`."""
    # The raw path, because an escaped slash belongs to the key.
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    # The application may be mounted below a root path.
    depth = len(scope.get("root_path", "").rstrip("/").split("/"))
    return segments(raw)[depth:]


def _check_count(name: str, key: Sequence[str], columns: Sequence[Column]) -> None:
    if len(key) != len(columns):
        raise HttpRequestError(
            f'the number of key columns of store "{name}" is {len(columns)}, not {len(key)}',
            hint="Send one path segment for each: "
            + "/".join(f"{{{column.name}}}" for column in columns),
        )


def key_request(typed: TypedQueries, path: Sequence[str], query: bytes = b"") -> QueryRequest:
    """Return the statement that reads a key.

    Args:
        typed: knows the key columns.
        path: the segments of `v1/stores/{name}/{key}`.
        query: the URL's query, which has the settings.

    Raises:
        QueryError: the store does not exist, or the key or a setting does not fit.
    """
    name, *key = path[2:]
    columns = typed.key(name)
    _check_count(name, key, columns)
    settings, format_name = read_settings(url_fields(query)) if query else ({}, None)
    return QueryRequest(
        sql=_key_statement(name, *(column.name for column in columns)),
        params=tuple(key),
        settings=settings,
        format=format_name,
    )


@lru_cache(maxsize=1024)  # called for every such request
def _key_statement(store: str, *columns: str) -> str:
    conditions = " AND ".join(f"{quote_always(c)} = ${n}" for n, c in enumerate(columns, start=1))
    return f"SELECT * FROM {quote_always(store)} WHERE {conditions}"


def segments(raw: bytes) -> list[str]:
    """Return the unescaped segments of a path; that before the first slash is empty.

    Raises:
        HttpRequestError: the path is not UTF-8.
    """
    try:
        return [unquote_to_bytes(part).decode() for part in raw.partition(b"?")[0].split(b"/")]
    except UnicodeDecodeError as error:
        raise HttpRequestError("the path is not UTF-8") from error


async def read_json(headers: Headers, receive: Receive, settings: Settings) -> bytes:
    """Return the whole body of a request that declares it as JSON.

    Raises:
        HttpRequestError: it is declared as something else, is too long or takes too long.
        ClientGoneError: the client left before its request was whole.
    """
    require_json(headers.get("content-type"))
    return await _read_body(headers, receive, settings)


def is_statement_text(content_type: str | None) -> bool:
    """Whether a body is declared as the text of a statement."""
    return _media_type(content_type) in _SQL_TYPES


def require_json(content_type: str | None) -> None:
    """Refuse a body that is not declared as JSON.

    Raises:
        HttpRequestError: it is declared as something else, or not at all.
    """
    if content_type == "application/json":
        return
    found = _media_type(content_type)
    if found != "application/json":
        raise HttpRequestError(
            f'content type "{found[:100]}" is not application/json',
            status=415,
            hint="Send the header Content-Type: application/json.",
        )


def _media_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise HttpRequestError("the body is not UTF-8") from error


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
