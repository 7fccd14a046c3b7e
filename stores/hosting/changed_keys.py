"""Records the keys of the rows that epochs bring to a replica, while someone asks for them.

It costs the thread that applies an epoch no more than a reference to the key columns of its
batches. They become keys when a reader asks.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import Column, Key

EPOCHS_MAX = 16
"""Epochs of a replica whose keys are recorded: some more than can be asked for."""
KEYS_MAX = 5_000
"""Changed rows of one epoch of a replica; with more, reading all rows is about as cheap."""


class _Recorded(NamedTuple):
    before: int
    epoch: int
    keys: Sequence[pa.RecordBatch] | None
    """None if they are too many, or all rows were replaced."""


class ChangedKeys:
    """The changed keys of one replica; see `stategate.stores.spec.key_log.KeyLog`.

    Args:
        columns: those of its keys, see `recorded_columns`.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._lock = threading.Lock()
        self._epochs: deque[_Recorded] = deque(maxlen=EPOCHS_MAX)

    def add(self, recorded: _Recorded) -> None:
        """Add the keys of an epoch that was applied."""
        with self._lock:
            self._epochs.append(recorded)

    def changed(self, after: int, up_to: int) -> list[Key] | None:
        """Return the changed keys between two epochs, if they are known."""
        with self._lock:
            epochs = [each for each in self._epochs if after < each.epoch <= up_to]
        at, found = after, list[pa.RecordBatch]()
        for each in epochs:
            if each.before != at or each.keys is None:
                return None
            at = each.epoch
            found += each.keys
        if at != up_to:
            return None
        keys: dict[Key, None] = {}
        for batch in found:
            listed = [
                physical_list(batch.column(column.name), column.type) for column in self._columns
            ]
            keys.update(dict.fromkeys(zip(*listed, strict=True)))
        return list(keys)


class KeyRecorder:
    """Records for a replica, as long as anyone holds its log.

    Args:
        columns: those of its keys, see `recorded_columns`.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._log: weakref.ref[ChangedKeys] | None = None
        self._lock = threading.Lock()

    def log(self) -> ChangedKeys:
        """Return the log; it is kept up to date while the caller holds it."""
        with self._lock:
            found = None if self._log is None else self._log()
            if found is None:
                found = ChangedKeys(self._columns)
                self._log = weakref.ref(found)
            return found

    def begin(self, before: int, *, replace: bool) -> EpochKeys | None:
        """Begin to record an epoch; None if no one asks.

        Args:
            before: the epoch before it.
            replace: whether it replaces all rows.
        """
        log = None if self._log is None else self._log()
        return None if log is None else EpochKeys(log, self._columns, before, is_known=not replace)


class EpochKeys:
    """The keys of one epoch while it is applied.

    Args:
        log: gets them.
        columns: those of its keys.
        before: the epoch before it.
        is_known: whether they tell all changes.
    """

    def __init__(
        self, log: ChangedKeys, columns: Sequence[Column], before: int, *, is_known: bool
    ) -> None:
        self._log, self._before, self._is_known = log, before, is_known
        self._names = [column.name for column in columns]
        self._keys: list[pa.RecordBatch] = []
        self._rows = 0

    def reading(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the epoch, and keep their keys."""
        for batch in batches:
            self._rows += batch.num_rows
            if self._rows <= KEYS_MAX:
                self._keys.append(batch.select(self._names))
            yield batch

    def applied(self, epoch: int) -> None:
        """Add the keys to the log, because the epoch was applied."""
        is_known = self._is_known and self._rows <= KEYS_MAX
        self._log.add(_Recorded(self._before, epoch, self._keys if is_known else None))
