"""Measure ours and a rival in turn, take medians, and print one table of ratios.

Both sides run in the same run, alternating, so that other load affects both alike. Absolute numbers
mean little across runs; ratios do.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class BenchError(RuntimeError):
    """A measurement cannot be trusted: a client failed, or the two sides answered differently."""


class UnavailableError(BenchError):
    """A program that a measurement needs is not installed."""


class Better(Enum):
    """Whether more or less is better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One row of the table."""

    work: str
    unit: str
    ours: float
    rival: float
    rival_name: str
    better: Better = Better.HIGHER
    ratio_least: float | None = None
    """Least ratio; None without such a bar."""
    ours_most: float | None = None
    """Limit of our own number, in `unit`, whatever the rival does."""

    @property
    def ratio(self) -> float:
        """Ours against the rival; above 1 is better for us."""
        high, low = (
            (self.ours, self.rival) if self.better is Better.HIGHER else (self.rival, self.ours)
        )
        return high / low if low else float("inf")

    @property
    def met(self) -> bool:
        """Whether every bar is met."""
        ratio_met = self.ratio_least is None or self.ratio >= self.ratio_least
        return ratio_met and (self.ours_most is None or self.ours <= self.ours_most)

    @property
    def bar(self) -> str:
        """The bar in words."""
        if self.ours_most is not None:
            return f"≤ {_number(self.ours_most)} {self.unit}"
        return "" if self.ratio_least is None else f"≥ {self.ratio_least:.2f} x"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMeasured:
    """A row without numbers, with the reason."""

    work: str
    reason: str
    failed: bool
    """True if something went wrong; False if a program is not installed."""


Line: TypeAlias = Measured | NotMeasured

HEADER = ("work", "ours", "rival", "unit", "ratio", "bar", "")


def by_turns(
    ours: Callable[[], float], rival: Callable[[], float], *, rounds: int
) -> tuple[float, float]:
    """Return both medians, after one round that warms caches and plans.

    Every second round begins with the rival, so that neither always runs on the warmer machine.
    """
    ours()
    rival()
    mine: list[float] = []
    theirs: list[float] = []
    for number in range(rounds):
        turns = [(ours, mine), (rival, theirs)]
        for run, results in turns if number % 2 == 0 else reversed(turns):
            results.append(run())
    return statistics.median(mine), statistics.median(theirs)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    if not values:
        raise BenchError("no value was measured")
    ordered = sorted(values)
    rank = -(-len(ordered) * share // 1)
    return ordered[min(len(ordered), max(1, int(rank))) - 1]


def table(lines: Sequence[Line]) -> str:
    """Format all rows under one header; rows without numbers show the reason."""
    rows = [HEADER, *(_cells(line) for line in lines if isinstance(line, Measured))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    shown = [_aligned(row, widths) for row in rows]
    shown.insert(1, "─" * max(map(len, shown)))
    for line in lines:
        if isinstance(line, NotMeasured):
            shown.append(f"{line.work}: {'FAILED' if line.failed else 'skipped'}: {line.reason}")
    return "\n".join(shown)


def _cells(line: Measured) -> tuple[str, ...]:
    return (
        f"{line.work} vs {line.rival_name}",
        _number(line.ours),
        _number(line.rival),
        line.unit,
        f"{line.ratio:.2f} x",
        line.bar,
        "" if not line.bar else "ok" if line.met else "BELOW",
    )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    left = {0, 3, 6}
    cells = [
        cell.ljust(width) if column in left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
