"""Readers of a chaos run: sessions over HTTP and the Postgres wire that outlive the gateways."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from tests.chaos.answers import Answer, Answers, Gap
from tests.chaos.ledger import ASKED, TOPIC, Operation, Row
from tests.chaos.processes import Gateway
from tests.chaos.shapes import Shape

WAIT_MS = 5_000
ANSWER_S = 60.0
"""A statement that takes longer hangs: its timeout is half of it."""
_PAUSE_S = 0.05
_WRONG = -1
"""Stands for the amount of a row whose further columns are not their function of it."""
_ALLOWED = frozenset({"57P01", "57P03", "53300"})
"""SQLSTATEs, besides those of class 55, that ask a client to try again."""
_CHANGED = frozenset({"42703", "0A000"})
"""SQLSTATEs of a statement whose columns, or whose plan, is that of an earlier definition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A statement, and what its answer must reflect."""

    kind: str
    store: str
    keys: tuple[str, ...] | None
    sql: str
    """It has the parameters $1 and $2 if there is a key, its two columns."""
    shape: Shape
    least: Mapping[int, int]
    waits: bool
    is_snapshot: bool


def _selected(store: str, shape: Shape, *, by_key: bool) -> str:
    """Return SQL for the rows of a store, or for those of a key."""
    where = " WHERE key = $1 AND part = $2" if by_key else ""
    return shape.selected(store) + where + (" GROUP BY key" if store == "windows" else "")


def parameters(key: str) -> tuple[str, int]:
    """Return the key columns of a key: the second one is the partition that is in its name."""
    return key, int(key[1])


def plain_question(key: str, store: str, shape: Shape) -> Question:
    """Return a question for a key, which needs no more than a replica that answers."""
    return Question(
        kind="a key, from one node of a cluster",
        store=store,
        keys=(key,),
        sql=_selected(store, shape, by_key=True),
        shape=shape,
        least={},
        waits=False,
        is_snapshot=False,
    )


def question(
    asked: Sequence[Operation],
    store: str,
    shape: Shape,
    chance: random.Random,
    *,
    is_patient: bool,
) -> Question:
    """Return a question, mostly about a record that was just written.

    Args:
        asked: acknowledged records, at most one; without one nothing must be reflected.
        store: the store to ask.
        shape: its columns, as far as the reader knows.
        chance: draws the keys and the mode.
        is_patient: whether it may wait for a pipeline that is down.
    """
    least = {each.partition: each.offset for each in asked}
    form = chance.random()
    if form < 0.1 or not asked:
        return Question(
            kind="all rows at one epoch",
            store=store,
            keys=None,
            sql=_selected(store, shape, by_key=False),
            shape=shape,
            least=least if is_patient else {},
            waits=is_patient,
            is_snapshot=True,
        )
    key = asked[0].key
    if form < (0.2 if is_patient else 0.9):
        kind, least, waits = "a key, without a bound", {}, False
    elif form < 0.3 or not is_patient:
        kind, waits = "a written key, without waiting", False
    else:
        kind, waits = "a written key", True
    return Question(
        kind=kind,
        store=store,
        keys=(key,),
        sql=_selected(store, shape, by_key=True),
        shape=shape,
        least=least,
        waits=waits,
        is_snapshot=False,
    )


def rows_of(rows: Sequence[Sequence[Any]]) -> dict[str, Row]:
    """Return the rows of an answer by key, with wrong further columns in the place of the sum."""
    found = {}
    for key, n, amount, *extras in rows:
        # Of `windows` the further columns say whether those of its rows are right.
        is_right = all(each is None or each is True or each == n + amount for each in extras)
        found[str(key)] = (int(n), int(amount) if is_right else _WRONG)
    assert len(found) == len(rows), f"a key is there twice: {rows}"
    return found


def merged(*positions: Mapping[int, int]) -> dict[int, int]:
    """Return the greatest offset of each partition."""
    partitions = {partition for position in positions for partition in position}
    return {p: max(position.get(p, -1) for position in positions) for p in partitions}


def by_partition(position: Mapping[str, Mapping[str, int]]) -> dict[int, int]:
    """Return our topic's part of a position as gateways write it."""
    return {int(partition): offset for partition, offset in position.get(TOPIC, {}).items()}


class RefusedError(Exception):
    """An answer that is an error, with its SQLSTATE."""


class LostError(Exception):
    """The connection was lost, or could not be made."""


@dataclass(slots=True, kw_only=True)
class Reader(ABC):
    """Asks gateways until it is stopped. Subclasses say how."""

    name: str
    gateways: Sequence[Gateway]
    answers: Answers
    acknowledged: deque[Operation]
    chance: random.Random
    stopped: threading.Event
    is_patient: bool = True
    """Whether it waits for records while the pipeline is down; others ask often."""
    error: BaseException | None = None
    session: dict[int, int] = field(default_factory=dict)
    """The position that the session has read; it must not go back."""
    shapes: dict[str, Shape] = field(default_factory=dict)
    """Store → its columns, as far as the reader knows."""

    def run(self) -> None:
        """Ask until the reader is stopped; an error is kept for the end of the run."""
        try:
            while not self.stopped.wait(_PAUSE_S):
                self._turn()
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.leave()

    def _turn(self) -> None:
        if self.chance.random() < 0.02:
            self.change()
        gateway = self.gateways[0]
        asked = [self.acknowledged[-1]] if self.acknowledged else []
        if asked and self.chance.random() < 0.5:
            asked = [self.chance.choice(list(self.acknowledged)[-50:])]
        store = self.chance.choice(ASKED)
        shape = self.shapes.get(store, Shape())
        what = question(asked, store, shape, self.chance, is_patient=self.is_patient)
        floor, up_since_s = gateway.floor.get(what.store, {}), gateway.up_since_s
        began_s = time.monotonic()
        self.answers.ask(what.kind)
        try:
            rows, position = self.ask(gateway, what)
        except RefusedError as error:
            self._refused(str(error), what, gateway)
            return
        except LostError as error:
            is_up = up_since_s is not None and gateway.up_since_s == up_since_s
            if is_up and gateway.alive:
                self.answers.fail("a connection was lost without a reason", f"{error}: {what}")
            else:
                self.answers.refuse("connection lost")
            self.change()
            self.stopped.wait(0.2)
            return
        finally:
            elapsed_s = time.monotonic() - began_s
            if elapsed_s > ANSWER_S and gateway.up_since_s == up_since_s is not None:
                self.answers.violate("a statement hangs", f"{elapsed_s:.0f} s: {what}")
        self.answers.add(
            Answer(
                kind=what.kind,
                reader=self.name,
                store=what.store,
                keys=what.keys,
                rows=rows,
                position=position,
                least=merged(what.least, floor, self.session),
                received_s=time.monotonic(),
            ),
        )
        self.reached(position)

    def _refused(self, state: str, what: Question, gateway: Gateway) -> None:
        if state[:5] in _CHANGED:
            self._learn(state, what, gateway)
        elif state.startswith("55") or state[:5] in _ALLOWED:
            self.answers.refuse(state[:5])
        else:
            self.answers.fail("an error that is not documented", f"{state}: {what}")

    def _learn(self, state: str, what: Question, gateway: Gateway) -> None:
        """Ask for the columns of a store, which must be others than those that were refused."""
        self.leave()
        shape = None
        with suppress(RefusedError, LostError):
            shape = Shape.of(self.columns(gateway, what.store))
        # What was prepared before has other columns than a new statement of the same text.
        if shape == what.shape and state[:5] != "0A000":
            self.answers.fail("columns are unknown without a change", f"{state}: {what}")
        else:
            self.answers.refuse(state[:5])
        if shape is not None:
            self.shapes[what.store] = shape

    @abstractmethod
    def columns(self, gateway: Gateway, store: str) -> list[str]:
        """Return the columns of a store, in a new session.

        Raises:
            RefusedError: the answer is an error.
            LostError: there is none.
        """

    @abstractmethod
    def ask(self, gateway: Gateway, what: Question) -> tuple[dict[str, Row], dict[int, int]]:
        """Return the rows and the position of an answer.

        Raises:
            RefusedError: the answer is an error.
            LostError: there is none.
        """

    @abstractmethod
    def reached(self, position: Mapping[int, int]) -> None:
        """Note the position that the session has read."""

    @abstractmethod
    def change(self) -> None:
        """Begin another session, or go on with it at another gateway."""

    @abstractmethod
    def leave(self) -> None:
        """Close the connection."""


@dataclass(slots=True, kw_only=True)
class HttpReader(Reader):
    """Sends the position of each answer with the next question, also to another gateway."""

    _connection: http.client.HTTPConnection | None = None

    def ask(self, gateway: Gateway, what: Question) -> tuple[dict[str, Row], dict[int, int]]:
        """Ask by POST, on a connection that is kept."""
        bound = merged(what.least, self.session)
        asked: dict[str, Any] = {"sql": what.sql, "wait_ms": WAIT_MS if what.waits else 0}
        if what.keys:
            asked["params"] = [*parameters(what.keys[0])]
        if bound:
            asked["bound"] = {TOPIC: {str(p): offset for p, offset in bound.items()}}
        if what.is_snapshot:
            # Not in a clause, which would replace the bound.
            asked["consistency"] = "snapshot"
        told = self._posted(gateway, asked)
        return rows_of(told["rows"]), by_partition(told["position"])

    def columns(self, gateway: Gateway, store: str) -> list[str]:
        """Ask for no rows."""
        told = self._posted(gateway, {"sql": f"SELECT * FROM {store} LIMIT 0"})
        return [column["name"] for column in told["columns"]]

    def _posted(self, gateway: Gateway, asked: Mapping[str, Any]) -> dict[str, Any]:
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", gateway.http_port, timeout=2 * ANSWER_S
                )
            headers = {"Content-Type": "application/json"}
            self._connection.request("POST", "/v1/query", json.dumps(asked), headers)
            response = self._connection.getresponse()
            told: dict[str, Any] = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise LostError(repr(error)) from error
        if "error" in told:
            raise RefusedError(f"{told['error']['sqlstate']} {told['error']['message']}")
        return told

    def reached(self, position: Mapping[int, int]) -> None:
        """Bind the next questions to this position."""
        self.session = merged(self.session, position)

    def change(self) -> None:
        """Go on with the same session at another gateway, or begin a new one."""
        self.leave()
        if self.chance.random() < 0.5:
            self.session = {}
        self.gateways = [*self.gateways[1:], self.gateways[0]]

    def leave(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass(slots=True, kw_only=True)
class PgReader(Reader):
    """A monotonic session of the Postgres wire; it ends with its connection."""

    _connection: psycopg.Connection[TupleRow] | None = None

    def ask(self, gateway: Gateway, what: Question) -> tuple[dict[str, Row], dict[int, int]]:
        """Ask, and then where the session is: as new as the answer, and no newer."""
        # A bound in the clause replaces that of the session, so it repeats it.
        bound = merged(what.least, self.session) if what.least or what.is_snapshot else {}
        parts = [f"{TOPIC}[{p}] >= {offset}" for p, offset in bound.items()]
        parts += ["SNAPSHOT"] if what.is_snapshot else []
        clause = f" WITH BOUND ({', '.join(parts)})" if parts else ""
        clause += f", WAIT '{WAIT_MS} ms'" if clause and what.waits else ""
        sql = what.sql.replace("$1", "%s").replace("$2", "%s") + clause
        given = parameters(what.keys[0]) if what.keys else None
        with self._asking(gateway) as connection:
            rows = connection.execute(sql.encode(), given).fetchall()
            shown = connection.execute("SHOW stategate.position").fetchone()
        assert shown is not None
        return rows_of(rows), by_partition(json.loads(str(shown[0])))

    def columns(self, gateway: Gateway, store: str) -> list[str]:
        """Ask for no rows."""
        with self._asking(gateway) as connection:
            cursor = connection.execute(f"SELECT * FROM {store} LIMIT 0".encode())
            return [column.name for column in cursor.description or ()]

    @contextmanager
    def _asking(self, gateway: Gateway) -> Iterator[psycopg.Connection[TupleRow]]:
        """Give the session's connection, and turn its errors into ours."""
        try:
            if self._connection is None:
                self._connection = psycopg.connect(gateway.dsn, autocommit=True)
                self._connection.execute("SET stategate.consistency = 'monotonic'")
            yield self._connection
        except psycopg.Error as error:
            if error.sqlstate is None or (self._connection is not None and self._connection.broken):
                raise LostError(f"{error.sqlstate}: {error}") from error
            raise RefusedError(f"{error.sqlstate} {error}") from error

    def reached(self, position: Mapping[int, int]) -> None:
        """Remember the session's position, which the gateway knows, too."""
        self.session = dict(position)

    def change(self) -> None:
        """Begin another session, at another gateway."""
        self.leave()
        self.gateways = [*self.gateways[1:], self.gateways[0]]

    def leave(self) -> None:
        """End the session."""
        self.session = {}
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass(slots=True, kw_only=True)
class PlainReader(HttpReader):
    """Asks one node of a cluster for keys, without a bound: it must answer while it lives."""

    count: int = 0
    longest_s: float = 0.0
    """The longest that a statement has taken."""
    gap: Gap = field(default_factory=Gap)
    """The longest time without an answer, while the node lived."""

    def _turn(self) -> None:
        gateway, up_since_s = self.gateways[0], self.gateways[0].up_since_s
        if up_since_s is None or not self.acknowledged:
            self.gap.rest()
            self.leave()
            return
        key = self.chance.choice(list(self.acknowledged)[-50:]).key
        store = self.chance.choice(ASKED)
        what = plain_question(key, store, self.shapes.get(store, Shape()))
        began_s = time.monotonic()
        self.answers.ask(what.kind)
        try:
            rows, position = self.ask(gateway, what)
        except (RefusedError, LostError) as error:
            self.leave()
            if isinstance(error, RefusedError) and str(error)[:5] in _CHANGED:
                self._learn(str(error), what, gateway)
            elif gateway.up_since_s == up_since_s and gateway.alive:
                self.answers.fail("a statement failed beside one lost node", f"{error}: {what}")
            else:
                self.answers.refuse("the node was lost meanwhile")
                self.gap.rest()
            return
        received_s = time.monotonic()
        if gateway.up_since_s == up_since_s:
            self.count += 1
            self.longest_s = max(self.longest_s, received_s - began_s)
            self.gap.answered(received_s)
        else:
            self.gap.rest()
        self.answers.add(
            Answer(
                kind=what.kind,
                reader=self.name,
                store=what.store,
                keys=what.keys,
                rows=rows,
                position=position,
                least={},
                received_s=received_s,
            )
        )
