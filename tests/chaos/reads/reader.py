"""What all readers of a chaos run share: turns, what errors mean, and what explains them."""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.answers import Answers
from tests.chaos.judging import Answer, Asked, Epochs, Folded, all_keys, windows_since
from tests.chaos.ledger import ASKED, Operation, Position
from tests.chaos.processes import Gateway
from tests.chaos.reads.asking import (
    ANSWER_S,
    WAIT_MS,
    HttpClient,
    LostError,
    RefusedError,
    WireClient,
    merged,
)
from tests.chaos.shapes import Shape, window_condition

_RECENT_MS = 60_000
"""Windows of this minute and the last are asked for."""
_UNBOUNDED_TURNS = 5
"""Turns without a bound after one whose bound was not met: few records come for a while."""
_CHANGE = 0.02
"""Share of turns before which a reader goes to another gateway."""
_ALLOWED = frozenset({"57P01", "57P03", "53300"})
"""SQLSTATEs, besides those of class 55, that ask a client to try again."""
CHANGED = frozenset({"42703", "0A000"})
"""SQLSTATEs of a statement whose columns, or whose plan, is that of an earlier definition."""
BEGIN_AGAIN = "72000"
"""What a client held is of a store that changed, or of a process that is no longer there."""
_NO_STORE = "42P01"
_RECOVERY_S = 60.0
"""How long a gateway that is up may refuse reads without a bound of a store that did not change."""


@dataclass(slots=True, kw_only=True)
class Turn:
    """One use of a gateway by a reader."""

    kind: str
    gateway: Gateway
    up_since_s: float | None
    store: str
    shape: Shape
    key: Operation | None
    """An acknowledged record to ask for."""
    least: Position
    """What the answer must reflect: the record."""
    wait_ms: int
    floor: Position
    made_anew: int
    began_s: float
    held_since_s: float
    """When the reader began to hold what it uses."""
    others: Sequence[str] = ()
    """Further stores that it reads."""
    since_ms: int = 0
    """From when on it asks for windows, if it asks for all rows: there are more and more."""
    added: int = 0

    @property
    def stores(self) -> tuple[str, ...]:
        """All stores that it reads."""
        return (self.store, *self.others)

    @property
    def condition(self) -> str:
        """SQL that leaves out old windows."""
        return window_condition(self.since_ms) if self.store == "windows" else ""

    @property
    def asked(self) -> Asked:
        """All rows that have the condition."""
        return windows_since(self.since_ms) if self.store == "windows" else all_keys

    def __str__(self) -> str:
        """Return what was asked, and where."""
        key = None if self.key is None else self.key.key
        return (
            f"{self.kind}, store {self.store} {self.shape}, key {key}, bound {self.least} within "
            f"{self.wait_ms} ms, at {self.gateway.name}"
        )


@dataclass(slots=True, kw_only=True)
class Reader(ABC):
    """Asks gateways until it is stopped. Subclasses say what, and how."""

    name: str
    gateways: Sequence[Gateway]
    answers: Answers
    acknowledged: deque[Operation]
    chance: random.Random
    stopped: threading.Event
    kind: str = ""
    changed: Set[str] = CHANGED
    """SQLSTATEs that can come of a change of the definition."""
    bounded: float = 0.3
    """Share of turns that ask for a record which was just written."""
    stores: Sequence[str] = ASKED
    """Those that it reads."""
    pause_s: float = 0.25
    answer_max_s: float = ANSWER_S
    error: BaseException | None = None
    shapes: dict[str, Shape] = field(default_factory=dict)
    """Store → its columns, as far as the reader knows."""
    http: HttpClient = field(default_factory=HttpClient)
    wire: WireClient = field(default_factory=WireClient)
    sessions: dict[str, dict[int, int]] = field(default_factory=dict)
    """Store → the position that was read over HTTP; it must not go back."""
    _unbounded_turns: int = 0
    """How many of the next turns have no bound, since the pipeline is down."""
    _refused_since_s: dict[str, float] = field(default_factory=dict)

    def run(self) -> None:
        """Ask until the reader is stopped; an error is kept for the end of the run."""
        try:
            while not self.stopped.wait(self.pause_s):
                self._turn()
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.leave()

    def _turn(self) -> None:
        if self.chance.random() < _CHANGE:
            self.change()
        at = self.drawn()
        self.answers.ask(at.kind)
        try:
            self.read(at)
            self._refused_since_s.pop(at.store, None)
        except RefusedError as error:
            self.drop(error)
            self._refused(error, at)
        except LostError as error:
            self.drop(error)
            if self._is_up(at):
                self.answers.fail("a connection was lost without a reason", f"{error}: {at}")
            else:
                self.answers.refuse("connection lost")
            self.change()
            self.stopped.wait(0.2)
        finally:
            elapsed_s = time.monotonic() - at.began_s
            if elapsed_s > self.answer_max_s and at.gateway.up_since_s == at.up_since_s is not None:
                self.answers.violate("a statement hangs", f"{elapsed_s:.0f} s: {at}")

    def drawn(self) -> Turn:
        """Draw a store to read, and mostly a record that was just written."""
        gateway = self.gateways[0]
        store = self.chance.choice(self.stores)
        asked = self._record()
        wants = asked is not None and self.chance.random() < self.bounded
        if self._unbounded_turns:
            self._unbounded_turns, wants = self._unbounded_turns - 1, False
        now_s = time.monotonic()
        return Turn(
            kind=self.kind,
            gateway=gateway,
            up_since_s=gateway.up_since_s,
            store=store,
            shape=self.shapes.get(store, Shape()),
            key=asked,
            least={asked.partition: asked.offset} if asked is not None and wants else {},
            wait_ms=self.chance.choice(
                [0, 0, WAIT_MS // 2, WAIT_MS] if wants else [0, WAIT_MS // 5]
            ),
            floor=gateway.floor.get(store, {}),
            made_anew=self.answers.changes.made_anew(store),
            began_s=now_s,
            held_since_s=now_s,
            since_ms=(time.time_ns() // 1_000_000 // _RECENT_MS - 1) * _RECENT_MS,
        )

    def _record(self) -> Operation | None:
        if not self.acknowledged:
            return None
        if self.chance.random() < 0.5:
            return self.acknowledged[-1]
        return self.chance.choice(list(self.acknowledged)[-200:])

    @abstractmethod
    def read(self, at: Turn) -> None:
        """Read, and add what was told.

        Raises:
            RefusedError: the answer is an error.
            LostError: there is none.
        """

    def add(
        self,
        at: Turn,
        rows: Mapping[Any, Any],
        position: Position,
        *,
        asked: Asked,
        least: Position,
        epochs: Epochs = Epochs.SAME,
        store: str | None = None,
        is_own: bool = True,
        folded: Folded | None = None,
    ) -> None:
        """Add an answer; `least` is what its request demanded."""
        if at.added:
            self.answers.ask(at.kind)
        at.added += 1
        is_same = self.answers.changes.made_anew(at.store) == at.made_anew
        floor = at.floor if is_same and store in (None, at.store) else {}
        self.answers.add(
            Answer(
                reader=self.name,
                kind=at.kind,
                store=store or at.store,
                asked=asked,
                rows=rows,
                position=position,
                least=merged(least, floor),
                received_s=time.monotonic(),
                epochs=epochs,
                is_own=is_own,
                folded=folded,
            )
        )

    def _is_up(self, at: Turn) -> bool:
        is_same = at.up_since_s is not None and at.gateway.up_since_s == at.up_since_s
        return is_same and at.gateway.alive

    def concerns(self, at: Turn, since_s: float) -> bool:
        """Whether a store that is read may have changed since then."""
        return any(self.answers.changes.concern(store, since_s) for store in at.stores)

    def are_being_made(self, at: Turn) -> bool:
        """Whether a store that is read was removed, and may still be missing."""
        changes = self.answers.changes
        return any(changes.is_being_made(store, at.began_s) for store in at.stores)

    def is_explained(self, at: Turn) -> bool:
        """Whether what a reader holds may have ended: its store was changed, a gateway was lost."""
        changes = self.answers.changes
        if self.concerns(at, at.held_since_s) or not self._is_up(at):
            return True
        if at.gateway.is_node:
            return changes.lost_since(at.held_since_s)
        return at.gateway.up_since_s is None or at.gateway.up_since_s >= at.held_since_s

    def _refused(self, error: RefusedError, at: Turn) -> None:
        state = error.sqlstate
        is_explained = {
            BEGIN_AGAIN: lambda: self.is_explained(at),
            _NO_STORE: lambda: self.are_being_made(at),
        }
        if state in self.changed:
            self._learn(error, at)
        elif state.startswith("55") or state in _ALLOWED:
            self.answers.refuse(state)
            self._note_lasting(error, at)
            if at.least:
                self._unbounded_turns = _UNBOUNDED_TURNS
            elif self.chance.random() < 0.5:
                self.sessions = {}
        elif state in is_explained and is_explained[state]():
            self.answers.refuse(state)
        else:
            self.answers.fail("an error that is not documented", f"{error}: {at}")

    def _note_lasting(self, error: RefusedError, at: Turn) -> None:
        """Note an error without a reason for longer than a gateway may take to recover."""
        is_quiet = self._is_up(at) and not self.concerns(at, at.began_s)
        if at.least or not is_quiet:
            self._refused_since_s.pop(at.store, None)
            return
        since_s = self._refused_since_s.setdefault(at.store, at.began_s)
        if at.began_s - max(since_s, at.up_since_s or 0) > _RECOVERY_S:
            self.answers.fail("an error lasts", f"{error}: {at}")
            self._refused_since_s.pop(at.store)

    def _learn(self, error: RefusedError, at: Turn) -> None:
        """Ask for the columns of a store, which must be others than those that were refused.

        They may be the same again where a store is changed while this is asked.
        """
        self.leave()
        shapes = {}
        for store in at.stores:
            with suppress(RefusedError, LostError):
                shapes[store] = Shape.of(self.columns(at.gateway, store))
        # What was prepared before has other columns than a new statement of the same text.
        known = {store: self.shapes.get(store, Shape()) for store in at.others}
        known[at.store] = at.shape
        is_same = shapes == known and not self.concerns(at, at.began_s)
        if is_same and error.sqlstate != "0A000":
            self.answers.fail("columns are unknown without a change", f"{error}: {at}")
        else:
            self.answers.refuse(error.sqlstate)
        self.shapes.update(shapes)

    def columns(self, gateway: Gateway, store: str) -> list[str]:
        """Return the columns of a store, in a new session.

        Raises:
            RefusedError: the answer is an error.
            LostError: there is none.
        """
        told = self.http.post(gateway, "/v1/query", {"sql": f"SELECT * FROM {store} LIMIT 0"})
        return [column["name"] for column in told["columns"]]

    def shape(self, store: str) -> Shape:
        """Return the columns of a store, as far as the reader knows."""
        return self.shapes.setdefault(store, Shape())

    def change(self) -> None:
        """Go on at another gateway; on the wire that is another session."""
        self.leave()
        if self.chance.random() < 0.5:
            self.sessions = {}
        self.gateways = [*self.gateways[1:], self.gateways[0]]

    def drop(self, error: RefusedError | LostError) -> None:  # noqa: B027 (most hold nothing)
        """Forget what is held between turns, if it cannot be used after this error."""

    def session(self, at: Turn) -> dict[int, int]:
        """Return the position that was read of the stores of a turn.

        Each store has its own pipeline: one that is behind another is no error.
        """
        return merged(*(self.sessions.get(store, {}) for store in at.stores))

    def reached(self, at: Turn, position: Position) -> None:
        """Remember the position of an answer."""
        for store in at.stores:
            self.sessions[store] = merged(self.sessions.get(store, {}), position)

    def wake(self) -> None:  # noqa: B027 (most do not wait)
        """End a wait of the thread that reads, once it is stopped."""

    def leave(self) -> None:
        """Close the connections."""
        self.http.close()
        self.wire.close()
