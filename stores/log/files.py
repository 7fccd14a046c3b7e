"""Files of the state log on any file system of pyarrow: each appears whole or not at all.

Nothing here knows the content of records. `Directory` is one store's directory; all its paths are
relative. Local files go through `stores.log.local_files`, since only a link creates a file whole
and only if it is absent; other file systems go through `pyarrow.fs`.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pyarrow import fs

from stores.errors import LogError, LogMissingError, TornRecordError
from stores.log.local_files import (
    REMOVES_SAFELY,
    changed_ms,
    parent_of,
    put_file,
    remove_name,
    remove_tree,
    sync_directory,
)

Root: TypeAlias = str | os.PathLike[str]
"""A local path or a URI such as `s3://bucket/state`."""
RECORD_BYTES_MAX = 256 << 20
"""Longest record that is read: enough for a commit of a million data files."""


def _without_secrets(uri: str) -> str:
    """Return a URI without its user, password and query."""
    scheme, _, rest = uri.partition("://")
    rest = rest.partition("?")[0]
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory of the log: its file system and its path there."""

    system: fs.FileSystem
    path: str

    @staticmethod
    def at(root: Root) -> Directory:
        """Return the directory of a local path or of a URI such as `s3://bucket/state`.

        Raises:
            LogError: the kind of file system is unknown.
        """
        text = os.fspath(root)
        if "://" not in text and not text.startswith("file:"):
            return Directory(fs.LocalFileSystem(), str(Path(text).absolute()))
        try:
            # Spark and Hadoop also write file:/x and file://x; pyarrow knows only file:///x.
            if text.startswith("file:"):
                return Directory(fs.LocalFileSystem(), "/" + text.removeprefix("file:").lstrip("/"))
            system, path = fs.FileSystem.from_uri(text)
        except (ValueError, OSError) as error:
            # The URI of a bucket may contain its key, and the error repeats the URI.
            shown = _without_secrets(text)
            raise LogError(
                f'no file system holds "{shown}": {str(error).replace(text, shown)}'
            ) from None
        return Directory(system, path)

    @property
    def local(self) -> bool:
        """Whether it is on a local file system, which `os` can reach."""
        return isinstance(self.system, fs.LocalFileSystem)

    def join(self, relative: str) -> str:
        """Return the path of a file on the file system."""
        return f"{self.path.rstrip('/')}/{relative}"

    def within(self, relative: str) -> Directory:
        """Return a directory inside this one."""
        return Directory(self.system, self.join(relative))

    def read(self, relative: str) -> bytes | None:
        """Read a whole file; None if it is missing.

        Raises:
            TornRecordError: a directory has its name.
            LogError: the file system does not answer, or the file exceeds RECORD_BYTES_MAX.
        """
        path = self.join(relative)
        try:
            with self.system.open_input_file(path) as stream:
                if stream.size() > RECORD_BYTES_MAX:
                    raise LogError(f'record "{path}" has {stream.size()} bytes')
                found: bytes = stream.read()
                return found
        except FileNotFoundError:
            return None
        except OSError as error:
            self.require_no_directory(relative)
            raise LogError(f'"{path}" cannot be read: {error}') from error

    def names(self, relative: str = "") -> list[str]:
        """Return the names in a directory, unordered; empty if the directory is missing.

        Raises:
            LogError: the file system does not answer.
        """
        path = self.join(relative) if relative else self.path
        try:
            if self.local:
                return os.listdir(path)
            infos = self.system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LogError(f'"{path}" cannot be listed: {error}') from error
        return [info.base_name for info in infos]

    def exists(self) -> bool:
        """Whether the directory exists.

        Raises:
            LogError: the file system does not answer.
        """
        try:
            found: fs.FileType = self.system.get_file_info(self.path).type
        except OSError as error:
            raise LogError(f'"{self.path}" cannot be reached: {error}') from error
        return found is not fs.FileType.NotFound

    def has(self, relative: str) -> bool:
        """Whether a file or directory has that name; a directory in place of a file is damage.

        Raises:
            LogError: the file system does not answer.
        """
        path = self.join(relative)
        try:
            if self.local:
                os.stat(path)
                return True
            found: fs.FileType = self.system.get_file_info(path).type
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise LogError(f'"{path}" cannot be reached: {error}') from error
        return found is not fs.FileType.NotFound

    def require_no_directory(self, relative: str) -> None:
        """Make sure that a file that cannot be opened is not a directory: a retry would not help.

        Raises:
            TornRecordError: it is a directory.
        """
        path = self.join(relative)
        if self._type_of(path) is fs.FileType.Directory:
            raise TornRecordError(f'"{path}" is a directory and should be a file')

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
        path = self.join(relative)
        try:
            self.system.create_dir(path, recursive=True)
        except OSError as error:
            raise LogError(f'"{path}" cannot be created: {error}') from error

    def remove(self, relative: str) -> None:
        """Remove a directory with its content; a missing one is fine.

        Nothing outside of this directory is removed: of a symbolic link only the link itself, and a
        link on the way there is an error. Whoever writes the log can put links into it, and the
        user that compacts it may have more rights.

        Raises:
            LogError: it cannot be removed.
        """
        self._remove(relative, remove_tree, self.system.delete_dir)

    def remove_file(self, relative: str) -> None:
        """Remove a file; a missing one is fine. Links are treated as in `remove`.

        Raises:
            LogError: it cannot be removed.
        """
        self._remove(relative, remove_name, self.system.delete_file)

    def _remove(
        self,
        relative: str,
        locally: Callable[[str, str], None],
        elsewhere: Callable[[str], None],
    ) -> None:
        path = self.join(relative)
        try:
            if self.local and REMOVES_SAFELY:
                locally(self.path, relative)
            else:
                elsewhere(path)
        except FileNotFoundError:
            return
        except OSError as error:
            if self._type_of(path) is fs.FileType.NotFound:
                return  # another run has removed it
            raise LogError(f'"{path}" cannot be removed: {error}') from error

    def move(self, relative: str, to: str) -> None:
        """Give a file or a directory another name. Links are treated as in `remove`.

        Raises:
            LogError: it cannot be moved.
        """
        self.make(to.rpartition("/")[0])
        target = self.join(to)
        try:
            if self.local and REMOVES_SAFELY:
                with parent_of(self.path, relative) as (parent, name):
                    os.rename(name, target, src_dir_fd=parent)
            else:
                self.system.move(self.join(relative), target)
        except OSError as error:
            raise LogError(f'"{self.join(relative)}" cannot be moved: {error}') from error
        self.sync(to.rpartition("/")[0])
        self.sync(relative.rpartition("/")[0])

    def sync(self, relative: str) -> None:
        """Write created and removed names of a directory through to a local disk.

        Other file systems do so by themselves.

        Raises:
            LogError: the disk fails.
        """
        if self.local:
            path = self.join(relative)
            try:
                sync_directory(path)
            except OSError as error:
                raise LogError(f'"{path}" cannot be synchronised: {error}') from error

    def size_of(self, relative: str) -> int | None:
        """Return the size of a file in bytes; None if it is missing.

        Raises:
            LogError: the file system does not answer.
        """
        path = self.join(relative)
        try:
            info = self.system.get_file_info(path)
        except OSError as error:
            raise LogError(f'"{path}" cannot be reached: {error}') from error
        size: int | None = info.size if info.type is fs.FileType.File else None
        return size

    def changed_ms(self, relative: str) -> int | None:
        """Return when a file, or anything in a directory, last changed, in epoch milliseconds.

        On a local disk links are not followed: they could lead anywhere, or in a circle.

        Returns:
            None if it is missing, or if the file system keeps no such time.

        Raises:
            LogError: the file system does not answer.
        """
        path = self.join(relative)
        try:
            if self.local:
                return changed_ms(path)
            found = self.system.get_file_info(path)
            infos = [found]
            if found.type is fs.FileType.Directory:
                selector = fs.FileSelector(path, recursive=True, allow_not_found=True)
                infos += self.system.get_file_info(selector)
        except OSError as error:
            raise LogError(f'"{path}" cannot be listed: {error}') from error
        times = [info.mtime_ns for info in infos if info.mtime_ns is not None]
        return max(times) // 1_000_000 if times else None

    def _type_of(self, path: str) -> fs.FileType | None:
        """Return the type of a path after an error; None if this fails, too."""
        try:
            return self.system.get_file_info(path).type
        except OSError:
            return None

    def create(self, relative: str, data: bytes) -> bool:
        """Create a file whole, only if none has its name.

        Readers see all of it or nothing. On a local disk the first of two writers always wins.
        Elsewhere a moment passes between the check and the move, so a store on an object store must
        have a single writer, such as a Spark query.

        Returns:
            False if such a file exists already; it stays as it is.

        Raises:
            LogError: it cannot be written.
        """
        return self._put(relative, data, replace=False)

    def replace(self, relative: str, data: bytes) -> None:
        """Create or replace a file whole.

        Raises:
            LogError: it cannot be written.
        """
        self._put(relative, data, replace=True)

    def _put(self, relative: str, data: bytes, *, replace: bool) -> bool:
        path = self.join(relative)
        parent, _, name = path.rpartition("/")
        # Spark, and every reader that follows Hadoop's custom, ignores names with a leading dot.
        temporary = f"{parent}/.{name}.{uuid.uuid4().hex}"
        try:
            self.system.create_dir(parent, recursive=True)
            if self.local:
                return put_file(temporary, path, data, replace=replace)
            if not replace and self.system.get_file_info(path).type is not fs.FileType.NotFound:
                return False
            with self.system.open_output_stream(temporary) as stream:
                stream.write(data)
            self.system.move(temporary, path)
        except OSError as error:
            raise LogError(f'"{path}" cannot be written: {error}') from error
        return True
