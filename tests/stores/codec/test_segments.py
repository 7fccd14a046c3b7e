"""Segments and expiry: which windows can still be read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.codec.layout import decode_time, encode_time
from stategate.stores.codec.segments import MICROS_MAX, MICROS_MIN, Segments
from stategate.stores.spec.position import Progress
from stategate.stores.spec.windows import TimeRange
from tests.support.stores import window

HOUR_MS = 3_600_000
HOURS = window("hours", {"k": "text"}, {"n": "bigint"}, size_ms=HOUR_MS)
TIMES = st.integers(MICROS_MIN, MICROS_MAX)


@pytest.mark.parametrize(
    ("retention_ms", "size_ms", "interval_ms"),
    [
        (None, HOUR_MS, 1024 * HOUR_MS),
        (None, 1, 60_000),
        (10 * HOUR_MS, HOUR_MS, 5 * HOUR_MS),
        (1, HOUR_MS, 60_000),
    ],
)
def test_the_length_of_a_segment(retention_ms: int | None, size_ms: int, interval_ms: int) -> None:
    schema = replace(HOURS, retention_ms=retention_ms, window_size_ms=size_ms)
    assert Segments.of(schema).interval_ms == interval_ms


@pytest.mark.parametrize(("time_ms", "number"), [(0, 0), (59_999, 0), (60_000, 1), (-1, -1)])
def test_segments_before_1970_have_negative_numbers(time_ms: int, number: int) -> None:
    assert Segments(interval_ms=60_000, retention_ms=None).number_of(time_ms * 1000) == number


@pytest.mark.parametrize(
    ("retention_ms", "watermark_ms", "history_from_us", "live_from_us"),
    [
        (None, 1_000, MICROS_MIN, MICROS_MIN),
        (100, None, MICROS_MIN, MICROS_MIN),
        (100, 1_000, 900_000, 900_001),
        (100, 0, -100_000, -99_999),
    ],
)
def test_a_window_at_the_edge_has_expired(
    retention_ms: int | None, watermark_ms: int | None, history_from_us: int, live_from_us: int
) -> None:
    segments = Segments(interval_ms=60_000, retention_ms=retention_ms)
    progress = Progress(watermark_ms=watermark_ms)
    assert segments.history_from_us(progress) == history_from_us
    assert segments.live_from_us(progress) == live_from_us
    assert segments.readable(TimeRange(), progress) == (live_from_us, MICROS_MAX)


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "readable"),
    [
        (None, None, (900_001, MICROS_MAX)),
        (950, 980, (950_000, 980_000)),
        (0, 980, (900_001, 980_000)),
        (0, 900, (900_001, 900_000)),
        (-(10**30), 10**30, (900_001, MICROS_MAX)),
        (10**30, 10**31, (MICROS_MAX, MICROS_MAX)),
        (-(10**31), -(10**30), (900_001, MICROS_MIN)),
    ],
)
def test_the_readable_range_of_windows(
    start_ms: int | None, end_ms: int | None, readable: tuple[int, int]
) -> None:
    segments = Segments(interval_ms=60_000, retention_ms=100)
    time = TimeRange(start_ms=start_ms, end_ms=end_ms)
    assert segments.readable(time, Progress(watermark_ms=1_000)) == readable


@given(st.lists(TIMES, min_size=2))
def test_encoded_times_sort_as_times_do(times: list[int]) -> None:
    encoded = [encode_time(time) for time in times]
    assert [decode_time(each) for each in encoded] == times
    assert sorted(encoded) == [encode_time(time) for time in sorted(times)]
    # So the end of an interval can lie after all windows of a key.
    assert all(each[0] == 1 for each in encoded)
