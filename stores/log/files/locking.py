"""Locks of directories, between processes of one machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def alone_in(directory: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other processes of this machine that want to be alone in a directory waiting."""
    if sys.platform == "win32":  # it has no such locks
        yield
        return
    import fcntl  # noqa: PLC0415 - not there on Windows

    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def lock_of(directory: str | os.PathLike[str], *, waits: bool = True) -> int | None:
    """Lock a directory until `unlock`, or the end of this process.

    Args:
        directory: the directory itself, and no link to one.
        waits: whether to wait for another process that has locked it.

    Returns:
        None if another process has locked it, or if it cannot be locked: it has gone, is not ours,
        or its file system has no locks.
    """
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - as above

    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def unlock(lock: int | None) -> None:
    """Give up what `lock_of` has returned."""
    if lock is not None:
        os.close(lock)
