"""Definitions of stores, and the names of types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.engines.rocksdb.metadata import fingerprint
from stategate.stores.errors import SchemaError
from stategate.stores.spec.schema import (
    BIGINT,
    TEXT,
    Column,
    DataType,
    InputTopic,
    Kind,
    StoreKind,
    StoreSchema,
    decimal_type,
)
from tests.support.stores import keyvalue, window

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"})
HOURS = window("hours", {"usr": "text"}, {"n": "bigint"}, retention_ms=1)
NESTED = (Kind.DECIMAL, Kind.ARRAY, Kind.STRUCT, Kind.MAP)
LIST = DataType(kind=Kind.ARRAY, element=TEXT)
NULL = DataType(kind=Kind.NULL)
NULLS = DataType(kind=Kind.ARRAY, element=NULL)
EVENTS = InputTopic(topic="events")


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in NESTED])
def test_the_name_of_a_type_round_trips(kind: Kind) -> None:
    data_type = DataType(kind=kind)
    assert DataType.parse(str(data_type)) == data_type
    if kind is Kind.TEXT or data_type.arrow != TEXT.arrow:  # otherwise their columns hold texts
        assert DataType.from_arrow(data_type.arrow) == data_type


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("DECIMAL(18, 2)", "decimal(18,2)"),
        ("numeric(1,0)", "decimal(1,0)"),
        (" Double  Precision ", "double"),
        ("timestamp with time zone", "timestamptz"),
        ("int8", "bigint"),
        ("varchar", "text"),
        ("int4[]", "integer[]"),
        ("decimal(3,1)[][]", "decimal(3,1)[][]"),
    ],
)
def test_type_names(text: str, spelled: str) -> None:
    assert str(DataType.parse(text)) == spelled


@pytest.mark.parametrize(
    "text", ["", "[]", "money", "decimal", "decimal(0,0)", "decimal(39,0)", "decimal(2,3)"]
)
def test_an_unknown_type_is_refused(text: str) -> None:
    with pytest.raises(SchemaError):
        DataType.parse(text)


@pytest.mark.parametrize(
    ("arrow", "spelled"),
    [
        (pa.uint64(), "decimal(20,0)"),
        (pa.uint32(), "bigint"),
        (pa.large_string(), "text"),
        (pa.timestamp("ns"), "timestamp"),
        (pa.timestamp("s", "Europe/Berlin"), "timestamptz"),
        (pa.time32("ms"), "time"),
        (pa.duration("us"), "interval"),
        (pa.dictionary(pa.int8(), pa.string()), "text"),
        (pa.decimal128(5, 2), "decimal(5,2)"),
        (pa.large_list(pa.int8()), "tinyint[]"),
        (pa.struct([("a", pa.int32())]), "struct(a integer)"),
        (pa.map_(pa.string(), pa.list_(pa.int64())), "map(text, bigint[])"),
        (pa.uuid(), "uuid"),
    ],
)
def test_arrow_types(arrow: pa.DataType, spelled: str) -> None:
    assert str(DataType.from_arrow(arrow)) == spelled


@pytest.mark.parametrize(
    "arrow", [pa.float16(), pa.binary(3), pa.decimal256(60, 2), pa.decimal128(3, -2)], ids=str
)
def test_an_unsupported_arrow_type_is_refused(arrow: pa.DataType) -> None:
    with pytest.raises(SchemaError):
        DataType.from_arrow(arrow)


@pytest.mark.parametrize(
    ("schema", "change", "named"),
    [
        (CLICKS, {"name": ""}, "not a store name"),
        (CLICKS, {"name": "a/b"}, "not a store name"),
        (CLICKS, {"name": ".."}, "not a store name"),
        (CLICKS, {"name": "_checkpoints"}, "not a store name"),
        (CLICKS, {"name": "a\n"}, "not a store name"),
        (CLICKS, {"name": "x" * 201}, "not a store name"),
        (CLICKS, {"key": ()}, "no key column"),
        (CLICKS, {"key": (Column(name="k", type=LIST),)}, "cannot be of type text"),
        (CLICKS, {"partitions": 0}, "cannot have 0 partitions"),
        (CLICKS, {"partitions": 100_001}, "partitions"),
        (CLICKS, {"kind": StoreKind.GLOBAL}, "one partition"),
        (CLICKS, {"window_size_ms": 1}, "window store needs window_size_ms"),
        (HOURS, {"window_size_ms": None}, "window store needs window_size_ms"),
        (HOURS, {"window_size_ms": 0}, "size must be positive"),
        (HOURS, {"retention_ms": 0}, "retention must be positive"),
        (CLICKS, {"value": (Column(name="usr", type=TEXT),)}, '"usr" twice'),
        (CLICKS, {"value": (Column(name="_epoch", type=TEXT),)}, 'a column "_epoch"'),
        (
            HOURS,
            {"value": (Column(name="window_end", type=TEXT),)},
            'a column "window_end"',
        ),
        (
            CLICKS,
            {"value": (Column(name="_Deleted", type=TEXT),)},
            'a column "_Deleted"',
        ),
        (CLICKS, {"value": (Column(name="USR", type=TEXT),)}, '"usr" and "USR" for two names'),
        (CLICKS, {"value": (Column(name="n", type=NULL),)}, "type null, which holds no value"),
        (CLICKS, {"value": (Column(name="n", type=NULLS),)}, "type null, which holds no value"),
        (CLICKS, {"value": [Column(name="n", type=TEXT)]}, "its value must be a tuple of columns"),
        (CLICKS, {"partitions": 2.5}, "cannot have 2.5 partitions"),
        (CLICKS, {"partitions": True}, "cannot have True partitions"),
        (CLICKS, {"partitions": "4"}, 'cannot have "4" partitions'),
        (CLICKS, {"retention_ms": 5}, "a keyvalue store has no retention"),
        (HOURS, {"retention_ms": 0.5}, "retention must be positive, in whole milliseconds"),
        (CLICKS, {"inputs": ("events",)}, "its inputs must be a tuple of topics"),
        (CLICKS, {"inputs": (EVENTS, EVENTS)}, 'has input "events" twice'),
        (CLICKS, {"kind": "keyvalue"}, "is not a StoreKind"),
    ],
)
def test_an_invalid_definition_is_refused(
    schema: StoreSchema, change: dict[str, Any], named: str
) -> None:
    with pytest.raises(SchemaError, match=named):
        replace(schema, **change)


@pytest.mark.parametrize("name", ["a", "9", "é.x-y_z", "x" * 200])
def test_names(name: str) -> None:
    assert replace(CLICKS, name=name).name == name


def test_the_columns_of_a_relation() -> None:
    assert [c.name for c in HOURS.columns] == ["usr", "window_start", "window_end", "n"]
    assert [c.name for c in CLICKS.columns] == ["usr", "n"]
    assert {"_partition", "_timestamp", "_epoch"} < set(CLICKS.column_by_name)
    assert CLICKS.arrow_schema().names == ["usr", "n"]
    assert CLICKS.arrow_schema(["_epoch", "n"]).types == [pa.int64(), pa.int64()]


def test_decimal_types_are_checked() -> None:
    assert decimal_type(38, 38).arrow == pa.decimal128(38, 38)
    assert BIGINT.precision == 0


@pytest.mark.parametrize("comment", ["x" * 1_001, "a\0b", "\ud800", 5])
def test_a_comment_is_a_short_text(comment: Any) -> None:
    with pytest.raises(SchemaError, match="the comment of the store must be text"):
        replace(CLICKS, comment=comment)
    value = (replace(CLICKS.value[0], comment=comment),)
    with pytest.raises(SchemaError, match='the comment of column "n" must be text'):
        replace(CLICKS, value=value)


def test_comments_do_not_change_what_rows_mean() -> None:
    value = (replace(CLICKS.value[0], comment="x" * 1_000),)
    commented = replace(CLICKS, value=value, comment="")
    assert commented.has_rows_of(CLICKS)
    assert (commented, hash(commented)) == (CLICKS, hash(CLICKS))
    assert fingerprint(commented) == fingerprint(CLICKS)
    assert commented.comments == ("", None, "x" * 1_000)
    assert commented.without_comments().comments == (None, None, None)
