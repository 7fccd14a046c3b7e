"""The directory in which `stategate demo` keeps its stores between runs.

A file in it says which run made it and whether that run was completed. A directory without that
file is never changed or removed, unless it is empty.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from types import TracebackType

from stategate.gateway.errors import ServeError

_MARKER = "_demo"
_UNFINISHED = "unfinished"


class DemoDirectory:
    """A directory that one demo uses at a time; enter it to lock it.

    Args:
        path: made if it is missing.
        programs: the files that determine the content of the stores.

    Raises:
        ServeError: on entering, if the directory cannot be used.
    """

    def __init__(self, path: Path, *, programs: Sequence[Path]) -> None:
        self.path = path.resolve()
        self._marker = self.path / _MARKER
        self._made_by = _fingerprint(programs)
        self._descriptor: int | None = None

    def __enter__(self) -> DemoDirectory:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock()
            if not self._marker.is_file() and any(self.path.iterdir()):
                raise ServeError(
                    f'the directory "{self.path}" holds something other than a demo',
                    hint="Name an empty or a new one with --root.",
                )
        except OSError as error:
            self._unlock()
            raise _unusable(self.path, error) from error
        except BaseException:
            self._unlock()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._unlock()

    @property
    def is_complete(self) -> bool:
        """Whether these programs have filled it to the end."""
        return self._marker.is_file() and self._marker.read_text() == self._made_by

    @property
    def logs(self) -> Path:
        """Where the programs' own output goes."""
        return self.path / "_logs"

    def begin(self) -> None:
        """Empty the directory and mark it as unfinished.

        Raises:
            ServeError: it cannot be written.
        """
        try:
            self._marker.write_text(_UNFINISHED)
            for entry in self.path.iterdir():
                if entry.is_dir():
                    shutil.rmtree(entry)
                elif entry != self._marker:
                    entry.unlink()
        except OSError as error:
            raise _unusable(self.path, error) from error

    def complete(self) -> None:
        """Mark the stores as whole, so that the next run serves them at once."""
        self._marker.write_text(self._made_by)

    def remove(self) -> None:
        """Delete the directory. The next run deletes files that cannot be deleted now."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        import fcntl  # noqa: PLC0415 - not there on Windows

        self._descriptor = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ServeError(
                f'another demo uses the directory "{self.path}"',
                hint="Stop it, or name another directory with --root.",
            ) from error

    def _unlock(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _unusable(path: Path, error: OSError) -> ServeError:
    reason = (error.strerror or str(error)).lower()
    return ServeError(
        f'the directory "{path}" cannot be used: {reason}', hint="Name another with --root."
    )


def _fingerprint(programs: Sequence[Path]) -> str:
    """Return a text that changes when the programs or the version of Stategate do."""
    digest = hashlib.sha256(version("stategate").encode())
    for program in programs:
        digest.update(program.read_bytes())
    return digest.hexdigest()
