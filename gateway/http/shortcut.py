"""A connection that answers lookups itself: no scope, no task, one write.

A request is held from its first byte until it is whole. It is then answered, or begins anew as
uvicorn would have begun it. It is not held if an earlier request of the connection is unanswered,
and no longer than until the end of the bytes that have arrived, once its head is complete.
"""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from gateway.http.at_once import AtOnce, Read
from gateway.http.connection import HttpConnection
from gateway.http.exchange import answer_headers
from gateway.http.formats import JsonRenderer

_PIPELINED_MAX: Final = 64
"""Requests answered in a row; more that arrived with them wait, so that other clients get turns."""
_Headers = list[tuple[bytes, bytes]]


class ShortcutConnection(HttpConnection):
    """A connection that answers lookups itself.

    Args:
        at_once: answers them.
        given: as for `HttpConnection`.
    """

    def __init__(self, *, at_once: AtOnce, **given: Any) -> None:
        super().__init__(**given)
        self._at_once = at_once
        # The path below which the application is mounted, and the access log, are uvicorn's.
        self._may_hold = not self.root_path and not self.access_log
        self._is_held = False
        self._read: Read | None = None
        """Reads the held request; None before its head is complete."""
        self._body = b""
        self._turns = 0
        self._default_headers: _Headers | None = None
        self._head = b""

    def _feed(self, data: bytes) -> None:
        self._turns = _PIPELINED_MAX
        super()._feed(data)
        if self._read is not None:
            self._release()

    # --- callbacks of the parser -----------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Hold the request, if it can be answered before any other."""
        self._is_held = (
            self._may_hold and self._turns > 0 and not self._busy and not self.flow.write_paused
        )
        if self._is_held:
            self._begun, self._headed = True, False
            self.url, self.headers, self.expect_100_continue = b"", [], False
        else:
            super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Hold the request further, if it may be a lookup."""
        if self._is_held:
            self._read = self._reader()
            self._body = b""
            if self._read is None:
                self._release()
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep the body of a held request."""
        if self._is_held:
            self._body += body
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Answer the held request."""
        if self._read is not None and not self._answer(self._read):
            self._release()
        if self._is_held:
            self._is_held = False
            self._read = None
        else:
            super().on_message_complete()

    # --- the held request ------------------------------------------------------------------------

    def _reader(self) -> Read | None:
        parser = self.parser
        is_plain = (
            parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and not self.expect_100_continue
            and not any(name == b"transfer-encoding" for name, _ in self.headers)
        )
        return self._at_once.reader(parser.get_method(), self.url) if is_plain else None

    def _release(self) -> None:
        """Begin the held request as if it had just arrived."""
        self._is_held, self._read = False, None
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        super().on_headers_complete()
        if self._body:
            super().on_body(self._body)

    def _answer(self, read: Read) -> bool:
        """Answer the held request; return False if it is not for this connection to answer."""
        if self._is_refused:
            return False
        answer = self._at_once.answer(
            read,
            self.url,
            self.headers,
            self._body,
            client=self.client,
            secured=self.scheme == "https",
            on_authenticated=self._on_authenticated,
        )
        if answer is None:
            return False
        self._turns -= 1
        self._begun = self._headed = False
        if self._deadline is not None:
            self._stop_deadline()
        if isinstance(answer, Response):
            head = self._rendered_head(answer.status_code, answer.raw_headers)
            self.transport.write(head + b"\r\n" + bytes(answer.body))
        else:
            default = self.server_state.default_headers
            if default is not self._default_headers:  # it has the time, and changes each second
                self._default_headers = default
                self._head = self._rendered_head(200, answer_headers(JsonRenderer.media_type))
            self.transport.write(
                b"%bcontent-length: %d\r\n\r\n%b" % (self._head, len(answer), answer)
            )
        self.on_response_complete()
        return True

    def _rendered_head(self, status: int, headers: _Headers) -> bytes:
        """Render the status line and the headers."""
        lines = [STATUS_LINE[status]]
        for name, value in (*self.server_state.default_headers, *headers):
            lines += [name, b": ", value, b"\r\n"]
        return b"".join(lines)
