"""Reads that a client goes on with later: cursors, transactions, pages, kept answers."""

from __future__ import annotations

import json
import math
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.judging import Epochs, all_keys, keys
from tests.chaos.ledger import Id, Row, part_of
from tests.chaos.reads.asking import LostError, RefusedError, by_partition, clause, merged, token
from tests.chaos.reads.reader import Reader, Turn
from tests.chaos.reads.rows import milliseconds, named_row, rows_of
from tests.chaos.reads.statements import any_key

_KEYED = ("latest", "totals")
_MOMENT_S = (0.0, 0.0, 0.0, 0.6)
"""Pauses between two uses of what is held."""
_KEPT_MAX = 3
_OPEN_MAX = 5
_OF_SNAPSHOTS = 0.4


@dataclass(slots=True, kw_only=True)
class CursorReader(Reader):
    """Fetches all rows of a store by a cursor; they are those from when it was declared."""

    def drop(self, error: RefusedError | LostError) -> None:
        """Begin another session: its stores need not all be as far as one of them."""
        self.wire.close()

    def read(self, at: Turn) -> None:
        """Declare a cursor, and fetch from it."""
        is_snapshot = self.chance.random() < 0.6
        is_held = self.chance.random() < 0.3
        found: list[Any] = []
        with self.wire.asking(at.gateway) as connection:
            least = merged(at.least, self.wire.session)
            is_bound = is_snapshot or at.least
            end = clause(least if is_bound else {}, is_snapshot=is_snapshot, wait_ms=at.wait_ms)
            if not is_held:
                connection.execute("BEGIN")
            hold = "WITH HOLD " if is_held else ""
            sql = f"DECLARE c CURSOR {hold}FOR {at.shape.rows(at.store)}{at.condition}{end}"
            connection.execute(sql.encode())
            position = self.wire.position(connection)
            count = 400 if at.store == "windows" else 40
            while rows := connection.execute(f"FETCH {count} c".encode()).fetchall():
                found += rows
                self.stopped.wait(self.chance.choice(_MOMENT_S))
            later = self.wire.position(connection)
            connection.execute("CLOSE c" if is_held else "COMMIT")
        rows_found = rows_of(found, windowed=at.store == "windows")
        epochs = Epochs.SAME if is_snapshot else Epochs.SEVERAL
        self.add(at, rows_found, later, asked=at.asked, least=least, epochs=epochs)
        self.wire.session = merged(position, later)


@dataclass(slots=True, kw_only=True)
class TransactionReader(Reader):
    """Reads a store by several statements of one snapshot."""

    def drop(self, error: RefusedError | LostError) -> None:
        """Begin another session: its stores need not all be as far as one of them."""
        self.wire.close()

    def read(self, at: Turn) -> None:
        """Look up keys, and then ask for all rows: those of the keys are the same."""
        some = [any_key(self.chance) for _ in range(3)]
        found: dict[Id, Row] = {}
        with self.wire.asking(at.gateway) as connection:
            least = self.wire.session
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            by_key = f"{at.shape.rows(at.store)} WHERE key = $1 AND part = $2".encode()
            for key in some:
                told = connection.execute(by_key, (key, part_of(key))).fetchall()
                found |= rows_of(told, windowed=at.store == "windows")
                self.stopped.wait(self.chance.choice(_MOMENT_S))
            every = at.shape.rows(at.store) + at.condition
            told = connection.execute(every.encode()).fetchall()
            position = self.wire.position(connection)
            connection.execute("COMMIT")
        rows = rows_of(told, windowed=at.store == "windows")
        self.add(at, rows, position, asked=at.asked, least=least)
        of_keys = {of: row for of, row in rows.items() if _key(of) in some}
        found = {of: row for of, row in found.items() if _begin(of) >= at.since_ms}
        if found != of_keys:
            self.answers.violate("a transaction has two snapshots", f"{found}, {of_keys}: {at}")
        self.wire.session = position


def _key(of: Id) -> str:
    return of if isinstance(of, str) else of[0]


def _begin(of: Id) -> float:
    return math.inf if isinstance(of, str) else of[1]


@dataclass(slots=True, eq=False)
class _Pages:
    """The pages of one statement so far."""

    store: str
    shape: Any
    made_anew: int
    floor: Mapping[int, int]
    least: Mapping[int, int]
    is_snapshot: bool
    rows_max: int
    held_since_s: float
    rows: dict[Id, Row] = field(default_factory=dict)
    next: str | None = None
    position: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class PageReader(Reader):
    """Reads the pages of several statements, one a turn; without a snapshot also elsewhere."""

    _open: list[_Pages] = field(default_factory=list)
    """Those of which a page is read from time to time, until the last one."""
    _pages: _Pages | None = None
    """Those of this turn."""

    def drawn(self) -> Turn:
        """Go on with one of the statements, or begin one more."""
        at = Reader.drawn(self)
        if len(self._open) < _OPEN_MAX:
            self._open.append(self._begun(at))
        pages = self._pages = self.chance.choice(self._open)
        at.store, at.shape, at.floor = pages.store, pages.shape, pages.floor
        at.made_anew, at.held_since_s = pages.made_anew, pages.held_since_s
        return at

    def _begun(self, at: Turn) -> _Pages:
        return _Pages(
            at.store,
            at.shape,
            at.made_anew,
            at.floor,
            merged(at.least, self.session(at)),
            self.chance.random() < _OF_SNAPSHOTS,
            self.chance.choice([10, 30, 50]),
            at.began_s,
        )

    def read(self, at: Turn) -> None:
        """Read the next page."""
        pages = self._pages
        assert pages is not None
        asked: dict[str, Any] = {
            "sql": f"SELECT * FROM {at.store}",
            "page_rows": pages.rows_max,
            "bound": token(pages.least),
            "wait_ms": 1_000,
            "consistency": "snapshot" if pages.is_snapshot else "eventual",
        }
        if pages.next is not None:
            asked["next"] = pages.next
        told = self.http.post(at.gateway, "/v1/query", asked)
        self._take(at, pages, told)

    def _take(self, at: Turn, pages: _Pages, told: Mapping[str, Any]) -> None:
        position = by_partition(told["position"])
        names = [column["name"] for column in told["columns"]]
        rows = rows_of([_plain(dict(zip(names, row, strict=True))) for row in told["rows"]])
        if twice := set(rows) & set(pages.rows):
            self.answers.violate("a row is on two pages", f"{sorted(map(str, twice))}: {at}")
        if pages.is_snapshot and pages.position and position != pages.position:
            self.answers.violate("pages of a snapshot differ", f"{position}, {pages.position}")
        epochs = Epochs.SAME if pages.is_snapshot else Epochs.SEVERAL
        # Each page by itself: its rows are no older than those of the page before.
        of_page = merged(pages.least, {} if pages.is_snapshot else pages.position)
        self.add(at, rows, position, asked=keys(*rows), least=of_page, epochs=epochs)
        pages.rows |= rows
        pages.position = merged(pages.position, position)
        pages.next = told["next"]
        if pages.next is None:
            self.add(
                at,
                pages.rows,
                pages.position,
                asked=all_keys,
                least=pages.least,
                epochs=epochs,
            )
            self._close(pages)
            self.reached(at, pages.position)

    def _close(self, pages: _Pages) -> None:
        if pages in self._open:
            self._open.remove(pages)

    def change(self) -> None:
        """Go on with the pages elsewhere, unless a process has their snapshot."""
        Reader.change(self)
        self._open = [each for each in self._open if not each.is_snapshot]

    def drop(self, error: RefusedError | LostError) -> None:
        """Begin with the first page, unless the same page can be asked for again."""
        pages = self._pages
        if pages is None:
            return
        may_retry = isinstance(error, LostError) or error.sqlstate.startswith("55")
        if not (may_retry and pages.position):
            self._close(pages)


def _plain(row: Mapping[str, Any]) -> list[Any]:
    return [row["key"], *named_row(row)]


@dataclass(slots=True)
class _Kept:
    """An answer with its tag."""

    tag: str | None
    columns: list[str]
    rows: dict[Id, Row]
    position: dict[int, int]


@dataclass(slots=True, kw_only=True)
class TagReader(Reader):
    """Keeps answers with their tags, and asks whether they are still right."""

    _kept: dict[tuple[str, str], list[_Kept]] = field(default_factory=dict)
    """Store and condition → the last answers, the newest last."""
    _read: dict[str, tuple[int, dict[int, int]]] = field(default_factory=dict)
    """Store → how often it was made anew, and what this connection has read since."""

    def drawn(self) -> Turn:
        """Seldom have a bound: it is a part of the tag."""
        at = Reader.drawn(self)
        if self.chance.random() < 0.7:
            at.least = {}
        at.wait_ms = 1_000
        return at

    def read(self, at: Turn) -> None:
        """Ask for all rows, unless they are those that are kept."""
        kept = self._kept.setdefault((at.store, at.condition), [])
        held = None if not kept or self.chance.random() < 0.3 else self.chance.choice(kept)
        query = {"sql": f"SELECT * FROM {at.store}{at.condition}", "wait_ms": str(at.wait_ms)}
        if at.least:
            query["bound"] = json.dumps(token(at.least))
        path = f"/v1/query?{urllib.parse.urlencode(query)}"
        headers = {"If-None-Match": held.tag} if held is not None and held.tag else {}
        told = self.http.ask(at.gateway, "GET", path, None, headers)
        if told.status == 304:
            assert held is not None
            found = held
            if held.columns != kept[-1].columns:
                self.answers.violate("a tag outlives its definition", f"{held.columns}: {at}")
        else:
            found = _kept_of(told.document, told.headers.get("etag"), at.store)
            self._kept[at.store, at.condition] = [*kept, found][-_KEPT_MAX:]
        # One process answers all requests of a connection: it does not go back.
        made_anew, read = self._read.get(at.store, (at.made_anew, {}))
        is_same = made_anew == self.answers.changes.made_anew(at.store)
        is_same &= not at.gateway.is_node and not self.answers.changes.is_being_made(
            at.store, at.began_s
        )
        least = merged(at.least, read if is_same else {})
        epochs = Epochs.SEVERAL
        self.add(at, found.rows, found.position, asked=at.asked, least=least, epochs=epochs)
        self._read[at.store] = (at.made_anew, merged(read if is_same else {}, found.position))

    def drop(self, error: RefusedError | LostError) -> None:
        """Begin another connection."""
        self.change()

    def change(self) -> None:
        """Go on elsewhere with the same tags: that process may be behind."""
        Reader.change(self)
        self._read = {}
        self._kept = {place: kept[-1:] for place, kept in self._kept.items() if kept}


def _kept_of(document: Mapping[str, Any], tag: str | None, store: str) -> _Kept:
    columns = [column["name"] for column in document["columns"]]
    rows: dict[Id, Row] = {}
    for each in document["rows"]:
        row = dict(zip(columns, each, strict=True))
        of: Id = str(row["key"])
        if store == "windows":
            of = (str(row["key"]), milliseconds(row["window_start"]))
        if of in rows:
            raise RefusedError(f"XXXXX {of} is there twice")
        rows[of] = named_row(row)
    return _Kept(tag, columns, rows, by_partition(document["position"]))
