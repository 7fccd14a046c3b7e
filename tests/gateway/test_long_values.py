"""Encoding long values, in any format, does not delay others."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from stategate.gateway.http.formats.negotiation import RENDERERS
from stategate.gateway.pgwire.statements import copy_out
from stategate.gateway.pgwire.statements.copy_out import CopyEncoder
from stategate.gateway.pgwire.statements.rows import Shape
from stategate.gateway.serve import SWITCH_INTERVAL_S
from stategate.planner.engine import PLAIN_TIMES, Column, CopyFormat, CopyOut, DataType, Kind
from tests.support.holding import longest_hold_s

HELD_S_MAX = 0.02
INTEGER, TEXT, BYTEA = (DataType(kind=kind) for kind in (Kind.INTEGER, Kind.TEXT, Kind.BYTEA))
PAIR = DataType(kind=Kind.STRUCT, fields=(("a", INTEGER), ("b", TEXT)))
COUNT = 400_000
VALUES: dict[DataType, Callable[[], object]] = {
    TEXT: lambda: "ab" * 4_000_000,
    BYTEA: lambda: b"ab" * 4_000_000,
    DataType(kind=Kind.ARRAY, element=TEXT): lambda: list(map(str, range(COUNT))),
    DataType(kind=Kind.ARRAY, element=PAIR): lambda: [
        {"a": number, "b": str(number)} for number in range(COUNT // 4)
    ],
}
Encode = Callable[[pa.RecordBatch], object]


def rows(code: int) -> Callable[[Column], Encode]:
    return lambda column: Shape((column,), (code,), PLAIN_TIMES).encode_batch


def copied(form: CopyFormat) -> Callable[[Column], Encode]:
    delimiter = "," if form is CopyFormat.CSV else "\t"
    command = CopyOut(format=form, delimiter=delimiter, null="\\N")
    return lambda column: CopyEncoder(command, (column,)).encode_batch


def rendered(media_type: str) -> Callable[[Column], Encode]:
    return lambda column: RENDERERS[media_type]((column,)).batch


ENCODERS: dict[str, Callable[[Column], Encode]] = {
    "text": rows(0),
    "binary": rows(1),
    **{f"copy {form.value}": copied(form) for form in CopyFormat},
    **{media_type: rendered(media_type) for media_type in RENDERERS},
}


@pytest.fixture
def _as_a_gateway() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    yield
    sys.setswitchinterval(before)


@pytest.mark.skipif(sys.platform != "linux", reason="what threads compute is seen on Linux")
@pytest.mark.usefixtures("_as_a_gateway")
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("data_type", VALUES, ids=str)
def test_no_long_value_holds_the_interpreter(data_type: DataType, encoder: str) -> None:
    column = pa.array([VALUES[data_type]()], data_type.arrow)
    batch = pa.RecordBatch.from_arrays([column], names=["a"])
    encode = ENCODERS[encoder](Column(name="a", type=data_type))
    # Garbage collection, or another process that uses the memory, can slow down one attempt.
    held_s = min(longest_hold_s(lambda: encode(batch)) for _ in range(3))
    assert held_s < max(HELD_S_MAX, 3 * _single_call_s())


def _single_call_s() -> float:
    """Return the seconds of one call over eight million bytes, which no encoder can divide."""
    data = VALUES[BYTEA]()
    assert isinstance(data, bytes)
    began = time.thread_time()
    data.hex()
    return time.thread_time() - began


@pytest.mark.parametrize("media_type", RENDERERS)
def test_long_arrays_are_written_like_short_ones(
    media_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_type = DataType(kind=Kind.ARRAY, element=DataType(kind=Kind.ARRAY, element=TEXT))
    column = pa.array([None, [], [["a", None], None, [], ["b,", '"c"', "d"]]], data_type.arrow)
    batch = pa.RecordBatch.from_arrays([column], names=["a"]).slice(1)
    encode = RENDERERS[media_type]
    expected = encode((Column(name="a", type=data_type),)).batch(batch)
    monkeypatch.setattr("stategate.gateway.http.formats.json_cells._ELEMENTS_MAX", 1)
    assert encode((Column(name="a", type=data_type),)).batch(batch) == expected


@pytest.mark.parametrize("form", [CopyFormat.TEXT, CopyFormat.CSV])
def test_long_fields_are_copied_like_short_ones(
    form: CopyFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["", "a", None, 'b"c,"d', "\\\t\n\\", "ö,\r", "\\", "x" * 9, "\\N"]
    batch = pa.RecordBatch.from_arrays([pa.array(texts)] * 2, names=["a", "b"]).slice(1)
    columns = (Column(name="a", type=TEXT), Column(name="b", type=TEXT))
    command = CopyOut(format=form, delimiter="," if form is CopyFormat.CSV else "\t", null="\\N")
    expected = CopyEncoder(command, columns).encode_batch(batch)
    monkeypatch.setattr(copy_out, "_PIECE_BYTES", 2)
    assert CopyEncoder(command, columns).encode_batch(batch) == expected
