"""A connection that answers lookups itself: no scope, no task, one write.

A request is held from its first byte until it is whole. It is then answered here, or passed on as
uvicorn would have begun it. It is not held if an earlier request of the connection is unanswered,
and no longer than until the end of the bytes that have arrived, once its head is complete.

Other nodes are asked only if the bytes that have arrived are one request: then the connection waits
for them. Bytes that arrive meanwhile are kept, and no more are read. A request that the other nodes
do not answer is parsed again for the application.

A client sends the same headers with each request. So the headers of a request that arrives alone
and is answered are kept as bytes, and the same bytes are not parsed again.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from msgspec import Struct
from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from stategate.gateway.elsewhere import Elsewhere
from stategate.gateway.http.answers import answer_headers
from stategate.gateway.http.at_once import AtOnce, Changed, Head, Read
from stategate.gateway.http.connection import HttpConnection
from stategate.gateway.http.endpoint import ANSWER_VERSION, ASKED_NODES
from stategate.gateway.http.statements.lookups import Body

_Headers: TypeAlias = list[tuple[bytes, bytes]]

_PIPELINED_MAX: Final = 64
"""Requests answered in a row; more that arrived with them wait, so that other clients get turns."""
_HEADS_MAX: Final = 8
"""Maximum number of kept heads of a connection: a client sends one for each length of a body."""
_HEAD_BYTES_MAX: Final = 2_048
"""Length of the longest head that is kept."""
_BLANK_LINE: Final = b"\r\n\r\n"
_VERSION: Final = b" HTTP/1.1"


class _Known(Struct, frozen=True):
    """The headers of a head, as the parser has read them."""

    method: bytes
    head: Head
    body_bytes: int


class ShortcutConnection(HttpConnection):
    """A connection that answers lookups itself.

    Args:
        at_once: answers them.
        given: the arguments of `HttpConnection`.
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
        self._answered: _Known | None = None
        """The request that was answered last, of those that have just been parsed."""
        self._heads: dict[bytes, _Known] = {}
        """The kept heads, by the bytes between the request line and the body."""
        self._answered_s = 0.0
        self._elsewhere: Elsewhere | None = None
        """The lookup that other nodes are asked for."""
        self._data: bytes | None = None
        """The bytes that have just arrived, unless a request had begun before them."""
        self._later: list[bytes] = []
        """The bytes of that lookup, and those that have arrived since."""
        self._is_asked = False
        """Whether other nodes could not answer the request that is parsed."""
        self._changed: Changed | None = None
        """What was found out about the request that the application has to answer."""
        self._is_closing = False
        """Whether to close after its answer."""
        self._default_headers: _Headers | None = None
        self._heads_by_type: dict[str, bytes] = {}
        """The heads of answers of status 200 but for their length, by media type."""

    def _feed(self, data: bytes) -> None:
        if self._elsewhere is not None:
            self._later.append(data)
            self.flow.pause_reading()
            return
        is_new = not self._begun
        self._data = data if is_new else None
        if is_new and self._may_answer() and self._answer_known(data):
            return
        self._turns = _PIPELINED_MAX if self._changed is None else 0  # do not hold it again
        super()._feed(data)
        answered, self._answered = self._answered, None
        if self._read is not None:
            self._release()
        elif is_new and answered is not None:
            self._keep_head(data, answered)

    def _may_answer(self) -> bool:
        return self._may_hold and not self._busy and not self.flow.write_paused

    # --- requests with known headers -------------------------------------------------------------

    def _keep_head(self, data: bytes, answered: _Known) -> None:
        """Keep the headers of a request, if these bytes were exactly one whole request."""
        start = data.find(b"\r\n")
        end = data.find(_BLANK_LINE) + len(_BLANK_LINE)
        is_whole = self._turns == _PIPELINED_MAX - 1 and len(data) == end + answered.body_bytes
        if is_whole and 0 < start < end <= _HEAD_BYTES_MAX:
            if len(self._heads) >= _HEADS_MAX:
                self._heads.clear()
            self._heads[data[start:end]] = answered

    def _answer_known(self, data: bytes) -> bool:
        """Answer a request with known headers; return False if these bytes are not one."""
        start = data.find(b"\r\n")
        end = data.find(_BLANK_LINE, start) + len(_BLANK_LINE)
        known = self._heads.get(data[start:end])
        if known is None or len(data) != end + known.body_bytes:
            return False
        line = data[:start]
        method, _, target = line.removesuffix(_VERSION).partition(b" ")
        if method != known.method or not line.endswith(_VERSION):
            return False
        read = self._at_once.reader(method, target)
        return read is not None and self._answer(read, target, known.head, data[end:])

    # --- callbacks of the parser -----------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Hold the request, if it can be answered before any other."""
        self._is_held = self._turns > 0 and self._may_answer()
        if self._is_held:
            self._begun, self._headed = True, False
            self.url, self.headers, self.expect_100_continue = b"", [], False
        else:
            self._begin()

    def _begin(self) -> None:
        super().on_message_begin()
        if self._is_asked:
            self.scope[ASKED_NODES] = True  # type: ignore[literal-required]
        changed, self._changed = self._changed, None
        if changed is not None:
            self.scope[ANSWER_VERSION] = changed.version  # type: ignore[literal-required]

    def on_headers_complete(self) -> None:
        """Go on holding the request, if it may be a lookup."""
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
        if self._read is not None and not self._answer_held(self._read):
            self._release()
        if self._is_held:
            self._is_held, self._read = False, None
            self._begun = self._headed = False
            if self._deadline is not None:
                self._stop_deadline()
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
            and not self._lacks_host()
        )
        return self._at_once.reader(parser.get_method(), self.url) if is_plain else None

    def _release(self) -> None:
        """Begin the held request as if it had just arrived."""
        self._is_held, self._read = False, None
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        self._begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        super().on_headers_complete()
        if self._body:
            super().on_body(self._body)

    def _answer_held(self, read: Read) -> bool:
        secured = self.scheme == "https"
        head = self._at_once.head(self.headers, client=self.client, secured=secured)
        if not self._answer(read, self.url, head, self._body):
            return False
        self._turns -= 1
        self._answered = _Known(self.parser.get_method(), head, len(self._body))
        return True

    # --- the answer ------------------------------------------------------------------------------

    def _answer(self, read: Read, target: bytes, head: Head, body: bytes) -> bool:
        """Answer a whole request; return False if the application has to answer it."""
        data = self._data
        take = self._answer_later if data is not None and _is_alone(data, body) else None
        answer = self._at_once.answer(read, target, head, body, self._on_authenticated, take=take)
        if answer is None:
            return False
        if isinstance(answer, Changed):
            self._changed = answer
            return False
        if isinstance(answer, Elsewhere):
            assert data is not None, "otherwise no node is asked"
            self._elsewhere, self._later = answer, [data]
        else:
            self._write(answer)
        return True

    def _write(self, answer: Body | Response) -> None:
        """Write an answer."""
        if isinstance(answer, Response):
            rendered = self._rendered_head(answer.status_code, answer.raw_headers)
            self.transport.write(rendered + b"\r\n" + bytes(answer.body))
        else:
            data = answer.data
            if answer.headers:
                head = self._rendered_head(200, answer_headers(answer.media_type, *answer.headers))
            else:
                head = self._head_of(answer.media_type)
            self.transport.write(b"%bcontent-length: %d\r\n\r\n%b" % (head, len(data), data))
        self._note_answer()

    def _head_of(self, media_type: str) -> bytes:
        default = self.server_state.default_headers
        if default is not self._default_headers:  # contains the time: changes each second
            self._default_headers = default
            self._heads_by_type.clear()
        head = self._heads_by_type.get(media_type)
        if head is None:
            head = self._rendered_head(200, answer_headers(media_type))
            self._heads_by_type[media_type] = head
        return head

    def _rendered_head(self, status: int, headers: _Headers) -> bytes:
        """Render the status line and the headers."""
        lines = [STATUS_LINE[status]]
        for name, value in (*self.server_state.default_headers, *headers):
            lines += [name, b": ", value, b"\r\n"]
        return b"".join(lines)

    # --- answers of other nodes ------------------------------------------------------------------

    def _answer_later(self, answer: Body | None) -> None:
        """Write the answer of other nodes, or let the application answer the request."""
        self._elsewhere = None
        (asked, *more), self._later = self._later, []
        if self.transport.is_closing():
            return
        if answer is None:
            self._turns, self._is_asked = 0, True  # do not hold it again
            super()._feed(asked)
            self._is_asked = False
        else:
            self._write(answer)
        if self._is_closing:
            super().shutdown()
            return
        if more:
            self.flow.resume_reading()
        for data in more:
            self.data_received(data)

    @property
    def _busy(self) -> bool:
        return self._elsewhere is not None or super()._busy

    def shutdown(self) -> None:
        """Close the connection, after the answer to the current request."""
        if self._elsewhere is not None:
            self._is_closing = True
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more for other nodes."""
        if self._elsewhere is not None:
            self._elsewhere.cancel()
            self._elsewhere = None
        super().connection_lost(exc)

    # --- the idle connection ---------------------------------------------------------------------

    def _note_answer(self) -> None:
        """Count the answer, and start the idle timeout, unless its timer runs already."""
        self.server_state.total_requests += 1
        self._busy_poll.answered(self)
        self._answered_s = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._start_idle_timeout(self.timeout_keep_alive)

    def _start_idle_timeout(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection, unless it has answered since the timer was started."""
        left_s = self._answered_s + self.timeout_keep_alive - self.loop.time()
        if self._elsewhere is not None:
            self._start_idle_timeout(self.timeout_keep_alive)
        elif left_s > 0:
            self._start_idle_timeout(left_s)
        else:
            super().timeout_keep_alive_handler()


def _is_alone(data: bytes, body: bytes) -> bool:
    """Whether bytes that begin with a request are that one only, with this body."""
    return data.find(_BLANK_LINE) + len(_BLANK_LINE) + len(body) == len(data)
