"""Decides whether to try to read the few rows of a statement one by one."""

from __future__ import annotations

_MISSES_MAX = 6


class Trials:
    """Counts the tries of a plan that have read too many rows in vain.

    A statement that has found too many rows will probably do so again. Rows read in vain cost less
    than a millisecond; even so, the next 2 statements do not try, then 4, 8 and so on.
    """

    __slots__ = ("_misses", "_skipped")

    def __init__(self) -> None:
        self._misses = self._skipped = 0

    @property
    def is_skipped(self) -> bool:
        """Whether to skip the try now, because recent tries read too many rows."""
        return self._skipped > 0

    def count_statement(self) -> None:
        """Count a statement that runs the usual way; after some of them there is another try."""
        if self._skipped:
            self._skipped -= 1

    def note(self, *, missed: bool) -> None:
        """Record whether too many rows were read in vain."""
        self._misses = min(self._misses + 1, _MISSES_MAX) if missed else 0
        self._skipped = 1 << self._misses if missed else 0
