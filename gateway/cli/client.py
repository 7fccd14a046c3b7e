"""A small HTTP client for the command line: streams NDJSON, with limits and timeouts.

Closing an answer before its end closes the connection, which cancels the statement.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit

import orjson

from stategate.gateway.access.peers import is_loopback
from stategate.gateway.errors import ClientError, RemoteError, UnreachableError

Json: TypeAlias = Any
"""A value that orjson returns."""

CONNECT_TIMEOUT_S = 10.0
"""How long to wait for a connection: longer than a lost packet delays it."""
READ_TIMEOUT_S = 120.0
"""How long to wait for the next bytes: twice the gateway's default for a whole statement."""
LINE_BYTES_MAX = 64 << 20
"""Longest line of an answer: one row."""
BODY_BYTES_MAX = 64 << 20
"""Longest body that is read at once: an error, or the list of stores."""
_READ_BYTES = 64 << 10


class ResultColumn(NamedTuple):
    """A column of an answer, with its SQL type."""

    name: str
    type: str


class Client:
    """A client of one gateway; each call opens its own connection.

    Args:
        url: the base URL, `http://host:port` or `https://…`.
        read_timeout_s: how long to wait for the next bytes of an answer.
        credentials: the Authorization header, from `stategate.stores.credentials`.

    Raises:
        ClientError: the URL is malformed, or would send credentials in clear to another machine.
    """

    def __init__(
        self,
        url: str,
        *,
        read_timeout_s: float = READ_TIMEOUT_S,
        credentials: str | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._parts = urlsplit(self.url)
        self._read_timeout_s = read_timeout_s
        try:
            self._port = self._parts.port
        except ValueError:
            raise _malformed_url(url) from None
        if self._parts.scheme not in {"http", "https"} or not self._parts.hostname:
            raise _malformed_url(url)
        host = self._parts.hostname
        if credentials and self._parts.scheme == "http" and not _is_here(host):
            raise ClientError(
                f"credentials would go to {host} in clear", hint="Use an https:// URL."
            )
        self._headers = {"Authorization": credentials} if credentials else {}

    def query(self, sql: str, fields: Mapping[str, Json] | None = None) -> Answer:
        """Run a statement and return its answer, which streams; close it, or use `with`.

        Args:
            sql: one statement.
            fields: further fields of the request, such as `{"wait_ms": 500}`.

        Raises:
            RemoteError: the statement failed before its first row.
            UnreachableError: no gateway answers.
        """
        body = orjson.dumps({"sql": sql, **(fields or {})})
        connection, response = self._ask("POST", "/v1/query", body)
        try:
            return Answer(connection, response)
        except BaseException:
            connection.close()
            raise

    @contextmanager
    def download(
        self, sql: str, fields: Mapping[str, Json], *, form: str
    ) -> Iterator[Iterator[bytes]]:
        """Run a statement; the block gets the body of its answer in parts.

        Args:
            sql: one statement.
            fields: further fields of the request.
            form: the name of the answer's format.

        Raises:
            RemoteError: the statement failed before its first row.
            UnreachableError: no gateway answers, or the answer breaks off.
        """
        body = orjson.dumps({"sql": sql, **fields, "format": form})
        connection, response = self._ask("POST", "/v1/query", body)
        with closing(connection):
            yield _parts(response)

    def stores(self) -> list[dict[str, Json]]:
        """Return the stores, without their replicas.

        Raises:
            ClientError: no answer, or an error.
        """
        found = self._get("/v1/stores").get("stores")
        if not isinstance(found, list):
            raise UnreachableError(f"{self.url} does not answer like a gateway")
        return found

    def store(self, name: str) -> dict[str, Json]:
        """Return one store, with its replicas.

        Raises:
            ClientError: no answer, or an error; 42P01 if the store does not exist.
        """
        return self._get("/v1/stores/" + quote(name, safe=""))

    def _get(self, path: str) -> dict[str, Json]:
        connection, response = self._ask("GET", path, None)
        try:
            return _read_document(response, self.url)
        finally:
            connection.close()

    def _ask(
        self, method: str, path: str, body: bytes | None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = self._connection()
        try:
            connection.connect()
            connection.sock.settimeout(self._read_timeout_s)
            headers = {
                **self._headers,
                "Accept": "application/x-ndjson" if body else "application/json",
            }
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, self._parts.path + path, body=body, headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                raise _remote_error(_read_document(response, self.url), self.url, response.status)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise UnreachableError(
                f"no gateway answers at {self.url}: {_said(error)}",
                hint="Start one with `stategate serve`, or name its URL with --url.",
            ) from error
        except BaseException:
            connection.close()
            raise
        return connection, response

    def _connection(self) -> http.client.HTTPConnection:
        host = self._parts.hostname or ""
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, self._port, timeout=CONNECT_TIMEOUT_S)
        return http.client.HTTPSConnection(
            host, self._port, timeout=CONNECT_TIMEOUT_S, context=ssl.create_default_context()
        )


class Answer:
    """One answer: columns at once, rows as they arrive, the trailer after the last row."""

    def __init__(
        self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ) -> None:
        self._connection = connection
        self._lines = _lines(response)
        header = next(self._lines, None)
        columns = header.get("columns") if isinstance(header, dict) else None
        if not isinstance(columns, list):
            raise UnreachableError("the answer does not begin with columns")
        self.columns = tuple(ResultColumn(each["name"], each["type"]) for each in columns)
        self.trailer: dict[str, Json] = {}
        """`position`, `partitions` and `elapsed_ms`; empty until all rows are read."""

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[list[Json]]:
        """Yield the rows, each a list of cells.

        Raises:
            RemoteError: the statement failed after its first row.
            UnreachableError: the answer broke off.
        """
        for line in self._lines:
            if isinstance(line, list):
                yield line
                continue
            if "error" in line:
                raise _remote_error(line, "the gateway", 200)
            self.trailer = line
        if not self.trailer:
            raise UnreachableError("the answer broke off")

    def close(self) -> None:
        """Close the connection, which cancels a running statement."""
        self._connection.close()


def _parts(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            read = response.read1(_READ_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise UnreachableError(f"the answer broke off: {_said(error)}") from error
        if not read:
            return
        yield read


def _lines(response: http.client.HTTPResponse) -> Iterator[Json]:
    held = b""
    for read in _parts(response):
        *lines, held = (held + read).split(b"\n")
        if len(held) > LINE_BYTES_MAX:
            raise UnreachableError(f"a row is longer than {LINE_BYTES_MAX} bytes")
        for line in lines:
            yield _parsed(line, "the gateway")


def _read_document(response: http.client.HTTPResponse, url: str) -> dict[str, Json]:
    try:
        body = response.read(BODY_BYTES_MAX)
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"the answer broke off: {_said(error)}") from error
    document = _parsed(body, url)
    if not isinstance(document, dict):
        raise UnreachableError(f"{url} does not answer like a gateway")
    return document


def _parsed(text: bytes, url: str) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UnreachableError(f"{url} does not answer like a gateway") from error


def _remote_error(document: dict[str, Json], url: str, status: int) -> ClientError:
    told = document.get("error")
    if not isinstance(told, dict) or "message" not in told:
        return UnreachableError(f"{url} answers with HTTP status {status}")
    return RemoteError(
        told["message"],
        sqlstate=told.get("sqlstate") or "XX000",
        detail=told.get("detail"),
        hint=told.get("hint"),
        position=told.get("position"),
    )


def _is_here(host: str) -> bool:
    return host == "localhost" or is_loopback(host)


def _malformed_url(url: str) -> ClientError:
    return ClientError(f'"{url}" is not a URL', hint="Use http://HOST:PORT.")


def _said(error: Exception) -> str:
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (told or type(error).__name__).lower()
