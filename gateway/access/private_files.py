"""Files with secrets: refused if other users can read them, and never written readable."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from stategate.gateway.errors import SettingsError


class Signature(NamedTuple):
    """Metadata that changes when a file does; compared instead of its content."""

    device: int
    inode: int
    bytes: int
    modified_ns: int
    changed_ns: int


def signature_of(path: Path) -> Signature | None:
    """Return the signature of a file; None if it cannot be read."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Signature(
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    )


def require_private(path: Path, *, setting: str) -> None:
    """Refuse a file that other users can read.

    The rule is PostgreSQL's for its TLS key: the file is ours and has no permissions for others,
    or it is root's and its group may read it, as packages and Kubernetes install secrets.

    Raises:
        SettingsError: the file is missing, or others can read it.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise SettingsError(
            f'setting "{setting}": cannot read the file "{path}": {error.strerror}'
        ) from error
    if sys.platform == "win32":
        return  # Windows has different permissions
    if not stat.S_ISREG(found.st_mode):
        raise SettingsError(f'setting "{setting}": "{path}" is not a file')
    if found.st_uid not in {os.geteuid(), 0}:
        raise SettingsError(
            f'setting "{setting}": the file "{path}" belongs to another user',
            hint="It must belong to the user that runs the gateway, or to root.",
        )
    forbidden = 0o037 if found.st_uid == 0 else 0o077
    if found.st_mode & forbidden:
        raise SettingsError(
            f'setting "{setting}": the file "{path}" can be read or changed by others',
            hint="Run chmod 600 on it; if root owns it, 640 will do.",
        )


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically; a new file is readable by its owner only.

    A replaced file keeps its owner and, if root owns it, its group's permission to read: otherwise
    the gateway could not read a file that root has changed.

    Raises:
        OSError: it cannot be written; the old file is unchanged.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            if sys.platform != "win32":
                _copy_owner(path, file.fileno())
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if sys.platform != "win32":
        # Otherwise a loss of power could bring back a removed user.
        _sync_directory(path.parent)


def _copy_owner(path: Path, descriptor: int) -> None:
    """Give a new file the owner of the one it replaces, and safe permissions."""
    try:
        old = path.stat()
    except FileNotFoundError:
        return
    new = os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, old.st_mode & (0o640 if old.st_uid == 0 else 0o600) | 0o600)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
