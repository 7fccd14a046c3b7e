"""Answers of few rows that are given again while their partitions stand where they stood.

For a key that is looked up again and again this saves half of the work: its partition is not asked,
and its row is not encoded again. For a statement of many viewers, as the top ten of a store or its
newest windows, it saves nearly all. An answer is kept when its parameters come for the second time,
since of a large store most keys come once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import count
from types import NoneType
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from planner.running.node_answers import ReadStore
from planner.values.statement import EncodedRows, LookedUp
from stores.spec.position import Progress
from stores.spec.schema import DataType, Kind, Row

KEPT_MAX = 16_384
"""Answers and their rows of all statements together, some 8 MB. Beyond it all are dropped, and
those that are in demand come back."""
ANSWER_ROWS_MAX = 256
"""An answer with more rows is not kept."""
TEXT_BYTES_MAX = 128
"""An answer with a longer value is not kept."""
PARTITIONS_MAX = 64
"""Answers of stores with more partitions are not kept: to look where all stand takes too long."""
_EXACT = frozenset(
    {
        *(Kind.TEXT, Kind.UUID, Kind.BYTEA, Kind.BOOLEAN, Kind.SMALLINT, Kind.INTEGER),
        *(Kind.BIGINT, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
    }
)
"""Types of parameters whose equal values look the same; 0.0 and -0.0 do not."""
_TRIED, _GIVEN_SHARE, _REST = 1_024, 8, 64
"""After so many kept answers of a plan, one of so many was given again, or else so many times as
many statements keep none."""
_SHORT = frozenset({NoneType, bool, int, float, Decimal})
_MARKS = 1 << 14
"""Parameters that came once are remembered by their hashes; a power of two."""

Asked: TypeAlias = tuple[int, Row]
"""The number of a plan, and its parameters."""


class Kept(Struct, frozen=True, gc=False):
    """An answer that is kept."""

    found: LookedUp


class KeptAnswer(Kept, frozen=True, gc=False):
    """The answer to a lookup of one key."""

    partition: int
    progress: Progress
    """Where the partition stood: the answer is right while it has this very object."""


class KeptRows(Kept, frozen=True, gc=False):
    """The answer to a statement that read few rows of one store or several."""

    stood: tuple[tuple[int, int, Progress], ...]
    """Each partition that was read: the number of its store, its own, and where it stood."""

    def stands(self, stores: Sequence[ReadStore]) -> bool:
        """Whether all partitions stand where they stood."""
        for store, partition, progress in self.stood:
            if stores[store].standing(partition) is not progress:
                return False
        return True


K = TypeVar("K", bound=Kept)


class KeptAnswers(Generic[K]):
    """The kept answers of an engine. Threads may share it: what gets lost costs only time.

    Law: an answer is that of the partitions as they stand, whatever was kept.
    """

    __slots__ = ("_kept", "_marks", "_numbers", "_rows", "drops", "get", "given")

    def __init__(self) -> None:
        self.given = 0
        """How many were given again."""
        self.drops = 0
        """How often all were dropped."""
        self._kept: dict[Asked, K] = {}
        self._rows = 0
        self.get: Callable[[Asked], K | None] = self._kept.get
        """Returns the answer of a plan to some parameters; the caller checks where it stood."""
        self._marks = array("q", bytes(8 * _MARKS))
        self._numbers = count()

    def number(self) -> int:
        """Return the number of a new plan."""
        return next(self._numbers)

    def of(self, parameters: Sequence[DataType]) -> KeptAnswers[K]:
        """Return the answers of a plan with such parameters: these, or ones that keep nothing."""
        return self if all(each.kind in _EXACT for each in parameters) else _NEVER_KEPT

    def has_come(self, asked: Asked) -> bool:
        """Whether a plan had these parameters before, as far as is remembered; it has them now."""
        mark = hash(asked)
        place = mark & (_MARKS - 1)
        found = self._marks[place] == mark
        self._marks[place] = mark
        return found

    def keep(self, asked: Asked, answer: K) -> LookedUp:
        """Keep an answer if it is small; return it, with a place for its encoded rows."""
        found = answer.found
        if len(found.rows) > ANSWER_ROWS_MAX or not _is_small((asked[1], *found.rows)):
            return found
        found = replace(found, kept=EncodedRows())
        if self._rows >= KEPT_MAX:
            self._kept.clear()
            self._rows = 0
            self.drops += 1
        self._rows += 1 + len(found.rows)
        self._kept[asked] = replace(answer, found=found)
        return found


class Worth:
    """Whether the answers of a plan are worth keeping, as the last ones show.

    A statement over thousands of ranges repeats each of them now and then. To keep those would cost
    more than it saves, and would push out the answers that are in demand.
    """

    __slots__ = ("_drops", "_kept", "_rest", "given")

    def __init__(self) -> None:
        self.given = 0
        """How many were given again of those that were kept lately."""
        self._kept = self._rest = self._drops = 0

    def is_tried(self) -> bool:
        """Return whether to keep the next answer if its parameters have come before."""
        if not self._rest:
            return True
        self._rest -= 1
        return False

    def note_kept(self, drops: int) -> None:
        """Record that an answer is kept; if the last were hardly given, the next ones rest.

        Args:
            drops: how often all kept answers were dropped. What was not given until then never is;
                before, it may still be, so that less is asked.
        """
        self._kept += 1
        if drops != self._drops or self._kept == _TRIED:
            least = self._kept // (_GIVEN_SHARE if drops == self._drops else 2)
            self._rest = 0 if self.given > least else _REST * self._kept
            self._kept, self.given, self._drops = 0, 0, drops


Standings: TypeAlias = "Mapping[tuple[str, int], tuple[int, Progress | None]]"
"""The number of a store in a statement and where one of its partitions stands, by their names."""


def standings(stores: Sequence[ReadStore]) -> Standings | None:
    """Return where all partitions of stores stand; None if they are too many to look."""
    if sum(store.schema.partitions for store in stores) > PARTITIONS_MAX:
        return None
    return {
        (store.schema.name, partition): (number, store.standing(partition))
        for number, store in enumerate(stores)
        for partition in range(store.schema.partitions)
    }


def kept_rows(found: LookedUp, stores: Sequence[ReadStore], before: Standings) -> KeptRows | None:
    """Return an answer to keep; None if other nodes gave it, or a partition changed meanwhile.

    Args:
        found: the answer.
        stores: the stores of the statement.
        before: where their partitions stood before they were read.
    """
    stood = []
    for name, partition, epoch, _ in found.reads:
        number, progress = before[name, partition]
        if (
            progress is None
            or progress.epoch != epoch
            or stores[number].standing(partition) is not progress
        ):
            return None
        stood.append((number, partition, progress))
    return KeptRows(found, tuple(stood)) if stood and not found.nodes else None


class NeverKept(KeptAnswers[K]):
    """Keeps nothing: for plans whose parameters cannot be compared, or have no hash."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.get = _nothing

    def has_come(self, asked: Asked) -> bool:
        """Return that they have not, so that nothing is kept."""
        return False


def _nothing(_: Asked) -> None:
    return None


_NEVER_KEPT: NeverKept[Any] = NeverKept()
"""The one of all plans: its marks take as much memory as those of any other."""


def _is_small(rows: tuple[Row, ...]) -> bool:
    return all(
        type(value) in _SHORT or (isinstance(value, str | bytes) and len(value) <= TEXT_BYTES_MAX)
        for row in rows
        for value in row
    )
