"""Wait for the partitions of a statement, until its deadline or a cancel."""

from __future__ import annotations

from collections.abc import Sequence

from planner.errors import LimitExceededError, UnavailableError
from planner.values.cancel import Cancellation
from stores.errors import LogError, TooManyWaitersError
from stores.hosting.partition_waits import Awaited, wait_for_partitions


def wait_for_all(
    awaited: Sequence[Awaited],
    *,
    timeout_s: float,
    cancellation: Cancellation | None,
    report_all: bool = False,
) -> bool:
    """Block until every partition has met its bound; False if one has not in time.

    Args:
        awaited: the partitions.
        timeout_s: how long at most; the deadline of the statement counts, too.
        cancellation: ends the wait at once.
        report_all: after a partition that is missing or closes, go on waiting for the others;
            otherwise the wait is over then, for the statement fails anyway.

    Raises:
        QueryCancelledError: the statement was cancelled, or its deadline has passed.
        LimitExceededError: a partition has as many waiters as it may (53300).
        UnavailableError: the log has to be read for a bound, and cannot be now.
    """
    try:
        all_met = wait_for_partitions(
            awaited,
            timeout_s=_shorter(timeout_s, cancellation),
            report_all=report_all,
            wake_hook=None if cancellation is None else cancellation.on_cancel,
        )
    except TooManyWaitersError as error:
        raise LimitExceededError(str(error), hint="Retry later.", sqlstate="53300") from error
    except LogError as error:
        raise UnavailableError(
            "the log cannot be read", detail=str(error), hint="Retry."
        ) from error
    if cancellation is not None:
        cancellation.check()
    return all_met


def _shorter(timeout_s: float, cancellation: Cancellation | None) -> float:
    remaining_s = None if cancellation is None else cancellation.remaining_s
    return timeout_s if remaining_s is None else min(timeout_s, remaining_s)
