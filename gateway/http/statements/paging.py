"""Reads the rows of a statement page by page, in the order of a store's key.

The answer to a page has a token for the next one. It carries the last key and the position, and for
pages of one snapshot the name of the snapshot, whose epochs this process holds for a while. A token
gives no rights: it only says where to go on, so it is checked, not signed. Only the user who began
a snapshot may go on with it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import orjson
import pyarrow as pa

from gateway.http.formats.content_codings import BYTES_MIN, coder_for
from gateway.http.formats.json_cells import Cell, batch_cells, row_cells
from gateway.http.formats.rendering import Renderer, Trailer
from gateway.http.page_snapshots import PageSnapshots
from gateway.http.requests.parameters import convert_parameters, json_text
from gateway.http.statements.exchange import Exchange, only_statement
from planner.engine import Engine, Isolation, Paged, QueryError, Result, Row, Session
from planner.errors import InvalidValueError, LimitExceededError

PAGE_ROWS_MAX: Final = 10_000
_PAGE_BYTES_MAX: Final = 64 << 20
"""Rows of a page in Arrow: it is rendered as a whole."""
_TOKEN_MAX: Final = 65_536
_CONSISTENCY: Final = "stategate.consistency"


class _Token(msgspec.Struct, frozen=True, array_like=True):
    """Where to go on."""

    statement: str
    """The digest of the statement and its parameters."""
    key: list[Cell]
    """The last key, as cells."""
    position: str
    rows: int
    snapshot: str | None


def _encoded(token: _Token) -> str:
    body = orjson.dumps(msgspec.to_builtins(token))
    return base64.urlsafe_b64encode(_sum(body) + body).rstrip(b"=").decode()


def _decoded(text: str) -> _Token:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        if len(text) > _TOKEN_MAX or _sum(raw[8:]) != raw[:8]:
            raise ValueError("the sum differs")
        return msgspec.json.decode(raw[8:], type=_Token)
    except (ValueError, msgspec.DecodeError) as error:
        raise InvalidValueError(
            'field "next" is not a token of a page',
            hint="Send it as the page before had it, or begin without it.",
        ) from error


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8, person=b"stategate.page").digest()


def _digest(exchange: Exchange) -> str:
    request = exchange.request
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


def read_page(engine: Engine, exchange: Exchange, snapshots: PageSnapshots) -> Page:
    """Read one page, in a thread.

    Raises:
        InvalidValueError: the token is malformed, or of another statement (22023).
        SnapshotTooOldError: its snapshot is no longer held (72000).
        QueryError: the statement has no pages, or failed.
    """
    asked = exchange.request.page
    assert asked is not None, "the caller has checked it"
    token = None if asked.token is None else _decoded(asked.token)
    digest = _digest(exchange)
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
    reading = _Reading(engine, exchange, digest, rows)
    if token is not None and token.snapshot is not None:
        held = snapshots.take(token.snapshot, exchange.session.user)
        with held.reading() as session:
            page = reading.page(session, token, token.snapshot)
        if page.next is None:
            snapshots.release(token.snapshot)
        return page
    if token is None and exchange.session.settings.get(_CONSISTENCY) == "snapshot":
        name, held = snapshots.open(_transaction(exchange.session))
        try:
            with held.reading() as session:
                page = reading.page(session, None, name)
        except BaseException:
            snapshots.release(name)
            raise
        if page.next is None:
            snapshots.release(name)
        return page
    return reading.page(_not_before(exchange.session, token), token, None)


def _transaction(session: Session) -> Session:
    """Return a session in a transaction that reads one snapshot."""
    settings = {name: text for name, text in session.settings.items() if name != _CONSISTENCY}
    made = Session(settings=settings, user=session.user)
    made.begin(isolation=Isolation.REPEATABLE_READ, deferrable=False)
    return made


def _not_before(session: Session, token: _Token | None) -> Session:
    """Return a session that reads no older state than the page before did."""
    if token is None:
        return session
    settings: Mapping[str, str] = {
        _CONSISTENCY: "monotonic",
        **{k: v for k, v in session.settings.items() if v != "eventual"},
        "stategate.bound": token.position,
    }
    return Session(settings=settings, user=session.user)


class _Reading:
    """Reads a page of one statement."""

    def __init__(self, engine: Engine, exchange: Exchange, digest: str, rows: int) -> None:
        self._engine, self._exchange = engine, exchange
        self._digest, self._rows = digest, rows

    def page(self, session: Session, token: _Token | None, snapshot: str | None) -> Page:
        exchange, engine = self._exchange, self._engine
        session.trace = exchange.session.trace
        cancellation = exchange.cancellation
        sql = only_statement(engine, exchange.request.sql)
        paged = engine.paged(sql, session, cancellation=cancellation)
        key = None if token is None else _key(token, paged)
        nulls = None if key is None else [value is None for value in key]
        text = paged.text(self._rows + 1, nulls)
        statement = engine.prepare(text, session, cancellation=cancellation)
        more = tuple(value for value in key or () if value is not None)
        types = statement.parameters[: len(statement.parameters) - len(more)]
        given = convert_parameters(exchange.request.params, types, exchange.request.names)
        result = engine.execute(statement, given + more, session, cancellation=cancellation)
        try:
            renderer = exchange.factory(result.columns)
            body, last = self._rendered(result, renderer, paged)
            following = None
            if last is not None:
                following = _Token(
                    statement=self._digest,
                    key=list(last),
                    position=result.position.token(),
                    rows=self._rows,
                    snapshot=snapshot,
                )
            return self._finished(result, renderer, body, following)
        finally:
            result.close()

    def _rendered(
        self, result: Result, renderer: Renderer, paged: Paged
    ) -> tuple[bytes, Sequence[Cell] | None]:
        """Render the rows; return the key of the last one, too, if there are more."""
        head = renderer.head()
        if result.batches is None:
            rows = result.rows or ()
            body = head + renderer.rows(rows[: self._rows])
            if len(rows) <= self._rows:
                return body, None
            (cells,) = row_cells(result.columns)(rows[self._rows - 1 : self._rows])
            return body, [cells[at] for at in paged.key]
        batch = _gathered(result)
        body = head + (renderer.batch(batch.slice(0, self._rows)) if batch.num_rows else b"")
        if batch.num_rows <= self._rows:
            return body, None
        columns = batch_cells(batch.slice(self._rows - 1, 1), result.columns)
        return body, [columns[at][0] for at in paged.key]

    def _finished(
        self, result: Result, renderer: Renderer, body: bytes, following: _Token | None
    ) -> Page:
        token = None if following is None else _encoded(following)
        body += renderer.tail(
            Trailer(
                position=result.position,
                partitions=result.partitions,
                notices=[notice.message for notice in result.notices],
                elapsed_ms=self._exchange.elapsed_ms,
                is_page=True,
                next_page=token,
            )
        )
        coder = coder_for(self._exchange.coding, renderer.media_type)
        if coder is not None and len(body) >= BYTES_MIN:
            body = coder.code(body) + coder.end()
        else:
            coder = None
        coding = None if coder is None else coder.name
        return Page(media_type=renderer.media_type, body=body, coding=coding, next=token)


def _key(token: _Token, paged: Paged) -> Row:
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
