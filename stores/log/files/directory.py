"""Files of the state log on any file system: each appears whole or not at all.

Nothing here knows the content of records. `Directory` is one store's directory; all its paths are
relative. `stategate.stores.log.files.file_systems` says what it asks of a file system.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pyarrow import fs

from stategate.stores.errors import LogError, LogMissingError, TornRecordError
from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.file_systems import FileSystem, Stamp, UnusableFileError
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.files.object_uris import is_object_uri, object_place
from stategate.stores.optional import imported

if TYPE_CHECKING:
    from stategate.stores.log.files.objects import ObjectFiles

Root: TypeAlias = str | os.PathLike[str]
"""A local path or a URI such as `s3://bucket/state`."""
RECORD_BYTES_MAX = 64 << 20
"""Longest record that is written or read: enough for a commit of 200,000 data files."""


def _objects() -> type[ObjectFiles]:
    imported("obstore", extra="buckets")
    from stategate.stores.log.files.objects import ObjectFiles  # noqa: PLC0415

    return ObjectFiles


def _without_secrets(uri: str) -> str:
    """Return a URI without its user, password and query."""
    scheme, _, rest = uri.partition("://")
    rest = rest.partition("?")[0]
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def _require_inside(relative: str) -> None:
    *above, name = relative.split("/")
    if name in {"", ".", ".."} or ".." in above:
        raise OSError(errno.EINVAL, "the name leads out of the store", relative)


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory of the log: its file system and its path there."""

    system: FileSystem
    path: str

    @staticmethod
    def at(root: Root) -> Directory:
        """Return the directory of a local path or of a URI such as `s3://bucket/state`.

        Raises:
            LogError: the kind of file system is unknown, or the URI is not valid.
        """
        text = os.fspath(root)
        # Spark and Hadoop also write file:/x and file://x; pyarrow knows only file:///x.
        if text.startswith("file:"):
            return Directory(LocalFiles(), "/" + text.removeprefix("file:").lstrip("/"))
        if "://" not in text:
            return Directory(LocalFiles(), str(Path(text).absolute()))
        try:
            if is_object_uri(text):
                place = object_place(text)
                return Directory(_objects().of(place), place.path)
            system, path = fs.FileSystem.from_uri(text)
        except (ValueError, OSError) as error:
            # The URI of a bucket may contain its key, and the error repeats the URI.
            shown = _without_secrets(text)
            raise LogError(
                f'no file system holds "{shown}": {str(error).replace(text, shown)}'
            ) from None
        return Directory(ArrowFiles(system), path)

    @property
    def local(self) -> bool:
        """Whether it is on a local file system, where a look costs next to nothing."""
        return isinstance(self.system, LocalFiles)

    def join(self, relative: str) -> str:
        """Return the path of a file on the file system."""
        return f"{self.path.rstrip('/')}/{relative}"

    def within(self, relative: str) -> Directory:
        """Return a directory inside this one."""
        return Directory(self.system, self.join(relative))

    @contextmanager
    def _told(self, done: str, relative: str = "") -> Iterator[None]:
        """Turn an error of the file system into a LogError that names the file."""
        path = self.join(relative) if relative else self.path
        try:
            yield
        except UnusableFileError as error:
            raise TornRecordError(f'"{path}" {error}') from error
        except OSError as error:
            raise LogError(f'"{path}" cannot be {done}: {error}') from error

    def read(self, relative: str) -> bytes | None:
        """Read a whole file; None if it is missing.

        Raises:
            TornRecordError: it is not a file, or exceeds RECORD_BYTES_MAX.
            LogError: the file system does not answer.
        """
        with self._told("read", relative):
            try:
                return self.system.read(self.join(relative), RECORD_BYTES_MAX)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def names(self, relative: str = "") -> list[str]:
        """Return the names in a directory, unordered; empty if the directory is missing.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("listed", relative):
            try:
                return self.system.names(self.join(relative) if relative else self.path)
            except FileNotFoundError:
                return []

    def stamps(self) -> dict[str, Stamp]:
        """Return a stamp of each file in this directory: a file that is replaced has another one.

        Files whose names begin with a dot, which are being written, are left out. File systems
        whose times are coarse may give two files within two seconds the same stamp.

        Returns:
            The stamps by name; empty if the directory is missing.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("listed"):
            try:
                found = self.system.stamps(self.path)
            except FileNotFoundError:
                return {}
        return {name: stamp for name, stamp in found.items() if not name.startswith(".")}

    def names_changed_ns(self) -> int | None:
        """Return when a name in this directory was last created, replaced or removed.

        Returns:
            Nanoseconds of the file system's clock; None if the directory is missing, or is not on a
            local file system: only listings show it there.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("reached"):
            try:
                return self.system.names_changed_ns(self.path)
            except FileNotFoundError:
                return None

    def exists(self) -> bool:
        """Whether the directory exists; on an object store, whether anything is in it.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("reached"):
            return self.system.has_directory(self.path)

    def has(self, relative: str) -> bool:
        """Whether a file or directory has that name; a directory in place of a file is damage.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("reached", relative):
            return self.system.has(self.join(relative))

    def require(self) -> None:
        """Make sure that the directory exists.

        Raises:
            LogMissingError: it does not exist; it may appear later.
            LogError: the file system does not answer.
        """
        if not self.exists():
            raise LogMissingError(f'there is no directory "{self.path}"')

    def make(self, relative: str) -> None:
        """Create a directory and its parents where they are missing.

        Raises:
            LogError: it cannot be created.
        """
        with self._told("created", relative):
            self.system.make(self.join(relative))

    def remove(self, relative: str) -> None:
        """Remove a directory with its content; a missing one is fine.

        Nothing outside of this directory is removed: of a symbolic link only the link itself, and a
        link on the way there is an error.

        Raises:
            LogError: it cannot be removed.
        """
        self._remove(relative, self.system.remove_tree)

    def remove_file(self, relative: str) -> None:
        """Remove a file; a missing one is fine. Links are treated as in `remove`.

        Raises:
            LogError: it cannot be removed.
        """
        self._remove(relative, self.system.remove_file)

    def _remove(self, relative: str, remove: Callable[[str, str], None]) -> None:
        with self._told("removed", relative):
            _require_inside(relative)
            try:
                remove(self.path, relative)
            except FileNotFoundError:
                return
            except OSError:
                if self.system.has(self.join(relative)):
                    raise
                # Another run has removed it.

    def move(self, relative: str, to: str) -> None:
        """Give a file or a directory another name. Links are treated as in `remove`.

        Raises:
            LogError: it cannot be moved.
        """
        self.make(to.rpartition("/")[0])
        with self._told("moved", relative):
            _require_inside(relative)
            self.system.move(self.path, relative, to)
        self.sync(to.rpartition("/")[0])
        self.sync(relative.rpartition("/")[0])

    def sync(self, relative: str) -> None:
        """Write created and removed names of a directory through to a local disk.

        Other file systems do so by themselves.

        Raises:
            LogError: the disk fails.
        """
        with self._told("synchronised", relative):
            self.system.sync(self.join(relative))

    def size_of(self, relative: str) -> int | None:
        """Return the size of a file in bytes; None if it is missing.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("reached", relative):
            return self.system.size_of(self.join(relative))

    def changed_ms(self, relative: str) -> int | None:
        """Return when a file, or anything in a directory, last changed, in epoch milliseconds.

        On a local disk links are not followed.

        Returns:
            None if it is missing, or if the file system keeps no such time.

        Raises:
            LogError: the file system does not answer.
        """
        with self._told("listed", relative):
            return self.system.changed_ms(self.join(relative))

    def create(self, relative: str, data: bytes) -> bool:
        """Create a file whole, only if none has its name.

        Readers see all of it or nothing. On local disks, on S3, GCS and Azure, and on HDFS, the
        first of two writers always wins. On other file systems of pyarrow a moment passes between
        the check and the move, so a store there must have a single writer.

        Returns:
            False if such a file exists already; it stays as it is.

        Raises:
            LogError: it cannot be written.
        """
        with self._told("written", relative):
            return self.system.create(self.join(relative), data)

    def replace(self, relative: str, data: bytes, *, durable: bool = True) -> None:
        """Create or replace a file whole.

        Args:
            relative: its path.
            data: its content.
            durable: on a local disk, wait until it has been written through.

        Raises:
            LogError: it cannot be written.
        """
        with self._told("written", relative):
            self.system.replace(self.join(relative), data, durable=durable)

    def replace_if(self, relative: str, data: bytes, expected: bytes) -> bool:
        """Replace a file whole, unless another writer has changed it meanwhile.

        On local disks, S3, GCS and Azure no change is lost. On other file systems of pyarrow a
        moment passes between the check and the replacement.

        Args:
            relative: its path.
            data: its content.
            expected: the content that it replaces.

        Returns:
            False if it has other content; then it stays as it is.

        Raises:
            LogError: it cannot be written.
        """
        with self._told("written", relative):
            return self.system.replace_if(self.join(relative), data, expected)

    @contextmanager
    def open_output(self, relative: str) -> Iterator[Any]:
        """Open a new file for writing; its directory exists. It is whole once the block ends.

        Raises:
            LogError: it cannot be written.
        """
        with self._told("written", relative), self.system.open_output(self.join(relative)) as out:
            yield out

    def upload(self, relative: str, source: Path) -> None:
        """Copy a file of this machine; its directory exists.

        Raises:
            LogError: it cannot be read or written.
        """
        with self._told("written", relative):
            self.system.upload(self.join(relative), source)
