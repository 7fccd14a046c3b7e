"""The answers of a run, each checked against the ledger once the records before it are settled."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass

from tests.chaos.changes import Changes
from tests.chaos.judging import Answer, faults_of
from tests.chaos.ledger import Ledger

_SHOWN_MAX = 5
"""Violations of a kind that are shown in words; further ones are counted."""


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
        self.changes = Changes()
        self._waiting: deque[Answer] = deque()
        self._lock = threading.Lock()
        self._newest: dict[str, dict[int, int]] = {}
        self.asked: Counter[str] = Counter()
        """Kind of question → statements."""
        self.failed: Counter[str] = Counter()
        """What was wrong with a statement that got no answer, though it should → how often."""
        self.gaps: dict[str, Gap] = {}
        """Kind of question → the longest time in which no reader got an answer."""
        self.checked: Counter[str] = Counter()
        """Kind of question → answers that were compared with the input."""
        self.rows_checked = 0
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
            if answer.is_own:
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
            if self.violations[kind] <= _SHOWN_MAX:
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
                self.checked[answer.kind] += 1
                self.rows_checked += len(answer.rows)
            for kind, what in faults_of(answer, self.ledger):
                self.violate(kind, f"{answer.reader}, {answer.kind}, store {answer.store}: {what}")
