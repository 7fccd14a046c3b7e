"""Reads the rows of a statement page by page, in the order of a store's key.

The answer to a page has a token for the next one. It carries the last key and the position, and for
pages of one snapshot the name of the snapshot, whose epochs this process holds for a while. A token
gives no rights: it only says where to go on, so it is checked, not signed. Only the user who began
a snapshot may go on with it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import pyarrow as pa

from stategate.gateway.http.answers import VARY
from stategate.gateway.http.formats.content_codings import BYTES_MIN, coder_for
from stategate.gateway.http.formats.json_cells import Cell, batch_cells, row_cells
from stategate.gateway.http.formats.rendering import Renderer, RendererFactory, Trailer
from stategate.gateway.http.page_snapshots import PageSnapshots
from stategate.gateway.http.requests.json_values import json_text
from stategate.gateway.http.requests.parameters import convert_parameters
from stategate.gateway.http.requests.parsing import QueryRequest
from stategate.gateway.http.statements.exchange import Exchange, only_statement
from stategate.gateway.http.statements.lookups import Body, Lookups, bound_of
from stategate.gateway.http.statements.page_tokens import PageToken, decoded, encoded
from stategate.planner.engine import (
    Column,
    Engine,
    Isolation,
    Paged,
    PartitionAnswer,
    Position,
    QueryError,
    Result,
    Row,
    Session,
    Statement,
)
from stategate.planner.errors import InvalidValueError, LimitExceededError, SnapshotTooOldError

PAGE_ROWS_MAX: Final = 10_000
_PAGE_BYTES_MAX: Final = 64 << 20
"""Rows of a page in Arrow: it is rendered as a whole."""
_AT_ONCE_ROWS_MAX: Final = 250
"""Rows of the longest page that is read on the event loop, in some 200 µs."""
_AT_ONCE_BYTES_MAX: Final = 64 << 10
"""Bytes of the longest one: compressing them takes a millisecond."""
_LONG_MAX: Final = 256
_long: set[str] = set()
"""Statements that had a longer page: the next one is not rendered in vain on the event loop."""
_CONSISTENCY: Final = "stategate.consistency"


def _digest(request: QueryRequest) -> str:
    return hashlib.blake2b(
        json_text([request.sql, list(request.params)]).encode(), digest_size=12
    ).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The answer to one page."""

    media_type: str
    body: bytes
    coding: str | None
    next: str | None
    """The token of the next page; None at the end."""


class _Asked(msgspec.Struct, frozen=True):
    """The page that a request asks for."""

    digest: str
    rows: int
    token: PageToken | None


def _asked(request: QueryRequest) -> _Asked:
    asked = request.page
    assert asked is not None, "the caller has checked it"
    token = None if asked.token is None else decoded(asked.token)
    digest = _digest(request)
    if token is not None and token.statement != digest:
        raise InvalidValueError(
            'field "next" is a token of another statement',
            hint="Send the statement and the parameters of the first page.",
        )
    rows = asked.rows
    if rows is None:
        rows = PAGE_ROWS_MAX if token is None else token.rows
    if not 1 <= rows <= PAGE_ROWS_MAX:
        raise LimitExceededError(f"a page has 1 to {PAGE_ROWS_MAX} rows, not {rows}")
    return _Asked(digest, rows, token)


def page_at_once(
    engine: Engine,
    lookups: Lookups,
    request: QueryRequest,
    factory: RendererFactory,
    started_s: float,
    *,
    user: str,
    coding: str | None,
) -> Body | None:
    """Return a page of few rows; None if it needs a thread, a wait or a snapshot.

    Args:
        engine: has planned the pages of the statement before.
        lookups: reads few rows.
        request: asks for the page.
        factory: makes the renderer that the client asks for.
        started_s: `time.perf_counter()` when the request arrived.
        user: who asks; empty where no login is required.
        coding: how the body may be compressed.

    Raises:
        InvalidValueError: the token is malformed, or of another statement (22023).
        QueryError: a parameter is wrong.
    """
    sql = request.sql.rstrip().rstrip(";")
    paged = engine.recall_paged(sql)
    if paged is None:
        return None
    asked = _asked(request)
    token, rows_max = asked.token, asked.rows
    if rows_max > _AT_ONCE_ROWS_MAX or (token is not None and token.snapshot is not None):
        return None
    bound = bound_of(_settings_after(request.settings, token))
    text, more = _statement(paged, asked)
    statement = None if bound is None else lookups.recall(text, user)
    if bound is None or statement is None or text in _long:
        return None
    found = lookups.rows(statement, _given(request, statement, more), bound, user=user)
    if found is None or engine.recall_paged(sql) is not paged:
        return None
    renderer = factory(statement.columns)
    body, last = _few_rendered(found.rows, statement.columns, renderer, paged, rows_max)
    following = _following(asked, paged, last, found.position, None)
    body += _page_tail(
        renderer,
        following,
        position=found.position,
        partitions=lookups.partitions(found),
        notices=(),
        elapsed_ms=(time.perf_counter() - started_s) * 1000,
    )
    if len(body) > _AT_ONCE_BYTES_MAX:
        if len(_long) >= _LONG_MAX:
            _long.clear()
        _long.add(text)
        return None
    page = _compressed(renderer.media_type, body, coding, following)
    headers = [] if page.next is None else [(b"stategate-next", page.next.encode())]
    if page.coding is not None:
        headers.append((b"content-encoding", page.coding.encode()))
        headers.append((b"vary", VARY))
    return Body(page.media_type, page.body, tuple(headers))


def read_page(engine: Engine, exchange: Exchange, snapshots: PageSnapshots) -> Page:
    """Read one page, in a thread.

    Raises:
        InvalidValueError: the token is malformed, or of another statement (22023).
        SnapshotTooOldError: its snapshot is no longer held (72000).
        QueryError: the statement has no pages, or failed.
    """
    asked = _asked(exchange.request)
    token = asked.token
    reading = _Reading(engine, exchange, asked)
    if token is not None and token.snapshot is not None:
        held = snapshots.take(token.snapshot, exchange.session.user)
        with held.reading() as session:
            page = reading.page(session, token.snapshot)
        if page.next is None:
            snapshots.release(token.snapshot)
        return page
    if token is None and exchange.session.settings.get(_CONSISTENCY) == "snapshot":
        name, held = snapshots.open(_transaction(exchange.session))
        try:
            with held.reading() as session:
                page = reading.page(session, name)
        except BaseException:
            snapshots.release(name)
            raise
        if page.next is None:
            snapshots.release(name)
        return page
    return reading.page(_not_before(exchange.session, token), None)


def _transaction(session: Session) -> Session:
    """Return a session in a transaction that reads one snapshot."""
    settings = {name: text for name, text in session.settings.items() if name != _CONSISTENCY}
    made = Session(settings=settings, user=session.user)
    made.client = session.client
    made.begin(isolation=Isolation.REPEATABLE_READ, deferrable=False)
    return made


def _not_before(session: Session, token: PageToken | None) -> Session:
    """Return a session that reads no older state than the page before did."""
    if token is None:
        return session
    made = Session(settings=_settings_after(session.settings, token), user=session.user)
    made.client = session.client
    return made


def _settings_after(settings: Mapping[str, str], token: PageToken | None) -> Mapping[str, str]:
    """Return the settings of a session that reads no older state than the page before did."""
    if token is None:
        return settings
    return {
        _CONSISTENCY: "monotonic",
        **{k: v for k, v in settings.items() if v != "eventual"},
        "stategate.bound": token.position,
    }


def _statement(paged: Paged, asked: _Asked) -> tuple[str, Row]:
    """Return the statement of a page, with one row more, and its further parameters.

    Raises:
        SnapshotTooOldError: the page before is of another incarnation of the store (72000).
    """
    if asked.token is not None and asked.token.store != paged.store:
        raise _remade()
    key = None if asked.token is None else _key(asked.token, paged)
    nulls = None if key is None else [value is None for value in key]
    more = tuple(value for value in key or () if value is not None)
    return paged.text(asked.rows + 1, nulls), more


def _remade() -> SnapshotTooOldError:
    return SnapshotTooOldError(
        "the store was rebuilt or created again since the page before",
        hint="Begin with the first page.",
    )


def _given(request: QueryRequest, statement: Statement, more: Row) -> Row:
    """Return the parameters of a page's statement."""
    types = statement.parameters[: len(statement.parameters) - len(more)]
    return convert_parameters(request.params, types, request.names) + more


def _following(
    asked: _Asked,
    paged: Paged,
    last: Sequence[Cell] | None,
    position: Position,
    snapshot: str | None,
) -> str | None:
    """Return the token of the next page; None after the last one."""
    if last is None:
        return None
    token = PageToken(
        statement=asked.digest,
        store=paged.store,
        key=list(last),
        position=position.token(),
        rows=asked.rows,
        snapshot=snapshot,
    )
    return encoded(token)


class _Reading:
    """Reads a page of one statement."""

    def __init__(self, engine: Engine, exchange: Exchange, asked: _Asked) -> None:
        self._engine, self._exchange, self._asked = engine, exchange, asked

    def page(self, session: Session, snapshot: str | None) -> Page:
        exchange, engine, asked = self._exchange, self._engine, self._asked
        session.trace = exchange.session.trace
        cancellation = exchange.cancellation
        sql = only_statement(engine, exchange.request.sql)
        paged = engine.paged(sql, session, cancellation=cancellation)
        text, more = _statement(paged, asked)
        statement = engine.prepare(text, session, cancellation=cancellation)
        given = _given(exchange.request, statement, more)
        result = engine.execute(statement, given, session, cancellation=cancellation)
        try:
            renderer = exchange.factory(result.columns)
            body, last = self._rendered(result, renderer, paged)
            if engine.paged(sql, session, cancellation=cancellation).store != paged.store:
                raise _remade()  # the rows may be those of either incarnation
            following = _following(asked, paged, last, result.position, snapshot)
            body += _page_tail(
                renderer,
                following,
                position=result.position,
                partitions=result.partitions,
                notices=[notice.message for notice in result.notices],
                elapsed_ms=exchange.elapsed_ms,
            )
            return _compressed(renderer.media_type, body, exchange.coding, following)
        finally:
            result.close()

    def _rendered(
        self, result: Result, renderer: Renderer, paged: Paged
    ) -> tuple[bytes, Sequence[Cell] | None]:
        """Render the rows; return the key of the last one, too, if there are more."""
        rows_max = self._asked.rows
        if result.batches is None:
            return _few_rendered(result.rows or (), result.columns, renderer, paged, rows_max)
        batch = _gathered(result)
        rows = renderer.batch(batch.slice(0, rows_max)) if batch.num_rows else b""
        body = renderer.head() + rows
        if batch.num_rows <= rows_max:
            return body, None
        columns = batch_cells(batch.slice(rows_max - 1, 1), result.columns)
        return body, [columns[at][0] for at in paged.key]


def _few_rendered(
    rows: Sequence[Row],
    columns: Sequence[Column],
    renderer: Renderer,
    paged: Paged,
    rows_max: int,
) -> tuple[bytes, Sequence[Cell] | None]:
    body = renderer.head() + renderer.rows(rows[:rows_max])
    if len(rows) <= rows_max:
        return body, None
    (cells,) = row_cells(columns)(rows[rows_max - 1 : rows_max])
    return body, [cells[at] for at in paged.key]


def _page_tail(
    renderer: Renderer,
    following: str | None,
    *,
    position: Position,
    partitions: Sequence[PartitionAnswer],
    notices: Sequence[str],
    elapsed_ms: float,
) -> bytes:
    return renderer.tail(
        Trailer(
            position=position,
            partitions=partitions,
            notices=notices,
            elapsed_ms=elapsed_ms,
            is_page=True,
            next_page=following,
        )
    )


def _compressed(media_type: str, body: bytes, coding: str | None, following: str | None) -> Page:
    coder = coder_for(coding, media_type)
    if coder is None or len(body) < BYTES_MIN:
        return Page(media_type=media_type, body=body, coding=None, next=following)
    coded = coder.code(body) + coder.end()
    return Page(media_type=media_type, body=coded, coding=coder.name, next=following)


def _key(token: PageToken, paged: Paged) -> Row:
    if len(token.key) != len(paged.types):
        raise InvalidValueError('field "next" has another number of key columns')
    try:
        return convert_parameters(token.key, paged.types)
    except QueryError as error:
        raise InvalidValueError('field "next" has a key of another type') from error


def _gathered(result: Result) -> pa.RecordBatch:
    """Return the rows of a page as one batch.

    Raises:
        LimitExceededError: it is too large (54000).
    """
    batches, size = list[pa.RecordBatch](), 0
    for batch in result.batches or ():
        batches.append(batch)
        size += batch.nbytes
        if size > _PAGE_BYTES_MAX:
            raise LimitExceededError(
                f"the page has more than {_PAGE_BYTES_MAX} bytes", hint="Ask for fewer page_rows."
            )
    if not batches:
        schema = pa.schema([(f"c{at}", c.type.arrow) for at, c in enumerate(result.columns)])
        return pa.RecordBatch.from_pylist([], schema=schema)
    return pa.concat_batches(batches)
