"""Arrays, structs and maps of any depth round-trip through bytes, the log and SQL."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.codec.nested import decode_nested, encode_nested, value_decoder
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import CodecError, SchemaError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.metadata.definitions import decode_definition, encode_definition
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.arrow import physical_array, physical_list
from stategate.stores.spec.datatypes import unusable
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import NESTING_MAX, Column, DataType, Kind, Row, Value
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.values import VALUES, arrays_of, rows_of, same

NAMES = st.sampled_from(["a", "b c", 'q"', "", "é", "x,(y", "Z"])
SCALARS = st.sampled_from(sorted(VALUES)).map(DataType.parse)


def _larger(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    fields = st.lists(st.tuples(NAMES, inner), max_size=3, unique_by=lambda field: field[0])
    return st.one_of(
        inner.map(lambda t: DataType(kind=Kind.ARRAY, element=t)),
        fields.map(lambda pairs: DataType(kind=Kind.STRUCT, fields=tuple(pairs))),
        st.builds(
            lambda k, v: DataType(kind=Kind.MAP, fields=(("key", k),), element=v), *[inner] * 2
        ),
    )


NESTED_TYPES = _larger(st.recursive(SCALARS, _larger, max_leaves=4))


def values_of(data_type: DataType) -> st.SearchStrategy[Value]:
    """Return a strategy for values of a type that are not NULL but may contain NULLs."""
    if data_type.kind is Kind.STRUCT:
        return st.fixed_dictionaries({name: maybe(inner) for name, inner in data_type.fields})
    if data_type.kind is Kind.ARRAY:
        assert data_type.element is not None
        return st.lists(maybe(data_type.element), max_size=3)
    if data_type.kind is Kind.MAP:
        assert data_type.element is not None
        pairs = st.tuples(values_of(data_type.fields[0][1]), maybe(data_type.element))
        return st.lists(pairs, max_size=3)
    return VALUES[str(data_type)]


def maybe(data_type: DataType) -> st.SearchStrategy[Value]:
    return st.one_of(st.none(), values_of(data_type), values_of(data_type))


@st.composite
def columns_of_values(draw: st.DrawFn) -> tuple[DataType, list[Value]]:
    data_type = draw(NESTED_TYPES)
    one = maybe(data_type) if draw(st.booleans()) else values_of(data_type)
    return data_type, draw(st.lists(one, max_size=5))


def alike(value: Value) -> Value:
    """Return a nested value with the types of its parts, so that 1 does not equal True."""
    match value:
        case dict():
            return {name: alike(inner) for name, inner in value.items()}
        case list():
            return [alike(inner) for inner in value]
        case tuple():
            return tuple(map(alike, value))
        case _:
            return type(value), same(value)


def only(array: pa.Array, data_type: DataType) -> list[Value]:
    return list(map(alike, physical_list(array, data_type)))


@given(NESTED_TYPES)
def test_type_names_and_definitions_round_trip(data_type: DataType) -> None:
    assert DataType.parse(str(data_type)) == data_type
    assume(unusable(data_type) is None)  # Parquet has no struct without fields
    schema = keyvalue("s", {"k": "text"}, {"v": str(data_type)})
    assert decode_definition(encode_definition(schema), "store.json") == schema


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("BIGINT [ ]", "bigint[]"),
        ("Struct( A  bigint , b text [] )", "struct(A bigint, b text[])"),
        ("MAP(varchar,double precision)", "map(text, double)"),
        ('struct("a ""b" timestamp with time zone)', 'struct("a ""b" timestamptz)'),
        ("struct()", "struct()"),
        ("map(text, struct(a decimal(9, 2)))[][]", "map(text, struct(a decimal(9,2)))[][]"),
    ],
)
def test_type_names(text: str, spelled: str) -> None:
    assert str(DataType.parse(text)) == spelled


@pytest.mark.parametrize(
    "text",
    ["struct(a)", "struct(a bigint", "map(text)", "map(a, b, c)", "struct(,)", "a)", "text[]["],
)
def test_malformed_type_names_are_refused(text: str) -> None:
    with pytest.raises(SchemaError):
        DataType.parse(text)


def test_nesting_has_a_limit() -> None:
    DataType.parse("text" + "[]" * (NESTING_MAX - 1))
    with pytest.raises(SchemaError, match="nested deeper"):
        DataType.parse("text" + "[]" * NESTING_MAX)


@given(columns_of_values(), st.integers(0, 2))
def test_columns_and_values_round_trip(column: tuple[DataType, list[Value]], pad: int) -> None:
    data_type, values = column
    (array,) = arrays_of(
        [Column(name="v", type=data_type)], [(value,) for value in values], pad=pad
    )
    assert only(array, data_type) == list(map(alike, values))
    encoded = encode_nested(array, data_type)
    assert encoded.null_count == 0
    decode = value_decoder(data_type)
    assert [alike(decode(raw)) for raw in encoded.to_pylist()] == list(map(alike, values))
    marked = pa.array(
        [
            None if value is None else raw
            for raw, value in zip(encoded.to_pylist(), values, strict=True)
        ],
        pa.binary(),
    )
    found = decode_nested(marked, data_type)
    found.validate(full=True)
    assert found.type == data_type.arrow
    assert only(found, data_type) == list(map(alike, values))


def test_bytes_under_a_null_are_not_kept() -> None:
    """Arrow allows elements under a NULL, and fields of a struct that is NULL."""
    bigints = DataType.parse("bigint[]")
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 3], pa.int32()), pa.array([1, 2, 3]), mask=pa.array([True, False])
    )
    assert encode_nested(lists, bigints).equals(encode_nested(pa.array([None, [3]]), bigints))
    structs = DataType.parse("struct(a text)")
    garbled = pa.StructArray.from_arrays(
        [pa.array(["junk", "b"])], ["a"], mask=pa.array([True, False])
    )
    assert encode_nested(garbled, structs).to_pylist()[0] == b""


@given(columns_of_values(), st.data())
def test_damaged_bytes_are_read_or_refused_with_a_codec_error(
    column: tuple[DataType, list[Value]], data: st.DataObject
) -> None:
    data_type, values = column
    present = [value for value in values if value is not None]
    for raw in encode_nested(physical_array(present, data_type), data_type).to_pylist():
        with pytest.raises(CodecError):
            value_decoder(data_type)(raw + b"x")
        with pytest.raises(CodecError):
            decode_nested(pa.array([raw + b"x"], pa.binary()), data_type)
        cut = raw[: data.draw(st.integers(1, len(raw)))]
        if cut != raw:
            with pytest.raises(CodecError):
                value_decoder(data_type)(cut)
            with pytest.raises(CodecError):
                decode_nested(pa.array([cut], pa.binary()), data_type)


ORDERS = keyvalue(
    "orders",
    {"id": "bigint"},
    {
        "amounts": "bigint[]",
        "customer": "struct(name text, tags text[])",
        "prices": "map(text, decimal(9,2))",
        "days": "map(date, struct(at timestamptz, gap time)[])",
    },
    partitions=2,
)
ROWS: list[Row] = [
    (1, [1, 2, None], {"name": "ann", "tags": ["x", None]}, [("a", Decimal("1.50"))], []),
    (2, [], {"name": None, "tags": None}, [], [(1, [{"at": -1, "gap": 3}, None])]),
    (3, None, None, None, None),
    (4, [7], {"name": "dan", "tags": []}, [("a", None), ("b", Decimal("2.00"))], [(-1, None)]),
]


def logged(root: Path) -> StoreLog:
    """Write rows from a table whose list items have another name, like Spark's."""
    columns = {
        column.name: physical_array([row[i] for row in ROWS], column.type)
        for i, column in enumerate(ORDERS.columns)
    }
    spark = pa.list_(pa.field("element", pa.int64()))
    columns["amounts"] = columns["amounts"].cast(spark)
    writer = StoreWriter(root, ORDERS)
    writer.write(pa.table(columns), position=Position.of({"events": {0: 0}}))
    return writer.log


def replicated(root: Path) -> LocalStore:
    log = logged(root)
    replicas = {
        number: Replica(
            RocksPartition(root / f"data-{number}", schema=log.schema(), partition=number),
            schema=log.schema(),
            partition=number,
        )
        for number in range(2)
    }
    store = LocalStore(log.schema(), replicas, log=log)
    assert store.follow()
    return store


def test_nested_values_from_the_log_to_rows_and_batches(tmp_path: Path) -> None:
    store = replicated(tmp_path)
    for row in ROWS:
        results = [store.query_partition(n, KeyQuery.with_key(row[0])) for n in range(2)]
        assert [r.value for r in results if isinstance(r, Success) and r.value] == [row[1:]]
    scans = [store.query_partition(n, RangeQuery()) for n in range(2)]
    found = [row for r in scans if isinstance(r, Success) for row in rows_of(r.value)]
    assert sorted(found, key=lambda row: row[0]) == ROWS
    store.close()


@pytest.fixture(params=["memory", "rocksdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlEngine]:
    store = open_store(ORDERS, directory=None if request.param == "memory" else tmp_path)
    fill(store, ROWS)
    found = SqlEngine(FixedCatalog(store))
    yield found
    found.close()
    store.close()


def answer(engine: SqlEngine, sql: str) -> list[Row]:
    session = Session()
    statement = engine.prepare(sql, session)
    result = engine.execute(statement, (), session, cancellation=Cancellation(30.0))
    if result.rows is not None:
        return list(result.rows)
    assert result.batches is not None
    types = [column.type for column in result.columns]
    found: list[Row] = []
    for each in result.batches:
        lists = [physical_list(c, t) for c, t in zip(each.columns, types, strict=True)]
        found.extend(zip(*lists, strict=True))
    result.close()
    return found


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM orders ORDER BY id", ROWS),
        ("SELECT * FROM orders WHERE id = 2", ROWS[1:2]),
        (
            "SELECT days, amounts FROM orders WHERE id IN (2, 3) ORDER BY id",
            [(row[4], row[1]) for row in ROWS[1:3]],
        ),
        (
            "SELECT id, list_sum(amounts) FROM orders ORDER BY id",
            [(1, 3), (2, None), (3, None), (4, 7)],
        ),
        ("SELECT (customer).name FROM orders WHERE id = 1", [("ann",)]),
        ("SELECT id FROM orders WHERE (customer).name = 'dan'", [(4,)]),
        ("SELECT amounts[1] FROM orders WHERE id = 4", [(7,)]),
        ("SELECT prices['a'] FROM orders WHERE id = 1", [(Decimal("1.50"),)]),
        ("SELECT unnest(amounts) AS a FROM orders WHERE id = 1", [(1,), (2,), (None,)]),
    ],
)
def test_sql_returns_nested_values_and_computes_with_them(
    engine: SqlEngine, sql: str, expected: list[Row]
) -> None:
    assert answer(engine, sql) == expected
