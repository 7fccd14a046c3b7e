"""Checkpoints: where planning ends early if its statement was cancelled or its time is over.

All code that visits trees, or loops over their parts, calls `checkpoint`. What it checks is the
thread's, because sqlglot calls some of that code, and would not hand a cancellation on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Planning(threading.local):
    """The check of the statement that a thread plans; None outside of planning."""

    check: Callable[[], None] | None = None


_PLANNING = _Planning()


def checkpoint() -> None:
    """Return if planning may go on.

    Raises:
        QueryError: the statement that this thread plans must end.
    """
    check = _PLANNING.check
    if check is not None:
        check()


def is_planning() -> bool:
    """Whether this thread plans a statement."""
    return _PLANNING.check is not None


@contextmanager
def checked_by(check: Callable[[], None]) -> Iterator[None]:
    """Let checkpoints of this thread call `check`, inside the block; it raises to end planning."""
    before = _PLANNING.check
    _PLANNING.check = check
    try:
        check()
        yield
    finally:
        _PLANNING.check = before
