"""What a statement can fail with, each class with its SQLSTATE.

A class exists only where a caller would act differently on it; `sqlstate` is set per instance where
one class covers several codes. The gateway turns these into ErrorResponse and HTTP bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from stores.errors import FailureReason


class QueryError(Exception):
    """Root of all errors of a statement.

    Args:
        message: one lower-case clause without a full stop, naming the kind and the name.
        detail: facts, as sentences.
        hint: the next act, as a sentence.
        position: 1-based character offset of the offending word in the statement's text.
        sqlstate: overrides the class's code.
    """

    sqlstate: str = "XX000"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        detail: str | None = None,
        hint: str | None = None,
        position: int | None = None,
        sqlstate: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
        if sqlstate is not None:
            self.sqlstate = sqlstate


class SyntaxProblem(QueryError):
    """The text is not SQL (42601)."""

    sqlstate = "42601"


class NameProblem(QueryError):
    """An unknown or ambiguous relation, column, function or type (42P01 and its kin)."""

    sqlstate = "42P01"


class TypeProblem(QueryError):
    """Values of types that do not go together (42804)."""

    sqlstate = "42804"


class ValueProblem(QueryError):
    """A value that does not parse, is out of range or is not allowed (22023 and its kin)."""

    sqlstate = "22023"


class NotSupported(QueryError):
    """SQL that is not run here (0A000), writes included (25006)."""

    sqlstate = "0A000"


class TransactionProblem(QueryError):
    """The transaction's state does not allow the statement (25P02, 3B001 and their kin)."""

    sqlstate = "25P02"


class LimitExceeded(QueryError):
    """A limit of the gateway was reached (54000, 53200, 53300)."""

    sqlstate = "54000"


class Cancelled(QueryError):
    """The statement was cancelled or ran into its deadline (57014)."""

    sqlstate = "57014"


class Unavailable(QueryError):
    """A partition cannot answer now; the same statement can succeed later (class 55)."""

    sqlstate = "55000"
    retryable = True


class SnapshotTooOld(QueryError):
    """A transaction reads at an epoch that is no longer kept; begin it again (72000)."""

    sqlstate = "72000"
    retryable = True


class StoreFailed(QueryError):
    """A store failed while it answered (58030)."""

    sqlstate = "58030"


class InternalProblem(QueryError):
    """A bug of ours (XX000)."""


SQLSTATE_BY_REASON: dict[FailureReason, str] = {
    FailureReason.NOT_UP_TO_BOUND: "55S01",
    FailureReason.NOT_ACTIVE: "55S02",
    FailureReason.NOT_PRESENT: "55S03",
    FailureReason.UNKNOWN_QUERY_TYPE: "0A000",
    FailureReason.DOES_NOT_EXIST: "22023",
    FailureReason.STORE_EXCEPTION: "58030",
}
"""The code of a statement that failed because a partition did."""

RESTORING = "55S04"
"""The code when a partition that was asked is still restoring."""

_HINTS: dict[FailureReason, str] = {
    FailureReason.NOT_UP_TO_BOUND: "Add WAIT to wait for the bound, or retry.",
    FailureReason.NOT_ACTIVE: "Retry, or leave ACTIVE out to read a standby.",
    FailureReason.NOT_PRESENT: "Ask the node that holds the partition, or retry.",
    FailureReason.UNKNOWN_QUERY_TYPE: "Use a query that this kind of store answers.",
    FailureReason.DOES_NOT_EXIST: "SHOW STORES lists the partitions of each store.",
    FailureReason.STORE_EXCEPTION: "The log of the gateway has more.",
}
_SEVERITY = (
    FailureReason.STORE_EXCEPTION,
    FailureReason.UNKNOWN_QUERY_TYPE,
    FailureReason.DOES_NOT_EXIST,
    FailureReason.NOT_PRESENT,
    FailureReason.NOT_ACTIVE,
    FailureReason.NOT_UP_TO_BOUND,
)


def partitions_failed(failures: Sequence[tuple[str, int, FailureReason, str]]) -> QueryError:
    """The one error for all failed partitions, which it names with their reasons.

    Args:
        failures: store, partition, reason and message of each; at least one.
    """
    worst = min((failure[2] for failure in failures), key=_SEVERITY.index)
    store, partition, _, said = next(f for f in failures if f[2] is worst)
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    kind: type[QueryError] = Unavailable if worst.retryable else QueryError
    if worst is FailureReason.STORE_EXCEPTION:
        kind = StoreFailed
    return kind(
        f'partition {partition} of store "{store}"{more} did not answer: {said}',
        detail="; ".join(f"{s}[{p}] {reason.value}: {text}" for s, p, reason, text in failures),
        hint=_HINTS[worst],
        sqlstate=SQLSTATE_BY_REASON[worst],
    )
