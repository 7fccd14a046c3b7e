"""Types of the system catalog on the wire, both ways."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.types.encoders import wire_type
from stategate.gateway.pgwire.types.parameters import parameter_types, requested_types
from stategate.gateway.pgwire.types.wire_type import WireType
from stategate.planner.engine import OID, DataType, Kind, QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.catalog_types import CATALOG_TYPES, INT2VECTOR, OIDVECTOR, from_zero
from stategate.planner.values.session import Session
from tests.support.stores import FixedCatalog

OIDS = DataType(kind=Kind.ARRAY, element=OID)
NUMBERS = st.lists(st.integers(-(1 << 15), (1 << 15) - 1), max_size=5)


@pytest.mark.parametrize("oid", [0, 1, 26, 2**31, 2**32 - 1])
def test_an_oid_has_four_bytes_and_no_sign(oid: int) -> None:
    assert requested_types([26]) == (OID,)
    for asked in (26, 0):
        (parameter,) = parameter_types([asked], [OID])
        assert parameter.oid == 26
        assert parameter.decode_binary(struct.pack(">I", oid)) == oid
        assert parameter.decode_text(str(oid).encode()) == oid
    assert wire_type(OID).encode_binary(oid) == struct.pack(">I", oid)
    assert wire_type(OID).length == 4


def test_a_negative_oid_counts_from_the_greatest() -> None:
    decode = wire_type(OID).decode_text
    assert decode(b"-1") == 2**32 - 1
    with pytest.raises(QueryError) as caught:
        decode(b"4294967296")
    assert caught.value.sqlstate == "22003"


def test_an_array_of_oids() -> None:
    assert requested_types([1028]) == (OIDS,)
    (parameter,) = parameter_types([1028], [OIDS])
    assert parameter.oid == 1028
    head = struct.pack(">iiIii", 1, 1, 26, 3, 1)
    fields = struct.pack(">iIiiI", 4, 2**32 - 1, -1, 4, 16_384)
    assert parameter.decode_binary(head + fields) == [2**32 - 1, None, 16_384]
    assert parameter.decode_text(b"{7,NULL}") == [7, None]


def test_eight_bytes_are_not_an_oid() -> None:
    (parameter,) = parameter_types([26], [OID])
    with pytest.raises(QueryError) as caught:
        parameter.decode_binary(bytes(8))
    assert caught.value.sqlstate == "22P03"


@given(NUMBERS)
def test_a_vector_prints_without_braces_and_counts_from_zero(numbers: list[int]) -> None:
    wire = wire_type(INT2VECTOR)
    text = " ".join(map(str, numbers)).encode()
    assert (wire.oid, wire.encode_text(numbers), wire.decode_text(text)) == (22, text, numbers)
    binary = wire.encode_binary(numbers)
    assert wire.decode_binary(binary) == numbers
    if numbers:
        assert struct.unpack_from(">iiIii", binary) == (1, 0, 21, len(numbers), 0)


def test_a_vector_of_oids() -> None:
    wire = wire_type(OIDVECTOR)
    assert (wire.oid, wire.encode_text([26, 2**32 - 1])) == (30, b"26 4294967295")
    assert struct.unpack_from(">iiIii", wire.encode_binary([26])) == (1, 0, 26, 1, 0)


def test_an_array_made_of_a_vector_has_its_first_index() -> None:
    wire = wire_type(from_zero(DataType(kind=Kind.ARRAY, element=DataType(kind=Kind.SMALLINT))))
    assert (wire.oid, wire.encode_text([1, 2]), wire.encode_text([])) == (
        1005,
        b"[0:1]={1,2}",
        b"{}",
    )


@pytest.mark.parametrize(
    ("name", "oid", "length"),
    [("name", 19, 64), ("char", 18, 1), ("regproc", 24, 4), ("xid", 28, 4), ("void", 2278, 4)],
)
def test_other_catalog_types_are_sent_as_the_type_that_holds_them(
    name: str, oid: int, length: int
) -> None:
    wire = wire_type(CATALOG_TYPES[name])
    assert (wire.oid, wire.length) == (oid, length)


def test_an_object_is_a_name_as_text_and_an_oid_as_binary() -> None:
    wire = wire_type(replace(CATALOG_TYPES["regclass"], kind=Kind.TEXT))
    assert (wire.oid, wire.encode_text("pg_class")) == (2205, b"pg_class")
    assert wire.decode_binary(struct.pack(">I", 1259)) == "1259"
    with pytest.raises(QueryError) as caught:
        wire.encode_binary("pg_class")
    assert caught.value.sqlstate == "42883"


@pytest.mark.parametrize(
    ("spelled", "oid", "modifier"),
    [
        ("varchar(5)", 1043, 9),
        ("varchar", 1043, -1),
        ("character varying(7)", 1043, 11),
        ("char(3)", 1042, 7),
        ("char", 1042, 5),
        ("bpchar", 1042, -1),
        ("varchar(2)[]", 1015, 6),
        ("numeric(5,2)", 1700, 5 << 16 | 2 + 4),
        ("numeric(4)", 1700, (4 << 16) + 4),
        ("text", 25, -1),
    ],
)
def test_clients_get_the_type_and_length_of_a_cast(spelled: str, oid: int, modifier: int) -> None:
    """PostgreSQL describes `NULL::…` in the same way."""
    (column,) = described(f"SELECT NULL::{spelled}")
    assert (column.oid, column.modifier) == (oid, modifier)


@pytest.mark.parametrize(
    ("expression", "oid", "modifier"),
    [
        ("coalesce(a, a)", 1043, 9),
        ("coalesce(a, b)", 1043, -1),
        ("coalesce(a, 'x')", 1043, -1),
        ("CASE WHEN a = 'x' THEN a ELSE a END", 1043, 9),
        ("CASE WHEN a = 'x' THEN a ELSE b END", 1043, -1),
        ("CASE WHEN a = 'x' THEN a END", 1043, -1),
        ("greatest(a, b)", 1043, -1),
        ("min(a)", 25, -1),
        ("a || b", 25, -1),
        ("array_agg(a)", 1015, -1),
        ("ARRAY[a, a]", 1015, 9),
        ("(SELECT a)", 1043, 9),
        ("first_value(a) OVER ()", 1043, -1),
    ],
)
def test_a_computed_value_has_a_length_if_all_operands_have_it(
    expression: str, oid: int, modifier: int
) -> None:
    (column,) = described(
        f"SELECT {expression} FROM (SELECT 'a'::varchar(5) AS a, 'b'::varchar(9) AS b) x"
    )
    assert (column.oid, column.modifier) == (oid, modifier)


def described(sql: str) -> list[WireType]:
    """Return how clients see the columns of a statement."""
    engine = SqlEngine(FixedCatalog())
    try:
        return [wire_type(column.type) for column in engine.prepare(sql, Session()).columns]
    finally:
        engine.close()
