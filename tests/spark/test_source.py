"""`format("stategate")`: the rows of an epoch, with filters and partitions pruned."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from stategate.stores.errors import SchemaError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import read_store, register_format, source
from stategate.stores.spark.filters import decode_filters, partitions_of
from stategate.stores.spark.source import parts_of
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.contents import relation_schema
from stategate.stores.upkeep.recipes import recipe
from tests.support.logs import contents_of
from tests.support.stores import keyvalue
from tests.support.values import same

pytestmark = pytest.mark.spark

NAN = float("nan")
AT = Position.of({"events": {0: 1}})
USERS = keyvalue(
    "users",
    {"usr": "text", "n": "bigint"},
    {
        "x": "double",
        "dot.ted": "text",
        "amount": "decimal(18,4)",
        "day": "date",
        "at": "timestamptz",
        "tags": "text[]",
        "pause": "interval",
        "hour": "time",
        "id": "uuid",
        "raw": "bytea",
    },
    partitions=3,
)
FILTERS: tuple[tuple[list[list[Any]], str], ...] = (
    ([["usr", "=", "u1"]], "usr = 'u1'"),
    ([["usr", "!=", "u1"]], "usr <> 'u1'"),
    ([["usr", "in", ["u1", "u3", None]]], "usr IN ('u1', 'u3', NULL)"),
    ([["usr", "not in", ["u1", "u3"]]], "usr NOT IN ('u1', 'u3')"),
    ([["usr", "not in", ["u1", None]]], "usr NOT IN ('u1', NULL)"),
    ([["usr", "=", None]], "usr IS NULL"),
    ([["usr", "!=", None]], "usr IS NOT NULL"),
    ([["usr", ">", "u2"], ["n", ">=", 1]], "usr > 'u2' AND n >= 1"),
    ([["usr", "starts with", "u"], ["usr", "contains", "u"]], "usr LIKE 'u%' AND usr LIKE '%u%'"),
    ([["usr", "ends with", "3"]], "usr LIKE '%3'"),
    ([["usr", "=", "u1"], ["n", "=", 1]], "usr = 'u1' AND n = 1"),
    (
        [["usr", "in", ["u1", "u2"]], ["n", "in", [0, 1, 2]]],
        "usr IN ('u1', 'u2') AND n IN (0, 1, 2)",
    ),
    ([["x", ">", 0.5]], "x > 0.5"),
    ([["x", ">=", 0.5]], "x >= 0.5"),
    ([["x", "<", 0.5]], "x < 0.5"),
    ([["x", "<=", 0]], "x <= 0"),
    ([["x", "=", 0]], "x = 0"),
    ([["x", "!=", 0.5]], "x <> 0.5"),
    ([["x", "in", [0, 0.5]]], "x IN (0, 0.5)"),
    ([["x", "not in", [0.5, -1]]], "NOT x IN (0.5, -1)"),
    ([["amount", ">", 1.5]], "amount > 1.5"),
    ([["amount", "=", "2"]], "amount = 2"),
    ([["amount", "<", "1.2345"]], "amount < 1.2345"),
    ([["day", ">=", "1970-01-03"]], "day >= DATE'1970-01-03'"),
    ([["at", "<", "1970-01-01 00:00:02Z"]], "at < TIMESTAMP'1970-01-01 00:00:02Z'"),
    ([["dot.ted", "=", "a"]], "`dot.ted` = 'a'"),
    ([["raw", "=", "01"]], "raw = X'01'"),
)
"""The option and the same condition in Spark."""


def rows(seed: int, count: int) -> pa.Table:
    """Return random rows of few keys, with NULLs, NaNs, zeros of both signs and tombstones."""
    draw = random.Random(seed)

    def some(*values: Any) -> list[Any]:
        return [draw.choice(values) for _ in range(count)]

    types = {column.name: column.type.arrow for column in USERS.logged_columns}
    values: dict[str, list[Any]] = {
        "usr": some("u1", "u2", "u3", None),
        "n": some(0, 1, 2, None),
        "x": some(0.0, -0.0, NAN, 0.5, -1.0, None),
        "dot.ted": some("a", "b", None),
        "amount": [None if each is None else each for each in some(1, 2, None)],
        "day": some(0, 1, 2, 3, None),
        "at": some(0, 1_000_000, 2_000_000, None),
        "tags": some(["a", None], [], None),
        "pause": [pa.MonthDayNano([1, 2, 3000])] * count,
        "hour": some(0, 1_000_000, None),
        "raw": some(b"\1", b"", None),
    }
    ids = pa.array([None] * count, pa.string()).cast(types["id"])
    arrays = {name: pa.array(found, _plain(types[name])) for name, found in values.items()}
    columns = {name: array.cast(types[name]) for name, array in arrays.items()}
    return pa.table({**columns, "id": ids, "_deleted": some(True, False, False, False)})


def _plain(arrow: pa.DataType) -> pa.DataType:
    return pa.int32() if pa.types.is_date(arrow) else arrow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a log of four epochs with a snapshot of the second."""
    found = tmp_path_factory.mktemp("log")
    writer = StoreWriter(found, USERS)
    for epoch in range(4):
        writer.write(rows(epoch, 12), position=AT)
        if epoch == 1:
            write_snapshot(found, "users")
    return found


def load(spark: SparkSession, path: Path, **options: Any) -> DataFrame:
    return spark.read.format("stategate").options(**{"root": str(path), **options}).load("users")


def shown(frame: DataFrame) -> list[str]:
    return sorted(str(row) for row in frame.collect())


def test_the_rows_of_each_epoch(spark: SparkSession, root: Path) -> None:
    for epoch in range(4):
        found = load(spark, root, epoch=epoch).select("usr", "n", "x").collect()
        expected = [row[:3] for row in contents_of(root, USERS, epoch)]
        assert sorted(repr(tuple(map(same, row))) for row in found) == sorted(map(repr, expected))
        assert expected
    assert shown(load(spark, root)) == shown(load(spark, root, epoch=3))


def test_each_session_can_read_the_format(spark: SparkSession, root: Path) -> None:
    other = spark.newSession()
    for _ in range(2):
        register_format(other)
        assert shown(load(other, root)) == shown(load(spark, root))


def test_filters_select_the_rows_that_spark_would(spark: SparkSession, root: Path) -> None:
    whole = load(spark, root).localCheckpoint()
    for filters, text in FILTERS:
        found = load(spark, root, filters=json.dumps(filters))
        assert shown(found) == shown(whole.where(text)), text
    few = read_store(spark, str(root), "users", columns=["x"], filters=[("usr", ">", "u1")])
    assert few.columns == ["x"]
    assert len(few.collect()) == len(whole.where("usr > 'u1'").collect())


def test_a_frame_can_be_filtered_in_several_ways(spark: SparkSession, root: Path) -> None:
    """Filters that Spark pushed into one side of a union were applied to the other side, too."""
    frame = load(spark, root, columns="usr, n")
    count = len(frame.collect())
    few = len(frame.where("usr = 'u1'").collect())
    assert 0 < few < count
    assert len(frame.where("usr = 'u1'").union(frame).collect()) == few + count
    assert len(frame.where("n = 1 OR usr = 'u1'").collect()) >= few


def test_a_whole_key_is_read_in_its_partition(root: Path) -> None:
    schema = USERS
    types = relation_schema(schema)

    def numbers(*filters: list[Any]) -> list[int]:
        return partitions_of(decode_filters(json.dumps(filters), types), schema)

    assert len(numbers(["usr", "=", "u1"], ["n", "=", 1])) == 1
    assert len(numbers(["usr", "=", None], ["n", "=", 1])) == 1
    assert len(numbers(["usr", "in", ["u1"]], ["n", "in", [1]])) == 1
    assert numbers(["usr", "=", "u1"]) == numbers(["usr", ">", "u1"], ["n", "=", 1]) == [0, 1, 2]


def test_a_task_reads_small_partitions_together(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_of = recipe(StoreLog.open(str(root), "users"))
    (whole,) = parts_of(made_of, range(3))
    assert whole.numbers == (0, 1, 2)
    monkeypatch.setattr(source, "_PART_BYTES", 1)
    assert [part.numbers for part in parts_of(made_of, (0, 2))] == [(0,), (2,)]


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        ("usr = 1", "not a JSON list"),
        ('{"usr": 1}', "not a JSON list"),
        ('[["usr", "="]]', "not a JSON list"),
        ('[["nothing", "=", 1]]', "no column"),
        ('[["usr", "~", "a"]]', "is not one of"),
        ('[["n", "=", "one"]]', "does not fit"),
        ('[["n", "=", 1.5]]', "does not fit"),
        ('[["n", "=", true]]', "does not fit"),
        ('[["amount", "<", "1.23456"]]', 'amount < "1.23456" does not fit'),
        ('[["n", "<", null]]', "does not fit"),
        ('[["n", "in", 1]]', "does not fit"),
        ('[["n", "contains", "1"]]', "does not fit"),
        ('[["usr", "=", 5]]', "does not fit"),
        ('[["day", "=", 5]]', "does not fit"),
        ('[["tags", "=", "a"]]', "use where"),
    ],
)
def test_filters_that_cannot_be_checked_are_refused(filters: str, named: str) -> None:
    with pytest.raises(SchemaError, match=named):
        decode_filters(filters, relation_schema(USERS))


def test_a_load_with_wrong_filters_fails(spark: SparkSession, root: Path) -> None:
    with pytest.raises(PySparkException, match='option "filters": there is no column "nothing"'):
        load(spark, root, filters='[["nothing", "=", 1]]')


def test_columns_are_named_by_an_option_or_a_schema(spark: SparkSession, root: Path) -> None:
    named = load(spark, root, columns="dot.ted, n")
    assert named.columns == ["dot.ted", "n"]
    reader = spark.read.format("stategate").option("root", str(root))
    given = reader.schema("`dot.ted` string, n bigint").load("users")
    assert shown(given) == shown(named)
    with pytest.raises(AnalysisException, match='has no column "n" of type int'):
        reader.schema("n int").load("users").collect()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epoch": 4}, 'epoch 4 of store "users" is not committed'),
        ({"epoch": "x"}, "is not an epoch: 'x'"),
        ({"columns": "nothing"}, 'store "users" has no column "nothing"'),
        ({"colums": "n"}, 'has no option "colums"'),
        ({"root": ""}, "needs the path or URI of the state log"),
        ({"root": "/nowhere"}, 'there is no store definition "/nowhere/users/store.json"'),
    ],
)
def test_wrong_options_are_refused(
    spark: SparkSession, root: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(AnalysisException, match=said):
        load(spark, root, **options).collect()


def test_a_frame_stays_at_the_epoch_that_it_was_loaded_at(
    spark: SparkSession, tmp_path: Path
) -> None:
    StoreWriter(tmp_path, USERS).write(rows(1, 5), position=AT)
    frame = load(spark, tmp_path)
    before = shown(frame)
    StoreWriter(tmp_path, USERS).write(rows(2, 9), position=AT)
    assert shown(frame.select("*")) == before
    assert shown(load(spark, tmp_path)) != before
