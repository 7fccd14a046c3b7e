"""Kafka's rules for windows and sessions, one partition at a time, memory and RocksDB.

See `test_conformance` for the ids of cases, and for "ours".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stategate.stores.spec.query import TimestampedKeyQuery, TimestampedRangeQuery
from stategate.stores.spec.scans import (
    CountQuery,
    RawKeyQuery,
    RawScanQuery,
)
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    SessionTime,
    WindowKeyQuery,
    WindowRangeQuery,
)
from tests.support.conformance import FS, FW, Filled, S, fs, fw, micros
from tests.support.stores import batch, keyvalue, window
from tests.support.values import rows_of

# 5.8 Rules of windows


def window_values(
    store: Filled, lower: int | None, upper: int | None, first: int, last: int
) -> list[str]:
    query = WindowRangeQuery.with_window_start_range(start_ms=first, end_ms=last).with_key_range(
        None if lower is None else (lower,), None if upper is None else (upper,)
    )
    found = [row[-1] for row in store.ask(query)]
    backward = [row[-1] for row in store.ask(query.with_descending_order())]
    assert backward == found[::-1]
    assert [row[-1] for row in store.ask(query.with_limit(2))] == found[:2]
    return found


@pytest.mark.parametrize(
    ("case", "keys", "times", "found"),
    [
        ("X02", (0, 1), (-3, 3), ["zero", "one"]),
        ("X02", (1, 3), (-3, 3), ["one", "two", "three"]),
        ("X02", (4, 5), (2, 3), []),
        ("X02", (0, 3), (3, 8), []),
        ("X03", (None, 2), (-3, 5), ["zero", "one", "two"]),
        ("X03", (2, None), (-3, 8), ["two", "three", "four", "five"]),
        ("X03", (None, None), (-3, 8), ["zero", "one", "two", "three", "four", "five"]),
        # Ours: -1 sorts before 1.
        ("X14", (-1, 1), (-3, 3), ["zero", "one"]),
        ("X14", (1, -1), (-3, 3), []),
    ],
)
def test_windows_by_key_and_time(
    directory: Path | None,
    case: str,
    keys: tuple[int | None, int | None],
    times: tuple[int, int],
    found: list[str],
) -> None:
    first, last = S + times[0], S + times[1]
    assert sorted(window_values(fw(directory), *keys, first, last)) == sorted(found), case


def test_x01_the_order_of_windows(directory: Path | None) -> None:
    """Windows are sorted by segment, key and start; the segment ends between two+1 and two+2."""
    store = fw(directory, both=True)
    assert window_values(store, 2, 2, 0, 2 * S) == ["two", *(f"two+{n}" for n in range(1, 7))]
    in_first = ["zero", "one", "two", "two+1", "three"]
    in_second = ["two+2", "two+3", "two+4", "two+5", "two+6", "four", "five"]
    assert window_values(store, None, None, 0, 2 * S) == in_first + in_second
    key = WindowKeyQuery.with_key_and_window_start_range((2,), start_ms=S + 3, end_ms=S + 6)
    assert [row[-1] for row in store.ask(key)] == ["two+1", "two+2", "two+3", "two+4"]
    assert [row[-1] for row in store.ask(key.with_descending_starts())] == [
        "two+4",
        "two+3",
        "two+2",
        "two+1",
    ]
    assert [row[-1] for row in store.ask(key.with_limit(1))] == ["two+1"]


@pytest.mark.parametrize(
    ("key_type", "keys"), [("text", ["a", "aa", "a\0"]), ("bytea", [b"\0", b"\0\0", b"\0\0\0"])]
)
def test_x06_keys_that_begin_other_keys(
    directory: Path | None, key_type: str, keys: list[Any]
) -> None:
    retention_ms = 0x7A00000000000000 // 1000
    schema = window(
        "w", {"k": key_type}, {"v": "text"}, partitions=1, size_ms=10, retention_ms=retention_ms
    )
    store = Filled.open(schema, directory)
    puts = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (0, retention_ms - 1)]
    for n, (k, start) in enumerate(puts):
        store.put((keys[k], *micros(start, start + 10), str(n)))
    everything = {"start_ms": 0, "end_ms": retention_ms}
    found = [
        "".join(
            row[-1]
            for row in store.ask(
                WindowKeyQuery.with_key_and_window_start_range((key,), **everything)
            )
        )
        for key in keys
    ]
    assert found == ["025", "13", "4"]


def test_x08_the_edge_of_the_retention(directory: Path | None) -> None:
    """A window that starts exactly the retention before the watermark has expired."""
    store = Filled.open(FW, directory)
    for k, start, v in [(0, 120_000, "zero"), (1, 150_000, "one"), (2, 180_000, "two"),
                        (4, 240_000, "four"), (5, 270_000, "five")]:  # fmt: skip
        store.watermark_ms = start
        store.put((k, *micros(start, start + 3), v))
    assert window_values(store, None, None, 0, 400_000) == ["two", "four", "five"]
    assert store.ask(CountQuery.count()) == 3
    store.watermark_ms = 300_000
    store.put((6, *micros(300_000, 300_003), "six"))
    assert window_values(store, None, None, 0, 400_000) == ["four", "five", "six"]


def test_the_first_window_that_has_not_expired(directory: Path | None) -> None:
    """All queries have the same edge, to the microsecond."""
    store = Filled.open(FW, directory)
    store.watermark_ms = 150_000
    for start_us in (30_000_000, 30_000_001):
        store.put((1, start_us, start_us + 3_000, "v"))
    (stored,) = store.ask(RawScanQuery.scan())
    assert store.ask(RawKeyQuery.with_key(stored[0])) == stored[1]
    assert [row[1] for row in store.ask(WindowRangeQuery())] == [30_000_001]
    assert store.ask(CountQuery.count()) == 1


def test_x09_a_late_window(directory: Path | None) -> None:
    """A row before the retention cannot be read, in an old segment or a live one."""
    store = Filled.open(FW, directory)
    store.put((1, *micros(0, 3), "one"))
    store.watermark_ms = 4 * 120_000
    store.put((2, *micros(480_000, 480_003), "two"))
    assert window_values(store, 1, 1, 0, 10) == []
    store.put((1, *micros(0, 3), "late")).put((1, *micros(360_000, 360_003), "edge"))
    store.put((1, *micros(360_001, 360_004), "live"))
    assert window_values(store, None, None, 0, 10**9) == ["live", "two"]
    stored = [key for key, _ in store.ask(RawScanQuery.scan())]
    assert len(stored) == 2
    assert store.ask(CountQuery.count()) == 2
    # A query by its stored key finds no more than any other query.
    assert all(store.ask(RawKeyQuery.with_key(key)) is not None for key in stored)
    store.watermark_ms = 480_001
    store.put((3, *micros(480_000, 480_003), "three"))
    found = [store.ask(RawKeyQuery.with_key(key)) is not None for key in stored]
    assert sorted(found) == [False, True]


def test_x11_x12_x15_streams_outlive_expiry(directory: Path | None) -> None:
    """Ours: a stream is one epoch, where Kafka's iterators skip segments or show later writes."""
    store = Filled.open(FW, directory)
    for v, start in (("one", 0), ("two", 60_000), ("three", 120_000)):
        store.put((1, *micros(start, start + 3), v))
    query = WindowRangeQuery.with_window_start_range(start_ms=0, end_ms=120_000)
    stream = store.engine.handlers[type(query)](store.engine.view, query)
    store.watermark_ms = 600_000
    store.put((1, *micros(600_000, 600_003), "four"))
    assert [row[-1] for row in rows_of(stream)] == ["one", "two", "three"]
    assert store.ask(query) == []


def test_the_end_of_the_last_window(directory: Path | None) -> None:
    """It is the last time that a column can hold, and does not overflow."""
    last = (1 << 63) - 1
    store = Filled.open(FW, directory).put([(1, last - 2_999, last, "a"), (1, last, last, "b")])
    ends = [(last - 2_999, last, "a"), (last, last, "b")]
    assert [row[1:] for row in store.ask(WindowRangeQuery())] == ends
    key = WindowKeyQuery.with_key_and_window_start_range((1,), start_ms=0, end_ms=last)
    assert [row[1:] for row in store.ask(key.with_descending_starts())] == ends[::-1]


def test_windows_are_deleted(directory: Path | None) -> None:
    store = fw(directory).put((1, *micros(S + 1, S + 4), None), deleted=True)
    assert window_values(store, 0, 2, 0, 2 * S) == ["zero", "two"]


# 5.9 Rules of sessions


def find(store: Filled, key: str, earliest_end: int, latest_start: int) -> list[int]:
    query = SessionKeyQuery.with_key(key).with_overlap(
        earliest_end_ms=earliest_end, latest_start_ms=latest_start
    )
    found = [row[-1] for row in store.ask(query)]
    assert [row[-1] for row in store.ask(query.with_descending_ends())] == found[::-1]
    assert [row[-1] for row in store.ask(query.with_limit(1))] == found[:1]
    return found


@pytest.mark.parametrize(
    ("case", "sessions", "overlap", "found"),
    [
        ("Y01", [(10, 10), (500, 1000), (1500, 2000), (2500, 3000)], (0, 1000), [1, 2]),
        ("Y01", [(10, 10), (500, 1000), (1500, 2000), (2500, 3000)], (400, 600), [2]),
        ("Y02", [(0, 100), (101, 200), (201, 300), (301, 400), (401, 500)], (150, 300), [2, 3]),
        ("both ends in", [(0, 100), (101, 200), (201, 300)], (100, 201), [1, 2, 3]),
        ("covers the gap", [(0, 100), (0, 300), (150, 160)], (250, 50), [2]),
        ("ends, then starts", [(5, 100), (0, 100), (0, 50)], (0, 100), [3, 2, 1]),
        ("nothing", [(0, 100)], (101, 200), []),
    ],
)
def test_find_sessions(
    directory: Path | None,
    case: str,
    sessions: list[tuple[int, int]],
    overlap: tuple[int, int],
    found: list[int],
) -> None:
    store = fs(directory, [("a", start, end, n) for n, (start, end) in enumerate(sessions, 1)])
    assert find(store, "a", *overlap) == found, case


def test_y04_sessions_of_one_key(directory: Path | None) -> None:
    store = fs(directory, [("a", t, t, n) for n, t in enumerate((0, 10, 100, 1000), 1)])
    store.put(("aa", *micros(0, 0), 9))
    assert [row[-1] for row in store.ask(WindowRangeQuery.with_key("a"))] == [1, 2, 3, 4]
    backward = SessionKeyQuery.with_key("a").with_descending_ends()
    assert [row[-1] for row in store.ask(backward)] == [4, 3, 2, 1]


Y05 = [
    ("aa", 10, 10, 2), ("aaa", 100, 100, 3), ("aaaa", 100, 100, 6), ("b", 1000, 1000, 4),
    ("bb", 1500, 2000, 5), ("a", 0, 0, 1), ("bbb", 2500, 3000, 6),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lower", "upper", "found"),
    [
        ("aa", "bb", ["aa", "aaa", "aaaa", "b", "bb"]),
        (None, "bb", ["a", "aa", "aaa", "aaaa", "b", "bb"]),
        ("aa", None, ["aa", "aaa", "aaaa", "b", "bb", "bbb"]),
        (None, None, ["a", "aa", "aaa", "aaaa", "b", "bb", "bbb"]),
        ("b", "a", []),
    ],
)
def test_y05_sessions_of_keys(
    directory: Path | None, lower: str | None, upper: str | None, found: list[str]
) -> None:
    store = fs(directory, Y05)
    low, high = None if lower is None else (lower,), None if upper is None else (upper,)
    query = SessionRangeQuery.with_key_range(low, high)
    assert [row[0] for row in store.ask(query)] == found
    assert [row[0] for row in store.ask(query.with_descending_order())] == found[::-1]
    assert store.ask(CountQuery.with_range(low, high)) == len(found)


def test_y07_exactly_one_session(directory: Path | None) -> None:
    sessions = [("a", 0, 4, 1), ("aa", 0, 3, 2), ("aa", 0, 4, 3), ("aa", 1, 4, 4), ("aaa", 0, 4, 5)]
    store = fs(directory, sessions)
    for key, start, end, value in sessions:
        query = SessionQuery.with_session((key,), start_ms=start, end_ms=end)
        assert store.ask(query) == (value,)
    for key, start, end in (("aa", 0, 5), ("aa", 2, 4), ("b", 0, 4), ("aa", 4, 0)):
        query = SessionQuery.with_session((key,), start_ms=start, end_ms=end)
        assert store.ask(query) is None
    far = SessionQuery.with_session(("aa",), start_ms=-(10**30), end_ms=10**30)
    assert store.ask(far) is None
    store.put(("aa", *micros(0, 4), None), deleted=True)
    assert store.ask(SessionQuery.with_session(("aa",), start_ms=0, end_ms=4)) is None


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [(0, 0, "a"), (0, 20, "ab"), (0, 19, "a"), (1, 20, "b"), (19, 41, "bc"), (0, 40, "abc")],
)
def test_y08_sessions_by_end(directory: Path | None, first: int, last: int, found: str) -> None:
    """Ours: every engine answers, where Kafka's base RocksDB store does not."""
    store = fs(directory, [("a", 0, 0, 5), ("b", 10, 20, 10), ("c", 30, 40, 20)])
    query = SessionRangeQuery.with_end_range(earliest_end_ms=first, latest_end_ms=last)
    assert "".join(row[0] for row in store.ask(query)) == found
    assert "".join(row[0] for row in store.ask(query.with_descending_order())) == found[::-1]


def test_y10_sessions_expire_by_their_end(directory: Path | None) -> None:
    store = fs(
        directory, [("a", 0, 0, 1), ("aa", 0, 10, 2), ("a", 10, 20, 3), ("aa", 10, 10_000, 4)]
    )
    everything = SessionRangeQuery.with_no_bounds()
    assert sorted(row[-1] for row in store.ask(everything)) == [1, 2, 3, 4]
    store.advance(10_000)
    assert sorted(row[-1] for row in store.ask(everything)) == [2, 3, 4]
    assert store.ask(SessionQuery.with_session(("a",), start_ms=0, end_ms=0)) is None
    assert store.ask(CountQuery.count()) == 3
    store.advance(200_000)
    assert store.ask(everything) == []
    assert list(store.ask(RawScanQuery.scan())) == []


def test_y11_sessions_over_segments(directory: Path | None) -> None:
    t, r = 1_000_000, 10_000
    store = fs(
        directory,
        [
            ("p", t - 3 * r, t - 2 * r, 1),
            ("q", t - 2 * r, t - r, 4),
            ("r", t - r, t - r // 2, 3),
            ("p", t - r, t - r // 2, 2),
        ],
    )
    store.advance(t - r // 2)
    assert find(store, "p", t - 2 * r, t - r) == [2]
    between = SessionRangeQuery.with_key_range(("p",), ("r",)).with_overlap(
        earliest_end_ms=t - 2 * r, latest_start_ms=t - r
    )
    assert sorted(row[-1] for row in store.ask(between)) == [2, 3, 4]
    assert find(store, "p", t - 5 * r, t - 4 * r) == []


def test_sessions_by_all_four_limits(directory: Path | None) -> None:
    store = fs(directory, [("a", s, e, 10 * s + e) for s in range(4) for e in range(s, 4)])
    time = SessionTime(earliest_start_ms=1, latest_start_ms=2, earliest_end_ms=2, latest_end_ms=2)
    assert [row[-1] for row in store.ask(SessionRangeQuery(time=time))] == [12, 22]
    assert [row[-1] for row in store.ask(SessionKeyQuery(key=("a",), time=time))] == [12, 22]


def test_microseconds_are_kept(directory: Path | None) -> None:
    """Spark's sessions begin at an event, which may lie between two milliseconds."""
    sessions = Filled.open(FS, directory).put(("a", 1_500, 2_500, 1))
    assert sessions.ask(SessionRangeQuery()) == [("a", 1_500, 2_500, 1)]
    assert find(sessions, "a", 2, 2) == [1]
    assert find(sessions, "a", 3, 2) == []
    assert find(sessions, "a", 2, 1) == []
    assert sessions.ask(SessionQuery(key=("a",), start_us=1_500, end_us=2_500)) == (1,)


@pytest.mark.parametrize(
    ("time_us", "shown_us"),
    [
        (1_999, 1_000),
        (-1, -1_000),
        (2**63 - 1, 2**63 - 808),
        (-(2**63) + 808, -(2**63) + 808),
        # The millisecond that contains these begins before the first time that a column can hold.
        (-(2**63) + 807, -(2**63) + 808),
        (-(2**63), -(2**63) + 808),
    ],
)
def test_event_times_are_whole_milliseconds(
    directory: Path | None, time_us: int, shown_us: int
) -> None:
    schema = keyvalue("events", {"k": "text"}, {"v": "text"}, partitions=1)
    store = Filled.open(schema, directory)
    store.engine.apply(store.progress, [batch(schema, [("k", "v")], times_us=[time_us])])
    assert store.ask(TimestampedKeyQuery.with_key("k")).timestamp_us == shown_us
    assert store.ask(TimestampedRangeQuery()) == [("k", "v", shown_us)]
