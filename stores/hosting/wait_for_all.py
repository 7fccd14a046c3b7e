"""Waiting for many partitions at once, up to one deadline: by callbacks, never by asking again."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from stores.spec.position import PositionBound
from stores.spec.store import StateQueryRequest, Store, Waiting


class _Latch:
    """Opens once all have been told that their bound is met, or one that its never will be."""

    def __init__(self, count: int) -> None:
        self.opened = threading.Event()
        self.missed = False
        self._left = count
        self._lock = threading.Lock()

    def tell(self, met: bool) -> None:
        """Of one partition; runs in the thread that applies, and only counts."""
        with self._lock:
            self._left -= 1
            self.missed = self.missed or not met
            is_over = self.missed or not self._left
        if is_over:
            self.opened.set()


def wait_for(store: Store, request: StateQueryRequest[Any], *, timeout_s: float) -> bool:
    """Block until all partitions that a request asks have reached its bound.

    What is the latest is decided once, at the beginning.

    Returns:
        False if they have not by then; or at once, if one is not here, or closes.

    Raises:
        InvalidPartitionError: the store has no such partition.
        TooManyWaitersError: a replica has as many waiters as it may.
        LogError: the bound is the latest epoch, and the log cannot be read now.
    """
    wanted = request.wanted
    numbers = range(store.schema.partitions) if wanted is None else sorted(wanted)
    if not numbers:
        return True
    bound = _fixed(store, request.position_bound)
    latch, waiting = _Latch(len(numbers)), list[Waiting]()
    try:
        for number in numbers:
            waiting.append(store.when(number, bound, latch.tell))
        return latch.opened.wait(max(0.0, timeout_s)) and not latch.missed
    finally:
        for one in waiting:
            one.cancel()


def _fixed(store: Store, bound: PositionBound) -> PositionBound:
    if not bound.latest:
        return bound
    latest = PositionBound(epoch=store.committed_epoch())
    return replace(bound.merge(latest), latest=False)
