"""Directories for databases that live as long as one read or one snapshot."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stategate.stores.log.files.scratch import Scratch

_ATTEMPTS = 20
_PAUSE_S = 0.1

logger = logging.getLogger(__name__)


@contextmanager
def scratch_directory(parent: Path | None = None) -> Iterator[Path]:
    """Make a directory, and remove it with all that it holds.

    A database that was closed may still write for a moment: the traceback of an error holds the
    views of its readers, and RocksDB closes after the last of them. So removing is tried for two
    seconds. What is left then is logged, since it must not hide why the work ended.

    If the process is killed before, the next one that starts removes it; see `remove_abandoned`.

    Args:
        parent: where to make it; None for the system's directory.
    """
    scratch = Scratch(parent)
    try:
        yield scratch.path
    finally:
        scratch.remove(_remove)


def _remove(path: Path) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            # A file went while the directory was read; perhaps others are still there.
            if not path.exists():
                return
        except OSError as error:
            if attempt == _ATTEMPTS:
                logger.warning("scratch directory not removed path=%s error=%s", path, error)
        else:
            return
        time.sleep(_PAUSE_S)
