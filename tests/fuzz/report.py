"""What a run of the fuzz found, and the one line that says so."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A case whose answer is wrong."""

    part: str
    """Of the fuzz: `select`, `wire`, …"""
    case: int
    """Its number; with the seed it gives the same case again."""
    kind: str
    """What failures of one cause share, as far as a program can tell."""
    what: str
    """How to see it, and what was found for what was expected."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """How long a part may run: some seconds, or some rounds."""

    seconds: float | None = None
    rounds: int | None = None
    only: int | None = None
    """Run this case alone."""
    _began: float = field(default_factory=time.monotonic)

    def cases(self) -> range:
        """The cases to run, as long as `spent` is false."""
        if self.only is not None:
            return range(self.only, self.only + 1)
        return range(self.rounds if self.rounds is not None else 1 << 62)

    def spent(self) -> bool:
        """Whether the time is over."""
        return self.seconds is not None and time.monotonic() - self._began > self.seconds


@dataclass(slots=True, kw_only=True)
class Report:
    """Counts and failures of a run, printed as they come."""

    seed: int
    cases: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    shown_max: int = 3
    """Failures of one kind that are shown; the others are counted."""

    def random(self, part: str, case: int) -> random.Random:
        """The source of chance of one case: the same for the same seed, part and number."""
        return random.Random(f"{self.seed}:{part}:{case}")

    def passed(self, outcome: str = "") -> None:
        """Count a case, and under its outcome."""
        self.cases += 1
        if outcome:
            self.counts[outcome] += 1

    def is_known(self, kind: str) -> bool:
        """Whether enough of this kind are shown, so that it need not be made small."""
        return self.kinds[kind] >= self.shown_max

    def failed(self, failure: Failure) -> None:
        """Count a case that failed, and show it if its kind is new."""
        self.cases += 1
        self.kinds[failure.kind] += 1
        self.failures.append(failure)
        if self.kinds[failure.kind] <= self.shown_max:
            again = f"--parts {failure.part} --seed {self.seed} --case {failure.case}"
            print(f"\nFAILED {failure.part}: {failure.kind}   (again: {again})\n{failure.what}")

    def skip(self, what: str) -> None:
        """Say what could not be run, and why."""
        self.skipped.append(what)
        print(f"skipped: {what}")

    def verdict(self) -> str:
        """The last line."""
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"fuzz: {self.cases} cases, {len(self.failures)} failures{skipped}, seed {self.seed}"
