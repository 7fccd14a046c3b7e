from __future__ import annotations

import math
import struct
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from psycopg import adapt, postgres
from psycopg.pq import Format

from stategate.gateway.pgwire.types.arrow_values import physical_values
from stategate.gateway.pgwire.types.encoders import encode_column, wire_type
from stategate.gateway.pgwire.types.parameters import (
    choose_decoders,
    decode_parameters,
    expand_formats,
    parameter_types,
    requested_types,
)
from stategate.planner.engine import PLAIN_TIMES, DataType, Kind, QueryError, Value
from tests.support.sample_rows import TYPES, array_of, type_batches

BINARY, TEXT = 1, 0
INT8 = st.integers(-(1 << 63), (1 << 63) - 1)
SCALARS: dict[Kind, st.SearchStrategy[Value]] = {
    Kind.BOOLEAN: st.booleans(),
    Kind.TINYINT: st.integers(-128, 127),
    Kind.SMALLINT: st.integers(-(1 << 15), (1 << 15) - 1),
    Kind.INTEGER: st.integers(-(1 << 31), (1 << 31) - 1),
    Kind.BIGINT: INT8,
    Kind.REAL: st.floats(width=32, allow_nan=False),
    Kind.DOUBLE: st.floats(allow_nan=False),
    Kind.DECIMAL: st.decimals(allow_nan=False, allow_infinity=False, places=5).filter(
        lambda value: abs(value) < 10**33
    ),
    Kind.TEXT: st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    Kind.JSON: st.just('{"a": [1, "b"]}'),
    Kind.JSONB: st.just('{"a": [1, "b"]}'),
    Kind.BYTEA: st.binary(max_size=50),
    Kind.DATE: st.integers(-700_000, 2_900_000),
    Kind.TIME: st.integers(0, 86_399_999_999),
    Kind.TIMESTAMP: st.integers(-62_000_000_000_000_000, 250_000_000_000_000_000),
    Kind.TIMESTAMPTZ: st.integers(-62_000_000_000_000_000, 250_000_000_000_000_000),
    Kind.INTERVAL: st.tuples(
        st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(-(10**14), 10**14)
    ),
    Kind.UUID: st.uuids().map(str),
    Kind.MACADDR: st.binary(min_size=6, max_size=6).map(lambda raw: raw.hex(":")),
}


def type_of(kind: Kind) -> DataType:
    return (
        DataType(kind=kind, precision=38, scale=5) if kind is Kind.DECIMAL else DataType(kind=kind)
    )


def psycopg_value(encoded: bytes, oid: int, format_code: int) -> object:
    """Return the value that psycopg reads from a field."""
    code = Format.BINARY if format_code == BINARY else Format.TEXT
    transformer = adapt.Transformer()
    return transformer.get_loader(oid, code).load(encoded)


@given(st.data())
@pytest.mark.parametrize("kind", SCALARS)
def test_binary_forms_round_trip(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(SCALARS[kind])
    wire = wire_type(type_of(kind))
    assert wire.decode_binary(wire.encode_binary(value)) == value
    if wire.length >= 0:
        assert len(wire.encode_binary(value)) == wire.length


@given(st.data())
@pytest.mark.parametrize("kind", [Kind.TIMESTAMP, Kind.TIMESTAMPTZ])
def test_many_values_are_printed_as_single_ones(kind: Kind, data: st.DataObject) -> None:
    moments = st.one_of(
        INT8,
        SCALARS[kind],
        st.integers(-60_000, 60_000).map(lambda second: second * 1_000_000),
        st.integers(-60_000, 60_000).map(lambda milli: milli * 1000),
    )
    values = data.draw(st.lists(moments, min_size=1, max_size=40))
    wire = wire_type(type_of(kind))
    assert wire.encode_texts is not None
    assert wire.encode_texts(values) == [wire.encode_text(value) for value in values]
    with pytest.raises(TypeError):
        wire.encode_texts([*values, None])


@given(st.data())
@pytest.mark.parametrize("kind", SCALARS)
def test_text_forms_round_trip(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(SCALARS[kind])
    if kind is Kind.DATE or kind in {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        # The engine's parser reads no years before Christ.
        assume(value >= (-719_162 if kind is Kind.DATE else -62_135_596_800_000_000))
    wire = wire_type(type_of(kind))
    decoded = wire.decode_text(wire.encode_text(value))
    if kind is Kind.REAL:
        assert struct.pack(">f", decoded) == struct.pack(">f", value)
    elif kind is Kind.INTERVAL:
        # psycopg computes seconds as a float, so the last digits of long intervals may differ.
        assert decoded[:2] == value[:2]
        assert math.isclose(decoded[2], value[2], rel_tol=1e-12, abs_tol=1)
    else:
        assert decoded == value


@given(st.data())
@pytest.mark.parametrize(
    "kind",
    [
        kind  # psycopg does not read the binary form of a macaddr
        for kind in SCALARS
        if kind not in {Kind.JSON, Kind.JSONB, Kind.INTERVAL, Kind.BYTEA, Kind.MACADDR}
    ],
)
def test_psycopg_reads_the_same_from_both_forms(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(SCALARS[kind])
    if kind is Kind.DATE or kind in {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        assume(value >= (-719_162 if kind is Kind.DATE else -62_135_596_800_000_000))
    wire = wire_type(type_of(kind))
    from_text = psycopg_value(wire.encode_text(value), wire.oid, TEXT)
    from_binary = psycopg_value(wire.encode_binary(value), wire.oid, BINARY)
    if kind is Kind.REAL:
        assert struct.pack(">f", from_text) == struct.pack(">f", from_binary)
    else:
        assert from_text == from_binary


@given(st.data())
@pytest.mark.parametrize("kind", [Kind.BOOLEAN, Kind.BIGINT, Kind.DOUBLE, Kind.DECIMAL])
def test_parameters_that_psycopg_writes_are_read(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(SCALARS[kind])
    transformer = adapt.Transformer()
    for asked in (adapt.PyFormat.TEXT, adapt.PyFormat.BINARY):
        dumper = transformer.get_dumper(value, asked)
        dumped = dumper.dump(value)
        assert dumped is not None
        types = parameter_types([dumper.oid], [type_of(kind)])
        code = BINARY if asked is adapt.PyFormat.BINARY else TEXT
        decoders = choose_decoders(types, [code], PLAIN_TIMES)
        assert decode_parameters(decoders, [bytes(dumped)]) == (value,)


def test_every_oid_is_one_of_postgres() -> None:
    for name, data_type, _ in TYPES:
        wire = wire_type(data_type)
        assert postgres.types.get(wire.oid) is not None, name
        assert wire.oid < 10_000


FLOATS = [
    (0.0, b"0"),
    (-0.0, b"-0"),
    (1.0, b"1"),
    (0.1, b"0.1"),
    (-2.5, b"-2.5"),
    (1e14, b"100000000000000"),
    (1e15, b"1e+15"),
    (999999999999999.0, b"999999999999999"),
    (1e20, b"1e+20"),
    (123456789012345680.0, b"1.2345678901234568e+17"),
    (0.0001, b"0.0001"),
    (0.00001, b"1e-05"),
    (-1e-300, b"-1e-300"),
    (5e-324, b"5e-324"),
    (math.inf, b"Infinity"),
    (-math.inf, b"-Infinity"),
    (math.nan, b"NaN"),
]
"""The texts are those that PostgreSQL 15 prints."""
REALS = [
    (1e5, b"100000"),
    (999999.0, b"999999"),
    (1e6, b"1e+06"),
    (16777216.0, b"1.6777216e+07"),
    (3.140000104904175, b"3.14"),
    (1e-05, b"1e-05"),
]
INTERVALS = [
    ((0, 0, 0), b"00:00:00"),
    ((14, 3, 14_706_789_000), b"1 year 2 mons 3 days 04:05:06.789"),
    ((0, -1, 7_384_000_000), b"-1 days +02:03:04"),
    ((-13, 1, -1_000_000), b"-1 years -1 mons +1 day -00:00:01"),
    ((0, 0, 360_000_000_000_000), b"100000:00:00"),
    ((12, 0, 0), b"1 year"),
]
STAMPS = [
    (0, b"1970-01-01 00:00:00+00"),
    (1_357_034_400_000_000, b"2013-01-01 10:00:00+00"),
    (-1, b"1969-12-31 23:59:59.999999+00"),
    (-63_517_824_000_000_000, b"0044-03-15 00:00:00+00 BC"),
    (253_402_300_800_000_000, b"10000-01-01 00:00:00+00"),
    ((1 << 63) - 1, b"infinity"),
    (-(1 << 63), b"-infinity"),
]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        *((Kind.DOUBLE, value, expected) for value, expected in FLOATS),
        *((Kind.REAL, value, expected) for value, expected in REALS),
        *((Kind.INTERVAL, value, expected) for value, expected in INTERVALS),
        *((Kind.TIMESTAMPTZ, value, expected) for value, expected in STAMPS),
        (Kind.DATE, -135_081, b"1600-02-29"),
        (Kind.DATE, -719_163, b"0001-12-31 BC"),
        (Kind.TIME, 86_400_000_000, b"24:00:00"),
        (Kind.DECIMAL, Decimal("1E+3"), b"1000"),
        (Kind.DECIMAL, Decimal("-0.10"), b"-0.10"),
        (Kind.BYTEA, b"\x01", b"\\x01"),
        (Kind.BOOLEAN, False, b"f"),
    ],
)
def test_text_is_that_of_postgres(kind: Kind, value: Value, expected: bytes) -> None:
    assert wire_type(type_of(kind)).encode_text(value) == expected


@pytest.mark.parametrize("most", [(1 << 63) - 1, -(1 << 63)])
def test_infinity_in_binary(most: int) -> None:
    wire = wire_type(DataType(kind=Kind.TIMESTAMP))
    assert wire.encode_binary(most) == struct.pack(">q", most)


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (Kind.TIME, struct.pack(">q", -1)),
        (Kind.TIME, struct.pack(">q", 86_400_000_001)),
        (Kind.INTERVAL, struct.pack(">qii", (1 << 63) - 1, 0, 0)),
        (Kind.INTERVAL, struct.pack(">qii", -(1 << 63), 0, 0)),
    ],
)
def test_times_out_of_every_range(kind: Kind, raw: bytes) -> None:
    with pytest.raises(QueryError) as caught:
        wire_type(DataType(kind=kind)).decode_binary(raw)
    assert caught.value.sqlstate == "22008"


def test_the_end_of_a_day_is_not_its_beginning() -> None:
    wire = wire_type(DataType(kind=Kind.TIME))
    end = wire.decode_binary(struct.pack(">q", 86_400_000_000))
    assert wire.encode_text(end) == b"24:00:00"


def test_a_timestamp_beyond_the_binary_range() -> None:
    wire = wire_type(DataType(kind=Kind.TIMESTAMP))
    with pytest.raises(QueryError) as caught:
        wire.encode_binary(-(1 << 63) + 5)
    assert caught.value.sqlstate == "22008"


@given(st.lists(st.none() | INT8, max_size=8))
def test_arrays_round_trip(values: list[int | None]) -> None:
    wire = wire_type(array_of(DataType(kind=Kind.BIGINT)))
    assert wire.decode_binary(wire.encode_binary(values)) == values
    assert psycopg_value(wire.encode_binary(values), wire.oid, BINARY) == values
    assert psycopg_value(wire.encode_text(values), wire.oid, TEXT) == values


@given(st.lists(st.none() | SCALARS[Kind.TEXT], max_size=5))
def test_psycopg_reads_arrays_of_any_text(values: list[str | None]) -> None:
    wire = wire_type(array_of(DataType(kind=Kind.TEXT)))
    assert psycopg_value(wire.encode_text(values), wire.oid, TEXT) == values


def test_nested_arrays() -> None:
    wire = wire_type(array_of(array_of(DataType(kind=Kind.INTEGER))))
    assert wire.oid == 1007
    assert wire.encode_text([[1, 2], [3, None]]) == b"{{1,2},{3,NULL}}"
    assert wire.decode_binary(wire.encode_binary([[1, 2], [3, None]])) == [[1, 2], [3, None]]
    assert wire.decode_binary(wire.encode_binary([])) == []
    with pytest.raises(QueryError) as caught:
        wire.encode_binary([[1], [2, 3]])
    assert caught.value.sqlstate == "0A000"


@given(st.binary(max_size=80))
@pytest.mark.parametrize("kind", SCALARS)
def test_any_binary_parameter_is_a_value_or_a_query_error(kind: Kind, raw: bytes) -> None:
    for data_type in (type_of(kind), array_of(type_of(kind))):
        decode = wire_type(data_type).decode_binary
        assert accepted_or_refused(decode, raw)


@given(st.binary(max_size=40))
@pytest.mark.parametrize("kind", SCALARS)
def test_any_text_parameter_is_a_value_or_a_query_error(kind: Kind, raw: bytes) -> None:
    assert accepted_or_refused(wire_type(type_of(kind)).decode_text, raw)


def accepted_or_refused(decode: object, raw: bytes) -> bool:
    assert callable(decode)
    try:
        decode(raw)
    except QueryError as error:
        return error.sqlstate.startswith(("22", "0A"))
    return True


@pytest.mark.parametrize(
    "text", [b"1_000", b" 12", b"+5", b"99999999999999999999", "٣".encode(), b""]
)
def test_integers_that_only_python_or_postgres_reads(text: bytes) -> None:
    decode = wire_type(DataType(kind=Kind.BIGINT)).decode_text
    if text in {b" 12", b"+5"}:
        assert decode(text) == int(text)
    else:
        with pytest.raises(QueryError):
            decode(text)


@pytest.mark.parametrize("position", range(len(TYPES)), ids=[name for name, _, _ in TYPES])
def test_columns_of_batches_are_physical_values(position: int) -> None:
    _, data_type, value = TYPES[position]
    arrays = [batch.column(position) for batch in type_batches()]
    assert [physical_values(array, data_type)[0] for array in arrays] == [value, None]
    wire = wire_type(data_type)
    assert encode_column(arrays[0], data_type, TEXT).to_pylist() == [wire.encode_text(value)]
    assert encode_column(arrays[0], data_type, BINARY).to_pylist() == [wire.encode_binary(value)]
    assert encode_column(arrays[1], data_type, TEXT).to_pylist() == [None]


def test_documents_are_json_in_their_own_types() -> None:
    data_type = DataType(
        kind=Kind.STRUCT,
        fields=(
            ("d", DataType(kind=Kind.DECIMAL, precision=5, scale=2)),
            ("x", DataType(kind=Kind.DOUBLE)),
            ("j", DataType(kind=Kind.JSON)),
            ("b", DataType(kind=Kind.BYTEA)),
            ("m", DataType(kind=Kind.MAP, fields=(("key", DataType(kind=Kind.DATE)),),
                           element=array_of(DataType(kind=Kind.TIMESTAMP)))),
        ),
    )  # fmt: skip
    value = {"d": Decimal("1.50"), "x": math.nan, "j": "[1, 2]", "b": b"\1", "m": [(0, [0, None])]}
    expected = (
        b'{"d":1.50,"x":"NaN","j":[1, 2],"b":"\\\\x01",'
        b'"m":{"1970-01-01":["1970-01-01T00:00:00",null]}}'
    )
    wire = wire_type(data_type)
    assert wire.encode_text(value) == expected
    assert wire.encode_binary(value) == b"\1" + expected


def test_durations_and_other_units_of_time() -> None:
    millis = pa.array([1500], pa.timestamp("ms", tz="UTC"))
    assert physical_values(millis, DataType(kind=Kind.TIMESTAMPTZ)) == [1_500_000]
    seconds = pa.array([61], pa.time32("s"))
    assert physical_values(seconds, DataType(kind=Kind.TIME)) == [61_000_000]


def test_parameter_types_are_those_that_the_client_gives() -> None:
    inferred = (DataType(kind=Kind.BIGINT), DataType(kind=Kind.TEXT))
    assert requested_types((0, 705, 1043, 23, 3802)) == (
        None,
        None,
        DataType(kind=Kind.TEXT),
        DataType(kind=Kind.INTEGER),
        DataType(kind=Kind.JSONB),
    )
    assert [each.oid for each in parameter_types((), inferred)] == [20, 25]
    assert [each.oid for each in parameter_types((21, 1043, 23), inferred)] == [21, 1043]
    with pytest.raises(QueryError) as caught:
        requested_types((99999,))
    assert caught.value.sqlstate == "42704"


def test_a_jsonb_parameter() -> None:
    (jsonb,) = parameter_types((3802,), (DataType(kind=Kind.JSON),))
    assert jsonb.decode_binary(b'\1{"b":1,"a":1.0}') == '{"a": 1.0, "b": 1}'
    assert jsonb.decode_text(b"[1,2]") == "[1, 2]"
    for raw in (b"[1]", b"\1[1"):
        with pytest.raises(QueryError):
            jsonb.decode_binary(raw)


def test_a_json_parameter_is_checked_and_keeps_its_text() -> None:
    (json,) = parameter_types((114,), (DataType(kind=Kind.JSON),))
    for decode in (json.decode_text, json.decode_binary):
        assert decode(b' {"b":1, "b":2}') == ' {"b":1, "b":2}'
        with pytest.raises(QueryError) as caught:
            decode(b"{")
        assert caught.value.sqlstate == "22P02"


def test_formats_are_none_one_or_all() -> None:
    assert expand_formats((), 2, what="parameter") == (0, 0)
    assert expand_formats((1,), 3, what="parameter") == (1, 1, 1)
    assert expand_formats((0, 1), 2, what="parameter") == (0, 1)
    for formats, sqlstate in (((0, 1), "08P01"), ((2,), "22023")):
        with pytest.raises(QueryError) as caught:
            expand_formats(formats, 3, what="parameter")
        assert caught.value.sqlstate == sqlstate


def test_the_number_of_parameters_must_fit() -> None:
    types = parameter_types((), (DataType(kind=Kind.BIGINT),))
    with pytest.raises(QueryError, match="supplies 2 parameters") as caught:
        decode_parameters(choose_decoders(types, (), PLAIN_TIMES), [b"1", b"2"])
    assert caught.value.sqlstate == "08P01"


def test_text_with_a_nul_or_invalid_utf8_is_refused() -> None:
    decode = wire_type(DataType(kind=Kind.TEXT)).decode_binary
    for raw in (b"a\0b", b"\xff"):
        with pytest.raises(QueryError) as caught:
            decode(raw)
        assert caught.value.sqlstate == "22021"
