"""Answers of few rows that are given again while their partitions stand where they stood.

For a key that is looked up again and again this saves more than half of the work: its partition is
not asked, and its row is not encoded again. For a statement of many viewers, as the top ten of a
store or its newest windows, it saves nearly all.

The answer to a lookup of one key is kept at once while there is room, and later when its parameters
come for the second time, since of a large store most keys come once. An epoch that leaves its row
as it was costs one read, not what was made of the row. Other answers are always kept the second
time, because they take more memory, and each epoch ends them.
"""

from __future__ import annotations

import threading
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import count
from types import NoneType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from stategate.planner.running.node_answers import ReadStore
from stategate.planner.values.statement import EncodedRows, LookedUp
from stategate.stores.spec.position import EMPTY, Progress
from stategate.stores.spec.schema import DataType, Kind, Row

BYTES_MAX = 64 << 20
"""Memory of all answers, about, by default."""
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
_ANSWER_BYTES, _ROW_BYTES, _VALUE_BYTES = 350, 100, 50
"""Memory of an answer, with its place among the others; of a row, and of its message; and of a
value, beside its text. The message is as long as the texts."""
_ENTRY_BYTES = 150
"""Memory of the offset of one partition in a position."""
_SHORT_BYTES = 12
"""The text of a value that is no text, about."""
_MARK_BYTES = 1 << 10
"""For so much memory, parameters that came once have one place, where their hash is remembered."""
_MARKS_MIN = 1 << 10

Asked: TypeAlias = tuple[int, Row]
"""The number of a plan, and its parameters."""


class Kept(Struct, frozen=True, gc=False):
    """An answer that is kept."""

    found: LookedUp
    size_bytes: int
    """About the memory that it takes; 0 before it is kept."""


class KeptAnswer(Kept, frozen=True, gc=False):
    """The answer to a lookup of one key."""

    partition: int
    progress: Progress
    """Where the partition stood: the answer is right while it has this very object."""
    value: Row | None
    """What the partition answered. A cache of rows gives the same object until the row changes."""

    @staticmethod
    def of(
        found: LookedUp,
        partition: int,
        progress: Progress,
        value: Row | None,
        before: KeptAnswer | None,
    ) -> KeptAnswer:
        """Return an answer to keep, with the rows that were made of the same value before.

        Args:
            found: the answer.
            partition: the partition that gave it.
            progress: where that stands.
            value: the value that it gave.
            before: the answer that was kept; None without one.
        """
        if before is None or value is not before.value:
            return KeptAnswer(found, 0, partition, progress, value)
        known = before.found.kept
        kept = None if known is None else EncodedRows(rows=known.rows)
        again = replace(found, rows=before.found.rows, kept=kept)
        return KeptAnswer(again, 0, partition, progress, value)


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


class KeptAnswers:
    """The kept answers of an engine; those that were kept first are dropped first.

    Threads may share it: what gets lost costs only time.

    Law: an answer is that of the partitions as they stand, whatever was kept.

    Args:
        capacity_bytes: the memory of all answers, about.
    """

    __slots__ = (
        "_capacity_bytes",
        "_changing",
        "_dropped_bytes",
        "_filled_bytes",
        "_kept",
        "_marks",
        "_numbers",
        "_order",
        "_position",
        "_used_bytes",
        "get",
        "given",
    )

    def __init__(self, capacity_bytes: int = BYTES_MAX) -> None:
        self.given = 0
        """How many were given again."""
        self._capacity_bytes = capacity_bytes
        self._filled_bytes = capacity_bytes - capacity_bytes // 8
        """From here on there is no room: fewer are hardly left after some were dropped."""
        self._used_bytes = self._dropped_bytes = 0
        self._changing = threading.Lock()
        self._kept: dict[Asked, Kept] = {}
        self._order: deque[Asked] = deque()
        """The keys of `_kept` as they came; an ordered dictionary takes more memory."""
        self._position = EMPTY
        """That of the answer that was kept last. The answers of an epoch share one, which counts as
        memory of the first of them: those of a quiet store may each have their own."""
        self.get: Callable[[Asked], Any] = self._kept.get
        """Returns the answer of a plan to some parameters, of the kind that the plan keeps; None
        without one. The caller checks where it stood."""
        self._marks: array[int] | None = None
        self._numbers = count()

    def number(self) -> int:
        """Return the number of a new plan."""
        return next(self._numbers)

    def of(self, parameters: Sequence[DataType]) -> KeptAnswers:
        """Return the answers of a plan with such parameters: these, or ones that keep nothing."""
        return self if all(each.kind in _EXACT for each in parameters) else _NEVER_KEPT

    @property
    def turns(self) -> int:
        """How often as many were dropped as there is room for."""
        return self._dropped_bytes // max(1, self._capacity_bytes)

    def admits(self, asked: Asked) -> bool:
        """Whether to keep the answer to a lookup of one key."""
        return self._used_bytes < self._filled_bytes or self.has_come(asked)

    def has_come(self, asked: Asked) -> bool:
        """Whether a plan had these parameters before, as far as is remembered; it has them now."""
        marks = self._marks
        if marks is None:
            places = max(_MARKS_MIN, self._capacity_bytes // _MARK_BYTES)
            # A power of two, so that the last bits of a hash are a place.
            marks = self._marks = array("q", bytes(8 << (places - 1).bit_length()))
        mark = hash(asked)
        place = mark & (len(marks) - 1)
        found = marks[place] == mark
        marks[place] = mark
        return found

    def keep(self, asked: Asked, answer: Kept) -> LookedUp:
        """Keep an answer if it is small; return it, with a place for its encoded rows.

        Args:
            asked: what was asked.
            answer: the answer, new or renewed.
        """
        found = answer.found
        size_bytes = _size_bytes(asked[1], found.rows)
        if size_bytes is None or size_bytes > self._capacity_bytes:
            return found
        if found.kept is None:
            found = replace(found, kept=EncodedRows())
        position, kept = found.position, self._kept
        with self._changing:
            if position is not self._position:
                self._position = position
                size_bytes += _ENTRY_BYTES * sum(len(each) for _, each in position.components)
            answer = replace(answer, found=found, size_bytes=size_bytes)
            before = kept.get(asked)
            kept[asked] = answer
            self._used_bytes += answer.size_bytes
            if before is None:
                self._order.append(asked)
            else:
                self._used_bytes -= before.size_bytes
            while self._used_bytes > self._capacity_bytes:
                oldest = kept.pop(self._order.popleft())
                self._used_bytes -= oldest.size_bytes
                self._dropped_bytes += oldest.size_bytes
        return found


class Worth:
    """Whether the answers of a plan are worth keeping, as the last ones show.

    A statement over thousands of ranges repeats each of them now and then. To keep those would cost
    more than it saves, and would push out the answers that are in demand.
    """

    __slots__ = ("_kept", "_rest", "_turns", "given")

    def __init__(self) -> None:
        self.given = 0
        """How many were given again of those that were kept lately."""
        self._kept = self._rest = self._turns = 0

    def is_tried(self) -> bool:
        """Return whether to keep the next answer if its parameters have come before."""
        if not self._rest:
            return True
        self._rest -= 1
        return False

    def note_kept(self, turns: int) -> None:
        """Record that an answer is kept; if the last were hardly given, the next ones rest.

        Args:
            turns: how often all kept answers were dropped. What was not given until then never is;
                before, it may still be, so that less is asked.
        """
        self._kept += 1
        if turns != self._turns or self._kept == _TRIED:
            least = self._kept // (_GIVEN_SHARE if turns == self._turns else 2)
            self._rest = 0 if self.given > least else _REST * self._kept
            self._kept, self.given, self._turns = 0, 0, turns


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
    return KeptRows(found, 0, tuple(stood)) if stood and not found.nodes else None


class NeverKept(KeptAnswers):
    """Keeps nothing: for plans whose parameters cannot be compared, or have no hash."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0)
        self.get = _nothing

    def has_come(self, asked: Asked) -> bool:
        """Return that they have not, so that nothing is kept."""
        return False


def _nothing(_: Asked) -> None:
    return None


_NEVER_KEPT = NeverKept()


def _size_bytes(parameters: Row, rows: Sequence[Row]) -> int | None:
    """Return about the memory of an answer with its message; None if it is too large to keep."""
    if len(rows) > ANSWER_ROWS_MAX:
        return None
    size = _ANSWER_BYTES
    for row in (parameters, *rows):
        size += _ROW_BYTES
        for value in row:
            size += _VALUE_BYTES
            if type(value) in _SHORT:
                size += _SHORT_BYTES
            elif isinstance(value, str | bytes) and len(value) <= TEXT_BYTES_MAX:
                size += 2 * len(value)
            else:
                return None
    return size
