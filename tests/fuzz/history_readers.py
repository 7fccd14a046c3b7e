"""Readers of a history: one session each, in all modes, that outlive the gateway they ask."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from tests.fuzz.history_model import CELLS, History, Mode, Row, Seen
from tests.fuzz.history_writer import topic_of

_COLUMNS = "SELECT id, stamp, _partition, _epoch"
_ALLOWED = frozenset({"72000", "57014", "57P01", "57P03", "08006", "53300"})
"""SQLSTATEs, beside those of class 55, that tell a client to come again."""
_MODES = {
    "eventual": (Mode.EVENTUAL, Mode.LATEST, Mode.SNAPSHOT, Mode.LATEST_SNAPSHOT, Mode.BOUND),
    "monotonic": (Mode.MONOTONIC, Mode.TOKEN),
}


@dataclass(slots=True, kw_only=True)
class Reader:
    """Asks until it is told to stop."""

    dsn: str
    stores: Sequence[str]
    history: History
    chance: random.Random
    stopped: threading.Event
    monotonic: bool = False
    modes: Sequence[Mode] = ()
    """What it asks for; by default all that goes with being monotonic or not."""
    _connection: psycopg.Connection[TupleRow] | None = None

    def run(self) -> None:
        """Ask one statement after the other."""
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
        keys: Sequence[int] = range(CELLS)
        where = f"id < {CELLS}"
        if self.chance.random() < 0.4:
            keys = [self.chance.randrange(CELLS)]
            where = f"id = {keys[0]}"
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
        rows: list[Row] = [
            (int(row[0]), int(row[1]), int(row[2]), int(row[3]))
            for row in connection.execute(f"{_COLUMNS} FROM {store} WHERE {where}{clause}".encode())
        ]
        own = seen.setdefault(store, Seen()) if mode is Mode.MONOTONIC else None
        self.history.answered(store, mode, rows, least=least, seen=own, keys=keys)
        if self.monotonic and rows:
            shown = connection.execute("SHOW stategate.position").fetchone()
            assert shown is not None
            # The token is of all stores; what this one has shown is the least that it stands for.
            tokens[store] = (str(shown[0]), min(row[1] for row in rows))

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


def read_marks(dsn: str, store: str, *, timeout_s: float) -> list[int]:
    """The marks of a store at LATEST, once the gateway can tell.

    Raises:
        psycopg.Error: it cannot in that time.
    """
    deadline = time.monotonic() + timeout_s
    sql = f"SELECT id FROM {store} WHERE id >= {CELLS} WITH BOUND (LATEST), WAIT '8 s'"
    while True:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                return [int(row[0]) for row in connection.execute(sql.encode())]
        except psycopg.Error:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
