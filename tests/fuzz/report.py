"""Results of a run of the fuzz, and its verdict in one line."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A case with a wrong answer."""

    part: str
    """Part of the fuzz: `select`, `wire`, …"""
    case: int
    """Number of the case; with the seed it gives the same case again."""
    kind: str
    """Text that failures of one cause share, as far as a program can tell."""
    what: str
    """How to reproduce it, what was found and what was expected."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """The length of a part: a number of seconds or of rounds."""

    seconds: float | None = None
    rounds: int | None = None
    only: int | None = None
    """Number of the only case to run, if one was given."""
    _began: float = field(default_factory=time.monotonic)

    def cases(self) -> range:
        """Yield the numbers of the cases to run."""
        if self.only is not None:
            return range(self.only, self.only + 1)
        return range(self.rounds if self.rounds is not None else 1 << 62)

    def spent(self) -> bool:
        """Whether the time is used up."""
        return self.seconds is not None and time.monotonic() - self._began > self.seconds


@dataclass(slots=True, kw_only=True)
class Report:
    """Counts and failures of a run; failures are printed at once."""

    seed: int
    cases: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    shown_max: int = 3
    """Failures of one kind that are shown; the others are counted."""

    def random(self, part: str, case: int) -> random.Random:
        """Return a case's source of randomness, the same for the same seed, part and number."""
        return random.Random(f"{self.seed}:{part}:{case}")

    def passed(self, outcome: str = "") -> None:
        """Count a case and its outcome."""
        self.cases += 1
        if outcome:
            self.counts[outcome] += 1

    def is_known(self, kind: str) -> bool:
        """Whether enough failures of this kind are shown, so that another need not be shrunk."""
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
        """Print which part could not run, and why."""
        self.skipped.append(what)
        print(f"skipped: {what}")

    def verdict(self) -> str:
        """Return the last line of the run."""
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"fuzz: {self.cases} cases, {len(self.failures)} failures{skipped}, seed {self.seed}"
