"""Waits that block a thread for long: meanwhile its pool can let another call run.

A pool has few places, for calls that work. One that waits for an epoch would keep its place, and
with it all calls behind it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

Lend: TypeAlias = Callable[[], Callable[[bool], None]]
"""Gives a call's place to another one; returns what gives it a place again: in its turn, for which
it blocks, or at once."""


class _Lending(threading.local):
    """How the waits of this thread lend its place."""

    lend: Lend | None = None
    """Set by the pool of the thread; None outside of such a pool."""


LENDING = _Lending()


def blocked(wait: Callable[[], bool]) -> bool:
    """Return what a wait returns, during which the place of this thread is lent.

    One that was in vain needs no turn, because its call fails.
    """
    take_back = None if LENDING.lend is None else LENDING.lend()
    met = False
    try:
        met = wait()
    finally:
        if take_back is not None:
            take_back(met)
    return met
