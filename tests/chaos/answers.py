"""The answers of a run, each checked against the ledger once the records before it are settled."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass

from tests.chaos.ledger import Ledger, Position, Row

_SHOWN_MAX = 20
"""Violations that are kept in words; further ones are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a reader was told."""

    reader: str
    kind: str
    """The kind of the question."""
    store: str
    keys: tuple[str, ...] | None
    """The keys that it asked for; None for all."""
    rows: Mapping[str, Row]
    position: Position
    """The input that the gateway says the rows reflect."""
    least: Position
    """The input that they must reflect: the bound, the session's, and what a restart must keep."""
    received_s: float


@dataclass(slots=True)
class Gap:
    """The longest time without an answer.

    Args:
        since_s: when the last answer came; None if the next one ends no gap.
    """

    since_s: float | None = None
    longest_s: float = 0.0

    def answered(self, at_s: float) -> None:
        """Take note of an answer."""
        if self.since_s is not None:
            self.longest_s = max(self.longest_s, at_s - self.since_s)
        self.since_s = at_s

    def rest(self) -> None:
        """Do not count the time from now to the next answer."""
        self.since_s = None


class Answers:
    """Collects the answers of all readers. Safe to share between threads."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._waiting: deque[Answer] = deque()
        self._lock = threading.Lock()
        self._newest: dict[str, dict[int, int]] = {}
        self.asked: Counter[str] = Counter()
        """Kind of question → statements."""
        self.failed: Counter[str] = Counter()
        """What was wrong with a statement that got no answer, though it should → how often."""
        self.gaps: dict[str, Gap] = {}
        """Kind of question → the longest time in which no reader got an answer."""
        self.checked = self.rows_checked = 0
        """Answers that were compared with the input, and their rows."""
        self.answered: Counter[str] = Counter()
        """Kind of question → answers."""
        self.refused: Counter[str] = Counter()
        """SQLSTATE, or another kind of refusal, → how often."""
        self.violations: Counter[str] = Counter()
        self.shown: list[str] = []

    def ask(self, kind: str) -> None:
        """Count a statement that is sent."""
        with self._lock:
            self.asked[kind] += 1

    def add(self, answer: Answer) -> None:
        """Keep an answer until it can be checked."""
        with self._lock:
            self.answered[answer.kind] += 1
            self.gaps.setdefault(answer.kind, Gap()).answered(answer.received_s)
            self._waiting.append(answer)
            newest = self._newest.setdefault(answer.store, {})
            for partition, offset in answer.position.items():
                newest[partition] = max(offset, newest.get(partition, -1))

    def end(self, now_s: float) -> None:
        """Count the time since the last answers, before readers stop."""
        with self._lock:
            for gap in self.gaps.values():
                gap.answered(now_s)

    def refuse(self, kind: str) -> None:
        """Count a refusal of a documented kind."""
        with self._lock:
            self.refused[kind] += 1

    def fail(self, kind: str, what: str) -> None:
        """Note a statement that got no answer, and no documented refusal either."""
        with self._lock:
            self.failed[kind] += 1
        self.violate(kind, what)

    def violate(self, kind: str, what: str) -> None:
        """Note a violation."""
        with self._lock:
            self.violations[kind] += 1
            if len(self.shown) < _SHOWN_MAX:
                self.shown.append(f"{kind}: {what}")
                print(f"FAILED {kind}: {what}", flush=True)

    def newest(self) -> dict[str, dict[int, int]]:
        """Return store → the newest position of any answer so far."""
        with self._lock:
            return {store: dict(position) for store, position in self._newest.items()}

    def check(self) -> None:
        """Check the answers that came before the first record whose fate is not known."""
        settled_s = self.ledger.open_since_s
        while True:
            with self._lock:
                if not self._waiting or self._waiting[0].received_s >= settled_s:
                    return
                answer = self._waiting.popleft()
                self.checked += 1
                self.rows_checked += len(answer.rows)
            for kind, what in faults_of(answer, self.ledger):
                self.violate(kind, f"{answer.reader}, {answer.kind}, store {answer.store}: {what}")


def faults_of(answer: Answer, ledger: Ledger) -> list[tuple[str, str]]:
    """Return what is wrong with an answer: the kind, and what was seen."""
    behind = {
        partition: (answer.position.get(partition, -1), least)
        for partition, least in answer.least.items()
        if answer.position.get(partition, -1) < least
    }
    faults = []
    if behind:
        shown = ", ".join(f"[{p}] at {has}, not {least}" for p, (has, least) in behind.items())
        faults.append(("an answer is older than its bound", shown))
    if answer.keys is None:
        expected = ledger.rows(answer.store, answer.position)
    else:
        rows = {key: ledger.row(answer.store, key, answer.position) for key in answer.keys}
        expected = {key: row for key, row in rows.items() if row is not None}
    for key in sorted({*expected, *answer.rows}):
        ours, theirs = answer.rows.get(key), expected.get(key)
        if ours == theirs:
            continue
        kind = "a row is not that of its position"
        if ours is None:
            kind = "a row that exists is missing"
        elif theirs is None:
            kind = "a row that does not exist is there"
        at = dict(sorted(answer.position.items()))
        faults.append((kind, f"key {key} is {ours}, not {theirs}, at {at}"))
    return faults
