"""Wait for many partitions at once, up to one deadline: by callbacks, never by polling."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from stategate.stores.hosting.blocking import Interrupting, blocked, uninterrupted
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.store import StateQueryRequest, Store, Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """A partition, and the bound that it has to meet."""

    store: Store
    partition: int
    bound: PositionBound


class _Latch:
    """Opens once every partition has reported, or as soon as the result can no longer be True."""

    def __init__(self, count: int, *, report_all: bool) -> None:
        self._opened = threading.Event()
        self._left, self._report_all = count, report_all
        self._has_missed = False
        self._lock = threading.Lock()

    def report(self, met: bool) -> None:
        """Count one partition; runs in the thread that applies, so it does no more than that."""
        with self._lock:
            self._left -= 1
            self._has_missed = self._has_missed or not met
            is_over = not self._left or (not met and not self._report_all)
        if is_over:
            self._opened.set()

    @property
    def is_open(self) -> bool:
        """Whether a wait would end at once."""
        return self._opened.is_set()

    def wake(self) -> None:
        """End the wait, whatever has been reported."""
        self._opened.set()

    def wait(self, timeout_s: float) -> bool:
        """Block until it opens; True if every partition has met its bound."""
        self._opened.wait(max(0.0, timeout_s))
        with self._lock:
            return not self._left and not self._has_missed


def wait_for_partitions(
    awaited: Sequence[Awaited],
    *,
    timeout_s: float,
    report_all: bool = False,
    interrupting: Interrupting = uninterrupted,
) -> bool:
    """Block until every partition has met its bound; return False if one does not in time.

    Args:
        awaited: the partitions.
        timeout_s: how long at most, for all of them together.
        report_all: after a partition that is missing or closes, go on waiting for the others;
            otherwise the wait ends then.
        interrupting: may end the wait early, which then returns False unless every partition has
            met its bound.

    Raises:
        InvalidPartitionError: a store has no such partition.
        TooManyWaitersError: a replica has too many waiters.
        LogError: a bound is the latest epoch, or on a topic that is not a known input, and the log
            cannot be read now.
    """
    if not awaited:
        return True
    latch, waiting = _Latch(len(awaited), report_all=report_all), list[Waiting]()
    try:
        for each in awaited:
            waiting.append(each.store.when(each.partition, each.bound, latch.report))
        if latch.is_open or timeout_s <= 0:
            return latch.wait(0)
        return blocked(lambda: latch.wait(timeout_s), latch.wake, interrupting)
    finally:
        for one in waiting:
            one.cancel()


def wait_for_request(store: Store, request: StateQueryRequest[Any], *, timeout_s: float) -> bool:
    """Block until all partitions that a request asks have met its bound; False if not in time.

    The latest epoch is looked up once, at the beginning.

    Raises:
        StoreError: as `wait_for_partitions`.
    """
    wanted = request.wanted
    numbers = range(store.schema.partitions) if wanted is None else sorted(wanted)
    if not numbers:
        return True
    bound = _with_latest_epoch(store, request.position_bound)
    awaited = [Awaited(store=store, partition=number, bound=bound) for number in numbers]
    return wait_for_partitions(awaited, timeout_s=timeout_s)


def _with_latest_epoch(store: Store, bound: PositionBound) -> PositionBound:
    """Return the bound with the number of the latest epoch in place of `latest`."""
    if not bound.latest:
        return bound
    latest = PositionBound(epoch=store.committed_epoch())
    return replace(bound.merge(latest), latest=False)
