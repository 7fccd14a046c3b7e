"""A client of an ASGI application that can read slowly and disconnect."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import orjson
from starlette.types import ASGIApp, Message, Scope


class SlowClient:
    """One POST to /v1/query.

    Args:
        app: the application.
        document: the body.
        accept: the requested format.
        room: how many parts of the body it reads before it stops; None reads all.
    """

    def __init__(
        self,
        app: ASGIApp,
        document: Mapping[str, object],
        *,
        accept: str = "application/json",
        room: int | None = None,
    ) -> None:
        self._app = app
        self._accept = accept
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._incoming.put_nowait({"type": "http.request", "body": orjson.dumps(document)})
        self._room = asyncio.Semaphore(10**9 if room is None else room)
        self.status: int | None = None
        self.parts: list[bytes] = []
        self.finished = False
        self.full = asyncio.Event()

    @property
    def body(self) -> bytes:
        """Return the bytes received so far."""
        return b"".join(self.parts)

    def hold_body(self) -> None:
        """Send only the beginning of the body."""
        whole = self._incoming.get_nowait()
        self._incoming.put_nowait({**whole, "body": whole["body"][:3], "more_body": True})

    def leave(self) -> None:
        """Close the connection."""
        self._incoming.put_nowait({"type": "http.disconnect"})

    def read_on(self) -> None:
        """Receive the rest of the answer."""
        for _ in range(10_000):
            self._room.release()

    async def run(self) -> None:
        """Send the request and receive the answer."""
        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/query",
            "raw_path": b"/v1/query",
            "root_path": "",
            "query_string": b"",
            "http_version": "1.1",
            "scheme": "http",
            "client": ("127.0.0.1", 50_000),
            "headers": [
                (b"content-type", b"application/json"),
                (b"accept", self._accept.encode()),
            ],
        }
        await self._app(scope, self._incoming.get, self._take)

    async def _take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        if self._room.locked():
            self.full.set()
        await self._room.acquire()
        self.parts.append(message.get("body", b""))
        self.finished = not message.get("more_body", False)
