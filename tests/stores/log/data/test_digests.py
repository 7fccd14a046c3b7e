"""Digests of rows depend on their values only, not on the layout in Arrow."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.log.data.digests import HashingStream, rows_digest

INNER = pa.struct([("a", pa.int64()), ("b", pa.string())])
PAIRS = st.lists(st.tuples(st.text(max_size=2), st.none() | st.integers(0, 1)), max_size=2)
TYPES: list[tuple[pa.DataType, Any]] = [
    (pa.bool_(), st.booleans()),
    (pa.int16(), st.integers(-9, 9)),
    (pa.float64(), st.sampled_from([0.0, 1.5])),
    (pa.decimal128(20, 2), st.decimals(-9, 9, places=2)),
    (pa.string(), st.text(max_size=3)),
    (pa.binary(), st.binary(max_size=3)),
    (pa.timestamp("us", "UTC"), st.integers(0, 9)),
    (pa.list_(pa.string()), st.lists(st.none() | st.text(max_size=2), max_size=2)),
    (
        pa.map_(pa.string(), pa.int64()),
        st.lists(st.tuples(st.text(max_size=2), st.none()), max_size=2),
    ),
    (INNER, st.fixed_dictionaries({"a": st.none() | st.integers(0, 2), "b": st.text(max_size=2)})),
    (pa.null(), st.none()),
]


@st.composite
def columns(draw: st.DrawFn) -> tuple[pa.DataType, list[Any], list[Any]]:
    kind, values = draw(st.sampled_from(TYPES))
    rows = st.lists(st.none() | values, max_size=6)
    return kind, draw(rows), draw(rows)


def table(kind: pa.DataType, rows: list[Any]) -> pa.Table:
    return pa.table({"c": pa.array(rows, kind)})


@given(columns(), st.integers(0, 6))
def test_layout_makes_no_difference(
    drawn: tuple[pa.DataType, list[Any], list[Any]], cut: int
) -> None:
    kind, rows, around = drawn
    sliced = table(kind, around + rows + around).slice(len(around), len(rows))
    chunked = pa.concat_tables([sliced.slice(0, cut), sliced.slice(cut)])
    hidden = pa.table(
        {"c": pa.array([*rows, *around], kind).take(pa.array(range(len(rows)), pa.int64()))}
    )
    assert {rows_digest(t) for t in (sliced, chunked, hidden)} == {rows_digest(table(kind, rows))}


@given(columns())
def test_other_rows_have_another_digest(drawn: tuple[pa.DataType, list[Any], list[Any]]) -> None:
    kind, rows, others = drawn
    same = table(kind, rows).equals(table(kind, others))
    assert (rows_digest(table(kind, rows)) == rows_digest(table(kind, others))) == same


def test_bytes_under_a_null_make_no_difference() -> None:
    valid = pa.py_buffer(b"\x01")
    seen = {
        rows_digest(pa.table({"c": pa.Array.from_buffers(pa.int64(), 2, [valid, values])}))
        for values in (pa.py_buffer(np.array([7, n], np.int64)) for n in range(3))
    }
    assert len(seen) == 1


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_names_and_types_count(names: tuple[str, str]) -> None:
    one = pa.table([[1], [2]], names=list(names))
    assert rows_digest(one) != rows_digest(one.rename_columns(["a", "c"]))
    assert rows_digest(one) != rows_digest(one.cast(pa.schema([(n, pa.int32()) for n in names])))


def test_a_stream_hashes_its_bytes() -> None:
    out = io.BytesIO()
    stream = HashingStream(out)
    for part in (b"ab", b"", b"c"):
        stream.write(part)
    assert (out.getvalue(), stream.tell()) == (b"abc", 3)
    assert stream.hexdigest() == hashlib.sha256(b"abc").hexdigest()
