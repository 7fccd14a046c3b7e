"""Queries by name and their answers: the values that pass between the planner and its server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import PartitionAnswer
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import Batch
from stategate.stores.spec.schema import Column, DataType, Row, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a query."""

    name: str
    types: tuple[DataType, ...]
    """Its type, or the type of each key column if it is a key."""
    is_key: bool
    required: bool
    is_prefix: bool = False
    """Whether a key may lack its last columns."""
    is_list: bool = False
    """Whether it is a list of keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedQuery:
    """A query by name, as one store answers it."""

    store: str
    name: str
    arguments: Mapping[str, Argument]
    about: str | None = None
    """What it gives, as a sentence; None for a registered one."""
    result: DataType | None
    """The type of its value; None if it returns rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of one partition: one row as a tuple, or batches."""

    columns: tuple[Column, ...]
    batches: tuple[Batch, ...] = ()
    row: Row | None = None
    """The only row, of a query of one key."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        batches: list[int] = [batch.num_rows for batch in self.batches]
        return sum(batches) + (self.row is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedResult:
    """The answer of one partition."""

    answer: PartitionAnswer
    position: Position
    value: Value | Rows
    """The value; None if the partition failed."""
    read_ns: tuple[int, int]
    """When it was asked and when its last row was read, in epoch nanoseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAnswer:
    """The answers of all partitions that were asked."""

    position: Position
    partitions: tuple[TypedResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReplica:
    """A replica of a partition."""

    node: str
    role: str
    state: str
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a key is."""

    store: str
    partition: int
    replicas: tuple[NodeReplica, ...]
    """Those on nodes that can be asked, the best one first."""


class Ask(Protocol):
    """Asks the partitions of a store."""

    def __call__(
        self,
        query: TypedQuery,
        arguments: Mapping[str, Value],
        session: Session,
        *,
        partitions: frozenset[int] | None = None,
        active: bool = False,
        cancellation: Cancellation,
    ) -> TypedAnswer:
        """Ask the partitions of a store.

        Args:
            query: as `describe` returns it.
            arguments: physical values by name.
            session: its settings decide how fresh the answer must be.
            partitions: the partitions to ask; None for all.
            active: whether to ask active replicas only.
            cancellation: ends it early.

        Raises:
            InvalidValueError: the arguments are wrong, or a partition does not exist.
            PermissionDeniedError: the user of the session may not read the store (42501).
            QueryError: a partition failed, and the session does not accept partial answers.
            LimitExceededError: the answer has more than rows or bytes than `AnswerBudget` has.
        """
