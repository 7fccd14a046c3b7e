"""The partition of a key is Spark's, for single keys and for columns.

`data/murmur3.jsonl` holds results of Spark 4.3's `hash(…)`, one line for each list of key types:
physical values as JSON, decimals and non-finite numbers as text, bytes as hexadecimal.
"""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.codec.partitioner import REMEMBERED_MAX, partition_column, partitioner
from stategate.stores.errors import CodecError, SchemaError
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.schema import BIGINT, TEXT, Column, DataType, Key, Kind

PRIME = 2**31 - 1
"""A number of partitions so large that a partition shows nearly every bit of the hash."""
VECTORS = [
    orjson.loads(line)
    for line in (Path(__file__).parent / "data" / "murmur3.jsonl").read_bytes().splitlines()
]


def columns(*types: DataType) -> tuple[Column, ...]:
    return tuple(Column(name=f"k{i}", type=kind) for i, kind in enumerate(types))


def physical(value: Any, data_type: DataType) -> Any:
    if value is None:
        return None
    match data_type.kind:
        case Kind.DECIMAL:
            return Decimal(value)
        case Kind.BYTEA:
            return bytes.fromhex(value)
        case Kind.REAL | Kind.DOUBLE:
            return float(value)
        case _:
            return value


def table(key: tuple[Column, ...], rows: list[Key]) -> pa.Table:
    arrays = [physical_array([row[i] for row in rows], column.type) for i, column in enumerate(key)]
    return pa.table(arrays, names=[column.name for column in key])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: "-".join(vector["types"]))
def test_spark_vectors(vector: dict[str, Any]) -> None:
    key = columns(*(DataType.parse(text) for text in vector["types"]))
    rows = [
        tuple(physical(value, c.type) for value, c in zip(row, key, strict=True))
        for row in vector["keys"]
    ]
    for partitions in (1, 2, 7, 8, 100_000, PRIME):
        expected = [found % partitions for found in vector["hashes"]]
        partition_of = partitioner(key, partitions)
        assert [partition_of(row) for row in rows] == expected
        assert partition_column(table(key, rows), key, partitions).tolist() == expected


MICROS = st.integers(-(2**62), 2**62)
STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "tinyint": st.integers(-(2**7), 2**7 - 1),
    "smallint": st.integers(-(2**15), 2**15 - 1),
    "integer": st.integers(-(2**31), 2**31 - 1),
    "bigint": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(width=32),
    "double": st.floats(),
    "decimal(9,2)": st.integers(1 - 10**9, 10**9 - 1).map(lambda n: Decimal(n).scaleb(-2)),
    "decimal(38,10)": st.integers(1 - 10**38, 10**38 - 1).map(
        lambda n: Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -10))
    ),
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    "bytea": st.binary(max_size=40),
    "date": st.integers(-(2**31), 2**31 - 1),
    "timestamp": MICROS,
    "timestamptz": MICROS,
}


@st.composite
def keys(draw: st.DrawFn) -> tuple[tuple[Column, ...], list[Key]]:
    spelled = draw(st.lists(st.sampled_from(sorted(STRATEGIES)), min_size=1, max_size=3))
    row = st.tuples(*(st.none() | STRATEGIES[text] for text in spelled))
    return columns(*map(DataType.parse, spelled)), draw(st.lists(row, max_size=20))


@given(keys(), st.sampled_from([1, 4, 7, 100_000]))
def test_one_key_and_whole_columns_agree(
    drawn: tuple[tuple[Column, ...], list[Key]], partitions: int
) -> None:
    key, rows = drawn
    partition_of = partitioner(key, partitions)
    found = partition_column(table(key, rows), key, partitions)
    for _ in range(2):  # the second time, some are remembered
        assert found.tolist() == [partition_of(row) for row in rows]


def test_as_many_keys_are_remembered_as_may_be() -> None:
    partition_of = partitioner(columns(TEXT, BIGINT), PRIME)
    short = [(str(number), number) for number in range(3 * REMEMBERED_MAX)]
    long = [("x" * 10_000 + str(number), number) for number in range(300)]
    found = [partition_of(key) for key in short]
    tracemalloc.start()
    try:
        assert [partition_of(key) for key in reversed(short)] == found[::-1]
        for text, number in long:
            partition_of((text + "y", number))
        assert tracemalloc.get_traced_memory()[0] < 2 << 20
    finally:
        tracemalloc.stop()


def test_a_slice_is_hashed_as_its_own_rows() -> None:
    key = columns(TEXT)
    whole = table(key, [(f"key-{i}",) for i in range(100)])
    of_all = partition_column(whole, key, 8)
    assert partition_column(whole.slice(33, 20), key, 8).tolist() == of_all[33:53].tolist()


def test_few_very_long_texts_among_short_ones() -> None:
    key = columns(TEXT)
    rows = [("x" * size,) for size in (3, 100_001, 0, 900, 100_000, *range(50))]
    partition_of = partitioner(key, PRIME)
    found = partition_column(table(key, rows), key, PRIME)
    assert found.tolist() == [partition_of(row) for row in rows]


def test_chunks_and_wider_text_have_the_same_partition() -> None:
    key = columns(TEXT)
    chunked = pa.table({"k0": pa.chunked_array([["a"], ["b", None]], pa.large_string())})
    partition_of = partitioner(key, PRIME)
    expected = [partition_of((value,)) for value in ("a", "b", None)]
    assert partition_column(chunked, key, PRIME).tolist() == expected


def test_a_key_has_one_value_per_column() -> None:
    with pytest.raises(ValueError, match="zip"):
        partitioner(columns(TEXT, BIGINT), 8)(("a",))
    with pytest.raises(ValueError, match="unpack"):
        partitioner(columns(TEXT), 8)(("a", "b"))


def test_values_that_do_not_fit_are_refused() -> None:
    with pytest.raises(CodecError, match="surrogate"):
        partitioner(columns(TEXT), 8)(("\ud800",))
    with pytest.raises(CodecError, match="out of range"):
        partitioner(columns(DataType.parse("real")), 8)((1e300,))


def test_types_that_cannot_be_a_key() -> None:
    nested = columns(DataType.parse("bigint[]"))
    with pytest.raises(SchemaError, match="cannot be of type"):
        partitioner(nested, 8)
    with pytest.raises(SchemaError, match="cannot be of type"):
        partition_column(pa.table({"k0": [[1]]}), nested, 8)
