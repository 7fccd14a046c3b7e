"""The messages of a live query as JSON: for server-sent events, and for WebSockets.

A WebSocket sends each as it is. An event is kept as a server-sent one, which contains it.

| event | its data, beside `event` |
|---|---|
| `start_over` | `reason`: forget all rows; they come again. `token` |
| `columns` | `columns`: name and type of each. `token` if first rows follow |
| `rows` | `rows`: a part of the first rows |
| `progress` | nothing more: the first rows are complete, or an epoch has changed no row |
| `changes` | `deleted`: rows; `updated`: pairs of an old and a new row; `inserted`: rows |
| `error` | `error`: why the subscription has ended |

`progress` and `changes` also have `epoch`, `epochs`, `position` and `token`. Every token takes the
place of the one before: a client that is cut off while its first rows come gets them anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import orjson

from stategate.gateway.errors import error_document
from stategate.gateway.http.formats.json_cells import many_row_cells
from stategate.gateway.http.formats.rendering import shape_of
from stategate.planner.engine import FIRST_ROWS, Column, LiveEvent, Moment, QueryError, Row

SERVER_SENT = "server-sent"
"""The form in which events are kept."""
ROWS_MAX = 500
"""Rows of one message of first rows: a millisecond of work."""


class JsonMessages:
    """Messages as JSON, each on one line without a line end.

    Args:
        columns: the columns of the rows.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns

    def columns(self, **token: str) -> bytes:
        """Return the message with the columns."""
        return _json("columns", columns=orjson.Fragment(shape_of(self._columns).json), **token)

    def start_over(self, reason: str) -> bytes:
        """Return the message that tells a subscriber to forget its rows."""
        return _json("start_over", reason=reason, token=FIRST_ROWS)

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Return a part of the first rows."""
        return _json("rows", rows=self._cells(rows))

    def progress(self, moment: Moment) -> bytes:
        """Return the message at the end of the first rows."""
        return _json("progress", **_moment(moment))

    def changes(self, event: LiveEvent) -> bytes:
        """Return the message of an event."""
        changes, moment = event.changes, _moment(event.moment)
        if not changes:
            return _json("progress", **moment)
        deleted = [c.old for c in changes if c.new is None and c.old is not None]
        inserted = [c.new for c in changes if c.old is None and c.new is not None]
        updated = [(c.old, c.new) for c in changes if c.old is not None and c.new is not None]
        old, new = (self._cells([pair[at] for pair in updated]) for at in (0, 1))
        return _json(
            "changes",
            deleted=self._cells(deleted),
            updated=list(zip(old, new, strict=True)),
            inserted=self._cells(inserted),
            **moment,
        )

    def error(self, error: QueryError) -> bytes:
        """Return the last message."""
        return _json("error", error=error_document(error))

    def _cells(self, rows: Sequence[Row]) -> Sequence[object]:
        return many_row_cells(self._columns, rows)


def server_sent(messages: JsonMessages, event: LiveEvent) -> bytes:
    """Return an event as a server-sent one; it is made once for all subscribers."""
    return event.encoded(SERVER_SENT, partial(_server_sent, messages))


def _server_sent(messages: JsonMessages, event: LiveEvent) -> bytes:
    name = "changes" if event.changes else "progress"
    return framed(name, messages.changes(event), event.moment.token)


def framed(name: str, data: bytes, token: str | None = None) -> bytes:
    """Return a message as a server-sent event, with a token as its id."""
    last = b"" if token is None else b"id: " + token.encode() + b"\n"
    return b"event: " + name.encode() + b"\n" + last + b"data: " + data + b"\n\n"


def json_of(event: bytes) -> bytes:
    """Return the message in a server-sent event: neither its name nor its id has a line end."""
    return event.partition(b"\ndata: ")[2].removesuffix(b"\n\n")


def _moment(moment: Moment) -> Mapping[str, object]:
    return {
        "epoch": moment.epoch,
        "epochs": dict(moment.epochs),
        "position": orjson.Fragment(moment.position.token()),
        "token": moment.token,
    }


def _json(event: str, **members: object) -> bytes:
    return orjson.dumps({"event": event, **members})
