"""Any arguments of a definition are refused at once, or define a store that a host can read."""

from __future__ import annotations

import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.hosting.host import Host
from stategate.stores.log.metadata.definitions import decode_definition, encode_definition
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import Query, RangeQuery
from stategate.stores.spec.schema import (
    TIMESTAMPTZ,
    Column,
    DataType,
    InputTopic,
    Kind,
    StoreKind,
    StoreSchema,
    Value,
)
from stategate.stores.spec.store import in_store
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import SessionRangeQuery, TimeRange, WindowRangeQuery
from tests.support.hosts import has_epoch, running
from tests.support.values import rows_of
from tests.support.waiting import until

SAMPLES: dict[Kind, Value] = {
    Kind.BOOLEAN: True,
    Kind.REAL: 0.5,
    Kind.DOUBLE: 0.5,
    Kind.TEXT: "a",
    Kind.BYTEA: b"a",
    Kind.UUID: "00000000-0000-0000-0000-000000000000",
    Kind.MACADDR: "08:00:2b:01:02:03",
    Kind.JSON: "{}",
    Kind.INTERVAL: (1, 2, 3),
    Kind.NULL: None,
}
"""A value for some types; the others take 1."""
SCANS: dict[StoreKind, Query[Any]] = {
    StoreKind.WINDOW: WindowRangeQuery(time=TimeRange()),
    StoreKind.SESSION: SessionRangeQuery(),
    StoreKind.VERSIONED: VersionedRangeQuery(),
}
"""The query that returns all rows, for some kinds; the others have RangeQuery."""

ODD_NAMES = ["v.w", 'say "x"', "ä", "Ä", "x" * 300, "", " ", "a\0b", "\ud800", 5, None]
OUR_NAMES = ["_deleted", "_DELETED", "_epoch", "window_start", "valid_to", "Window_End"]
NAMES = st.sampled_from(["k", "K", "n", *ODD_NAMES, *OUR_NAMES])
"""Names of columns, fields and topics, and values that cannot be such a name."""
SCALARS = [
    *(DataType(kind=kind) for kind in Kind if kind not in {Kind.DECIMAL, Kind.ARRAY, Kind.MAP}),
    DataType(kind=Kind.DECIMAL, precision=3, scale=1),
]
TYPES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([*SCALARS, "text", DataType(kind=Kind.DECIMAL, precision=39)]),
    lambda inner: st.one_of(
        st.builds(DataType, kind=st.just(Kind.ARRAY), element=inner),
        st.builds(
            DataType,
            kind=st.just(Kind.STRUCT),
            fields=st.lists(st.tuples(NAMES, inner), max_size=3).map(tuple),
        ),
        st.builds(
            DataType,
            kind=st.just(Kind.MAP),
            fields=inner.map(lambda each: (("key", each),)),
            element=st.one_of(inner, st.none()),
        ),
    ),
    max_leaves=4,
)
COLUMNS = st.builds(Column, name=NAMES, type=TYPES)
KEYS = st.builds(Column, name=NAMES, type=st.sampled_from([*SCALARS, None]))
TOPICS = st.builds(InputTopic, topic=NAMES, aligned=st.sampled_from([False, True, None]))
SPANS = st.sampled_from([None, 1, 60_000, 2**53, 2**63 // 1000, 2**63 // 1000 + 1, 0, -1, 0.5, "1"])
NOT_NULL: list[Any] = [
    frozenset(names) for names in (["key"], ["key", "value"], ["no"], [5, "key"])
]
DEFINITIONS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["s", "9.a-b_c", "é" * 127, "é" * 128, "x" * 200, "a/b", "", 5]),
        "kind": st.sampled_from([*StoreKind, "keyvalue", None]),
        "key": st.lists(KEYS, min_size=1, max_size=3).map(tuple) | st.just([]),
        "value": st.lists(COLUMNS, max_size=3).map(tuple) | st.just("value"),
        "partitions": st.sampled_from([1, 2, 0, 2.5, True, "2", None, 100_001]),
        "inputs": st.lists(TOPICS, max_size=2).map(tuple) | st.just(("events",)),
        "window_size_ms": SPANS,
        "retention_ms": SPANS,
        "not_null": st.sampled_from([("key",), None, *NOT_NULL]),
    }
)
SOUND: dict[str, Any] = {
    "name": "s",
    "kind": StoreKind.KEYVALUE,
    "key": (Column(name="key", type=DataType(kind=Kind.TEXT)),),
    "value": (Column(name="value", type=DataType(kind=Kind.BIGINT)),),
    "partitions": 2,
    "inputs": (),
    "window_size_ms": None,
    "retention_ms": None,
    "not_null": frozenset(),
}


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a definition, some of whose arguments are anything that a caller could pass.

    If all were drawn, the first of them would nearly always be refused.
    """
    drawn = draw(DEFINITIONS)
    changed = draw(st.sets(st.sampled_from(sorted(SOUND)), min_size=1, max_size=3))
    found = {name: drawn[name] if name in changed else SOUND[name] for name in SOUND}
    if found["kind"] is StoreKind.WINDOW and "window_size_ms" not in changed:
        found["window_size_ms"] = 3_600_000
    if found["kind"] is StoreKind.GLOBAL and "partitions" not in changed:
        found["partitions"] = 1
    return found


def sample(data_type: DataType) -> Value:
    """Return a value of a type, as large as the type allows."""
    match data_type.kind:
        case Kind.ARRAY if data_type.element is not None:
            return [sample(data_type.element)]
        case Kind.MAP if data_type.element is not None:
            return [(sample(data_type.fields[0][1]), sample(data_type.element))]
        case Kind.STRUCT:
            return {name: sample(inner) for name, inner in data_type.fields}
        case Kind.DECIMAL:
            return Decimal(1).scaleb(-data_type.scale)
    return SAMPLES.get(data_type.kind, 1)


def one_row(schema: StoreSchema) -> pa.Table:
    """Return a row with a value in every column."""
    arrays = {
        column.name: physical_array([sample(column.type)], column.type)
        for column in schema.logged_columns
        if column.name != "window_end" or schema.kind is StoreKind.SESSION
    }
    return pa.table({**arrays, "_timestamp": physical_array([1], TIMESTAMPTZ)})


def problems(host: Host) -> list[str]:
    """Return the errors that keep stores from opening, and partitions from following."""
    statuses = [status for store in host.statuses().values() for status in store.values()]
    return [text for text in (host.error, *(status.error for status in statuses)) if text]


@given(definitions())
def test_a_definition_is_refused_or_makes_a_store_that_a_host_reads(given_: dict[str, Any]) -> None:
    try:
        schema = StoreSchema(**given_)
    except SchemaError:
        return
    assert decode_definition(encode_definition(schema), "store.json") == schema
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        StoreWriter(root, schema).write(one_row(schema), position=Position.of({"events": {0: 1}}))
        with running(root) as host:
            until(lambda: has_epoch(host, 0, schema.name) or problems(host))
            assert not problems(host)
            query = SCANS.get(schema.kind, RangeQuery())
            result = host.query(in_store(schema.name).with_query(query))
            assert not result.failures
            rows = [row for part in result.partitions.values() for row in rows_of(part.value)]
    assert len(rows) == 1


POSITIONS: list[Any] = [
    Position.of({"events": {0: 1}, "é x": {7: 2**63 - 1}}),
    Position(),
    Position.of({"": {0: 1}}),
    Position.of({"a\0b": {0: 1}}),
    Position.of({"\ud800": {0: 1}}),
    Position.of({"events": {0: 2**63}}),
    Position.of({"events": {-1: 1}}),
    Position((("events", ((0, -1),)),)),
    Position((("b", ((0, 1),)), ("a", ((0, 1),)))),
    Position(("events",)),  # type: ignore[arg-type] # as a caller without types may
    {"events": {0: 1}},
    None,
]
TABLE = pa.table({"key": ["a"], "value": [1]})
ROWS: list[Any] = [
    TABLE,
    TABLE.to_batches()[0],
    TABLE.slice(0, 0),
    TABLE.drop_columns(["key"]),
    pa.table([["a"], [1], [2]], names=["key", "value", "value"]),
    pa.table({"key": pa.nulls(1), "value": pa.nulls(1)}),
    {"key": ["a"], "value": [1]},
    None,
]
MOMENTS = [None, 0, -5, 2**53, 2**63, 2.5, True, "1"]
WRITTEN = ["rows", "position", "epoch", "watermark_ms", "committed_ms", "replace"]
WRITTEN += ["input_digest", "writer"]
WRITES = st.fixed_dictionaries(
    {
        "rows": st.sampled_from(ROWS),
        "position": st.sampled_from(POSITIONS),
        "epoch": st.sampled_from([None, 0, 3, -1, 2.5, True, "1", 2**63]),
        "watermark_ms": st.sampled_from(MOMENTS),
        "committed_ms": st.sampled_from(MOMENTS),
        "replace": st.sampled_from([False, True, 1, None, "no"]),
        "input_digest": st.sampled_from([None, "a1", "", 5]),
        "writer": st.sampled_from(["python", "", "a\0b", 5, None]),
    }
)
SOUND_WRITE: dict[str, Any] = {"rows": TABLE, "position": Position(), "writer": "python"}


@given(WRITES, st.sets(st.sampled_from(WRITTEN), min_size=1, max_size=3))
def test_a_write_is_refused_or_makes_an_epoch_that_a_host_reads(
    drawn: dict[str, Any], changed: set[str]
) -> None:
    arguments = SOUND_WRITE | {name: drawn[name] for name in changed}
    writer_name, rows = arguments.pop("writer"), arguments.pop("rows")
    schema = StoreSchema(**SOUND)
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        try:
            commit = StoreWriter(root, schema, writer=writer_name).write(rows, **arguments)
        except (ArgumentError, SchemaError):
            assert not list(root.rglob("*.parquet"))
            assert not list(root.glob("*/epochs/*"))
            return
        with running(root) as host:
            until(lambda: has_epoch(host, commit.epoch, "s") or problems(host))
            assert not problems(host)
            result = host.query(in_store("s").with_query(RangeQuery()))
            assert not result.failures
            found = [row for part in result.partitions.values() for row in rows_of(part.value)]
    assert len(found) == rows.num_rows


@pytest.mark.parametrize("schema", [None, "clicks", {}])
def test_a_writer_needs_a_schema(tmp_path: Path, schema: Any) -> None:
    with pytest.raises(ArgumentError, match="schema must be a StoreSchema"):
        StoreWriter(tmp_path, schema)
    with pytest.raises(ArgumentError, match="root must be a path"):
        StoreWriter(5, StoreSchema(**SOUND))  # type: ignore[arg-type]


def test_the_definition_that_the_others_change_is_valid() -> None:
    assert StoreSchema(**SOUND).columns
