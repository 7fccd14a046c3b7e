"""Moves of a store's log: where it goes on when the store was rebuilt under another definition.

    <root>/<store>/epochs/<epoch, 20 digits>.json   the move, in the place of the next epoch
    <root>/<store>/current                          a hint: the directory of the newest log
    <root>/<store>/rebuilt/<id>/                    a log, with all the files of one

The record of the move takes the number after the last epoch, which only one writer can create. So
no epoch is committed to the old log after it, and readers meet it when they look for the next
epoch. The new log begins with an epoch of the same number as the last one, which has all rows.

The hint is written after the record and saves those who open a store the way through the old logs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.documents import (
    decode_document,
    encode_document,
    text_value,
    whole_value,
)

REBUILT = "rebuilt"
"""The directory of the logs of rebuilt stores, in that of the store."""
_CURRENT = "current"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The end of a log: the store goes on in another one."""

    epoch: int
    """The number after the last epoch, in whose place it is."""
    path: str
    """The directory of the new log, relative to that of the store."""
    term: int
    owner: str
    moved_ms: int
    """Wall clock of the writer, epoch milliseconds."""


def encode_move(move: Move) -> bytes:
    """Encode a move as JSON."""
    return encode_document(asdict(move))


def move_of(document: Mapping[str, Any]) -> Move:
    """Return the move of a decoded document."""
    return Move(
        epoch=whole_value(document["epoch"]),
        path=_rebuilt(document["path"]),
        term=whole_value(document["term"]),
        owner=text_value(document["owner"]),
        moved_ms=whole_value(document["moved_ms"]),
    )


def current_log(store: Directory) -> Directory:
    """Return the directory of a store's newest log, by the hint.

    Raises:
        TornRecordError: the hint is damaged.
        LogError: the file system does not answer.
    """
    data = store.read(_CURRENT)
    if data is None:
        return store
    path = decode_document(data, store.join(_CURRENT), lambda found: _rebuilt(found["path"]))
    return store.within(path)


def write_current(store: Directory, path: str) -> None:
    """Write the hint.

    Raises:
        LogError: it cannot be written.
    """
    store.replace(_CURRENT, encode_document({"path": path}))


def _rebuilt(item: Any) -> str:
    path = text_value(item)
    parent, _, name = path.partition("/")
    if parent != REBUILT or not name.isalnum() or not name.isascii():
        raise ValueError(f"{path!r} is not the directory of a rebuilt store")
    return path
