"""Files of the log on a file system of pyarrow, such as HDFS."""

from __future__ import annotations

import contextlib
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyarrow import fs

from stategate.stores.log.files.file_systems import Stamp, UnusableFileError

_CHUNK_BYTES = 4 << 20


class ArrowFiles:
    """The files of one file system of pyarrow; see `stategate.stores.log.files.file_systems`.

    A file is written under a temporary name and then moved. On HDFS a move never replaces a file,
    so the first of two writers always wins. Elsewhere a moment passes between a check and the move.

    Args:
        system: the file system.
    """

    def __init__(self, system: fs.FileSystem) -> None:
        self.system = system
        self._moves_over = system.type_name != "hdfs"

    def read(self, path: str, bytes_max: int) -> bytes:
        """Return the content of a file."""
        with self.open_input(path) as stream:
            if stream.size() > bytes_max:
                raise UnusableFileError.of_size(stream.size(), bytes_max)
            found: bytes = stream.read()
            return found

    def names(self, path: str) -> list[str]:
        """Return the names in a directory, unordered."""
        infos = self.system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return [info.base_name for info in infos]

    def stamps(self, path: str) -> dict[str, Stamp]:
        """Return the time and size of each file in a directory."""
        infos = self.system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return {info.base_name: (info.mtime_ns or 0, info.size or 0) for info in infos}

    def names_changed_ns(self, path: str) -> int | None:
        """Return None: only a listing shows it."""
        del path
        return None

    def has(self, path: str) -> bool:
        """Whether a file or directory has that name."""
        return self._type_of(path) is not fs.FileType.NotFound

    def has_directory(self, path: str) -> bool:
        """Whether a directory has that name."""
        return self._type_of(path) is fs.FileType.Directory

    def _type_of(self, path: str) -> fs.FileType:
        return self.system.get_file_info(path).type

    def size_of(self, path: str) -> int | None:
        """Return the size of a file in bytes; None if it is missing."""
        info = self.system.get_file_info(path)
        size: int | None = info.size if info.type is fs.FileType.File else None
        return size

    def changed_ms(self, path: str) -> int | None:
        """Return when a file, or anything below a directory, last changed."""
        found = self.system.get_file_info(path)
        infos = [found]
        if found.type is fs.FileType.Directory:
            selector = fs.FileSelector(path, recursive=True, allow_not_found=True)
            infos += self.system.get_file_info(selector)
        times = [info.mtime_ns for info in infos if info.mtime_ns is not None]
        return max(times) // 1_000_000 if times else None

    def make(self, path: str) -> None:
        """Create a directory and its parents where they are missing."""
        self.system.create_dir(path, recursive=True)

    def create(self, path: str, data: bytes) -> bool:
        """Create a file whole; False if the name is taken."""
        if self._moves_over and self.has(path):
            return False
        temporary = self._write_aside(path, data)
        try:
            self.system.move(temporary, path)
        except OSError:
            with contextlib.suppress(FileNotFoundError):
                self.system.delete_file(temporary)
            if self.has(path):
                return False
            raise
        return True

    def replace(self, path: str, data: bytes, *, durable: bool) -> None:
        """Create or replace a file whole. On HDFS readers may miss it for a moment."""
        del durable
        temporary = self._write_aside(path, data)
        if not self._moves_over and self.has(path):
            self.system.delete_file(path)
        self.system.move(temporary, path)

    def replace_if(self, path: str, data: bytes, expected: bytes) -> bool:
        """Replace a file whole; False if its content is not `expected`.

        These file systems have no such operation, so a moment passes between the two.
        """
        with self.open_input(path) as stream:
            if stream.read() != expected:
                return False
        self.replace(path, data, durable=True)
        return True

    def _write_aside(self, path: str, data: bytes) -> str:
        temporary = temporary_name(path)
        self.make(path.rpartition("/")[0])
        with self.system.open_output_stream(temporary) as stream:
            stream.write(data)
        return temporary

    def open_input(self, path: str) -> Any:
        """Open a file that can be read at any place."""
        with self._opening(path):
            return self.system.open_input_file(path)

    @contextmanager
    def open_output(self, path: str) -> Iterator[Any]:
        """Open a new file; its directory exists. A moment passes after the check of its name."""
        if self.has(path):
            raise FileExistsError(f"there is a file {path} already")
        with self.system.open_output_stream(path) as stream:
            yield stream

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of a file from start to end, a few MB at a time."""
        with self._opening(path):
            opened = self.system.open_input_stream(path)
        with opened as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                yield chunk

    @contextmanager
    def _opening(self, path: str) -> Iterator[None]:
        """Raise an UnusableFileError if a file cannot be opened because it is a directory."""
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            if self.has_directory(path):
                raise UnusableFileError.of_kind("a directory") from error
            raise

    def upload(self, path: str, source: Path) -> None:
        """Copy a file of this machine; the directory exists."""
        with open(source, "rb") as stream, self.open_output(path) as out:
            shutil.copyfileobj(stream, out, _CHUNK_BYTES)

    def remove_tree(self, root: str, relative: str) -> None:
        """Remove a directory with its content."""
        self.system.delete_dir(f"{root}/{relative}")

    def remove_file(self, root: str, relative: str) -> None:
        """Remove a file."""
        self.system.delete_file(f"{root}/{relative}")

    def move(self, root: str, relative: str, to: str) -> None:
        """Give a file or a directory another name; its directory exists."""
        self.system.move(f"{root}/{relative}", f"{root}/{to}")

    def sync(self, path: str) -> None:
        """Do nothing: such a file system writes names through by itself."""


def temporary_name(path: str) -> str:
    """Return a name for the bytes of a file until they are whole.

    Spark, and every reader that follows Hadoop's custom, ignores names with a leading dot.
    """
    parent, _, name = path.rpartition("/")
    return f"{parent}/.{name}.{uuid.uuid4().hex}"
