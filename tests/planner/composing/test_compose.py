"""The composing DuckDB: relations that are read again, and the values that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pyarrow as pa
import pytest
import sqlglot

from stategate.planner.composing.compose import (
    Composer,
    composing_definition,
    python_value,
    to_duckdb,
)
from stategate.planner.composing.database import ArrowRelation
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.errors import QueryError, StoreFailedError
from stategate.planner.trees.outline import outline
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.schema import DataType, Value

SCHEMA = pa.schema([("n", pa.int64())])
OUTLINE = outline(sqlglot.parse_one("SELECT name FROM t"))


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPool]:
    made = ProcessPool()
    yield made
    made.close()


@pytest.fixture(scope="module")
def composer(processes: ProcessPool) -> Composer:
    return composer_in(processes)


def composer_in(processes: ProcessPool) -> Composer:
    definition = composing_definition(memory_bytes_max=1 << 27, threads=1)
    return Composer(RemoteDatabase(processes, definition))


def numbers(count: int = 3) -> ArrowRelation:
    batch = pa.record_batch([pa.array(range(count), pa.int64())], schema=SCHEMA)
    return ArrowRelation(SCHEMA, lambda: iter([batch]))


def run(composer: Composer, sql: str, relation: ArrowRelation) -> list[dict[str, Value]]:
    batches = composer.run(sql, {"r0": relation}, {}, cancellation=Cancellation(), outline=OUTLINE)
    return pa.Table.from_batches(list(batches)).to_pylist()  # type: ignore[no-any-return]


def test_a_relation_can_be_read_several_times_in_one_statement(composer: Composer) -> None:
    sql = "SELECT count(*) AS n FROM r0 a, r0 b WHERE a.n < (SELECT max(n) FROM r0)"
    assert run(composer, sql, numbers()) == [{"n": 6}]


def test_a_relation_that_fails_keeps_its_own_error(composer: Composer) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from numbers().read()
        raise StoreFailedError("partition 3 is gone")

    with pytest.raises(StoreFailedError, match="partition 3 is gone"):
        run(composer, "SELECT sum(n) AS n FROM r0", ArrowRelation(SCHEMA, broken))


def test_describing_reads_nothing(composer: Composer) -> None:
    columns = composer.describe("SELECT n + $2 AS m FROM r0", {"r0": SCHEMA}, (2,), OUTLINE)
    assert [(c.name, str(c.type)) for c in columns] == [("m", "bigint")]


def test_describing_computes_nothing(composer: Composer) -> None:
    """Computing this constant would take several minutes, and then fail at the deadline."""
    sql = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000)) AS n"
    limit = Cancellation(timeout_s=30)
    assert [str(c.type) for c in composer.describe(sql, {}, (), OUTLINE, cancellation=limit)] == [
        "bigint"
    ]


@pytest.mark.parametrize(
    ("value", "data_type", "shown"),
    [
        (None, "bigint", None),
        (True, "boolean", "true"),
        (-5, "bigint", "-5"),
        (1.5, "double", "1.5"),
        (Decimal("1.50"), "decimal(9,2)", "1.50"),
        ("it's", "text", "it's"),
        (b"\x00\xff", "bytea", "\\x00\\xFF"),
        (1, "date", "1970-01-02"),
        (45_000_000_000, "time", "12:30:00"),
        (1_000_000, "timestamp", "1970-01-01 00:00:01"),
        (1_000_000, "timestamptz", "1970-01-01 00:00:01+00"),
        ((1, 2, 3_000_000), "interval", "1 month 2 days 00:00:03"),
        ([1, None], "bigint[]", "[1, NULL]"),
        ([0], "date[]", "[1970-01-01]"),
    ],
)
def test_values_reach_duckdb_as_they_are(
    composer: Composer, value: Value, data_type: str, shown: str | None
) -> None:
    kind = DataType.parse(data_type)
    batches = composer.run(
        "SELECT CAST($1 AS INTERVAL)::VARCHAR AS v"
        if data_type == "interval"
        else "SELECT $1::VARCHAR AS v",
        {},
        {1: (value, kind)},
        cancellation=Cancellation(),
        outline=OUTLINE,
    )
    assert [row for batch in batches for row in batch.to_pylist()] == [{"v": shown}]


def test_values_without_a_python_type_are_text() -> None:
    assert python_value((0, 1, 0), DataType.parse("interval")) == "0 months 1 days 0 microseconds"


def test_identifiers_are_quoted() -> None:
    tree = sqlglot.parse_one("SELECT at FROM t ORDER BY at DESC", read="postgres")
    assert to_duckdb(tree) == 'SELECT "at" FROM "t" ORDER BY "at" DESC NULLS FIRST'


def test_a_closed_composer_raises(processes: ProcessPool) -> None:
    composer = composer_in(processes)
    composer.close()
    with pytest.raises(QueryError) as caught:
        composer.describe("SELECT 1", {}, (), OUTLINE)
    assert caught.value.sqlstate == "57P01"
