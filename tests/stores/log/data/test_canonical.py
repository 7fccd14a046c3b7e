"""Values of every type at and past its limits: a writer refuses them, or all readers read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.data import shaping
from stategate.stores.log.data.canonical import InvalidUtf8, canonical
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import DataType, StoreSchema
from tests.support.stores import keyvalue

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
FIRST_DAY, LAST_DAY = -2_440_588, 2_145_042_905
DAY_US = 86_400_000_000
NOTHING = Position()


def texts(*values: bytes | None) -> pa.Array[Any]:
    """Return a column of text of any bytes, which nothing has checked."""
    return pa.array(values, pa.binary()).view(pa.string())


def counts(arrow: pa.DataType, *values: int | None) -> pa.Array[Any]:
    return pa.array(values, pa.int32() if arrow.bit_width == 32 else pa.int64()).view(arrow)


def decimals(*unscaled: int) -> pa.Array[Any]:
    raw = b"".join(each.to_bytes(16, "little", signed=True) for each in unscaled)
    return pa.Array.from_buffers(pa.decimal128(5, 2), len(unscaled), [None, pa.py_buffer(raw)])


def listed(values: pa.Array[Any]) -> pa.Array[Any]:
    """Return a column of arrays of one element."""
    return pa.ListArray.from_arrays(range(len(values) + 1), values)


def struct_of(**fields: pa.Array[Any]) -> pa.Array[Any]:
    return pa.StructArray.from_arrays([*fields.values()], [*fields])


def store(**value: str) -> StoreSchema:
    return keyvalue("s", {"k": "text"}, value)


UUID = "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"
DATE, MOMENT, TIME = pa.date32(), pa.timestamp("us"), pa.time64("us")
TOO_LATE = counts(DATE, LAST_DAY + 1)
KEPT: tuple[tuple[str, pa.Array[Any]], ...] = (
    ("text", texts("ä🦆".encode(), b"", None)),
    ("json", texts(b'{"a":1,"a":2}', b'"\\u0000"', b'"\\ud800"', b"1e400", b" [1 ] ", b"9" * 400)),
    ("uuid", texts(UUID.encode())),
    ("macaddr", texts(b"08:00:2b:01:02:03", None)),
    ("date", counts(DATE, FIRST_DAY, LAST_DAY, -INT32_MAX, INT32_MAX, 0, None)),
    ("timestamp", counts(MOMENT, FIRST_DAY * DAY_US, INT64_MAX, INT64_MAX - 1, -INT64_MAX)),
    ("time", counts(TIME, 0, DAY_US - 1)),
    ("decimal(5,2)", decimals(99_999, -99_999)),
    ("double", pa.array([float("nan"), float("-inf"), -0.0, 5e-324])),
    ("bytea", pa.array([bytes(range(256)), b""])),
)
CHANGED: tuple[tuple[str, pa.Array[Any], list[object]], ...] = (
    (
        "uuid",
        texts(b"{6F1B3B0E6A0A4A519D0C3F5F2F9B8A01}"),
        ["6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"],
    ),
    ("macaddr", texts(b"08002B-010203", None), ["08:00:2b:01:02:03", None]),
    ("date", counts(DATE, INT32_MIN, None, 1), [-INT32_MAX, None, 1]),
    ("timestamp", counts(MOMENT, 1, INT64_MIN), [1, -INT64_MAX]),
)
REFUSED: tuple[tuple[str, pa.Array[Any], str], ...] = (
    ("text", texts(b"a\xff"), "UTF8"),
    ("text", texts(b"\xed\xa0\x80"), "UTF8"),
    ("text", texts(b"\xc0\x80"), "UTF8"),
    *(
        ("json", texts(text), "type json")
        for text in (b"", b"{a", b"NaN", b"01", b'"\t"', b"[" * 9000 + b"]" * 9000)
    ),
    ("json", texts(b'"\xff"'), "UTF8"),
    ("uuid", texts(b"zz"), "type uuid"),
    ("macaddr", texts(b"08:00:2b"), "type macaddr"),
    ("date", counts(DATE, FIRST_DAY - 1), "date out of range"),
    ("date", TOO_LATE, "date out of range"),
    ("timestamp", counts(MOMENT, FIRST_DAY * DAY_US - 1), "timestamp out of range"),
    ("timestamptz", counts(pa.timestamp("us", "UTC"), INT64_MIN + 2), "timestamp out of range"),
    ("time", counts(TIME, -1), "time out of range"),
    ("time", counts(TIME, DAY_US), "time out of range"),
    ("decimal(5,2)", decimals(100_000), "overflow"),
    ("text[]", pa.ListArray.from_arrays([0, 1], texts(b"\xff")), "UTF8"),
    (
        "struct(a text, j json)",
        pa.StructArray.from_arrays([texts(b""), texts(b"{")], ["a", "j"]),
        "json",
    ),
    (
        "map(text, date)",
        pa.MapArray.from_arrays([0, 1], texts(b"a"), counts(DATE, LAST_DAY + 1)),
        "date",
    ),
    (
        "date[][]",
        pa.ListArray.from_arrays(
            [0, 1], pa.ListArray.from_arrays([0, 1], counts(DATE, LAST_DAY + 1))
        ),
        "date",
    ),
)


@pytest.mark.parametrize(("name", "values"), KEPT, ids=[name for name, _ in KEPT])
def test_values_at_the_limits_are_kept(name: str, values: pa.Array[Any]) -> None:
    rows = pa.table({"k": [f"k{n}" for n in range(len(values))], "v": values})
    found = shaped(rows, store(v=name)).column("v").combine_chunks()
    assert physical_list(found, DataType.parse(name)) == pytest.approx(
        physical_list(values, DataType.parse(name)), nan_ok=True
    )
    assert_readable(found, DataType.parse(name))


@pytest.mark.parametrize(("name", "values", "wanted"), CHANGED, ids=[name for name, *_ in CHANGED])
def test_values_in_another_form_get_the_one_of_readers(
    name: str, values: pa.Array[Any], wanted: list[object]
) -> None:
    rows = pa.table({"k": [f"k{n}" for n in range(len(values))], "v": values})
    found = shaped(rows, store(v=name)).column("v")
    assert physical_list(found, DataType.parse(name)) == wanted
    nested = shaped(
        pa.table({"k": ["k"], "v": pa.ListArray.from_arrays([0, len(values)], values)}),
        store(v=f"{name}[]"),
    )
    assert physical_list(nested.column("v"), DataType.parse(f"{name}[]")) == [wanted]


@pytest.mark.parametrize(("name", "values", "said"), REFUSED)
def test_values_past_the_limits_are_refused_with_their_key(
    name: str, values: pa.Array[Any], said: str
) -> None:
    parts = [pa.nulls(700, values.type), pa.nulls(100, values.type), values]
    column = pa.chunked_array([parts[0], pa.concat_arrays([parts[1], values, parts[1]])])
    rows = pa.table({"k": [f"k{n}" for n in range(901)], "v": column})
    with pytest.raises(SchemaError, match=rf"column \"v\" of store \"s\" at k = 'k800': .*{said}"):
        shaped(rows, store(v=name))


def test_a_key_must_be_in_its_one_form() -> None:
    for name, value, said in (
        ("text", texts(b"ok", b"a\xff"), r"k = 'a\\xff': .*UTF8"),
        ("macaddr", texts(b"08:00:2b:01:02:03", b"08002B-010203"), "k = '08002B-010203': .*form"),
        ("date", counts(DATE, 1, INT32_MIN), "k = -infinity: .*form"),
    ):
        schema = keyvalue("s", {"k": name}, {"n": "bigint"})
        for handling in ("refuse", "replace"):
            with pytest.raises(SchemaError, match=said):
                shaped(pa.table({"k": value, "n": [1, 2]}), schema, invalid_utf8=handling)


def test_bytes_that_are_not_utf8_are_replaced_on_demand(tmp_path: Path) -> None:
    schema = store(v="text", w="struct(a text)[]")
    inner = pa.StructArray.from_arrays([texts(b"\xff", b"b")], ["a"])
    rows = pa.table(
        {
            "k": ["a", "b"],
            "v": texts(b"a\xff\xfe", None),
            "w": pa.ListArray.from_arrays([0, 1, 2], inner),
        }
    )
    with pytest.raises(SchemaError, match="UTF8"):
        StoreWriter(tmp_path, schema).write(rows, position=NOTHING)
    with pytest.raises(ArgumentError, match="invalid_utf8"):
        StoreWriter(tmp_path, schema, invalid_utf8="ignore")  # type: ignore[arg-type]
    writer = StoreWriter(tmp_path, schema, invalid_utf8="replace")
    commit = writer.write(rows, position=NOTHING)
    found = [
        row for n in range(3) for batch in writer.log.read(commit, n) for row in batch.to_pylist()
    ]
    assert sorted((row["k"], row["v"], row["w"]) for row in found) == [
        ("a", "a\ufffd\ufffd", [{"a": "\ufffd"}]),
        ("b", None, [{"a": "b"}]),
    ]


def test_verify_names_values_that_an_older_writer_let_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = StoreWriter(tmp_path, store(v="text"))
    with monkeypatch.context() as patched:
        patched.setattr(shaping, "_canonical", lambda table, schema, invalid_utf8: table)
        writer.write(pa.table({"k": ["a", "b"], "v": texts(b"a", b"\xff")}), position=NOTHING)
    (damage,) = verify(tmp_path, "s").damages
    assert "at k = 'b': invalid byte sequence" in damage.message
    assert damage.epoch is None


SCALARS = ("text", "json", "uuid", "date", "timestamptz", "time", "decimal(5,2)", "bytea", "bigint")
TYPES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map("{}[]".format),
        st.tuples(inner, inner).map(lambda two: f"struct(a {two[0]}, b {two[1]})"),
        inner.map("map(text, {})".format),
    ),
    max_leaves=3,
)
RAW = st.one_of(
    st.binary(max_size=3),
    st.sampled_from([b"null", b"[1]", UUID.upper().encode(), "ä".encode(), b"\xff"]),
)


def bits_of(draw: st.DrawFn, data_type: DataType, length: int, *, is_key: bool = False) -> Any:
    """Return a column of any bits, which nothing has checked."""
    lengths = draw(st.lists(st.integers(0, 2), min_size=length, max_size=length))
    offsets = [sum(lengths[:n]) for n in range(length + 1)]
    if data_type.element is not None:
        element = bits_of(draw, data_type.element, offsets[-1])
        if not data_type.fields:
            return pa.ListArray.from_arrays(offsets, element)
        keys = bits_of(draw, data_type.fields[0][1], offsets[-1], is_key=True)
        return pa.MapArray.from_arrays(offsets, keys, element)
    if data_type.fields:
        return struct_of(**{name: bits_of(draw, each, length) for name, each in data_type.fields})
    arrow = data_type.arrow
    if arrow in {pa.string(), pa.binary()}:
        value = RAW if is_key else st.none() | RAW
        raw = pa.array(draw(st.lists(value, min_size=length, max_size=length)), pa.binary())
        return raw.view(arrow)
    most = 2 ** (arrow.bit_width - 1)
    near = st.sampled_from(
        (0, FIRST_DAY, LAST_DAY, DAY_US, FIRST_DAY * DAY_US, 99_999, most, -most)
    )
    number = st.builds(lambda base, by: base + by, near, st.integers(-2, 2))
    fitting = number.filter(lambda n: -most <= n < most)
    numbers = draw(st.lists(fitting, min_size=length, max_size=length))
    width = arrow.bit_width // 8
    packed = b"".join(n.to_bytes(width, "little", signed=True) for n in numbers)
    return pa.Array.from_buffers(arrow, length, [None, pa.py_buffer(packed)])


def assert_readable(array: pa.Array[Any], data_type: DataType) -> None:
    """Every value of a column has all forms in which values leave the gateway."""
    array.validate(full=True)
    record = data_type.kind.record
    for value in physical_list(array, data_type):
        if value is not None and not data_type.fields and data_type.element is None:
            record.text(value).decode()
            if value == value and "\0" not in str(value):  # PostgreSQL has no text with a NUL
                assert record.decode(record.encode(value)) == value
            str(value if record.cell is None else record.cell(value))


def leaves(array: pa.Array[Any], data_type: DataType) -> list[tuple[pa.Array[Any], DataType]]:
    if data_type.element is not None and data_type.fields:
        return [
            *leaves(array.keys, data_type.fields[0][1]),
            *leaves(array.items, data_type.element),
        ]
    if data_type.element is not None:
        return leaves(array.values, data_type.element)
    if data_type.fields:
        pairs = zip(array.flatten(), data_type.fields, strict=True)
        return [leaf for child, (_, inner) in pairs for leaf in leaves(child, inner)]
    return [(array, data_type)]


@given(st.data(), TYPES, st.sampled_from(("refuse", "replace")))
def test_a_column_is_refused_or_can_be_read(
    data: st.DataObject, name: str, handling: InvalidUtf8
) -> None:
    data_type = DataType.parse(name)
    array = data.draw(st.composite(lambda draw: bits_of(draw, data_type, 3))())
    rows = pa.table({"k": ["a", "b", "c"], "v": array})
    try:
        table = shaped(rows, store(v=name), invalid_utf8=handling)
    except SchemaError:
        return
    found = table.column("v").combine_chunks()
    for leaf, inner in leaves(found, data_type):
        assert_readable(leaf, inner)
    assert canonical(found, data_type, "refuse").equals(found)
