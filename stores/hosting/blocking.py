"""Waits that block a thread for long: meanwhile its pool can let another call run.

A pool has few places, for calls that work. One that waits for an epoch would keep its place, and
with it all calls behind it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Lend: TypeAlias = Callable[[], Callable[[bool], None]]
"""Gives a call's place to another one; returns what gives it a place again: in its turn, for which
it blocks, or at once."""


class _Thread(threading.local):
    """What a thread's pool does while its call waits; None outside of such a pool."""

    lend: Lend | None = None


_THREAD = _Thread()


@contextmanager
def lending(lend: Lend) -> Iterator[None]:
    """Let the waits of this thread inside the block lend its place."""
    before, _THREAD.lend = _THREAD.lend, lend
    try:
        yield
    finally:
        _THREAD.lend = before


def blocked(wait: Callable[[], bool]) -> bool:
    """Return what a wait returns, during which the place of this thread is lent.

    One that was in vain needs no turn, because its call fails.
    """
    take_back = None if _THREAD.lend is None else _THREAD.lend()
    met = False
    try:
        met = wait()
    finally:
        if take_back is not None:
            take_back(met)
    return met
