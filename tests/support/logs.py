"""State logs to test: two definitions, their rows and commits, a log that is followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from stategate.stores.log.data.scanning import Wanted
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.documents import encode_document
from stategate.stores.log.metadata.records import Commit, commit_name, encode_commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import (
    BIGINT,
    TEXT,
    Column,
    Row,
    StoreKind,
    StoreSchema,
)
from stategate.stores.upkeep.contents import read_contents
from stategate.stores.upkeep.recipes import recipe
from tests.support.values import rows_of

CLICKS = StoreSchema(
    name="clicks",
    kind=StoreKind.KEYVALUE,
    key=(Column(name="usr", type=TEXT),),
    value=(Column(name="n", type=BIGINT),),
    partitions=4,
)
HOURS = StoreSchema(
    name="hours",
    kind=StoreKind.WINDOW,
    key=(Column(name="usr", type=TEXT),),
    value=(Column(name="n", type=BIGINT),),
    partitions=2,
    window_size_ms=3_600_000,
)
AT = Position.of({"orders": {0: 9}})


def rows(n: int = 20, start: int = 0) -> pa.Table:
    numbers = range(start, start + n)
    return pa.table({"usr": [f"u{i}" for i in numbers], "n": list(numbers)})


def contents(log: StoreLog, commit: Commit) -> list[dict[str, Any]]:
    partitions = range(log.schema().partitions)
    batches = [batch for p in partitions for batch in log.read(commit, p)]
    return [row for batch in batches for row in batch.to_pylist()]


def commit_path(root: Path, epoch: int, store: str = "clicks") -> Path:
    return root / store / "epochs" / f"{epoch:020d}.json"


def edit_record(path: Path, **fields: Any) -> None:
    """Change fields of a record as its writer would have written them."""
    document = {**orjson.loads(path.read_bytes()), **fields}
    document.pop("checksum", None)
    path.write_bytes(encode_document(document))


def empty_commit(epoch: int, *, previous: int = -1, writer: str = "w") -> Commit:
    return Commit(
        epoch=epoch,
        previous=previous,
        position=AT,
        watermark_ms=None,
        committed_ms=1,
        writer=writer,
        files=(),
    )


def write_alone(log: StoreLog, commit: Commit) -> None:
    """Write a commit without the skip that names it, as if that had been lost."""
    assert log.directory.create(commit_name(commit.epoch), encode_commit(commit))


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def followed(tmp_path: Path) -> tuple[StoreLog, Clock]:
    clock = Clock()
    log = StoreLog(Directory.at(tmp_path).within("clicks"), "clicks", clock=clock)
    log.define(CLICKS)
    return log, clock


def batches_of(
    root: Path, schema: StoreSchema, epoch: int | None = None, wanted: Wanted | None = None
) -> list[pa.RecordBatch]:
    """Return the rows of all partitions as of an epoch, read from the log without a replica."""
    log = StoreLog.open(root, schema.name)
    made_of = recipe(log, epoch)
    asked = wanted or Wanted(columns=tuple(column.name for column in schema.columns))
    return [b for p in range(schema.partitions) for b in read_contents(log, made_of, p, asked)]


def contents_of(
    root: Path, schema: StoreSchema, epoch: int | None = None, wanted: Wanted | None = None
) -> list[Row]:
    """Return the rows of `batches_of`."""
    return list(rows_of(batches_of(root, schema, epoch, wanted)))
