"""A log whose old epochs are removed: its writes, its compaction, and what remains of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa

from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Row
from stategate.stores.upkeep.retention import (
    Compacted,
    compact,
)
from tests.stores.log.test_snapshots import contents, followed
from tests.support.stores import keyvalue

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
USERS = [f"user-{number}" for number in range(20)]
T0 = 1_767_225_600_000
HOUR_MS = 3_600_000


def write(root: Path, epoch: int, committed_ms: int | None = None) -> None:
    """Write epochs, each of which counts up all users and removes one of them for good."""
    rows = pa.table(
        {
            "usr": USERS,
            "n": [epoch] * len(USERS),
            "_deleted": [number <= epoch for number in range(len(USERS))],
        }
    )
    StoreWriter(root, CLICKS).write(
        rows,
        position=Position.of({"events": {0: epoch * 10}}),
        epoch=epoch,
        committed_ms=T0 + epoch * HOUR_MS if committed_ms is None else committed_ms,
    )


def expected(epoch: int) -> list[Row]:
    return [(usr, epoch) for n, usr in enumerate(USERS) if n > epoch]


def ten_epochs(root: Path) -> Path:
    """Return a log of epochs 0 to 9, an hour apart."""
    for epoch in range(10):
        write(root, epoch)
    return root


class TenEpochs:
    """Copies of the log of `ten_epochs`, which is written once for each way to keep files.

    Args:
        directory: an empty one, for the logs that are copied.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def copy(self, files: str, root: Path) -> Path:
        """Return a new log; `files` names how files are kept now."""
        source = self._directory / files
        if not source.exists():
            ten_epochs(source)
        return shutil.copytree(source, root)


def log_of(root: Path) -> StoreLog:
    return StoreLog.open(root, "clicks")


def data_of(root: Path) -> list[int]:
    return sorted(int(path.name) for path in (root / "clicks" / "data").iterdir())


def run(root: Path, *, hours: float = 9, **options: object) -> Compacted:
    """Run a compaction at a time after the first epoch, when everything in the log is old."""
    whole = {"orphan_age_ms": 0, **options}
    later = lambda: int(T0 + hours * HOUR_MS)  # noqa: E731
    return compact(root, "clicks", clock=later, **whole)  # type: ignore[arg-type]


def read_whole(root: Path, data: Path) -> list[Row]:
    """Return the rows of a replica that begins empty."""
    shutil.rmtree(data, ignore_errors=True)
    store = followed(root, data, CLICKS)
    while store.follow():
        pass
    assert {status.error for status in store.statuses().values()} == {None}
    found = contents(store)
    store.close()
    return found
