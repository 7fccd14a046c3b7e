"""Directories that live no longer than their process: it removes them, or the next one does.

A process that is killed leaves them behind. So each is locked for as long as its process lives, and
whoever starts removes those that are not.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from stategate.stores.log.files.locking import lock_of, unlock

logger = logging.getLogger(__name__)

PREFIX = "stategate-scratch-"
"""How their names begin."""


class Scratch:
    """A directory of this process.

    Args:
        parent: where to make it; None for the system's directory.
    """

    def __init__(self, parent: Path | None = None) -> None:
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            self._lock = lock_of(self.path)
            if self.path.exists():
                return
            unlock(self._lock)  # a process that has just started has removed it, before the lock

    def remove(self, remove: Callable[[Path], object] = shutil.rmtree) -> None:
        """Remove it with all that it holds; errors are those of the function that removes it."""
        try:
            remove(self.path)
        finally:
            unlock(self._lock)


def remove_quietly(path: Path) -> None:
    """Remove a directory as far as possible."""
    shutil.rmtree(path, ignore_errors=True)


def begin_removing_abandoned() -> None:
    """Remove the abandoned ones of the system's directory in a thread: large ones take a while."""
    threading.Thread(target=remove_abandoned, name="remove-scratch", daemon=True).start()


def remove_abandoned(parent: Path | None = None) -> None:
    """Remove the directories of processes of this user that have ended.

    Args:
        parent: where they were made; None for the system's directory.
    """
    for path in Path(parent or tempfile.gettempdir()).glob(f"{PREFIX}*"):
        lock = lock_of(path, waits=False)
        if lock is None:  # its process lives, or it cannot be known
            continue
        try:
            if path.stat().st_uid == os.getuid():
                remove_quietly(path)
                logger.info("scratch directory of an ended process removed path=%s", path)
        except OSError as error:
            logger.warning("scratch directory not removed path=%s error=%s", path, error)
        finally:
            unlock(lock)
