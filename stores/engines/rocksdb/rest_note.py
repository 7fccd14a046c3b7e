"""A note beside a database that was closed cleanly: what it holds, so that it need not be opened.

RocksDB begins a new manifest whenever it opens a database, and the file CURRENT names it, safely on
the disk, before anything can be written. A note is valid as long as CURRENT names the manifest that
it was written for. So it need not be removed when the database is opened: neither a crash nor a
loss of power can leave a note that is older than the rows.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import orjson

_NOTE = "RESTING"
"""A file in the database's directory, with a name that RocksDB does not use."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a database holds."""

    definition: bytes
    """The fingerprint of its store; see `metadata.fingerprint`. It is JSON."""
    progress: bytes
    """Its progress, as `metadata.encode_progress` gives it. It is JSON."""


def manifest_of(directory: Path) -> str | None:
    """Return the name of a database's manifest; None if there is no database."""
    try:
        return (directory / "CURRENT").read_text().strip()
    except (OSError, ValueError):
        return None


def write_note(directory: Path, manifest: str | None, note: Note) -> None:
    """Write a note about a database that was closed; without one it is opened at the next start.

    Args:
        directory: the database's directory.
        manifest: its manifest before it was closed, since another process may have it open by now.
        note: what it holds.
    """
    path = directory / _NOTE
    document = {
        "manifest": manifest,
        "definition": orjson.Fragment(note.definition),
        "progress": orjson.Fragment(note.progress),
    }
    with contextlib.suppress(OSError):
        new = path.with_suffix(".new")
        new.write_bytes(orjson.dumps(document))
        new.replace(path)


def read_note(directory: Path) -> Note | None:
    """Return the note about a database; None if there is none, or it was opened since."""
    try:
        document = orjson.loads((directory / _NOTE).read_bytes())
        if document["manifest"] is None or document["manifest"] != manifest_of(directory):
            return None
        return Note(orjson.dumps(document["definition"]), orjson.dumps(document["progress"]))
    except (OSError, KeyError, TypeError, orjson.JSONDecodeError):
        return None
