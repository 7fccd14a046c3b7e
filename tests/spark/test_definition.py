"""Wrong arguments of `materialize` are refused before the query starts and before a write."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stategate.stores.errors import SchemaError
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import materialize
from stategate.stores.spark.definition import store_frame
from stategate.stores.spark.plans import Source, _source, sources_of
from stategate.stores.spec.schema import StoreKind
from tests.spark.conftest import Orders
from tests.spark.test_materialize import start, totals

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": ["nobody"]}, 'no column "nobody"'),
        ({"key": []}, "no key column"),
        ({"key": ["tags"]}, 'key column "tags" cannot be of type'),
        ({"key": ["folded"]}, "cannot have collation UTF8_LCASE"),
        ({"kind": "windows"}, 'kind "windows" is not one of keyvalue'),
        ({"kind": "window", "window_size_ms": 5}, 'needs the column "window"'),
        ({"kind": "session"}, 'needs the column "session_window"'),
        ({"kind": "versioned"}, "needs event_time"),
        ({"kind": "global"}, "has one partition"),
        ({"event_time": "amount"}, 'event time "amount" is bigint'),
        ({"deleted": "amount"}, 'tombstone column "amount" is not boolean'),
        ({"not_null": ["nobody"]}, 'no column "nobody"'),
        ({"window_size_ms": 5}, "a window store needs window_size_ms"),
        ({"output_mode": "upsert"}, 'output mode "upsert"'),
        ({"store": "a/b"}, "not a store name"),
        ({"partitions": 0}, "0 partitions"),
    ],
)
def test_an_invalid_store_is_refused_before_the_query_starts(
    orders: Orders, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    frame = orders.frame.selectExpr("*", "array(1) AS tags", "usr COLLATE UTF8_LCASE AS folded")
    with pytest.raises(SchemaError, match=message):
        start(frame, tmp_path, **options)
    assert not (tmp_path / "log").exists()
    assert not (tmp_path / "checkpoint").exists()


def test_frames_that_do_not_fit_a_store(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    with pytest.raises(SchemaError, match="not a streaming one"):
        start(spark.range(1), tmp_path)
    with pytest.raises(SchemaError, match='columns "usr" twice'):
        start(orders.frame.selectExpr("usr", "usr"), tmp_path)
    for text in ("parse_json('1')", "array(INTERVAL '1' YEAR)"):
        with pytest.raises(SchemaError, match='column "v"'):
            start(orders.frame.selectExpr("usr", f"{text} AS v"), tmp_path)


def test_a_store_that_is_defined_differently(orders: Orders, tmp_path: Path) -> None:
    start(totals(orders), tmp_path, inputs=["x"]).stop()
    with pytest.raises(SchemaError, match="another partitions: 4, not 2"):
        start(totals(orders), tmp_path, partitions=2)


ODD: tuple[Any, ...] = (None, "", "\0", "usr", 5, 0, -1, 2.5, True, b"x", [], [5], ["x"], {}, 2**70)
"""Values of every type; most are invalid for every argument."""
FITTING: dict[str, tuple[Any, ...]] = {
    "store": ("usr",),
    "key": ("usr",),
    "root": ("usr",),
    "partitions": (5,),
    "checkpoint": ("usr",),
    "event_time": (None,),
    "key_is_unique": (True,),
    "inputs": (None, [], ["x"]),
    "deleted": (None,),
    "not_null": ("usr", []),
    "window_size_ms": (None,),
    "retention_ms": (None,),
    "trigger": (None,),
    "query_name": (None, "usr"),
    "collect_rows_max": (5, 0),
    "compact_every": (None, 5),
    "evolve": (True,),
    "notify": ([],),
    "on_epoch": (None,),
}
"""The values that are valid for an argument; no value is valid for other arguments."""
ARGUMENTS = [name for name in inspect.signature(materialize).parameters if name != "df"]


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_invalid_arguments_are_refused(
    orders: Orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    fitting = FITTING.get(argument, ())
    append: dict[str, Any] = {"output_mode": "append"}
    for value in ODD:
        if not any(type(value) is type(each) and value == each for each in fitting):
            with pytest.raises(SchemaError, match="store"):
                start(orders.frame, here, **(append | {argument: value}))
            assert not any(here.iterdir()), value
    for value in fitting:
        # Spark's processes keep their own working directory.
        whole = str(here / value) if argument == "checkpoint" else value
        start(orders.frame, here, **(append | {argument: whole})).stop()


def test_a_frame_that_is_not_streaming_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    for frame in (*ODD, spark.range(1)):
        with pytest.raises(SchemaError):
            start(frame, tmp_path)
    assert not any(tmp_path.iterdir())


def test_a_column_of_nulls_is_refused(orders: Orders, tmp_path: Path) -> None:
    for text in (
        *("NULL", "array(NULL)", "named_struct('x', NULL)", "map('x', NULL)"),
        *("array()", "map()", "array(array())"),
    ):
        with pytest.raises(SchemaError, match="type null, which holds no value: cast it"):
            start(orders.frame.selectExpr("usr", f"{text} AS v"), tmp_path)


def test_reserved_and_ambiguous_names_are_refused(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    spark.conf.set("spark.sql.caseSensitive", True)
    try:
        with pytest.raises(SchemaError, match='"usr" and "USR" for two names'):
            start(orders.frame.selectExpr("usr", "amount AS USR"), tmp_path)
    finally:
        spark.conf.unset("spark.sql.caseSensitive")
    for name in ("_deleted", "_Timestamp", "_epoch", "_stategate_ordinal"):
        with pytest.raises(SchemaError, match=f'cannot have a column "{name}"'):
            start(orders.frame.selectExpr("usr", f"amount AS `{name}`"), tmp_path)


def test_inputs_are_named_all_or_none(spark: SparkSession, orders: Orders, tmp_path: Path) -> None:
    rate = spark.readStream.format("rate").load().selectExpr("string(value) AS usr", "value AS n")
    both = rate.union(orders.frame.selectExpr("usr", "amount AS n"))
    options: dict[str, Any] = {"output_mode": "append"}
    for names, message in (
        ("ticks", 'is a list of names, not "ticks"'),
        (["a", "b", "c"], "has 3 names, and needs 1, one for each .* without topics: rate, orders"),
        (["a", "a"], "has a name twice"),
        (["a", ""], "is a list of names"),
    ):
        with pytest.raises(SchemaError, match=message):
            start(both, tmp_path, inputs=names, **options)
    with pytest.raises(SchemaError, match="has 1 names, and needs 2"):
        start(rate.union(rate), tmp_path, inputs=["a"], **options)


class Leaf:
    """A source in a plan. It stands for Kafka's, whose package Spark does not include."""

    def __init__(self, provider: str, options: dict[str, str]) -> None:
        self.provider, self.options = provider, options

    def sourceName(self) -> str:
        return "Kafka"

    def nodeName(self) -> str:
        return "StreamingRelationV2"

    def extraOptions(self) -> dict[str, str]:
        return self.options

    def source(self) -> Leaf:
        return self

    get = getClass = source

    def isDefined(self) -> bool:
        return True

    def getSimpleName(self) -> str:
        return self.provider


def test_topics_are_read_from_the_options_of_kafka() -> None:
    for options, topics, assigned in (
        ({"subscribe": "a, b"}, {"a", "b"}, False),
        ({"subscribePattern": "a.*"}, set(), False),
        ({"assign": '{"a":[0]}'}, set(), True),
    ):
        found = _source(Leaf("KafkaSourceProvider", options))
        assert found == Source(
            name="Kafka", has_topics=True, topics=frozenset(topics), assigned=assigned
        )
    assert _source(Leaf("PythonDataSourceV2", {})).has_topics is None


def test_sources_are_those_of_the_offset_log_in_its_order(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    rate = spark.readStream.format("Rate").load().selectExpr("string(value) AS usr")
    files = spark.readStream.schema("usr string").json(str(tmp_path))
    both = rate.union(orders.frame.select("usr")).join(spark.range(1)).select("usr").union(files)
    found = [(source.name, source.has_topics) for source in sources_of(both.union(rate))]
    assert [name.partition("[")[0] for name, _ in found] == ["Rate", "orders", "FileSource", "Rate"]
    assert [has_topics for _, has_topics in found] == [False, None, False, False]


def test_comments_come_from_the_metadata_and_go_back(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    usr = F.col("usr").alias("usr", metadata={"comment": "who ordered"})
    long = F.col("amount").alias("amount", metadata={"comment": "x" * 1_001})
    with pytest.raises(SchemaError, match='comment of column "amount" must be text'):
        start(orders.frame.select(usr, long), tmp_path)
    frame = store_frame(
        orders.frame.select(usr, "amount"),
        store="orders",
        key=["usr"],
        partitions=1,
        kind=StoreKind.KEYVALUE,
        event_time=None,
        deleted=None,
        inputs=(),
        window_size_ms=None,
        retention_ms=None,
    )
    StoreWriter(tmp_path / "log", frame.schema)
    found = spark.read.format("stategate").option("root", str(tmp_path / "log")).load("orders")
    assert [field.metadata for field in found.schema.fields] == [{"comment": "who ordered"}, {}]
    assert found.collect() == []
