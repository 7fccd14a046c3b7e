"""Frames: any messages, cut anywhere, arrive as they were sent."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.nodes.frames import Frame, FrameReader, frame
from stategate.stores.nodes.codec import MessageError
from stategate.stores.nodes.messages import Batches, Refused

MESSAGES = st.builds(Refused, st.text(max_size=20))
NUMBERS = st.integers(0, 2**32 - 1)
ROWS = st.lists(st.integers(0, 9), max_size=5)


def batch(values: list[int]) -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(values, pa.int64())})


@given(
    sent=st.lists(st.tuples(NUMBERS, MESSAGES, st.lists(ROWS, max_size=2)), max_size=6),
    cuts=st.lists(st.integers(0, 3000), max_size=10),
)
def test_frames_arrive_wherever_they_are_cut(
    sent: list[tuple[int, Refused, list[list[int]]]], cuts: list[int]
) -> None:
    data = b"".join(frame(n, message, list(map(batch, rows))) for n, message, rows in sent)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    reader = FrameReader()
    found: list[Frame] = []
    for begin, end in itertools.pairwise(places):
        found += reader.frames(data[begin:end])
    assert [
        (each.number, each.message, [one.column(0).to_pylist() for one in each.batches()])
        for each in found
    ] == sent


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff\x00\x00\x00\x01\x00\x00\x00\x01",
        b"\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00\x00\x02xx",
        b"\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00",
        b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    ],
)
def test_lengths_that_cannot_be_are_refused(data: bytes) -> None:
    with pytest.raises(MessageError, match="a node sent a frame of"):
        list(FrameReader().frames(data, bytes_max=1000))


@given(data=st.binary(max_size=60))
def test_any_bytes_are_frames_or_refused(data: bytes) -> None:
    try:
        for each in FrameReader().frames(data, bytes_max=1000):
            str(each.message)
            each.batches()
    except MessageError:
        pass


def test_rows_that_are_cut_off_are_refused() -> None:
    data = frame(1, Batches(is_last=True), [batch([1, 2, 3])])
    (arrived,) = FrameReader().frames(data)
    for length in (1, 40, len(arrived.body) - 20):
        with pytest.raises(MessageError, match="rows of a node"):
            Frame(1, arrived.head, arrived.body[:length]).batches()
