"""Connections for event loops: takes the steps of the client over asyncio's streams."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import weakref
from collections import deque
from typing import NamedTuple

from stategate.errors import DatabaseError
from stategate.failures import (
    closed,
    disconnected,
    no_free_connection,
    not_connected,
    out_of_time,
)
from stategate.http_messages import Requests, Response, address_of
from stategate.steps import Close, Pause, Read, Reply, Send, Step
from stategate.transport import CONNECT_TIMEOUT_S, READ_BYTES


class _Streams(NamedTuple):
    """A connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class AsyncHttpTransport:
    """Takes the steps of the client in the tasks of one event loop.

    Args:
        connections_max: connections in use at a time, and as many that are not.
        tls: how gateways are verified; None trusts the system's authorities.
    """

    def __init__(self, *, connections_max: int, tls: ssl.SSLContext | None) -> None:
        self._requests, self._tls = Requests(), tls
        self._room = asyncio.Semaphore(connections_max)
        self._idle: deque[tuple[str, _Streams]] = deque()
        self._idle_max = connections_max
        self._busy: weakref.WeakSet[_Body] = weakref.WeakSet()
        self._is_closed = False

    async def take(self, step: Step) -> object:
        """Take a step and return its result."""
        match step:
            case Send():
                return await self._send(step)
            case Read():
                return await step.reply.body.read()
            case Close():
                step.reply.body.give_up()
            case Pause():
                await asyncio.sleep(step.seconds)
        return None

    async def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        for body in list(self._busy):
            body.give_up()
        idle, self._idle = self._idle, deque()
        for _, connection in idle:
            connection.writer.close()
        for _, connection in idle:
            with contextlib.suppress(OSError):
                await connection.writer.wait_closed()

    async def _send(self, step: Send) -> Reply:
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + step.timeout_s
        try:
            async with asyncio.timeout_at(deadline_s):
                await self._room.acquire()
        except TimeoutError as error:
            raise no_free_connection() from error
        body = _Body(self, step)
        try:
            if self._is_closed:
                raise closed()
            self._busy.add(body)
            async with asyncio.timeout_at(deadline_s):
                await self._begin(body, step)
        except TimeoutError as error:
            body.give_up()
            raise out_of_time() from error
        except BaseException:
            body.give_up()
            raise
        response = body.response
        return Reply(step.url, response.status, response.header(b"retry-after"), body)

    async def _begin(self, body: _Body, step: Send) -> None:
        request = self._requests.of(step)
        while (kept := self._kept(step.url)) is not None:
            body.connection = kept
            # The gateway may have closed it while it was idle: then it has not read this.
            with contextlib.suppress(DatabaseError):
                await body.begin(request)
                return
            body.drop()
        body.connection = await self._connected(step)
        await body.begin(request)

    def _kept(self, url: str) -> _Streams | None:
        """Return the connection to a gateway that was used last; None without one."""
        for _ in range(len(self._idle)):
            found, connection = self._idle.pop()
            if found == url:
                return connection
            self._idle.appendleft((found, connection))
        return None

    async def _connected(self, step: Send) -> _Streams:
        host, port, secured = address_of(step.url)
        try:
            # A timeout here is that of the connection, unless that of the statement comes first.
            return _Streams(
                *await asyncio.wait_for(
                    asyncio.open_connection(host, port, ssl=self._context() if secured else None),
                    min(CONNECT_TIMEOUT_S, step.timeout_s),
                )
            )
        except (OSError, UnicodeError) as error:
            raise not_connected(step.url, error) from error

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    def ended(self, url: str, connection: _Streams | None) -> None:
        """Note that a response has ended.

        Args:
            url: the URL of its gateway.
            connection: takes another request; None without one.
        """
        if connection is not None:
            self._idle.append((url, connection))
            if len(self._idle) > self._idle_max or self._is_closed:
                self._idle.popleft()[1].writer.close()
        self._room.release()


class _Body:
    """The body of a response, and the connection that it comes by."""

    def __init__(self, transport: AsyncHttpTransport, step: Send) -> None:
        self._transport = transport
        self._timeout_s = step.part_timeout_s
        self._is_ended = False
        self.url = step.url
        self.connection: _Streams | None = None
        self.response = Response()

    async def begin(self, request: bytes) -> None:
        """Send the request and read the head of its response."""
        connection = self.connection
        assert connection is not None, "it has just been made"
        try:
            connection.writer.write(request)
            await connection.writer.drain()
        except OSError as error:
            raise disconnected(error) from error
        while not self.response.is_headed:
            await self._receive()
        if self.response.is_whole:
            self._end()

    async def read(self) -> bytes:
        """Return the next part of the body; empty at its end."""
        while True:
            if part := self.response.taken():
                return part
            if self._is_ended:
                return b""
            try:
                async with asyncio.timeout(self._timeout_s):
                    await self._receive()
            except TimeoutError as error:
                raise out_of_time() from error
            if self.response.is_whole:
                self._end()

    async def _receive(self) -> None:
        connection = self.connection
        assert connection is not None, "the response is not whole"
        try:
            self.response.feed(await connection.reader.read(READ_BYTES))
        except OSError as error:
            raise disconnected(error) from error

    def drop(self) -> None:
        """Close the connection, and be ready for another one."""
        if self.connection is not None:
            self.connection.writer.close()
        self.connection, self.response = None, Response()

    def _end(self) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        connection, self.connection = self.connection, None
        if connection is not None and not self.response.keeps_alive:
            connection.writer.close()
            connection = None
        self._transport.ended(self.url, connection)

    def give_up(self) -> None:
        """Close the connection, unless the response has ended."""
        if not self._is_ended:
            self._is_ended = True
            if self.connection is not None:
                self.connection.writer.transport.abort()
            self._transport.ended(self.url, None)

    def __del__(self) -> None:
        """Close the connection of a response that no one reads to its end."""
        with contextlib.suppress(RuntimeError):  # the loop is closed, and so is its connection
            self.give_up()
