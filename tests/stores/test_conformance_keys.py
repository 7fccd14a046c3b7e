"""Kafka's own cases of key-value stores: points, ranges, prefixes.

See `test_conformance` for the ids of cases, and for "ours".
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stategate.stores.spec.position import Position
from stategate.stores.spec.query import (
    KeyQuery,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
)
from stategate.stores.spec.scans import (
    CountQuery,
    PrefixQuery,
)
from tests.support.conformance import (
    FA_KV,
    IN,
    MINUTE,
    TOPIC,
    Filled,
    W,
    bounded,
    fa_kv,
    micros,
    values,
)
from tests.support.stores import keyvalue
from tests.support.values import rows_of

# 5.3 Key-value


def test_k01_k02_points(directory: Path | None) -> None:
    store = fa_kv(directory)
    found = store.query(bounded(KeyQuery.with_key(2))).only_partition_result()
    assert found is not None
    assert (found.value, found.position) == ((5,), Position.of({TOPIC: {0: 5}}))
    absent = store.query(bounded(KeyQuery.with_key(99)))
    assert [r.value for r in absent.partitions.values()] == [None, None]
    assert absent.only_partition_result() is None
    assert absent.position == IN


def test_k04_timestamped(directory: Path | None) -> None:
    """Ours: the event time is the row's own, where Kafka has -1 or the cache's."""
    store = fa_kv(directory)
    found = store.query(bounded(TimestampedKeyQuery.with_key(2))).only_partition_result()
    assert found is not None
    assert (found.value.row, found.value.timestamp_us) == ((5,), (W + 10 * MINUTE) * 1000)
    times = values(store, TimestampedRangeQuery.with_range((1,), (3,)))
    assert times == micros(W + 10 * MINUTE, W + 6 * MINUTE, W + 14 * MINUTE)
    plain = Filled.open(replace(FA_KV, name="plain", partitions=1), directory).put((1, 1))
    assert plain.ask(TimestampedKeyQuery.with_key(1)).timestamp_us is None
    assert plain.ask(TimestampedRangeQuery.with_no_bounds()) == [(1, 1, None)]
    assert plain.ask(TimestampedKeyQuery.with_key(2)) is None


ASC, DESC = "with_ascending_keys", "with_descending_keys"


@pytest.mark.parametrize(
    ("case", "lower", "upper", "order", "found"),
    [
        ("K07", 1, 3, ASC, [5, 3, 7]),
        ("K08", 3, None, ASC, [9, 7]),
        ("K09", None, 3, ASC, [1, 5, 3, 7]),
        ("K10", None, None, ASC, [1, 5, 9, 3, 7]),
        ("K11", 0, 4, DESC, [9, 5, 1, 7, 3]),
        ("K12", 1, 3, DESC, [5, 7, 3]),
        ("K13", 3, None, DESC, [9, 7]),
        ("K14", None, 3, DESC, [5, 1, 7, 3]),
        ("K15", None, None, DESC, [9, 5, 1, 7, 3]),
        ("K18", 2, 2, ASC, [5]),
        ("K18", 2, 2, DESC, [5]),
        ("K20", 3, 1, ASC, []),
        ("K20", 3, 1, DESC, []),
        # Ours: key order is SQL's, so a range from a negative number is not inverted.
        ("K20", -1, 1, ASC, [1, 3]),
        ("N02", 4, 200, ASC, [9]),
        ("N02", 5, 200, ASC, []),
    ],
)
def test_ranges(
    directory: Path | None,
    case: str,
    lower: int | None,
    upper: int | None,
    order: str,
    found: list[int],
) -> None:
    low, high = None if lower is None else (lower,), None if upper is None else (upper,)
    store = fa_kv(directory)
    assert values(store, getattr(RangeQuery.with_range(low, high), order)()) == found, case
    timestamped = getattr(TimestampedRangeQuery.with_range(low, high), order)()
    result = store.query(bounded(timestamped))
    rows = [r for _, part in sorted(result.partitions.items()) for r in rows_of(part.value)]
    assert [row[1] for row in rows] == found, case
    count = sum(
        r.value for r in store.query(bounded(CountQuery.with_range(low, high))).partitions.values()
    )
    assert count == len(found), case


TEXTS = keyvalue("texts", {"k": "text"}, {"v": "text"}, partitions=1)


@pytest.mark.parametrize(
    ("lower", "upper", "found"),
    [
        ("key-2", "key-6", "246"),
        (None, "key-4", "024"),
        ("key-4", None, "468"),
        (None, "key-7", "0246"),
        ("key-1", None, "2468"),
    ],
)
def test_k21_bounds_that_are_not_keys(
    directory: Path | None, lower: str | None, upper: str | None, found: str
) -> None:
    store = Filled.open(TEXTS, directory)
    for n in "86420":
        store.put((f"key-{n}", n))
    low, high = None if lower is None else (lower,), None if upper is None else (upper,)
    query = RangeQuery.with_range(low, high)
    assert "".join(row[1] for row in store.ask(query)) == found
    assert "".join(row[1] for row in store.ask(query.with_descending_keys())) == found[::-1]


def test_k23_a_stream_is_a_snapshot(directory: Path | None) -> None:
    """Ours: later writes never show; in Kafka it depends on the engine."""
    store = Filled.open(replace(FA_KV, partitions=1), directory).put((0, 0))
    stream = store.engine.handlers[RangeQuery](store.engine.view, RangeQuery())
    store.put((1, 1)).put((0, 9)).put((0, None), deleted=True)
    assert rows_of(stream) == [(0, 0)]
    assert rows_of(stream) == [(0, 0)]


@pytest.mark.parametrize(
    ("pairs", "text", "found"),
    [
        (["k1a", "prefix_3b", "k2c", "prefix_2d", "k3e", "prefix_1f"], "prefix", "fdb"),
        (["abc1", "abcd2", "abce3"], "abcd", "2"),
        (["a1", "b2", "c3"], "d", ""),
        (["a1", "b2"], "", "12"),
        (["a1", "a\0b2", "a\x013", "b4"], "a\0", "2"),
        (["\U0010ffff1", "\U0010ffffx2", "a3"], "\U0010ffff", "12"),
    ],
)
def test_k24_text_prefixes(directory: Path | None, pairs: list[str], text: str, found: str) -> None:
    store = Filled.open(TEXTS, directory).put((None, "null"))
    for pair in pairs:
        store.put((pair[:-1], pair[-1]))
    query = PrefixQuery.with_text_prefix(text=text)
    assert "".join(row[1] for row in store.ask(query)) == found
    assert "".join(row[1] for row in store.ask(query.with_descending_keys())) == found[::-1]
    assert "".join(row[1] for row in store.ask(query.with_limit(1))) == found[:1]


def test_prefixes_of_composite_keys(directory: Path | None) -> None:
    schema = keyvalue(
        "pairs", {"a": "bigint", "b": "bytea", "c": "text"}, {"v": "text"}, partitions=1
    )
    store = Filled.open(schema, directory)
    for i, key in enumerate(
        [
            (1, b"\xff", "x"),
            (1, b"\xff\xff", "y"),
            (1, b"\xfe", "z"),
            (2, b"\xff", "x"),
            (1, None, "n"),
        ]
    ):
        store.put((*key, str(i)))

    def found(query: PrefixQuery) -> str:
        return "".join(row[-1] for row in store.ask(query))

    assert found(PrefixQuery.with_prefix(1)) == "4201"
    assert found(PrefixQuery.with_prefix(1, b"\xff")) == "0"
    assert found(PrefixQuery.with_text_prefix(1, text=b"\xff")) == "01"
    assert found(PrefixQuery.with_text_prefix(1, b"\xff", text="")) == "0"
    assert found(PrefixQuery.with_prefix(3)) == ""
