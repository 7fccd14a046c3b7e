"""Reads of a key, mostly one that was just written, and of all rows at one epoch."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.chaos.answers import Gap
from tests.chaos.judging import all_keys, keys
from tests.chaos.ledger import Id, Position, Row, part_of
from tests.chaos.reads.asking import (
    WAIT_MS,
    LostError,
    RefusedError,
    by_partition,
    clause,
    merged,
    token,
)
from tests.chaos.reads.reader import Reader, Turn
from tests.chaos.reads.rows import rows_of
from tests.chaos.shapes import Shape

_LONG_MS = 3 * WAIT_MS
"""As long as an epoch takes on a busy machine."""
PLAIN = "a key, without a bound"
WRITTEN = "a written key"
AT_ONCE = "a written key, without waiting"
ALL = "all rows at one epoch"
OF_A_NODE = "a key, from one node of a cluster"


def selected(store: str, shape: Shape, *, by_key: bool) -> str:
    """Return SQL for the rows of a store, or for those of a key; the rows of windows are summed."""
    where = " WHERE key = $1 AND part = $2" if by_key else ""
    return shape.selected(store) + where + (" GROUP BY key" if store == "windows" else "")


def form(at: Turn, chance: random.Random, *, is_patient: bool) -> Turn:
    """Return a turn that asks for a record, or for all rows.

    Args:
        at: the turn, whose record is its key.
        chance: draws the kind.
        is_patient: whether it may wait for a pipeline that is down.
    """
    share = chance.random()
    least = {} if at.key is None else {at.key.partition: at.key.offset}
    if share < 0.1 or at.key is None:
        kind, least, wait_ms = ALL, least if is_patient else {}, WAIT_MS if is_patient else 0
    elif share < (0.2 if is_patient else 0.9):
        kind, least, wait_ms = PLAIN, {}, 0
    elif share < 0.3 or not is_patient:
        kind, wait_ms = AT_ONCE, 0
    else:
        kind, wait_ms = WRITTEN, _LONG_MS
    return replace(at, kind=kind, least=least, wait_ms=wait_ms)


@dataclass(slots=True, kw_only=True)
class QuestionReader(Reader):
    """Asks for what was just written, over HTTP or the wire."""

    is_patient: bool = True
    """Whether it waits for records while the pipeline is down; others ask often."""
    pause_s: float = 0.2

    def drawn(self) -> Turn:
        """Draw a record, or all rows."""
        return form(Reader.drawn(self), self.chance, is_patient=self.is_patient)


def _asked(at: Turn) -> tuple[str, list[Any]]:
    """Return the statement of a turn, and its parameters."""
    if at.kind == ALL or at.key is None:
        return selected(at.store, at.shape, by_key=False), []
    given = [at.key.key, part_of(at.key.key)]
    return selected(at.store, at.shape, by_key=True), given


@dataclass(slots=True, kw_only=True)
class HttpReader(QuestionReader):
    """Sends the position of each answer with the next question, also to another gateway."""

    def read(self, at: Turn) -> None:
        """Ask by POST, on a connection that is kept."""
        least = merged(at.least, self.session(at))
        sql, given = _asked(at)
        rows, position = self.asked(at, sql, given, least)
        asked = keys(at.key.key) if at.key is not None and given else all_keys
        self.add(at, rows, position, asked=asked, least=least)
        self.reached(at, position)

    def asked(
        self, at: Turn, sql: str, given: list[Any], least: Position
    ) -> tuple[Mapping[Id, Row], dict[int, int]]:
        """Return rows and position."""
        asked: dict[str, Any] = {"sql": sql, "params": given, "wait_ms": at.wait_ms}
        if least:
            asked["bound"] = token(least)
        if at.kind == ALL:
            # Not in a clause, which would replace the bound.
            asked["consistency"] = "snapshot"
        told = self.http.post(at.gateway, "/v1/query", asked)
        return rows_of(told["rows"]), by_partition(told["position"])


@dataclass(slots=True, kw_only=True)
class PgReader(QuestionReader):
    """A monotonic session of the Postgres wire."""

    def read(self, at: Turn) -> None:
        """Ask, and then where the session is."""
        sql, given = _asked(at)
        with self.wire.asking(at.gateway) as connection:
            # A bound in the clause replaces that of the session, so it repeats it.
            least = merged(at.least, self.wire.session)
            is_bound = at.least or at.kind == ALL
            end = clause(least if is_bound else {}, is_snapshot=at.kind == ALL, wait_ms=at.wait_ms)
            rows = connection.execute((sql + end).encode(), given).fetchall()
            position = self.wire.position(connection)
        asked = keys(at.key.key) if at.key is not None and given else all_keys
        self.add(at, rows_of(rows), position, asked=asked, least=least)
        self.wire.session = position


@dataclass(slots=True, kw_only=True)
class PlainReader(HttpReader):
    """Asks one node of a cluster for keys, without a bound: it must answer while it lives."""

    count: int = 0
    longest_s: float = 0.0
    """The longest that a statement has taken."""
    gap: Gap = field(default_factory=Gap)
    """The longest time without an answer, while the node lived."""

    def _turn(self) -> None:
        at = replace(Reader.drawn(self), kind=OF_A_NODE, least={}, wait_ms=0, floor={})
        if at.up_since_s is None or at.key is None:
            self.gap.rest()
            self.leave()
            return
        self.answers.ask(at.kind)
        sql, given = _asked(at)
        try:
            rows, position = self.asked(at, sql, given, {})
        except (RefusedError, LostError) as error:
            self.leave()
            self._failed(error, at)
            return
        received_s = time.monotonic()
        if at.gateway.up_since_s == at.up_since_s:
            self.count += 1
            self.longest_s = max(self.longest_s, received_s - at.began_s)
            self.gap.answered(received_s)
        else:
            self.gap.rest()
        self.add(at, rows, position, asked=keys(at.key.key), least={})

    def _failed(self, error: RefusedError | LostError, at: Turn) -> None:
        if isinstance(error, RefusedError) and self.is_of_a_change(error, at):
            self._refused(error, at)
        elif self._is_up(at):
            self.answers.fail("a statement failed beside one lost node", f"{error}: {at}")
        else:
            self.answers.refuse("the node was lost meanwhile")
            self.gap.rest()

    def is_of_a_change(self, error: RefusedError, at: Turn) -> bool:
        """Whether an error comes of columns that changed, or of a store that was made anew."""
        if error.sqlstate in self.changed:
            return True
        return self.are_being_made(at)
