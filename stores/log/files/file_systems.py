"""The operations that the log needs from a file system.

`local` answers for local disks, `objects` for object stores, and `arrow` for HDFS and
the other file systems of pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

Stamp: TypeAlias = tuple[int | str, ...]
"""Differs between a file and one that replaces it; see `Directory.stamps`."""


class UnusableFileError(OSError):
    """What has the name is not a file, or is longer than it may be: it stays so.

    Args:
        what: what it is, as the end of a sentence.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: put the right file back, or run stategate log repair")

    @staticmethod
    def of_kind(kind: str) -> UnusableFileError:
        """Return the error for something that is not a file."""
        return UnusableFileError(f"is {kind} and should be a file")

    @staticmethod
    def of_size(size_bytes: int, bytes_max: int) -> UnusableFileError:
        """Return the error for a file that is too long."""
        return UnusableFileError(f"has {size_bytes} bytes, and may have {bytes_max}")


class FileSystem(Protocol):
    """The operations that the log needs from a file system.

    All paths but `relative` and `to` are whole. A missing file is a FileNotFoundError; each other
    failure is an OSError, too. Opening what is not a file fails with an UnusableFileError at once.
    """

    def read(self, path: str, bytes_max: int) -> bytes:
        """Return the content of a file of at most so many bytes."""

    def names(self, path: str) -> list[str]:
        """Return the names in a directory, unordered."""

    def stamps(self, path: str) -> dict[str, Stamp]:
        """Return a stamp of each file in a directory; see `Directory.stamps`."""

    def names_changed_ns(self, path: str) -> int | None:
        """Return when a name in a directory last changed; None if only a listing shows it."""

    def has(self, path: str) -> bool:
        """Whether a file has that name; or a directory, where directories exist by themselves."""

    def has_directory(self, path: str) -> bool:
        """Whether a directory has that name."""

    def size_of(self, path: str) -> int | None:
        """Return the size of a file in bytes; None if it is missing."""

    def changed_ms(self, path: str) -> int | None:
        """Return when a file, or anything below a directory, last changed; None if unknown."""

    def make(self, path: str) -> None:
        """Create a directory and its parents where they are missing."""

    def create(self, path: str, data: bytes) -> bool:
        """Create a file whole, with its directory; False if the name is taken."""

    def replace(self, path: str, data: bytes, *, durable: bool) -> None:
        """Create or replace a file whole, with its directory; with `durable` it lasts then."""

    def replace_if(self, path: str, data: bytes, expected: bytes) -> bool:
        """Replace a file whole, so that it lasts; False if its content is not `expected`."""

    def open_input(self, path: str) -> AbstractContextManager[Any]:
        """Open a file for reading at any place, as pyarrow's NativeFile."""

    def open_output(self, path: str) -> AbstractContextManager[Any]:
        """Open a new file for writing; once the block ends it is whole and lasts.

        A file that has its name stays as it is: FileExistsError. After an error in the block there
        may be a part of the new one, or nothing.
        """

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of a file from start to end, a few MB at a time."""

    def upload(self, path: str, source: Path) -> None:
        """Copy a file of this machine to a new one, so that it lasts; else as `open_output`."""

    def remove_tree(self, root: str, relative: str) -> None:
        """Remove a directory with its content."""

    def remove_file(self, root: str, relative: str) -> None:
        """Remove a file."""

    def move(self, root: str, relative: str, to: str) -> None:
        """Give a file or a directory another name; its directory exists."""

    def sync(self, path: str) -> None:
        """Make created and removed names of a directory last."""
