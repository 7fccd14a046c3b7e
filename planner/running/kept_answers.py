"""Answers of lookups that are given again while their partition stands where it stood.

For a key that is looked up again and again this saves half of the work: its partition is not asked,
and its row is not encoded again. An answer is kept when its parameters come for the second time,
since of a large store most keys come once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import count
from types import NoneType
from typing import TypeAlias

from msgspec import Struct

from planner.values.statement import EncodedRows, LookedUp
from stores.spec.position import Progress
from stores.spec.schema import DataType, Kind, Row

ANSWERS_MAX = 8_192
"""Answers of all statements together, some 8 MB. Beyond it all are dropped, and those that are in
demand come back."""
TEXT_BYTES_MAX = 128
"""An answer with a longer value is not kept."""
_EXACT = frozenset(
    {
        *(Kind.TEXT, Kind.UUID, Kind.BYTEA, Kind.BOOLEAN, Kind.SMALLINT, Kind.INTEGER),
        *(Kind.BIGINT, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
    }
)
"""Types of parameters whose equal values look the same; 0.0 and -0.0 do not."""
_SHORT = frozenset({NoneType, bool, int, float, Decimal})
_MARKS = 1 << 14
"""Parameters that came once are remembered by their hashes; a power of two."""

Asked: TypeAlias = tuple[int, Row]
"""The number of a plan, and its parameters."""


class KeptAnswer(Struct, frozen=True, gc=False):
    """The answer to a lookup."""

    partition: int
    progress: Progress
    """Where the partition stood: the answer is right while it has this very object."""
    found: LookedUp


class KeptAnswers:
    """The kept answers of an engine. Threads may share it: what gets lost costs only time.

    Law: an answer is that of the partition as it stands, whatever was kept.
    """

    __slots__ = ("_kept", "_marks", "_numbers", "get", "given")

    def __init__(self) -> None:
        self.given = 0
        """How many were given again."""
        self._kept: dict[Asked, KeptAnswer] = {}
        self.get: Callable[[Asked], KeptAnswer | None] = self._kept.get
        """Returns the answer of a plan to some parameters; the caller checks its progress."""
        self._marks = array("q", bytes(8 * _MARKS))
        self._numbers = count()

    def number(self) -> int:
        """Return the number of a new plan."""
        return next(self._numbers)

    def of(self, parameters: Sequence[DataType]) -> KeptAnswers:
        """Return the answers of a plan with such parameters: these, or ones that keep nothing."""
        return self if all(each.kind in _EXACT for each in parameters) else _NEVER_KEPT

    def has_come(self, asked: Asked) -> bool:
        """Whether a plan had these parameters before, as far as is remembered; it has them now."""
        mark = hash(asked)
        place = mark & (_MARKS - 1)
        found = self._marks[place] == mark
        self._marks[place] = mark
        return found

    def keep(
        self, asked: Asked, found: LookedUp, *, partition: int, progress: Progress
    ) -> LookedUp:
        """Keep an answer if it is small; return it, with a place for its encoded rows."""
        if not _is_small((asked[1], *found.rows)):
            return found
        found = LookedUp(found.rows, found.reads, found.position, found.nodes, EncodedRows())
        if len(self._kept) >= ANSWERS_MAX:
            self._kept.clear()
        self._kept[asked] = KeptAnswer(partition, progress, found)
        return found


class _NeverKept(KeptAnswers):
    """The answers of plans whose parameters cannot be compared, or have no hash."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.get = _nothing

    def has_come(self, asked: Asked) -> bool:
        return False


def _nothing(_: Asked) -> None:
    return None


_NEVER_KEPT = _NeverKept()


def _is_small(rows: tuple[Row, ...]) -> bool:
    return all(
        type(value) in _SHORT or (isinstance(value, str | bytes) and len(value) <= TEXT_BYTES_MAX)
        for row in rows
        for value in row
    )
