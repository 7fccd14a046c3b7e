"""The files of a RocksDB database as a process leaves them that is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def copy_as_killed(data: Path, to: Path) -> Path:
    """Copy what a kill would leave now, and return where.

    A kill leaves all files as they are at one moment. RocksDB changes them in the background, so
    they are copied until none has changed meanwhile.
    """
    before = None
    while before != (before := _files_in(data)):
        shutil.rmtree(to, ignore_errors=True)
        with contextlib.suppress(OSError):  # one was removed
            shutil.copytree(data, to, ignore=shutil.ignore_patterns("LOCK", "LOG*"))
    return to


def _files_in(data: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the time of each file that counts."""
    found = {}
    for directory, _, names in os.walk(data):
        for path in [Path(directory, name) for name in names if not name.startswith("LO")]:
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                found[str(path)] = status.st_size, status.st_mtime_ns
    return found
