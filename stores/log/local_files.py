"""Operations on local files that pyarrow lacks: removal without following links, fsync, link."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def changed_ms(path: str) -> int | None:
    """Return when a file, or anything below a directory, last changed; None if it is missing."""
    try:
        newest_ns = os.lstat(path).st_mtime_ns
    except FileNotFoundError:
        return None
    for parent, directories, files in os.walk(path):
        for name in (*directories, *files):
            try:
                newest_ns = max(newest_ns, os.lstat(os.path.join(parent, name)).st_mtime_ns)
            except FileNotFoundError:
                continue  # another run has removed it
    return newest_ns // 1_000_000


REMOVES_SAFELY = shutil.rmtree.avoids_symlink_attacks
"""Whether names can be removed relative to open directories: on all systems but Windows."""


def remove_tree(root: str, relative: str) -> None:
    """Remove a directory with its content; of a link only the link."""
    with parent_of(root, relative) as (parent, name):
        if stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode):
            os.unlink(name, dir_fd=parent)
        else:
            shutil.rmtree(name, dir_fd=parent)


def remove_name(root: str, relative: str) -> None:
    """Remove a file or a link."""
    with parent_of(root, relative) as (parent, name):
        os.unlink(name, dir_fd=parent)


@contextmanager
def parent_of(root: str, relative: str) -> Iterator[tuple[int, str]]:
    """Open the directory that holds a name, from the root on without following a link."""
    *above, name = relative.split("/")
    if name in {"", ".", ".."} or ".." in above:
        raise OSError(errno.EINVAL, "the name leads out of the store", relative)
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for each in above:
            below = os.open(each, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            handle, above_it = below, handle
            os.close(above_it)
        yield handle, name
    finally:
        os.close(handle)


def put_file(temporary: str, path: str, data: bytes, *, replace: bool) -> bool:
    """Write a file whole through to the disk; False if it exists and must not be replaced."""
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if replace:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        Path(temporary).unlink(missing_ok=True)
    sync_directory(os.path.dirname(path))
    return True


def sync_directory(path: str) -> None:
    """Write the names in a local directory through to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
