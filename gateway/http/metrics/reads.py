"""The metrics of what statements read, wait for and keep from being forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from stategate.gateway.http.metrics.families import Family, counter, gauge, label_text


class PathCount(Protocol):
    """The statements of one access path, and their rows."""

    @property
    def statements(self) -> int:
        """Statements so far."""

    @property
    def read(self) -> int:
        """Rows read from stores."""

    @property
    def returned(self) -> int:
        """Rows returned."""


class BoundCount(Protocol):
    """The statements with one kind of bound."""

    @property
    def waiting(self) -> int:
        """Statements that wait now."""

    @property
    def waited(self) -> int:
        """Waits so far."""

    @property
    def waited_s(self) -> float:
        """Seconds of these waits."""

    @property
    def refused(self) -> int:
        """Statements that were refused."""


class Opened(Protocol):
    """Things that are open at one moment."""

    @property
    def count(self) -> int:
        """How many are open."""

    @property
    def oldest_s(self) -> float:
        """The age of the oldest one, in seconds."""


class ReadCounts(Protocol):
    """The counts of an engine."""

    @property
    def paths(self) -> Mapping[str, PathCount]:
        """The statements by access path."""

    @property
    def bounds(self) -> Mapping[str, BoundCount]:
        """The statements by kind of bound."""

    def open_streams(self) -> Opened:
        """Return the open streams of rows."""


_PATHS: Final[Sequence[tuple[str, str, Callable[[PathCount], int]]]] = (
    ("statements_total", "Statements that read stores, by access path.", lambda c: c.statements),
    ("statement_rows_read_total", "Rows that they read from stores.", lambda c: c.read),
    ("statement_rows_returned_total", "Rows that they returned.", lambda c: c.returned),
)
_BOUNDS: Final[Sequence[tuple[str, str, str, Callable[[BoundCount], float]]]] = (
    ("waiting", "gauge", "Statements that wait for a bound.", lambda c: c.waiting),
    ("waits_total", "counter", "Waits of a millisecond or more.", lambda c: c.waited),
    ("wait_seconds_total", "counter", "Time of these waits.", lambda c: c.waited_s),
    ("refusals_total", "counter", "Statements refused by their bound.", lambda c: c.refused),
)


def read_families(counts: ReadCounts) -> list[Family]:
    """Return the metrics of an engine."""
    found = []
    for name, about, count_of in _PATHS:
        family = Family(f"stategate_{name}", "counter", about)
        for path, count in counts.paths.items():
            family.add(label_text(path=path), count_of(count))
        found.append(family)
    for name, kind, about, value_of in _BOUNDS:
        family = Family(f"stategate_bound_{name}", kind, about)
        for bound, counted in counts.bounds.items():
            family.add(label_text(bound=bound), value_of(counted))
        found.append(family)
    opened = counts.open_streams()
    return found + opened_families("stream", "streams of rows", opened.count, opened.oldest_s)


def opened_families(name: str, what: str, count: int, oldest_s: float) -> list[Family]:
    """Return the metrics of things that are open, and so keep epochs from being forgotten.

    Args:
        name: the middle of the names of the metrics, in the singular.
        what: the words for several of them.
        count: how many are open.
        oldest_s: the age of the oldest one, in seconds; 0 without any.
    """
    return [
        gauge(f"stategate_open_{name}s", f"Open {what}.", count),
        gauge(f"stategate_open_{name}_seconds", f"Age of the oldest of the open {what}.", oldest_s),
    ]


def audit_families(dropped: int) -> list[Family]:
    """Return the metric of the audit."""
    about = "Lines of the audit that were not written."
    return [counter("stategate_audit_dropped_total", about, dropped)]
