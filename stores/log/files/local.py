"""Files of the log on a local disk: links and fsync make each one whole and lasting."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyarrow import fs

from stategate.stores.log.files.arrow import ArrowFiles, temporary_name
from stategate.stores.log.files.file_systems import Stamp, UnusableFileError
from stategate.stores.log.files.locking import alone_in

_REMOVES_SAFELY = shutil.rmtree.avoids_symlink_attacks
"""Whether names can be removed relative to open directories: on all systems but Windows."""


_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How files are opened: a pipe without a writer would keep its reader waiting."""
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


class LocalFiles(ArrowFiles):
    """The files of this machine; see `stategate.stores.log.files.file_systems`.

    Only a link creates a file whole and only if its name is free. Nothing is removed or moved
    through a link: whoever writes the log can put links into it, and the user that compacts it may
    have more rights.

    Args:
        system: the file system by which data files are read and written.
    """

    def __init__(self, system: fs.LocalFileSystem | None = None) -> None:
        super().__init__(fs.LocalFileSystem() if system is None else system)

    def read(self, path: str, bytes_max: int) -> bytes:
        """Return the content of a file."""
        with _opened(path) as (descriptor, size_bytes):
            if size_bytes > bytes_max:
                raise UnusableFileError.of_size(size_bytes, bytes_max)
            return _read(descriptor, size_bytes)

    @contextmanager
    def _opening(self, path: str) -> Iterator[None]:
        """Make sure that what pyarrow opens is a file."""
        _require_file(os.stat(path))
        yield

    def names(self, path: str) -> list[str]:
        """Return the names in a directory, unordered."""
        return os.listdir(path)

    def stamps(self, path: str) -> dict[str, Stamp]:
        """Return the time, inode and size of each file in a directory."""
        found: dict[str, Stamp] = {}
        with os.scandir(path) as entries:
            for entry in entries:
                try:
                    status = entry.stat()
                except FileNotFoundError:
                    continue  # it was removed meanwhile
                found[entry.name] = (status.st_mtime_ns, status.st_ino, status.st_size)
        return found

    def names_changed_ns(self, path: str) -> int | None:
        """Return when a name in a directory last changed, in nanoseconds."""
        return os.stat(path).st_mtime_ns

    def has(self, path: str) -> bool:
        """Whether a file or directory has that name."""
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def changed_ms(self, path: str) -> int | None:
        """Return when a file, or anything below a directory, last changed.

        Links are not followed: they could lead anywhere, or in a circle.
        """
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

    def create(self, path: str, data: bytes) -> bool:
        """Create a file whole; False if the name is taken."""
        return self._put(path, data, replace=False, durable=True)

    def replace(self, path: str, data: bytes, *, durable: bool) -> None:
        """Create or replace a file whole."""
        self._put(path, data, replace=True, durable=durable)

    def replace_if(self, path: str, data: bytes, expected: bytes) -> bool:
        """Replace a file whole; False if its content is not `expected`."""
        with alone_in(os.path.dirname(path)):
            with _opened(path) as (descriptor, size_bytes):
                if size_bytes != len(expected) or _read(descriptor, size_bytes) != expected:
                    return False
            self.replace(path, data, durable=True)
            return True

    def _put(self, path: str, data: bytes, *, replace: bool, durable: bool) -> bool:
        self.make(os.path.dirname(path))
        temporary = temporary_name(path)
        try:
            with open(temporary, "xb") as stream:
                stream.write(data)
                stream.flush()
                if durable:
                    os.fsync(stream.fileno())
            if replace:
                os.replace(temporary, path)
            else:
                os.link(temporary, path)
        except FileExistsError:
            return False
        finally:
            Path(temporary).unlink(missing_ok=True)
        if durable:
            sync_path(os.path.dirname(path))
        return True

    @contextmanager
    def open_output(self, path: str) -> Iterator[Any]:
        """Open a new file, and write it through to the disk at the end."""
        with open(path, "xb"):
            pass  # the name is taken; the stream of pyarrow would write over another's file
        with self.system.open_output_stream(path) as stream:
            yield stream
        sync_path(path)

    def remove_tree(self, root: str, relative: str) -> None:
        """Remove a directory with its content; of a link only the link."""
        if not _REMOVES_SAFELY:
            return super().remove_tree(root, relative)
        with _parent_of(root, relative) as (parent, name):
            if stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode):
                os.unlink(name, dir_fd=parent)
            else:
                shutil.rmtree(name, dir_fd=parent)

    def remove_file(self, root: str, relative: str) -> None:
        """Remove a file or a link."""
        if not _REMOVES_SAFELY:
            return super().remove_file(root, relative)
        with _parent_of(root, relative) as (parent, name):
            os.unlink(name, dir_fd=parent)

    def move(self, root: str, relative: str, to: str) -> None:
        """Give a file, a directory or a link another name."""
        if not _REMOVES_SAFELY:
            return super().move(root, relative, to)
        with _parent_of(root, relative) as (parent, name):
            os.rename(name, f"{root}/{to}", src_dir_fd=parent)

    def sync(self, path: str) -> None:
        """Write created and removed names of a directory through to the disk."""
        sync_path(path)


@contextmanager
def _opened(path: str) -> Iterator[tuple[int, int]]:
    """Open a file to read it, and give its size in bytes."""
    descriptor = os.open(path, _WITHOUT_WAITING)
    try:
        # It is looked at once it is open, so that nothing else takes its place.
        status = os.fstat(descriptor)
        _require_file(status)
        yield descriptor, status.st_size
    finally:
        os.close(descriptor)


def _require_file(status: os.stat_result) -> None:
    """Make sure that something is a file.

    Raises:
        UnusableFileError: it is not.
    """
    if not stat.S_ISREG(status.st_mode):
        raise UnusableFileError.of_kind(_KINDS.get(stat.S_IFMT(status.st_mode), "a device"))


def _read(descriptor: int, size_bytes: int) -> bytes:
    """Read a file to its end, or to its size as it was when it was opened."""
    found = os.read(descriptor, size_bytes)
    while len(found) < size_bytes and (more := os.read(descriptor, size_bytes - len(found))):
        found += more
    return found


@contextmanager
def _parent_of(root: str, relative: str) -> Iterator[tuple[int, str]]:
    """Open the directory that holds a name, from the root on without following a link."""
    *above, name = relative.split("/")
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for each in above:
            below = os.open(each, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            handle, above_it = below, handle
            os.close(above_it)
        yield handle, name
    finally:
        os.close(handle)


def sync_path(path: str) -> None:
    """Write a local file, or the names in a local directory, through to the disk."""
    handle = os.open(path, _WITHOUT_WAITING)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
