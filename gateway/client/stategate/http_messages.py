"""Requests to bytes, and bytes to responses. No input or output happens here.

A request is one piece, because the gateway answers a lookup at once if all of it has come together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import httptools

from stategate.errors import OperationalError, broken_off
from stategate.steps import Send

HEAD_BYTES_MAX: Final = 64 << 10
"""Longest head of a response."""


def address_of(url: str) -> tuple[str, int, bool]:
    """Return the host and the port of a base URL, and whether it is https."""
    parts = urlsplit(url)
    secured = parts.scheme == "https"
    return parts.hostname or "", parts.port or (443 if secured else 80), secured


class Requests:
    """Makes the bytes of requests; the parts that depend on the URL and the headers are kept."""

    def __init__(self) -> None:
        self._heads: dict[tuple[str, str, Sequence[tuple[str, str]]], bytes] = {}

    def of(self, step: Send) -> bytes:
        """Return the request of a step."""
        if step.method == "GET":
            return _head(step, "", "")  # its path is rarely that of another one
        place = step.url, step.path, step.headers
        head = self._heads.get(place)
        if head is None:
            head = self._heads[place] = _head(step, "Content-Length: ")
        return b"%b%d\r\n\r\n%b" % (head, len(step.body), step.body)


def _head(step: Send, *last: str) -> bytes:
    """Return the lines of a head, of which the last ones are given."""
    parts = urlsplit(step.url)
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    lines = [
        f"{step.method} {parts.path}{step.path} HTTP/1.1",
        f"Host: {shown}" + ("" if parts.port is None else f":{parts.port}"),
        *(f"{name}: {value}" for name, value in step.headers),
        *last,
    ]
    return "\r\n".join(lines).encode("latin-1")


class Response:
    """One response, as far as it has come."""

    def __init__(self) -> None:
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        """None at the end: it refers to this response, and would keep it until a collection."""
        self._head_bytes = 0
        self.status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self.is_headed = False
        """Whether the head is whole."""
        self.is_whole = False
        self.keeps_alive = False
        """Whether the connection takes another request, once the response is whole."""
        self._parts: list[bytes] = []

    def header(self, name: bytes) -> str:
        """Return the value of a header, by its name in lower case; empty without it."""
        for found, value in self._headers:
            if len(found) == len(name) and found.lower() == name:
                return value.decode("latin-1")
        return ""

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the connection; none at its end.

        Raises:
            OperationalError: they are not those of a response.
        """
        if not data:
            self._end()
            return
        if not self.is_headed:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX + len(data):
                raise OperationalError(f"the head of an answer exceeds {HEAD_BYTES_MAX} bytes")
        assert self._parser is not None, "the response is not whole"
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise broken_off(f"it is not HTTP: {error}") from error
        if self.is_whole:
            self._parser = None

    def _end(self) -> None:
        is_framed = self.header(b"content-length") or self.header(b"transfer-encoding")
        if not self.is_headed or is_framed:
            raise broken_off("the connection was closed")
        self.is_whole = True

    def taken(self) -> bytes:
        """Return the part of the body that has come since the last call."""
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else b"".join(parts)

    # --- callbacks of the parser -----------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Note that bytes follow the response, so that the connection is of no more use."""
        if self.is_whole:
            self.keeps_alive = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        if not self.is_headed:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """End the head, unless it is that of an interim response."""
        assert self._parser is not None, "it calls this"
        status = self._parser.get_status_code()
        if status < 200:
            self._headers.clear()
        elif not self.is_headed:
            self.status, self.is_headed = status, True

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body."""
        if not self.is_whole:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        """End the response."""
        assert self._parser is not None, "it calls this"
        if self.is_headed and not self.is_whole:
            self.is_whole = True
            self.keeps_alive = self._parser.should_keep_alive()
