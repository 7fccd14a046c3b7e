"""Readers of a history: one session each, in all modes, that outlive the gateway."""

from __future__ import annotations

import enum
import json
import random
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from tests.fuzz.history_model import CELLS, MARKS, History, Mode, Row, Seen
from tests.fuzz.history_writer import topic_of

_OF_ROWS = "SELECT id, stamp, _partition, _epoch FROM"
_ALLOWED = frozenset({"72000", "57014", "57P01", "57P03", "08006", "53300"})
"""SQLSTATEs, besides those of class 55, that ask a client to retry."""
_BOUNDS = (Mode.LATEST, Mode.SNAPSHOT, Mode.LATEST_SNAPSHOT, Mode.BOUND)
_MODES = {
    "eventual": (Mode.EVENTUAL, *_BOUNDS),
    "monotonic": (Mode.MONOTONIC, Mode.TOKEN, Mode.UNBOUNDED, *_BOUNDS),
}


class Shape(enum.Enum):
    """Parts of a store, each of which the planner reads in another way."""

    RANGE = "a range of keys"
    KEY = "a key, with where it lies"
    LOOKUP = "a key, prepared"
    KEYS = "some keys"
    FIRST = "the first rows in order, merged from all partitions"
    WHOLE = "all rows, with where they lie"
    COLUMNS = "all rows, of columns that are kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A statement without a bound."""

    sql: str
    keys: Sequence[int] | None
    """The cells and flags that it selects; None for all rows."""
    values: Sequence[int] | None = None
    everywhere: bool = False
    """Whether it also reads partitions without any of the keys."""


def _question(store: str, shape: Shape, chance: random.Random) -> _Question:
    if shape is Shape.RANGE:
        return _Question(sql=f"{_OF_ROWS} {store} WHERE id < {MARKS}", keys=range(MARKS))
    if shape is Shape.KEY:
        key = chance.randrange(MARKS)
        return _Question(sql=f"{_OF_ROWS} {store} WHERE id = {key}", keys=[key])
    if shape is Shape.LOOKUP:
        # Few keys are read, so that kept rows are found again.
        key = chance.randrange(CELLS - 2, CELLS + 2)
        sql = f"SELECT id, stamp FROM {store} WHERE id = %s"
        return _Question(sql=sql, keys=[key], values=[key])
    if shape is Shape.KEYS:
        keys = chance.sample(range(MARKS), 5)
        listed = ", ".join(map(str, keys))
        return _Question(sql=f"{_OF_ROWS} {store} WHERE id IN ({listed})", keys=keys)
    if shape is Shape.FIRST:
        least = chance.randrange(CELLS - 1)
        sql = f"SELECT id, stamp FROM {store} WHERE id < {CELLS} ORDER BY id DESC LIMIT"
        return _Question(sql=f"{sql} {CELLS - least}", keys=range(least, CELLS), everywhere=True)
    if shape is Shape.WHOLE:
        return _Question(sql=f"{_OF_ROWS} {store}", keys=None)
    return _Question(sql=f"SELECT id, stamp FROM {store}", keys=None)


@dataclass(slots=True, kw_only=True)
class Reader:
    """A reader that runs statements until it is stopped."""

    dsn: str
    stores: Sequence[str]
    history: History
    chance: random.Random
    stopped: threading.Event
    monotonic: bool = False
    modes: Sequence[Mode] = ()
    """Modes to read in; by default all that suit the session, monotonic or not."""
    shapes: Sequence[Shape] = tuple(Shape)
    _connection: psycopg.Connection[TupleRow] | None = None

    def run(self) -> None:
        """Run statements until the reader is stopped."""
        seen: dict[str, Seen] = {}
        tokens: dict[str, tuple[str, int]] = {}
        while not self.stopped.is_set():
            store = self.chance.choice(self.stores)
            try:
                if self._connection is None:
                    self._connection = psycopg.connect(self.dsn, autocommit=True)
                    seen = {}
                    if self.monotonic:
                        self._connection.execute("SET stategate.consistency = 'monotonic'")
                self._ask(self._connection, store, seen, tokens)
            except psycopg.Error as error:
                self._refused(store, error)
            self.stopped.wait(0.005)
        self._leave()

    def _ask(
        self,
        connection: psycopg.Connection[TupleRow],
        store: str,
        seen: dict[str, Seen],
        tokens: dict[str, tuple[str, int]],
    ) -> None:
        modes = self.modes or _MODES["monotonic" if self.monotonic else "eventual"]
        mode = self.chance.choice(modes)
        question = _question(store, self.chance.choice(self.shapes), self.chance)
        least, clause = 0, ""
        if mode is Mode.LATEST:
            least, clause = self.history.newest(store), " WITH BOUND (LATEST), WAIT '8 s'"
        elif mode is Mode.SNAPSHOT:
            clause = " WITH BOUND (SNAPSHOT), WAIT '8 s'"
        elif mode is Mode.LATEST_SNAPSHOT:
            least, clause = self.history.newest(store), " WITH BOUND (LATEST, SNAPSHOT), WAIT '8 s'"
        elif mode is Mode.BOUND:
            least = self.history.newest(store)
            topic = topic_of(store)
            wait = self.chance.choice(["", ", WAIT '8 s'"])
            clause = f" WITH BOUND ({topic}[0] >= {least}){wait}" if least else ""
        elif mode is Mode.TOKEN and store in tokens:
            token, least = tokens[store]
            clause = f" WITH BOUND ('{token}'), WAIT '8 s'"
        elif mode is Mode.UNBOUNDED:
            clause = " WITH BOUND (UNBOUNDED)"
        rows = self._rows(
            connection.execute(
                (question.sql + clause).encode(), question.values, prepare=bool(question.values)
            )
        )
        token, claimed = "", 0
        if self.monotonic:
            shown = connection.execute("SHOW stategate.position").fetchone()
            assert shown is not None
            token = str(shown[0])
            claimed = json.loads(token).get(topic_of(store), {}).get("0", 0)
        self.history.answered(
            store,
            mode,
            rows,
            least=least,
            seen=seen.setdefault(store, Seen()) if self.monotonic else None,
            claimed=claimed,
            keys=question.keys,
            everywhere=question.everywhere,
        )
        if self.monotonic and (known := [row[1] for row in rows if row[0] < MARKS]):
            # The token covers all stores; it reflects at least what this store has shown.
            tokens[store] = (token, min(known))

    def _rows(self, answer: Iterable[TupleRow]) -> list[Row]:
        return [
            (row[0], row[1], row[2] if len(row) > 2 else self.history.place(row[0]), epoch)
            for row in answer
            for epoch in (row[3] if len(row) > 3 else None,)
        ]

    def _refused(self, store: str, error: psycopg.Error) -> None:
        state = error.sqlstate
        if state is not None and not state.startswith("55") and state not in _ALLOWED:
            self.history.fail(store, f"SQLSTATE {state}", str(error))
        if self._connection is not None and (state is None or self._connection.broken):
            self._leave()
        if state is None:
            self.stopped.wait(0.05)

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def read_all(dsn: str, store: str, history: History, *, timeout_s: float) -> None:
    """Read a store at LATEST, retrying until the gateway can answer, and check the answer.

    Raises:
        psycopg.Error: the gateway could not answer in time.
    """
    deadline = time.monotonic() + timeout_s
    least = history.newest(store)
    sql = f"{_OF_ROWS} {store} WITH BOUND (LATEST, SNAPSHOT), WAIT '8 s'"
    while True:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                rows: list[Row] = list(connection.execute(sql.encode()))
            break
        except psycopg.Error:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    history.answered(store, Mode.LATEST_SNAPSHOT, rows, least=least, keys=None)
