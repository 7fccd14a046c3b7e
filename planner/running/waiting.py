"""Waiting for many partitions at once, until a deadline or a cancel, without a lock or a loop."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from planner.errors import LimitExceededError, UnavailableError
from planner.values.cancel import Cancellation
from stores.errors import LogError, TooManyWaitersError
from stores.spec.position import PositionBound
from stores.spec.store import Store, Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """One partition, and what it must reach."""

    store: Store
    partition: int
    bound: PositionBound


class _Latch:
    """Opens once all have been heard of, or one that will never come, if that is enough."""

    def __init__(self, count: int, *, all_heard: bool) -> None:
        self.opened = threading.Event()
        self.missed = False
        self._left, self._all_heard = count, all_heard
        self._lock = threading.Lock()

    def hear(self, met: bool) -> None:
        """Of one partition; runs in the thread that applies, and only counts."""
        with self._lock:
            self._left -= 1
            self.missed = self.missed or not met
            is_over = not self._left or (not met and not self._all_heard)
        if is_over:
            self.opened.set()


def wait_for_all(
    awaited: Sequence[Awaited],
    *,
    timeout_s: float,
    cancellation: Cancellation | None,
    all_heard: bool = False,
) -> bool:
    """Block until every partition has reached its bound; False if that was not within the time.

    Args:
        awaited: the partitions.
        timeout_s: how long at most; the deadline of the statement counts, too.
        cancellation: ends the wait at once.
        all_heard: go on waiting for the others when one is not here, or closes; else it is over
            then, for the statement fails anyway.

    Raises:
        QueryCancelledError: the statement was cancelled, or its deadline has passed.
        LimitExceededError: a partition has as many waiters as it may (53300).
        UnavailableError: the log has to be read for a bound, and cannot be now.
    """
    if not awaited:
        return True
    latch = _Latch(len(awaited), all_heard=all_heard)
    waiting: list[Waiting] = []
    forget = None if cancellation is None else cancellation.on_cancel(latch.opened.set)
    try:
        for each in awaited:
            waiting.append(each.store.when(each.partition, each.bound, latch.hear))
        opened = latch.opened.wait(_shorter(timeout_s, cancellation))
    except TooManyWaitersError as error:
        raise LimitExceededError(str(error), hint="Retry later.", sqlstate="53300") from error
    except LogError as error:
        raise UnavailableError(
            "the log cannot be read", detail=str(error), hint="Retry."
        ) from error
    finally:
        for one in waiting:
            one.cancel()
        if forget is not None:
            forget()
    if cancellation is not None:
        cancellation.check()
    return opened and not latch.missed


def _shorter(timeout_s: float, cancellation: Cancellation | None) -> float:
    remaining_s = None if cancellation is None else cancellation.remaining_s
    timeout_s = max(0.0, timeout_s)
    return timeout_s if remaining_s is None else min(timeout_s, remaining_s)
