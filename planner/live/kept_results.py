"""What a live query keeps of its last result, to find the changes of the next one.

`WholeResult` keeps all rows and compares them with all rows of the next epoch: it works for every
statement. `KeyedResult` keeps no row: it holds the epochs, and reads the rows of the changed keys
before and after.

Law: both find the same changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from stategate.planner.errors import SnapshotTooOldError, UnavailableError
from stategate.planner.live.cuts import Stores
from stategate.planner.live.differences import Contents, Difference, about_bytes
from stategate.planner.live.results import ResultReader
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.values.live import RowChange
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.schema import Key, Row
from stategate.stores.spec.store import Store


class KeptResult(Protocol):
    """The last result of a live query. Used by one thread at a time."""

    whole_reads: int
    """How often all rows were read, because the changed keys were not known."""

    @property
    def digest(self) -> str | None:
        """A digest of the last result; None if its epochs decide the rows."""

    @property
    def held_rows(self) -> int:
        """How many rows are kept."""

    @property
    def held_bytes(self) -> int:
        """About how much memory they take."""

    def begin(self, snapshot: Snapshot, stores: Stores) -> None:
        """Take a snapshot as the first one; it releases the snapshot.

        Raises:
            QueryError: the statement fails.
        """

    def advance(self, snapshot: Snapshot, stores: Stores) -> tuple[RowChange, ...]:
        """Take the next snapshot, and return what has changed since the last one.

        Raises:
            QueryError: the statement fails; the last result stays then.
        """

    def rows(self) -> Sequence[Row]:
        """Return all rows of the last result.

        Raises:
            QueryError: the statement fails.
        """

    @property
    def is_misplaced(self) -> bool:
        """Whether nodes keep epochs for it that wait to be rid of them."""

    def hold_anew(self, snapshot: Snapshot) -> None:
        """Hold the last result by this snapshot of the same epochs."""

    def close(self) -> None:
        """Release everything."""


class WholeResult:
    """Keeps all rows.

    Args:
        reader: reads the results.
        difference: compares them.
    """

    def __init__(self, reader: ResultReader, difference: Difference) -> None:
        self._reader, self._difference = reader, difference
        self._contents: Contents | None = None
        self._digest = difference.digest(())
        self.whole_reads = 0

    @property
    def digest(self) -> str | None:
        """A digest of the last result: LIMIT, for instance, may take any of equal rows."""
        return self._digest.text

    @property
    def held_rows(self) -> int:
        """How many rows are kept."""
        contents = self._contents
        return 0 if contents is None else len(contents.rows)

    @property
    def held_bytes(self) -> int:
        """About how much memory they take."""
        contents = self._contents
        return 0 if contents is None else contents.row_bytes

    def begin(self, snapshot: Snapshot, stores: Stores) -> None:
        """Read the first result."""
        del stores
        self._contents = self._read(snapshot)
        self._digest = self._difference.digest(self._contents.rows)

    def advance(self, snapshot: Snapshot, stores: Stores) -> tuple[RowChange, ...]:
        """Read the next result, and compare it with the last one."""
        del stores
        old, new = self._contents, self._read(snapshot)
        self._contents = new
        if old is None:
            return ()
        changes = self._difference.changes(old, new)
        self._digest.apply(changes)
        return changes

    def rows(self) -> Sequence[Row]:
        """Return all rows."""
        return () if self._contents is None else self._contents.rows

    @property
    def is_misplaced(self) -> bool:
        """Return False: no epoch is held."""
        return False

    def hold_anew(self, snapshot: Snapshot) -> None:
        """Release it: the rows are here."""
        snapshot.release()

    def close(self) -> None:
        """Forget the rows."""
        self._contents = None

    def _read(self, snapshot: Snapshot) -> Contents:
        try:
            with reading_new_epochs():
                return self._difference.contents(self._reader.read(snapshot))
        finally:
            snapshot.release()


class KeyedResult:
    """Holds the epochs of the last result, and reads what is asked for.

    Args:
        reader: reads the results.
        difference: compares them.
    """

    def __init__(self, reader: ResultReader, difference: Difference) -> None:
        self._reader, self._difference = reader, difference
        self._snapshot: Snapshot | None = None
        self._rows: Sequence[Row] | None = None
        """All rows of the last result, if someone has asked for them."""
        self._followed: Store | None = None
        self._logs: list[KeyLog | None] = []
        self._epoch = -1
        self.whole_reads = 0

    @property
    def digest(self) -> str | None:
        """Return None: each row is made of one row of the store."""
        return None

    @property
    def held_rows(self) -> int:
        """How many rows are kept: those that subscribers begin with, until the next epoch."""
        rows = self._rows
        return 0 if rows is None else len(rows)

    @property
    def held_bytes(self) -> int:
        """About how much memory they take."""
        rows = self._rows
        return 0 if rows is None else about_bytes(rows)

    def begin(self, snapshot: Snapshot, stores: Stores) -> None:
        """Hold the first epochs, and read all rows once, since the statement may fail."""
        self._follow(stores)
        try:
            rows = self._reader.read(snapshot)
        except BaseException:
            snapshot.release()
            raise
        self._hold(snapshot, stores)
        self._rows = rows

    def advance(self, snapshot: Snapshot, stores: Stores) -> tuple[RowChange, ...]:
        """Compare the rows of the changed keys, or all rows if those are not known."""
        old = self._snapshot
        assert old is not None, "it has begun"
        is_followed = self._follow(stores)
        try:
            keys = self._changed(snapshot, stores) if is_followed else None
            changes = self._compare(old, snapshot, keys)
        except BaseException:
            snapshot.release()
            raise
        self._hold(snapshot, stores)
        return changes

    def rows(self) -> Sequence[Row]:
        """Read all rows of the last result."""
        if self._rows is None and self._snapshot is not None:
            self._rows = self._reader.read(self._snapshot)
        return self._rows or ()

    @property
    def is_misplaced(self) -> bool:
        """Whether nodes keep epochs for it that wait to be rid of them."""
        snapshot = self._snapshot
        return snapshot is not None and snapshot.is_misplaced

    def hold_anew(self, snapshot: Snapshot) -> None:
        """Hold the epochs by another snapshot."""
        old, self._snapshot = self._snapshot, snapshot
        if old is not None:
            old.release()

    def close(self) -> None:
        """Release the epochs."""
        snapshot, self._snapshot = self._snapshot, None
        self._rows, self._logs = None, []
        if snapshot is not None:
            snapshot.release()

    def _follow(self, stores: Stores) -> bool:
        """Have changed keys recorded from now on; return whether they were before."""
        (store,) = stores.values()
        if store is self._followed:
            return True
        self._followed = store
        self._logs = [store.follow_keys(number) for number in range(store.schema.partitions)]
        return False

    def _changed(self, snapshot: Snapshot, stores: Stores) -> list[Key] | None:
        (store,) = stores.values()
        up_to = snapshot.chosen(store)
        found: dict[Key, None] = {}
        for log in self._logs:
            keys = None if log is None or up_to is None else log.changed(self._epoch, up_to)
            if keys is None:
                return None
            found.update(dict.fromkeys(keys))
        return list(found)

    def _compare(
        self, old: Snapshot, new: Snapshot, keys: list[Key] | None
    ) -> tuple[RowChange, ...]:
        if keys is not None and not keys:
            return ()
        contents = self._difference.contents
        self.whole_reads += keys is None
        try:
            before = self._read(keys, old)
        except SnapshotTooOldError as error:
            raise SnapshotTooOldError(
                "the rows of the last epoch are no longer held",
                detail=error.detail,
                hint="Subscribe again, from the beginning.",
            ) from error
        with reading_new_epochs():
            after = self._read(keys, new)
        return self._difference.changes(contents(before), contents(after))

    def _read(self, keys: list[Key] | None, snapshot: Snapshot) -> Sequence[Row]:
        if keys is None:
            return self._reader.read(snapshot)
        return self._reader.read_keys(keys, snapshot)

    def _hold(self, snapshot: Snapshot, stores: Stores) -> None:
        (store,) = stores.values()
        epoch = snapshot.chosen(store)
        assert epoch is not None, "the snapshot holds its epochs"
        old, self._snapshot, self._epoch = self._snapshot, snapshot, epoch
        self._rows = None
        if old is not None:
            old.release()


@contextmanager
def reading_new_epochs() -> Iterator[None]:
    """Let a loss of epochs that were held just now be tried again: others may be held then.

    Raises:
        UnavailableError: in place of a `SnapshotTooOldError`, as if a node was lost (55S03).
    """
    try:
        yield
    except SnapshotTooOldError as error:
        raise UnavailableError(
            "a partition was lost while it was read",
            detail=error.detail,
            hint="Retry.",
            sqlstate="55S03",
        ) from error


def kept_result(reader: ResultReader, difference: Difference) -> KeptResult:
    """Return what suits a statement."""
    return (KeyedResult if reader.reads_keys else WholeResult)(reader, difference)
