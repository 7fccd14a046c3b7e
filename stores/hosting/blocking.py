"""Waits that block a thread for long: meanwhile its pool can let another call run.

A pool has few places, for calls that work. One that waits for an epoch or for Spark would keep its
place, and with it all calls behind it. Waits for other nodes are short: a node that is slow is
overdue soon, and one that is lost is asked no more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeAlias

Interrupting: TypeAlias = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Inside its block, another thread or a deadline may call the function, which ends a wait early."""
Lend: TypeAlias = Callable[[], Callable[[bool, Interrupting], None]]
"""Gives a call's place to another one; returns what gives it a place again: in its turn, for which
it blocks unless it is interrupted, or at once."""


class _Lending(threading.local):
    """How the waits of this thread lend its place."""

    lend: Lend | None = None
    """Set by the pool of the thread; None outside of such a pool."""


LENDING = _Lending()


def uninterrupted(wake: Callable[[], None]) -> AbstractContextManager[None]:
    """Never interrupt a wait."""
    return nullcontext()


def blocked(wait: Callable[[], bool], wake: Callable[[], None], interrupting: Interrupting) -> bool:
    """Return what a wait returns, during which the place of this thread is lent.

    One that was in vain needs no turn, because its call fails.

    Args:
        wait: blocks.
        wake: ends it early, in any thread.
        interrupting: may end the wait early, and then that for a place.
    """
    take_back = None if LENDING.lend is None else LENDING.lend()
    met = False
    try:
        with interrupting(wake):
            met = wait()
    finally:
        if take_back is not None:
            take_back(met, interrupting)
    return met


@contextmanager
def lent() -> Iterator[None]:
    """Lend the place of this thread inside the block, which waits for other processes.

    After it the thread has a place at once: there is little left to do.
    """
    take_back = None if LENDING.lend is None else LENDING.lend()
    try:
        yield
    finally:
        if take_back is not None:
            take_back(False, uninterrupted)
