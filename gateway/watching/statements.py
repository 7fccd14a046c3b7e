"""What watches statements is told when each begins and ends, what it read, how it failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Protocol, TypeAlias

from stategate.planner.engine import PartitionAnswer, Session, Trace, statement_shape

Times: TypeAlias = Mapping[tuple[str, int], tuple[int, int]]
"""When each partition was asked, and when it was done, in epoch nanoseconds."""


_KEPT_LENGTH_MAX: Final = 2_000
"""The shapes of longer texts are not kept."""
_kept_shape = lru_cache(maxsize=1_024)(statement_shape)


def shape_of(sql: str) -> str:
    """Return the text of a statement without its values."""
    return _kept_shape(sql) if len(sql) <= _KEPT_LENGTH_MAX else statement_shape(sql)


class Read:
    """A partition that was asked."""

    __slots__ = ("epoch", "node", "partition", "reason", "rows", "store")

    def __init__(
        self,
        store: str,
        partition: int,
        epoch: int,
        rows: int,
        *,
        node: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.store, self.partition, self.epoch, self.rows = store, partition, epoch, rows
        self.node, self.reason = node, reason


def reads_of(partitions: Iterable[PartitionAnswer]) -> list[Read]:
    """Return the partitions that a statement or a query by name has asked."""
    return [
        Read(
            each.store,
            each.partition,
            each.epoch,
            each.rows,
            node=each.node,
            reason=each.reason,
        )
        for each in partitions
    ]


class Watched(Protocol):
    """A statement or query by name that has begun; it ends once."""

    @property
    def is_recording(self) -> bool:
        """Whether it is kept; if not, nothing needs to be measured for it."""

    @property
    def trace(self) -> Trace | None:
        """The trace for other nodes; None without one."""

    def end(
        self,
        sql: str | None,
        *,
        rows: int,
        reads: Sequence[Read],
        times: Times | None = None,
        batch: int = 1,
    ) -> None:
        """End a statement that has returned its rows.

        Args:
            sql: its text, which is kept without its values; None for a query by name.
            rows: how many rows it returned.
            reads: the partitions that it asked.
            times: when each of them was read; without them, as long as the statement ran.
            batch: for how many sets of parameters it ran.
        """

    def give_up(self, sql: str, *, is_overdue: bool) -> None:
        """End a lookup that other nodes were asked for in vain.

        Args:
            sql: its text, which is kept without its values.
            is_overdue: whether it took too long, so that the statement is run anew.
        """

    def fail(
        self,
        sql: str | None,
        error: BaseException,
        *,
        reads: Sequence[Read] = (),
        times: Times | None = None,
    ) -> None:
        """End a statement that has failed."""

    def end_beginning(
        self, sql: str, stores: Sequence[str], *, rows: int | None, epoch: int | None
    ) -> None:
        """End the beginning of a subscription, which goes on.

        Args:
            sql: the text of its statement, which is kept without its values.
            stores: the stores that it reads.
            rows: how many rows it began with; None if it was closed before it began.
            epoch: the epoch of these rows; None without any.
        """


class Watcher(Protocol):
    """Begins to watch statements. Safe to use from many threads."""

    def begin(self, kind: str, session: Session, *, store: str | None = None) -> Watched:
        """Watch a statement of a session from now on.

        Args:
            kind: the command tag of the statement, or the name of the query.
            session: its session.
            store: the only store that it may ask, if that is known.
        """

    def read_tags(self, sql: str, session: Session) -> None:
        """Take note of the tags of a text that is about to run."""
