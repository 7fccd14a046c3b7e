"""Measure ours and a rival in turn, take medians, and print one table of ratios.

Both sides run in the same run, alternating, so that other load affects both alike. Absolute numbers
mean little across runs; ratios do.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, TypeVar

T = TypeVar("T")


class BenchError(RuntimeError):
    """A measurement cannot be trusted: a client failed, or the two sides answered differently."""


class UnavailableError(BenchError):
    """A program that a measurement needs is not installed."""


class Better(Enum):
    """Whether more or less is better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds of one side's statements."""

    median_ms: float
    p99_ms: float


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
    """The least ratio that meets the bar; None without a bar for the ratio."""
    ratio_goal: float | None = None
    """The ratio to aim at; None if the least ratio is enough."""
    ours_most: float | None = None
    """Limit of our own number, in `unit`, whatever the rival does."""
    latencies: tuple[Latency, Latency] | None = None
    """Our latencies and the rival's, where each statement was timed."""

    @property
    def ratio(self) -> float:
        """Return our ratio to the rival; above 1 is better for us."""
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
        """Return the bar in words."""
        if self.ours_most is not None:
            return f"≤ {_number(self.ours_most)} {self.unit}"
        if self.ratio_least is None:
            return ""
        goal = "" if self.ratio_goal is None else f", goal {self.ratio_goal:.2f}"
        return f"≥ {self.ratio_least:.2f} x{goal}"

    @property
    def verdict(self) -> str:
        """Return `goal` if the goal is reached, else `ok` or `BELOW`; empty without a bar."""
        if not self.bar:
            return ""
        if self.ratio_goal is not None and self.ratio >= self.ratio_goal:
            return "goal"
        return "ok" if self.met else "BELOW"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The cost of one statement inside of a process, without a rival."""

    work: str
    took_us: float
    calls: int
    """Calls of Python functions, in all threads that work for the statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMeasured:
    """A row without numbers, with the reason."""

    work: str
    reason: str
    failed: bool
    """True if something went wrong; False if a program is not installed."""


Line: TypeAlias = Measured | Counted | NotMeasured

HEADER = ("work", "ours", "rival", "unit", "ratio", "bar", "")
LATENCY_HEADER = ("ours median, p99 ms", "rival median, p99 ms")
COUNTED_HEADER = ("work", "µs", "calls")


def by_turns(
    ours: Callable[[], float], rival: Callable[[], float], *, rounds: int
) -> tuple[float, float]:
    """Return both medians, after one round that warms caches and plans.

    Every second round begins with the rival, so that neither always runs on the warmer machine.
    """
    mine, theirs = turns(ours, rival, rounds=rounds)
    return statistics.median(mine), statistics.median(theirs)


def turns(*sides: Callable[[], T], rounds: int) -> list[list[T]]:
    """Return the results of each side's rounds, as `by_turns` takes them."""
    for run in sides:
        run()
    results: list[list[T]] = [[] for _ in sides]
    for number in range(rounds):
        order = list(zip(sides, results, strict=True))
        for run, found in order if number % 2 == 0 else reversed(order):
            found.append(run())
    return results


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed."""
    if not values:
        raise BenchError("no value was measured")
    ordered = sorted(values)
    rank = -(-len(ordered) * share // 1)
    return ordered[min(len(ordered), max(1, int(rank))) - 1]


def table(lines: Sequence[Line]) -> str:
    """Format the rows of each sort under one header; rows without numbers show the reason.

    Latencies have columns of their own if any row has them.
    """
    measured = [line for line in lines if isinstance(line, Measured)]
    header: tuple[str, ...] = HEADER
    rows = [_cells(line) for line in measured]
    if any(line.latencies is not None for line in measured):
        header = (*HEADER, *LATENCY_HEADER)
        rows = [row + _latency_cells(line) for row, line in zip(rows, measured, strict=True)]
    counted = [line for line in lines if isinstance(line, Counted)]
    shown = _formatted(header, rows, left={0, 3, 6}) if measured or not counted else []
    if counted:
        costs = [(line.work, _number(line.took_us), f"{line.calls:,}") for line in counted]
        shown += ([""] if shown else []) + _formatted(COUNTED_HEADER, costs, left={0})
    for line in lines:
        if isinstance(line, NotMeasured):
            shown.append(f"{line.work}: {'FAILED' if line.failed else 'skipped'}: {line.reason}")
    return "\n".join(shown)


def _formatted(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int]
) -> list[str]:
    """Return the lines of a table; all columns but some are aligned to the right."""
    everything = [header, *rows]
    widths = [max(len(row[column]) for row in everything) for column in range(len(header))]
    shown = [_aligned(row, widths, left) for row in everything]
    shown.insert(1, "─" * max(map(len, shown)))
    return shown


def _cells(line: Measured) -> tuple[str, ...]:
    return (
        f"{line.work} vs {line.rival_name}",
        _number(line.ours),
        _number(line.rival),
        line.unit,
        f"{line.ratio:.{2 if line.ratio >= 0.01 else 3}f} x",
        line.bar,
        line.verdict,
    )


def _latency_cells(line: Measured) -> tuple[str, ...]:
    if line.latencies is None:
        return "", ""
    return tuple(f"{each.median_ms:.2f}, {each.p99_ms:.2f}" for each in line.latencies)


def _aligned(row: Sequence[str], widths: Sequence[int], left: Collection[int]) -> str:
    cells = [
        cell.ljust(width) if column in left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
