"""Results of queries: for each partition a success or a failure, with the position it was read at.

Positions and failures are never dropped: a caller that ignores them does so in its own code.

These are structs of msgspec, since each query makes one for each partition. Making a frozen
dataclass takes a third of the time of a read from RocksDB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Literal, NoReturn, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.spec.position import EMPTY, Position, merge_positions

R = TypeVar("R")
S = TypeVar("S")


class ResultError(StoreError, ValueError):
    """The value of a failure was read, or the reason of a success."""


class Success(Struct, Generic[R], frozen=True, kw_only=True):
    """The answer of one partition; a `value` of None says that there is no such key."""

    is_success: ClassVar[Literal[True]] = True

    value: R
    position: Position
    epoch: int
    info: tuple[str, ...] = ()
    """One line per layer, innermost first, if the request asked for execution info."""
    node: str | None = None
    """The other node that answered; None for this one."""

    @property
    def reason(self) -> NoReturn:
        """Raise: a success has no reason for a failure.

        Raises:
            ResultError: always.
        """
        raise ResultError("no reason: the partition answered")

    def swap(self, value: S) -> Success[S]:
        """Return the same answer with another value, for a layer that wraps a store."""
        return Success(
            value=value,
            position=self.position,
            epoch=self.epoch,
            info=self.info,
            node=self.node,
        )


class Failure(Struct, frozen=True, kw_only=True):
    """Why a partition did not answer."""

    is_success: ClassVar[Literal[False]] = False

    reason: FailureReason
    message: str
    position: Position = EMPTY
    epoch: int = -1
    info: tuple[str, ...] = ()
    restoring: bool = False
    """Whether it refused because it has yet to apply the epochs that the log held at its start."""
    node: str | None = None
    """The other node that failed; None for this one."""

    @property
    def value(self) -> NoReturn:
        """Raise: a failure has no value.

        Raises:
            ResultError: always, with the reason.
        """
        raise ResultError(f"no value: {self.reason.value}: {self.message}")

    def swap(self, value: object) -> Failure:
        """Return the failure itself, which has no value."""
        del value
        return self


QueryResult: TypeAlias = Success[R] | Failure


class StateQueryResult(Struct, Generic[R], frozen=True, kw_only=True):
    """The answers of all partitions that were asked, by partition number."""

    partitions: Mapping[int, QueryResult[R]]
    is_global: bool = False
    """Whether the store is global: one partition that is whole on every node."""

    @property
    def global_result(self) -> QueryResult[R] | None:
        """The answer of a global store; None for any other store, or without an answer.

        Unlike in Kafka, it is also that of partition 0, so readers of partitions need no special
        case.
        """
        return self.partitions.get(0) if self.is_global else None

    @property
    def position(self) -> Position:
        """The merged positions of all partitions; as the next bound it keeps reads monotonic."""
        return merge_positions(result.position for result in self.partitions.values())

    @property
    def failures(self) -> dict[int, Failure]:
        """The partitions that did not answer."""
        return {p: r for p, r in self.partitions.items() if isinstance(r, Failure)}

    def only_partition_result(self) -> Success[R] | None:
        """Return the only answer with a value; None without a value, or without a partition.

        Raises:
            ResultError: a partition failed, or more than one holds a value.
        """
        only: Success[R] | None = None
        held = 0
        for partition, result in self.partitions.items():
            if not result.is_success:
                raise ResultError(
                    f"partition {partition} failed: {result.reason.value}: {result.message}"
                )
            if result.value is not None:
                only, held = result, held + 1
        if held > 1:
            raise ResultError(f"{held} partitions hold a value, not one")
        return only


_Result = TypeVar("_Result", bound=Success[Any] | Failure)


def add_info(result: _Result, line: str) -> _Result:
    """Return the result with one more line of execution info, after those of the inner layers."""
    return replace(result, info=(*result.info, line))
