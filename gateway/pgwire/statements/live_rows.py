"""The rows of one SUBSCRIBE, in their order: each change is a row, after an update's old row.

| `_change` | the query's columns |
|---|---|
| `insert` | a new row; also each row at the beginning |
| `delete` | the row that is gone |
| `update_old`, `update_new` | a row before and after; they follow each other |
| `progress` | NULL: all changes up to `_epoch` have been given; has `_token` and `_position` |
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence

from stategate.gateway.live import LiveReader
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import (
    Cancellation,
    FirstRows,
    LiveEvent,
    Moment,
    QueryError,
    Row,
    Session,
)

ROWS_MAX = 1_000
"""Rows that are encoded at once, on the event loop: some milliseconds."""
EncodeRows = Callable[[Sequence[Row]], bytes]


class LiveRows:
    """The rows of one subscription, for one client.

    Args:
        reader: the subscription; closed with this.
        session: the session of the client, which notes the positions that it has seen.
        threads: encode large events.
        snapshot: whether the rows at the beginning are given.
    """

    def __init__(
        self, reader: LiveReader, session: Session, threads: StatementThreads, *, snapshot: bool
    ) -> None:
        self._reader, self._session, self._threads = reader, session, threads
        self._width = len(reader.subscription.columns)
        first = reader.subscription.first
        self._pending: Iterator[Row] = iter(())
        if first is not None:
            session.note(first.moment.position)
            self._pending = _first_rows(first, self._width, with_rows=snapshot)

    async def rows(
        self, rows_max: int, cancellation: Cancellation, *, timeout_s: float | None = None
    ) -> list[Row]:
        """Wait for at least one row, and return those that are there.

        Args:
            rows_max: the most to return.
            cancellation: ends the wait.
            timeout_s: after how long to return none.

        Raises:
            QueryError: the subscription has ended, or the cancellation was used.
        """
        found = self._pended(rows_max)
        if not found:
            self._pend(await self._reader.events(cancellation, timeout_s=timeout_s))
            found = self._pended(rows_max)
        try:
            while len(found) < rows_max and (events := self._reader.at_hand()):
                self._pend(events)
                found += self._pended(rows_max - len(found))
        except QueryError:
            # Rows before the end are given first; the next call raises it again.
            if not found:
                raise
        return found

    async def encoded(
        self, form: Hashable | None, encode_rows: EncodeRows, cancellation: Cancellation
    ) -> bytes:
        """Wait for the next rows, and return them encoded.

        Args:
            form: names the encoding, so that subscribers share it; None for one of its own.
            encode_rows: encodes rows.
            cancellation: ends the wait.

        Raises:
            QueryError: as `rows`.
        """
        if pending := self._pended(ROWS_MAX):
            return encode_rows(pending)
        parts = []
        for event in await self._reader.events(cancellation):
            self._session.note(event.moment.position)
            is_long = len(event.changes) > ROWS_MAX and not event.is_encoded(form)
            args = event, form, encode_rows, self._width
            parts.append(await self._threads.run(_encoded, *args) if is_long else _encoded(*args))
        return b"".join(parts)

    def close(self) -> None:
        """End the subscription."""
        self._pending = iter(())
        self._reader.close()

    def _pended(self, rows_max: int) -> list[Row]:
        self._reader.subscription.check()
        return list(itertools.islice(self._pending, rows_max))

    def _pend(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            self._session.note(event.moment.position)
        self._pending = itertools.chain.from_iterable(
            change_rows(event, self._width) for event in events
        )


def _encoded(event: LiveEvent, form: Hashable | None, encode_rows: EncodeRows, width: int) -> bytes:
    def encode(event: LiveEvent) -> bytes:
        return encode_rows(list(change_rows(event, width)))

    return encode(event) if form is None else event.encoded(form, encode)


def change_rows(event: LiveEvent, width: int) -> Iterator[Row]:
    """Yield the rows of an event; the last one is its progress.

    Args:
        event: the event.
        width: the number of the query's columns.
    """
    epoch = event.moment.epoch
    for change in event.changes:
        old, new = change.old, change.new
        if old is not None:
            yield ("delete" if new is None else "update_old", epoch, None, None, *old)
        if new is not None:
            yield ("insert" if old is None else "update_new", epoch, None, None, *new)
    yield _progress(event.moment, width)


def _first_rows(first: FirstRows, width: int, *, with_rows: bool) -> Iterator[Row]:
    epoch = first.moment.epoch
    for row in first.rows if with_rows else ():
        yield ("insert", epoch, None, None, *row)
    yield _progress(first.moment, width)


def _progress(moment: Moment, width: int) -> Row:
    position = moment.position.token()
    return ("progress", moment.epoch, moment.token, position, *(None,) * width)
