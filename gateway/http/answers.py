"""An answer of status 200 or 304 while it is sent, at the pace of its client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Send

from stategate.planner.engine import Cancellation

VARY = b"Accept, Accept-Encoding, Authorization, Origin"


class ClientGoneError(Exception):
    """The client has closed the connection or stopped reading, so no one gets the answer."""


class ClientStalledError(ClientGoneError):
    """The client has read nothing for too long, so its connection is cut off."""


ON_STALLED = "stategate.on_stalled"
"""Key in a scope of the function that cuts the connection off, if there is one."""


def answer_headers(media_type: str, *more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer with rows."""
    return [(b"content-type", media_type.encode()), (b"cache-control", b"no-store"), *more]


def _kept(tag: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer that a client may keep, and has to check each time."""
    return [
        (b"cache-control", b"private, no-cache"),
        (b"etag", b"W/" + tag.encode()),
        (b"vary", VARY),
    ]


def known_tags(headers: Sequence[str]) -> frozenset[str]:
    """Return the versions in If-None-Match headers."""
    parts = ",".join(headers).split(",")
    return frozenset(part.strip().removeprefix("W/") for part in parts if part.strip())


def not_modified(tag: str) -> Response:
    """Return the answer to a client that has this version."""
    response = Response(status_code=304)
    response.raw_headers = _kept(tag)
    return response


class Answer:
    """The response of one exchange while it is sent.

    Args:
        send: sends to the client.
        cancellation: cancels the statement when the client stops reading.
        stall_s: how long the client may leave data unread.
        is_head: whether the client wants no body.
    """

    def __init__(
        self, send: Send, cancellation: Cancellation, *, stall_s: float, is_head: bool = False
    ) -> None:
        self._send = send
        self.cancellation = cancellation
        self._stall_s = stall_s
        self.is_head = is_head
        """Whether the client wants no body."""
        self.begun = False
        self.ended = False
        """Whether the server has all of the answer. It then reports the client as disconnected."""
        self.coding: str | None = None
        """How the body is compressed."""
        self.headers: list[tuple[bytes, bytes]] = []
        """Further headers."""
        self.tag: str | None = None
        """The version of the answer, if the client may keep it."""

    async def not_modified(self, tag: str) -> None:
        """Say that the client has the answer."""
        self.begun = self.ended = True
        await self._send({"type": "http.response.start", "status": 304, "headers": _kept(tag)})
        await self._send({"type": "http.response.body", "body": b""})

    async def only_head(self, media_type: str) -> None:
        """Send the head of an answer without its body."""
        await self._begin(media_type)
        await self.end()

    async def whole(self, media_type: str, body: bytes) -> None:
        """Send a complete body with its length; for HEAD, the length only."""
        await self._begin(media_type, (b"content-length", str(len(body)).encode()))
        self.ended = True
        sent = b"" if self.is_head else body
        await self._send({"type": "http.response.body", "body": sent})

    async def part(self, media_type: str, body: bytes) -> None:
        """Send a part of a body; return when the client can take the next part.

        Raises:
            ClientStalledError: the client has read nothing for too long.
        """
        try:
            async with asyncio.timeout(self._stall_s):
                if not self.begun:
                    await self._begin(media_type)
                await self._send({"type": "http.response.body", "body": body, "more_body": True})
        except TimeoutError as error:
            self.cancellation.cancel()
            raise ClientStalledError("the client has stopped reading") from error

    async def end(self) -> None:
        """End a body that was sent in parts."""
        self.ended = True
        await self._send({"type": "http.response.body", "body": b""})

    async def _begin(self, media_type: str, *more: tuple[bytes, bytes]) -> None:
        self.begun = True
        if self.coding is not None:
            more += ((b"content-encoding", self.coding.encode()),)
        if self.tag is not None:
            headers = [(b"content-type", media_type.encode()), *_kept(self.tag), *more]
        else:
            vary = [] if self.coding is None else [(b"vary", VARY)]
            headers = answer_headers(media_type, *self.headers, *more, *vary)
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
