"""Kafka's rules for versions, one partition at a time, memory and RocksDB.

See `test_conformance` for the ids of cases, and for "ours".
"""

from __future__ import annotations

from pathlib import Path

import pytest

from stategate.stores.spec.position import Position
from stategate.stores.spec.scans import (
    CountQuery,
    RawScanQuery,
)
from stategate.stores.spec.schema import Row
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedRangeQuery,
)
from stategate.stores.spec.windows import WindowRangeQuery
from tests.support.conformance import FW, FX, HR, SI, TOPIC, Filled, as_of, micros
from tests.support.stores import batch

# 5.7 Rules of versions


Put = tuple[str | None, int]
"""A value, or None for a tombstone, and its time."""


def chain(directory: Path | None, *puts: Put, key: str = "k") -> Filled:
    store = Filled.open(FX, directory)
    for value, at in puts:
        store.put((key, value), at=at, deleted=value is None)
    return store


@pytest.mark.parametrize(
    ("case", "puts", "found"),
    [
        ("E01", [("a", 1), ("b", 2)], {0: None, 1: ("a", 1, 2), 2: ("b", 2, None)}),
        ("E02", [(None, 10), (None, 11)], {None: None, 10: None, 11: None, 12: None}),
        (
            "E03",
            [("v", 10), ("v2", 8), ("v1", 9), ("v4", 6)],
            {
                10: ("v", 10, None),
                9: ("v1", 9, 10),
                8: ("v2", 8, 9),
                7: ("v4", 6, 8),
                6: ("v4", 6, 8),
                5: None,
            },
        ),
        ("E04", [("v", 10), (None, 10)], {None: None, 10: None, 11: None, 9: None}),
        (
            "E05",
            [("v", 10), (None, 8), (None, 9), (None, 6), ("v5", 5), ("v3", 7), (None, 4)],
            {
                10: ("v", 10, None),
                9: None,
                8: None,
                7: ("v3", 7, 8),
                6: None,
                5: ("v5", 5, 6),
                4: None,
                3: None,
            },
        ),
        ("E06", [("a", 10), ("b", 10)], {None: ("b", 10, None), 9: None}),
        ("E06", [("a", 10), ("b", 10), (None, 10)], {None: None, 9: None}),
        ("E06", [("a", 10), (None, 10), ("b", 10)], {None: ("b", 10, None), 9: None}),
        (
            "E06 behind the latest",
            [("a", 10), ("b", 20), ("a2", 10)],
            {10: ("a2", 10, 20), None: ("b", 20, None)},
        ),
        (
            "E06 behind the latest",
            [("a", 10), ("b", 20), (None, 10)],
            {19: None, 20: ("b", 20, None)},
        ),
        (
            "E07 over segments",
            [("vp20", SI + 20), ("vp10", SI + 10), ("vn10", SI - 10), ("vn5", SI - 5)],
            {
                SI - 11: None,
                SI - 10: ("vn10", SI - 10, SI - 5),
                SI: ("vn5", SI - 5, SI + 10),
                SI + 19: ("vp10", SI + 10, SI + 20),
                None: ("vp20", SI + 20, None),
            },
        ),
        (
            "E08 tombstones over segments",
            [
                ("vp20", SI + 20),
                ("vp10", SI + 10),
                ("vn10", SI - 10),
                (None, SI - 5),
                (None, SI + 10),
                (None, SI + 10),
                (None, SI + 25),
            ],
            {
                SI - 6: ("vn10", SI - 10, SI - 5),
                SI - 5: None,
                SI + 10: None,
                SI + 20: ("vp20", SI + 20, SI + 25),
                SI + 25: None,
                None: None,
            },
        ),
        ("E12", [("", 10)], {None: ("", 10, None)}),
        (
            "a version after a tombstone of an older segment",
            [("a", 10), (None, 20), ("b", 2 * SI)],
            {15: ("a", 10, 20), 20: None, SI: None, 2 * SI - 1: None, None: ("b", 2 * SI, None)},
        ),
    ],
)
def test_chains(
    directory: Path | None,
    case: str,
    puts: list[Put],
    found: dict[int | None, tuple[str, int, int | None] | None],
) -> None:
    one_by_one = chain(directory, *puts)
    for time_ms, expected in found.items():
        assert as_of(one_by_one, "k", time_ms) == expected, (case, time_ms)
    rows = one_by_one.ask(MultiVersionedKeyQuery.with_key("k"))
    shown = {tuple(e) for e in found.values() if e is not None}
    assert {(v, f // 1000, None if t is None else t // 1000) for _, f, t, v in rows} == shown, case
    assert as_of(one_by_one, "other", 10) is None


def test_versions_of_one_epoch_come_in_any_order(directory: Path | None) -> None:
    """Rows of an epoch are ordered only by their times."""
    puts: list[Put] = [("v", 10), ("v2", 8), ("v1", 9), ("v4", 6)]
    store = Filled.open(FX, directory)
    rows: list[Row] = [("k", value) for value, _ in puts]
    store.engine.apply(store.progress, [batch(FX, rows, times_us=[at * 1000 for _, at in puts])])
    ascending = MultiVersionedKeyQuery.with_key("k").with_ascending_timestamps()
    assert [row[-1] for row in store.ask(ascending)] == ["v4", "v2", "v1", "v"]


def test_e09_e10_versions_before_the_retention_are_dropped(directory: Path | None) -> None:
    store = Filled.open(FX, directory)
    store.watermark_ms = HR + 10
    store.put(("v", "v"), at=HR + 10).put(("k1", "k1"), at=10).put(("k2", "k2"), at=9)
    assert as_of(store, "k1") == ("k1", 10, None)
    assert as_of(store, "k2") is None
    assert getattr(store.engine, "late_rows", None) == 1
    # The position advances with dropped rows, too.
    assert store.engine.view.progress.position == Position.of({TOPIC: {0: 2}})
    store.put(("k1", None), at=9, deleted=True)
    assert as_of(store, "k1") == ("k1", 10, None)


def test_no_version_begins_at_the_end_of_time(directory: Path | None) -> None:
    """Open versions end just before it: this one would never be valid, and would hide the one
    before.
    """
    store = Filled.open(FX, directory).put(("k", "v"), at=1)
    end = 2**63 - 1
    for row, gone in ((("k", "w"), False), (("k", None), True), (("new", "w"), False)):
        late = batch(FX, [row], times_us=[end], deleted=[gone])
        store.engine.apply(store.progress, [late])
    last = batch(FX, [("last", "v")], times_us=[end - 1])
    store.engine.apply(store.progress, [last])
    assert as_of(store, "k") == as_of(store, "k", end) == ("v", 1, None)
    assert store.ask(VersionedRangeQuery()) == [
        ("k", 1000, None, "v"),
        ("last", end - 1, None, "v"),
    ]
    assert store.ask(CountQuery()) == 2
    assert getattr(store.engine, "late_rows", None) == 3


def test_late_rows_are_dropped_and_counted(directory: Path | None) -> None:
    """These are rows that no one could read: from the first millisecond before the edge."""
    store = Filled.open(FW, directory)
    retention_ms = FW.retention_ms or 0
    store.watermark_ms = retention_ms + 3000
    store.put([(0, *micros(3001, 3004), "live"), (0, *micros(3000, 3003), "late")])
    store.put((1, *micros(1, 4), None), deleted=True)
    assert [row[-1] for row in store.ask(WindowRangeQuery())] == ["live"]
    assert len(list(store.ask(RawScanQuery()))) == 1
    assert getattr(store.engine, "late_rows", None) == 2
    # An epoch that replaces the store may have windows of any age.
    store.engine.apply(store.progress, [batch(FW, [(0, *micros(0, 3), "old")])], replace=True)
    assert getattr(store.engine, "late_rows", None) == 2
    assert store.ask(WindowRangeQuery()) == []


def test_e11_the_latest_version_never_expires(directory: Path | None) -> None:
    store = Filled.open(FX, directory).put(("k", "v"), at=1).put(("ko", "vo_old"), at=1)
    store.watermark_ms = HR + 12
    store.put(("ko", "vo_new"), at=HR + 12)
    assert as_of(store, "k", 10) == ("v", 1, None)
    assert as_of(store, "ko", 10) is None
    for key, found in (("k", ["v"]), ("ko", [])):
        query = MultiVersionedKeyQuery.with_key(key).from_time(0).to_time(10)
        assert [row[-1] for row in store.ask(query)] == found
    # Unlike windows, exactly the retention before the watermark is served in full.
    assert as_of(store, "ko", 12) == ("vo_old", 1, HR + 12)
    assert as_of(store, "ko", 11) is None
    # All segments of history are dropped, but the latest version stays.
    store.advance(10 * HR)
    assert as_of(store, "k", 1) == ("v", 1, None)
    assert as_of(store, "ko") == ("vo_new", HR + 12, None)
    assert store.ask(CountQuery.count()) == 2
    assert len(list(store.ask(RawScanQuery.scan()))) == 2


def test_all_queries_have_one_edge_of_history(directory: Path | None) -> None:
    """At exactly that time all versions are served; those that had ended by then are gone."""
    edge = 20
    store = chain(directory, ("a", 1), ("b", edge), ("c", 30)).advance(HR + edge)
    of_key, of_range = MultiVersionedKeyQuery.with_key("k"), VersionedRangeQuery.with_no_bounds()
    for to_ms, found in ((None, ["b", "c"]), (edge, ["b"]), (edge - 1, [])):
        assert [row[-1] for row in store.ask(of_key.to_time(to_ms))] == found[::-1]
        assert [row[-1] for row in store.ask(of_range.to_time(to_ms))] == found
    assert (as_of(store, "k", edge - 1), as_of(store, "k", edge)) == (None, ("b", edge, 30))
    assert store.ask(CountQuery.count()) == 2
    assert len(list(store.ask(RawScanQuery.scan()))) == 2


def test_tombstones_expire(directory: Path | None) -> None:
    store = chain(directory, ("a", 1), (None, 2))
    assert as_of(store, "k", 1) == ("a", 1, 2)
    store.advance(10 * HR)
    assert list(store.ask(RawScanQuery.scan())) == []
    store.put(("k", "b"), at=10 * HR)
    assert as_of(store, "k") == ("b", 10 * HR, None)
    assert as_of(store, "k", 10 * HR - 1) is None


def test_a_tombstone_that_has_expired_hides_nothing(directory: Path | None) -> None:
    """It may still be in a live segment, before the end of the version as of that time."""
    store = chain(directory, ("a", 1), (None, 10_000)).advance(HR + 20_000)
    store.put(("k", "b"), at=30_000).put(("k", "c"), at=200_000)
    assert as_of(store, "k", 25_000) is None
    assert as_of(store, "k", 40_000) == ("b", 30_000, 200_000)
    assert as_of(store, "k", 199_999) == ("b", 30_000, 200_000)
    assert len(list(store.ask(RawScanQuery.scan()))) == 2


def test_a_late_version_among_many(directory: Path | None) -> None:
    """The chain is read back as far as each row reaches, even within one epoch."""
    store = chain(directory, *((f"v{at}", at) for at in range(0, 10 * SI, SI)))
    for k, at in (("late", 3 * SI + 1), ("later", SI + 1), ("first", -1)):
        store.put(("k", k), at=at)
    rows: list[Row] = [("k", value) for value in "xyz"]
    store.offset += 1
    times = [at * 1000 for at in (9 * SI + 1, 5 * SI + 1, 1)]
    store.engine.apply(store.progress, [batch(FX, rows, times_us=times)])
    found = store.ask(MultiVersionedKeyQuery.with_key("k").with_ascending_timestamps())
    ends = [row[1] for row in found[1:]] + [None]
    assert [row[2] for row in found] == ends
    assert [row[1] for row in found] == sorted(row[1] for row in found)
    assert len(found) == 16
    assert as_of(store, "k", 5 * SI + 2) == ("y", 5 * SI + 1, 6 * SI)


def test_e14_all_versions_over_segments(directory: Path | None) -> None:
    times = [SI - 10, SI - 5, 2 * SI - 10, 2 * SI - 5]
    store = chain(directory, *((f"v{n}", at) for n, at in enumerate(times, 1)))
    rows = store.ask(MultiVersionedKeyQuery.with_key("k").with_ascending_timestamps())
    ends = [time * 1000 for time in times[1:]]
    assert rows == [
        ("k", at * 1000, end, f"v{n}")
        for n, (at, end) in enumerate(zip(times, [*ends, None], strict=True), 1)
    ]


def test_e15_a_version_that_a_later_segment_ends(directory: Path | None) -> None:
    """Ours: Kafka does not look in segments after the time, and misses it."""
    store = chain(directory, ("v1", SI - 10), ("v2", SI + 10))
    query = MultiVersionedKeyQuery.with_key("k").from_time(SI - 10).to_time(SI - 5)
    assert [row[-1] for row in store.ask(query)] == ["v1"]
    assert as_of(store, "k", SI - 5) == ("v1", SI - 10, SI + 10)


def test_version_ranges_by_key_and_time(directory: Path | None) -> None:
    """KIP-969, which Kafka does not have: keys by interval, times by range, either order."""
    store = Filled.open(FX, directory)
    for key in ("c", "a", "b"):
        for n, at in enumerate((10, SI, 2 * SI)):
            store.put((key, f"{key}{n}"), at=at)
    store.put(("b", None), at=2 * SI + 1, deleted=True)

    def found(query: VersionedRangeQuery) -> list[str]:
        return [row[-1] for row in store.ask(query)]

    every = ["a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2"]
    assert found(VersionedRangeQuery.with_no_bounds()) == every
    assert found(VersionedRangeQuery.with_no_bounds().with_descending_order()) == every[::-1]
    assert found(VersionedRangeQuery.with_no_bounds().with_limit(4)) == every[:4]
    keys = VersionedRangeQuery.with_key_range(("b",), None)
    assert found(keys) == every[3:]
    assert found(keys.as_of(SI)) == ["b1", "c1"]
    assert found(keys.as_of(2 * SI + 1)) == ["c2"]
    assert found(keys.from_time(SI + 1)) == ["b1", "b2", "c1", "c2"]
    assert found(keys.to_time(SI - 1)) == ["b0", "c0"]
    assert found(keys.to_time(9)) == []
    assert store.ask(CountQuery.count()) == 9
