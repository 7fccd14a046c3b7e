"""One client of a gateway: its position, its statements, and when they are tried again.

Everything here is steps, see `stategate.steps`. A statement only reads, so it may be sent again as
long as its caller has none of its rows.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import orjson

from stategate.answers import Batch, Row, Rows, Trailer, check_arrow, read_arrow
from stategate.errors import (
    DatabaseError,
    Error,
    OperationalError,
    broken_off,
    error_of,
    not_a_gateway,
)
from stategate.position import EMPTY, Position
from stategate.requesting import (
    Defaults,
    Fields,
    LiveRequest,
    Options,
    Request,
    batches_of,
    fields_of,
    seconds,
    statement_document,
)
from stategate.steps import Close, Pause, Read, Reply, Steps
from stategate.values import Json, Params

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

ARROW_BYTES_MAX: Final = 16 << 30
"""Largest answer in Arrow, which is in memory as a whole."""
_ERROR_BYTES_MAX: Final = 1 << 20
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 2.0
_RETRY_AFTER_S_MAX: Final = 60.0
_QUERY: Final = "/v1/query"
_BATCH: Final = "/v1/batch"
_SUBSCRIBE: Final = "/v1/subscribe"
_NDJSON: Final = "application/x-ndjson"
_ARROW: Final = "application/vnd.apache.arrow.stream"
_EVENTS: Final = "text/event-stream"


class Opened:
    """An answer whose rows come as they are taken.

    Args:
        session: notes its position.
        reply: its head.
    """

    def __init__(self, session: Session, reply: Reply) -> None:
        self._session, self._reply = session, reply
        self.rows = Rows()
        self._is_closed = False

    def take(self, count: int | None) -> Steps[list[Row]]:
        """Return the next rows; `None` takes all.

        Raises:
            DatabaseError: the statement has failed after the rows before.
        """
        rows = self.rows
        waiting = rows.waiting
        while not rows.is_whole and (count is None or len(waiting) < count):
            yield from self.read()
        # Whoever asks for all rows gets all or the error; others get the rows before it.
        if rows.error is not None and (count is None or (count and not waiting)):
            raise rows.error
        taken = len(waiting) if count is None else min(count, len(waiting))
        return [waiting.popleft() for _ in range(taken)]

    def read(self) -> Steps[None]:
        """Read the next part, and note the position after the last one.

        Raises:
            DatabaseError: the answer is not whole.
        """
        rows = self.rows
        try:
            data = yield Read(self._reply)
            if not data:
                raise broken_off("it has no trailer")
            rows.feed(data)
        except DatabaseError as error:
            yield from self.close()
            rows.error = error
            raise
        if rows.is_whole:
            self._is_closed = True
            while (yield Read(self._reply)):
                pass  # nothing comes after the trailer: its end frees the connection
        if rows.trailer is not None:
            self._session.note(rows.trailer.position)

    def close(self) -> Steps[None]:
        """Give up the rows that have not come, which cancels the statement."""
        if not self._is_closed:
            self._is_closed = True
            yield Close(self._reply)


class Session:
    """The state of a connection.

    Args:
        defaults: how it reads, and where.
        position: what it has read already, here or in another program.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        defaults: Defaults,
        *,
        position: Position = EMPTY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.defaults = defaults
        self.position = position
        """The merged positions of all answers that were read to their end."""
        self._headers = {
            accept: (*defaults.headers, ("Content-Type", "application/json"), ("Accept", accept))
            for accept in (_NDJSON, _ARROW)
        }
        self._headers[_EVENTS] = (*defaults.headers, ("Accept", _EVENTS))
        self._lock = threading.Lock()
        self._clock = clock
        self._usual: tuple[Position, Fields] | None = None
        """The fields of statements without options, at a position."""
        self._at = 0
        """The number of the URL that is used; another one after a failure."""

    def note(self, position: Position) -> None:
        """Add the position of an answer."""
        if position is not self.position:
            with self._lock:
                self.position = self.position.merge(position)

    # --- what connections do ---------------------------------------------------------------------

    def open_rows(self, sql: str, params: Params | None, options: Options) -> Steps[Opened]:
        """Run a statement and return its answer, whose columns have come.

        Raises:
            Error: it has failed before its first row.
        """

        def taken(reply: Reply) -> Steps[Opened]:
            opened = Opened(self, reply)
            while opened.rows.columns is None:
                yield from opened.read()
            if opened.rows.error is not None and not opened.rows.count:
                raise opened.rows.error
            return opened

        request = self._request(_QUERY, _NDJSON, statement_document(sql, params), options)
        return (yield from self._attempts(request, taken, options))

    def pages(
        self, sql: str, params: Params | None, page_rows: int, options: Options
    ) -> Iterator[Steps[list[Row]]]:
        """Yield the steps to each page, which have to be taken before the next ones are made."""
        document = {**statement_document(sql, params), "page_rows": page_rows}
        # All pages have the fields of the first one, without which a gateway refuses their token.
        first = self._request(_QUERY, _NDJSON, document, options)
        token: str | None = None

        def page() -> Steps[list[Row]]:
            nonlocal token
            if token is not None:
                document["next"] = token
            rows = yield from self._attempts(first, self._whole_rows, options)
            token = None if rows.trailer is None else rows.trailer.next_page
            return list(rows.waiting)

        yield page()
        while token is not None:
            yield page()

    def read_table(
        self, sql: str, params: Params | None, options: Options
    ) -> Steps[tuple[pa.Table, Trailer]]:
        """Return the rows of a statement in Arrow, all at once.

        Raises:
            NotSupportedError: pyarrow is not installed.
        """

        def taken(reply: Reply) -> Steps[tuple[pa.Table, Trailer]]:
            table, trailer = read_arrow((yield from _body(reply, ARROW_BYTES_MAX)))
            self.note(trailer.position)
            return table, trailer

        check_arrow()
        request = self._request(_QUERY, _ARROW, statement_document(sql, params), options)
        return (yield from self._attempts(request, taken, options))

    def run_batch(self, sql: str, sets: Sequence[Params], options: Options) -> Steps[Batch]:
        """Run a statement once for each set of parameters, in as few requests as it takes."""
        whole = Batch()
        for part in batches_of(sets):
            request = self._request(_BATCH, _NDJSON, {"sql": sql, "params": part}, options)
            found = yield from self._attempts(request, self._whole_batch, options)
            if len(found.results) != len(part):
                raise broken_off(f"it has {len(found.results)} results, not {len(part)}")
            whole.columns, whole.trailer = found.columns, found.trailer
            whole.results += found.results
        return whole

    def open_live(
        self,
        statement: Mapping[str, Json],
        options: Options,
        *,
        token: str | None,
        seen: Position,
        silence_s: float,
        taken: Callable[[Reply], Steps[T]],
    ) -> Steps[T]:
        """Subscribe to a statement, and return what is made of the head of the answer.

        Args:
            statement: the fields of the statement.
            options: how its first rows are read.
            token: goes on after this one; None for first rows.
            seen: the position that the subscriber has seen.
            silence_s: how long nothing may come.
            taken: reads the answer as far as another gateway may be asked.

        Raises:
            Error: it is refused, or no gateway answers.
        """
        document = statement if token is None else {**statement, "token": token}
        fields = fields_of(options, self.defaults, seen)
        request = LiveRequest(_SUBSCRIBE, _EVENTS, document, fields, silence_s)
        return (yield from self._attempts(request, taken, options))

    def avoid_gateway(self) -> None:
        """Ask another gateway next, if there is one: this one has just failed."""
        self._at += 1

    def _whole_rows(self, reply: Reply) -> Steps[Rows]:
        opened = Opened(self, reply)
        while not opened.rows.is_whole:
            yield from opened.read()
        if opened.rows.error is not None:
            raise opened.rows.error
        return opened.rows

    def _whole_batch(self, reply: Reply) -> Steps[Batch]:
        batch = Batch()
        while data := (yield Read(reply)):
            batch.feed(data)
        if batch.trailer is None:
            raise broken_off("it has no trailer")
        self.note(batch.trailer.position)
        return batch

    def _request(
        self, path: str, accept: str, document: dict[str, Json], options: Options
    ) -> Request:
        position, known = self.position, self._usual
        if options or known is None or known[0] is not position:
            fields = fields_of(options, self.defaults, position)
            if not options:
                self._usual = position, fields
        else:
            fields = known[1]
        return Request(path, accept, document, fields)

    # --- attempts --------------------------------------------------------------------------------

    def _attempts(
        self, request: Request, taken: Callable[[Reply], Steps[T]], options: Options
    ) -> Steps[T]:
        """Send a request until its answer is taken, its error is final, or there is no time left.

        Raises:
            Error: the last error.
        """
        defaults = self.defaults
        timeout_s = seconds(options.get("timeout_s", defaults.timeout_s), "timeout_s")
        deadline_s = self._clock() + timeout_s
        attempt = 1
        while True:
            url = defaults.urls[self._at % len(defaults.urls)]
            left_s = max(0.001, deadline_s - self._clock())
            try:
                return (yield from self._attempt(url, request, taken, left_s))
            except Error as error:
                is_last = defaults.attempts_max is not None and attempt >= defaults.attempts_max
                if is_last or not request.may_be_repeated(error):
                    raise
                pause_s = self.pause_s(attempt, error.retry_after_s)
                if self._clock() + pause_s >= deadline_s:
                    raise
            self._at += 1
            attempt += 1
            if pause_s:
                yield Pause(pause_s)

    def now_s(self) -> float:
        """Return the time on the clock of the deadlines."""
        return self._clock()

    def pause_s(self, attempt: int, asked_s: float = 0.0) -> float:
        """Return how long to wait before the next attempt; other gateways are asked at once."""
        if attempt < len(self.defaults.urls):
            return 0.0
        longest_s = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(attempt - 1, 10))
        jitter = random.random()
        return max(longest_s * (0.5 + jitter / 2), asked_s * (1 + jitter / 4))

    def _attempt(
        self, url: str, request: Request, taken: Callable[[Reply], Steps[T]], left_s: float
    ) -> Steps[T]:
        reply: Reply = yield request.attempt(url, self._headers[request.accept], left_s)
        try:
            if reply.status != 200:
                raise (yield from _refusal(reply))
            return (yield from taken(reply))
        except Error:
            yield Close(reply)
            raise


def _body(reply: Reply, bytes_max: int) -> Steps[bytes]:
    parts, size = list[bytes](), 0
    while data := (yield Read(reply)):
        parts.append(data)
        size += len(data)
        if size > bytes_max:
            raise OperationalError(f"an answer is longer than {bytes_max} bytes")
    return b"".join(parts)


def _refusal(reply: Reply) -> Steps[Error]:
    """Return the error in an answer of another status than 200."""
    body = yield from _body(reply, _ERROR_BYTES_MAX)
    try:
        error: Error = error_of(orjson.loads(body)["error"])
    except (ValueError, TypeError, KeyError, AttributeError):
        error = not_a_gateway(reply.url, reply.status)
    after = reply.retry_after
    error.retry_after_s = min(_RETRY_AFTER_S_MAX, float(after)) if after.isdecimal() else 0.0
    return error
