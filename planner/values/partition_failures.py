"""The error of a statement whose partitions did not all answer, with its SQLSTATE."""

from __future__ import annotations

from collections.abc import Sequence

from stategate.planner.errors import (
    TOO_MANY_FILES,
    QueryError,
    StoreFailedError,
    UnavailableError,
    is_out_of_files,
    out_of_files,
)
from stategate.stores.errors import FailureReason, StoreError

SQLSTATE_BY_REASON: dict[FailureReason, str] = {
    FailureReason.NOT_UP_TO_BOUND: "55S01",
    FailureReason.NOT_ACTIVE: "55S02",
    FailureReason.NOT_PRESENT: "55S03",
    FailureReason.UNKNOWN_QUERY_TYPE: "0A000",
    FailureReason.DOES_NOT_EXIST: "22023",
    FailureReason.STORE_EXCEPTION: "58030",
}
"""The SQLSTATE of a statement whose partition failed."""

RESTORING = "55S04"
"""The SQLSTATE if a partition is still restoring."""

_HINTS: dict[FailureReason, str] = {
    FailureReason.NOT_UP_TO_BOUND: "Add WAIT to wait for the bound, or retry.",
    FailureReason.NOT_ACTIVE: "Retry, or leave ACTIVE out to read a standby.",
    FailureReason.NOT_PRESENT: "Ask the node that holds the partition, or retry.",
    FailureReason.UNKNOWN_QUERY_TYPE: "Use a query that this kind of store answers.",
    FailureReason.DOES_NOT_EXIST: "SHOW STORES lists the partitions of each store.",
    FailureReason.STORE_EXCEPTION: "Read the gateway's log for the cause.",
}
_SEVERITY = (
    FailureReason.STORE_EXCEPTION,
    FailureReason.UNKNOWN_QUERY_TYPE,
    FailureReason.DOES_NOT_EXIST,
    FailureReason.NOT_PRESENT,
    FailureReason.NOT_ACTIVE,
    FailureReason.NOT_UP_TO_BOUND,
)


def read_failed(store: str, partition: int, error: Exception) -> QueryError:
    """Return the error of a statement for which the rows of a partition end too early.

    Args:
        store: the store.
        partition: the partition.
        error: why; one that a retry can help is that of a node that was lost.
    """
    message = f'partition {partition} of store "{store}" failed while it was read: {error}'
    if is_out_of_files(error):
        return out_of_files(message)
    if isinstance(error, StoreError) and error.retryable:
        return UnavailableError(message, hint="Retry.", sqlstate="55S03")
    return StoreFailedError(message)


def partitions_failed(failures: Sequence[tuple[str, int, FailureReason, str]]) -> QueryError:
    """Return one error for all failed partitions, with their reasons.

    Args:
        failures: store, partition, reason and message of each; at least one.
    """
    worst = min((failure[2] for failure in failures), key=_SEVERITY.index)
    store, partition, _, said = next(f for f in failures if f[2] is worst)
    detail = "; ".join(f"{s}[{p}] {reason.value}: {text}" for s, p, reason, text in failures)
    if worst is FailureReason.STORE_EXCEPTION and TOO_MANY_FILES in said:
        return out_of_files(detail)
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    kind: type[QueryError] = UnavailableError if worst.retryable else QueryError
    if worst is FailureReason.STORE_EXCEPTION:
        kind = StoreFailedError
    return kind(
        f'partition {partition} of store "{store}"{more} did not answer: {said}',
        detail=detail,
        hint=_HINTS[worst],
        sqlstate=SQLSTATE_BY_REASON[worst],
    )
