"""The content of a store by event time depends on its rows, not on the epochs they came in."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pytest

from stategate.stores.errors import SchemaError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.spec.windows import WindowRangeQuery
from stategate.stores.upkeep.retention import Retention, compact
from tests.stores.test_kinds import AT, followed, shown
from tests.support.logs import contents_of
from tests.support.seeds import seeds
from tests.support.stores import keyvalue, timed, window

LATEST = replace(keyvalue("latest", {"k": "text"}, {"n": "bigint"}), by_event_time=True)
HOURS = replace(window("hours", {"k": "text"}, {"n": "bigint"}), by_event_time=True)
SCANS = {StoreKind.KEYVALUE: RangeQuery(), StoreKind.WINDOW: WindowRangeQuery()}
US = pa.timestamp("us", tz="UTC")
FIRST_MICROS = -210_866_803_200_000_000
"""The first moment of PostgreSQL, in 4714 BC."""

Event: TypeAlias = tuple[str | None, int, int | None, bool]
"""Key, number, event time in microseconds, whether it is a tombstone."""


def events(seed: int, count: int = 120) -> list[Event]:
    """Return events of few keys, with times that go back, are equal or are missing."""
    draw = random.Random(seed)
    return [
        (
            draw.choice(["", "a", "b", "c", "d", "e"]),
            number,
            draw.choice([None, FIRST_MICROS, *(draw.randrange(40) * 500 for _ in range(20))]),
            draw.random() < 0.3,
        )
        for number in range(count)
    ]


def recomputed(given: Sequence[Event]) -> dict[str | None, int]:
    """Return the number of the row of each key that stays."""
    best: dict[str | None, tuple[tuple[float, int], bool]] = {}
    for key, number, time_us, gone in given:
        rank = (float("-inf") if time_us is None else time_us // 1000, number)
        if key not in best or rank > best[key][0]:
            best[key] = rank, gone
    return {key: rank[1] for key, (rank, gone) in best.items() if not gone}


def table(schema: StoreSchema, given: Sequence[Event]) -> pa.Table:
    columns: dict[str, Any] = {
        "k": pa.array([event[0] for event in given], pa.string()),
        "n": pa.array([event[1] for event in given], pa.int64()),
        "_timestamp": pa.array([event[2] for event in given], US),
        "_deleted": pa.array([event[3] for event in given], pa.bool_()),
    }
    if schema.kind is StoreKind.WINDOW:
        columns["window_start"] = pa.array([0] * len(given), US)
    return pa.table(columns)


def written(root: Path, schema: StoreSchema, given: Sequence[Event], cuts: Sequence[int]) -> None:
    """Write events in order, as epochs that end at the cuts."""
    writer = StoreWriter(root, schema)
    ends = [*sorted(cuts), len(given)]
    for start, end in zip([0, *ends], ends, strict=False):
        writer.write(table(schema, given[start:end]), position=AT)


def content(rows: Sequence[Row]) -> dict[str | None, int]:
    found = {row[0]: row[-1] for row in rows}
    assert len(found) == len(rows)
    return found


def read_all(root: Path, schema: StoreSchema) -> dict[str | None, int]:
    """Return the rows that are read from the log without a replica, as `read_store` does."""
    return content(contents_of(root, schema))


@pytest.mark.hypothesis
@pytest.mark.parametrize("schema", [LATEST, HOURS], ids=["keyvalue", "window"])
@pytest.mark.parametrize("seed", seeds(2))
def test_the_content_does_not_depend_on_the_cuts(
    tmp_path: Path, schema: StoreSchema, seed: int
) -> None:
    """Neither in a replica, on disk or in memory, nor in a snapshot, nor in `read_store`."""
    given = events(seed)
    expected = recomputed(given)
    draw = random.Random(seed)
    every = range(1, len(given))
    for number, cuts in enumerate([[], draw.sample(every, 8), draw.sample(every, 60), every]):
        root, data = tmp_path / str(number), tmp_path / f"data-{number}"
        written(root, schema, given, list(cuts))
        assert read_all(root, schema) == expected
        for directory in (None, data):
            store = followed(root, schema, directory)
            assert content(shown(store, SCANS[schema.kind])) == expected
            store.close()


def test_a_snapshot_has_the_times_of_deletions(tmp_path: Path) -> None:
    """A row that is earlier than a deletion does not show, even if the epoch of that is gone."""
    writer = StoreWriter(tmp_path, LATEST)
    writer.write(table(LATEST, [("a", 1, 5_000, False), ("b", 1, 5_000, False)]), position=AT)
    writer.write(table(LATEST, [("a", 2, 9_000, True)]), position=AT)
    done = compact(tmp_path, LATEST.name, retention=Retention(epochs=0))
    assert done.snapshot is not None
    assert sum(file.rows for file in done.snapshot.files) == 1
    writer.write(table(LATEST, [("a", 3, 8_999, False), ("b", 4, 4_000, True)]), position=AT)
    assert read_all(tmp_path, LATEST) == {"b": 1}
    assert content(shown(followed(tmp_path, LATEST, tmp_path / "data"), RangeQuery())) == {"b": 1}
    # 9,999 µs are in the same millisecond, so the order of arrival decides.
    writer.write(table(LATEST, [("a", 5, 9_999, False)]), position=AT)
    assert read_all(tmp_path, LATEST) == {"a": 5, "b": 1}
    writer.write(table(LATEST, [("a", 6, 9_000, True)]), position=AT)
    assert read_all(tmp_path, LATEST) == {"b": 1}


def test_an_epoch_that_is_the_whole_store_begins_anew(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, LATEST)
    writer.write(table(LATEST, [("a", 1, 9_000, False), ("b", 2, 9_000, True)]), position=AT)
    early = [("a", 3, 1_000, False), ("b", 4, 1_000, False)]
    writer.write(table(LATEST, early), position=AT, replace=True)
    for directory in (None, tmp_path / "data"):
        assert content(shown(followed(tmp_path, LATEST, directory), RangeQuery())) == {
            "a": 3,
            "b": 4,
        }
    assert read_all(tmp_path, LATEST) == {"a": 3, "b": 4}


def test_a_store_keeps_its_order(tmp_path: Path) -> None:
    StoreWriter(tmp_path, LATEST)
    with pytest.raises(SchemaError, match="another by event time: True, not False"):
        StoreWriter(tmp_path, replace(LATEST, by_event_time=False))
    assert StoreLog.open(tmp_path, LATEST.name).schema() == LATEST


def test_versions_have_no_other_order() -> None:
    versions = timed(StoreKind.VERSIONED, "v", {"k": "text"}, {"n": "bigint"})
    with pytest.raises(SchemaError, match="keeps the rows of every event time"):
        replace(versions, by_event_time=True)
    with pytest.raises(SchemaError, match="by_event_time is True or False, not 1"):
        replace(LATEST, by_event_time=1)  # type: ignore[arg-type]


def test_without_event_time_the_order_of_arrival_decides(tmp_path: Path) -> None:
    """Within an epoch as between two: an event time only dates the rows then."""
    by_arrival = replace(LATEST, by_event_time=False)
    writer = StoreWriter(tmp_path, by_arrival)
    first = [("a", 1, 9_000, False), ("a", 2, 5_000, False), ("b", 3, 1_000, False)]
    writer.write(table(by_arrival, first), position=Position())
    writer.write(table(by_arrival, [("b", 4, 500, False)]), position=Position())
    assert read_all(tmp_path, by_arrival) == {"a": 2, "b": 4}
