"""HTTP connections: the steps of the client, taken by httpcore in a thread or on an event loop.

httpcore keeps the pool, the timeouts, TLS and HTTP/1.1. It writes the head of a request and its
body one after the other; the streams here join them, because the gateway answers a lookup at once
if all of it has come together.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlsplit

import httpcore

from stategate.errors import (
    CONNECTION_LOST,
    NO_CONNECTION,
    OUT_OF_TIME,
    Error,
    InterfaceError,
    OperationalError,
    broken_off,
)
from stategate.steps import Close, Pause, Read, Reply, Send, Step

CONNECT_TIMEOUT_S: Final = 10.0
"""How long to wait for a connection: longer than a lost packet delays it."""
_IDLE_S: Final = 60.0
"""How long an unused connection is kept."""
_JOINED_BYTES_MAX: Final = 64 << 10
"""Bytes of a request that wait for those after them."""
_FAILURES: Final = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
    OSError,
)


class HttpTransport:
    """Takes the steps of the client in a thread.

    Args:
        connections_max: connections at a time, to all gateways together.
        tls: how gateways are verified; None trusts the system's authorities.
    """

    def __init__(self, *, connections_max: int, tls: ssl.SSLContext | None) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls,
            max_connections=connections_max,
            keepalive_expiry=_IDLE_S,
            network_backend=_Backend(),
        )
        self._requests = _Requests()

    def take(self, step: Step) -> object:
        """Take a step and return its result."""
        try:
            match step:
                case Send():
                    response = self._pool.handle_request(self._requests.of(step))
                    return _reply(step, response, response.iter_stream())
                case Read():
                    part = next(step.reply.parts, b"")
                    if not part:  # frees the connection
                        step.reply.response.close()
                    return part
                case Close():
                    step.reply.response.close()
                case Pause():
                    time.sleep(step.seconds)
            return None
        except _FAILURES as error:
            raise _failed(step, error) from error

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncHttpTransport:
    """Takes the steps of the client on an event loop.

    Args:
        connections_max: connections at a time, to all gateways together.
        tls: how gateways are verified; None trusts the system's authorities.
    """

    def __init__(self, *, connections_max: int, tls: ssl.SSLContext | None) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=connections_max,
            keepalive_expiry=_IDLE_S,
            network_backend=_AsyncBackend(),
        )
        self._requests = _Requests()

    async def take(self, step: Step) -> object:
        """Take a step and return its result."""
        try:
            match step:
                case Send():
                    response = await self._pool.handle_async_request(self._requests.of(step))
                    return _reply(step, response, response.aiter_stream())
                case Read():
                    part = await anext(step.reply.parts, b"")
                    if not part:  # frees the connection
                        await step.reply.response.aclose()
                    return part
                case Close():
                    await step.reply.response.aclose()
                case Pause():
                    await asyncio.sleep(step.seconds)
            return None
        except _FAILURES as error:
            raise _failed(step, error) from error

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _Requests:
    """Makes the requests of steps; the parts of their URLs are kept."""

    def __init__(self) -> None:
        self._urls: dict[tuple[str, str], tuple[httpcore.URL, bytes]] = {}

    def of(self, step: Send) -> httpcore.Request:
        place = step.url, step.path
        known = self._urls.get(place)
        if known is None:
            known = self._urls[place] = _target(*place)
        url, host = known
        sent = [(name.encode(), value.encode()) for name, value in step.headers]
        length = (b"Content-Length", b"%d" % len(step.body))
        times = dict.fromkeys(("read", "write", "pool"), step.timeout_s)
        return httpcore.Request(
            b"POST",
            url,
            headers=[(b"Host", host), *sent, length],
            content=step.body,
            extensions={
                "timeout": {**times, "connect": min(CONNECT_TIMEOUT_S, step.timeout_s)},
            },
        )


def _target(base: str, path: str) -> tuple[httpcore.URL, bytes]:
    """Return the URL of a path, and the value of the header Host."""
    parts = urlsplit(base)
    host = (parts.hostname or "").encode("idna" if ":" not in (parts.hostname or "") else "ascii")
    url = httpcore.URL(
        scheme=parts.scheme.encode(),
        host=host,
        port=parts.port,
        target=(parts.path.rstrip("/") + path).encode(),
    )
    shown = b"[%b]" % host if b":" in host else host
    return url, shown if parts.port is None else b"%b:%d" % (shown, parts.port)


def _reply(step: Send, response: httpcore.Response, parts: object) -> Reply:
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in response.headers}
    return Reply(step.url, response.status, headers, response, parts)


def _failed(step: Step, error: Exception) -> Error:
    """Return our error for one of httpcore's."""
    url = step.url if isinstance(step, Send) else ""
    why = str(error) or type(error).__name__
    match error:
        case httpcore.PoolTimeout():
            return OperationalError(
                "no connection of the pool has become free in time",
                sqlstate="53300",
                hint="Close cursors that are not read to their end, or raise connections_max.",
            )
        case httpcore.ConnectError() | httpcore.ConnectTimeout():
            refused = _is_unverified(error)
            return OperationalError(
                f"no gateway answers at {url}: {why}",
                sqlstate=NO_CONNECTION,
                hint="Check the authorities in tls=, or in SSL_CERT_FILE." if refused else None,
                retryable=not refused,
            )
        case httpcore.ReadTimeout():
            return OperationalError("no answer has come in time", sqlstate=OUT_OF_TIME)
        case httpcore.LocalProtocolError() | httpcore.UnsupportedProtocol():
            return InterfaceError(f"the request cannot be sent: {why}")
    if isinstance(step, Send):
        return OperationalError(
            f"the connection to {url} broke off: {why}", sqlstate=CONNECTION_LOST, retryable=True
        )
    return broken_off(why)


def _is_unverified(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


class _JoinedStream(httpcore.NetworkStream):
    """A stream that sends what is written when it is read."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream, self._held = stream, b""

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._held += buffer
        if len(self._held) > _JOINED_BYTES_MAX:
            self._flush(timeout)

    def _flush(self, timeout: float | None) -> None:
        held, self._held = self._held, b""
        if held:
            self._stream.write(held, timeout)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._flush(timeout)
        return self._stream.read(max_bytes, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _JoinedStream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        made = super().connect_tcp(host, port, timeout, local_address, socket_options)
        return _JoinedStream(made)


class _AsyncJoinedStream(httpcore.AsyncNetworkStream):
    """A stream that sends what is written when it is read."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream, self._held = stream, b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._held += buffer
        if len(self._held) > _JOINED_BYTES_MAX:
            await self._flush(timeout)

    async def _flush(self, timeout: float | None) -> None:
        held, self._held = self._held, b""
        if held:
            await self._stream.write(held, timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        await self._flush(timeout)
        return await self._stream.read(max_bytes, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        made = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _AsyncJoinedStream(made)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _AsyncBackend(httpcore.AnyIOBackend):
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        made = await super().connect_tcp(host, port, timeout, local_address, socket_options)
        return _AsyncJoinedStream(made)
