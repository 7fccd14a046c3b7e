"""Wrong arguments of `materialize` are refused before the query starts and before a write."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from stores.errors import SchemaError
from stores.log.writing.store_writer import StoreWriter
from stores.spark import materialize
from stores.spark.definition import store_frame
from stores.spark.plans import Source, _source, passing, sources_of, ungrouped
from stores.spec.schema import StoreKind
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
    "inputs": (None, [], ["x"]),
    "deleted": (None,),
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


# Keys with only a part of the grouping columns

DAY = "date_trunc('day', at) AS day"
Grouped = Callable[[DataFrame], DataFrame]


def by(*texts: str) -> Grouped:
    """Return amounts summed by expressions of SQL."""
    return lambda f: f.groupBy(*map(F.expr, texts)).agg(F.sum("amount").alias("total"))


def hours(frame: DataFrame) -> DataFrame:
    return by("usr", "window(at, '1 hour')")(frame.withWatermark("at", "1 hour"))


GROUPED: dict[str, tuple[Grouped, str, tuple[str, ...]]] = {
    "all columns": (by("usr", DAY), "usr day", ()),
    "one of two": (by("usr", DAY), "usr", ("day",)),
    "the other of two": (by("usr", DAY), "day", ("usr",)),
    "a sum": (by("usr", DAY), "total", ("usr", "day")),
    "one that is dropped": (lambda f: by("usr", DAY)(f).select("usr", "total"), "usr", ("day",)),
    "renamed": (lambda f: by("usr", DAY)(f).withColumnRenamed("usr", "u"), "u", ("day",)),
    "computed from one": (
        lambda f: by("usr", DAY)(f).selectExpr("upper(usr) AS u", "total"), "u", ("day",)
    ),
    "computed from both": (
        lambda f: by("usr", DAY)(f).selectExpr("concat(usr, day) AS u", "total"), "u", ()
    ),
    "one of another": (by("usr", "upper(usr)"), "usr", ()),
    "a window": (hours, "usr window", ()),
    "without the window": (hours, "usr", ("window",)),
    "the window's start": (
        lambda f: hours(f).selectExpr("usr", "window.start AS at", "total"), "usr at", ()
    ),
    "filtered by a sum": (lambda f: by("usr", DAY)(f).where("total > 5"), "usr", ("day",)),
    "filtered to one": (lambda f: by("usr", DAY)(f).where("day = DATE '2020-01-01'"), "usr", ()),
    "filtered by itself": (lambda f: by("usr", "gone")(f).where("NOT gone"), "usr", ()),
    "a rollup": (
        lambda f: f.rollup("usr", "gone").agg(F.sum("amount").alias("total")), "usr gone", ()
    ),
    "a union": (lambda f: by("usr", "gone")(f).union(by("usr", "gone")(f)), "usr", ("gone",)),
    "rows that are not grouped": (lambda f: f, "usr", ()),
    "distinct rows": (lambda f: f.dropDuplicates(["usr", "amount"]), "usr", ()),
}  # fmt: skip
"""Rows, a key, and the groups that the key lacks."""


@pytest.mark.parametrize("name", GROUPED)
def test_groups_that_a_key_lacks(orders: Orders, name: str) -> None:
    make, key, missing = GROUPED[name]
    assert ungrouped(make(orders.frame), set(key.split())) == missing


def test_groups_that_a_key_lacks_below_joins_and_tables_of_with(
    spark: SparkSession, orders: Orders
) -> None:
    names = spark.createDataFrame([("a", "Ann")], "usr string, name string")
    joined = by("usr", DAY)(orders.frame).join(names, "usr")
    assert ungrouped(joined, {"usr"}) == ungrouped(joined, {"name"}) == ("day",)
    assert ungrouped(joined, {"name", "day"}) == ()
    orders.frame.createOrReplaceTempView("orders")
    sql = (
        "WITH t AS (SELECT usr, gone, count(*) AS n FROM orders GROUP BY ALL) SELECT usr, n FROM t"
    )
    assert ungrouped(spark.sql(sql), {"usr"}) == ("gone",)


def test_a_key_that_keeps_one_row_of_many_is_refused(orders: Orders, tmp_path: Path) -> None:
    frame = by("usr", DAY)(orders.frame)
    with pytest.raises(SchemaError, match=r'grouped by "day", which the key lacks.*key='):
        start(frame, tmp_path)
    with pytest.raises(SchemaError, match=r'grouped by "window", .*use kind="window"'):
        start(hours(orders.frame), tmp_path)
    assert not (tmp_path / "log").exists()


STATIC = "VALUES ('a', 5) AS t(name, level)"
PASSING: dict[str, tuple[str, bool, set[str]]] = {
    "all groups": ("SELECT * FROM sums", False, {"total", "n"}),
    "groups of one kind": ("SELECT * FROM sums WHERE usr IS NOT NULL", False, {"total", "n"}),
    "a condition on a sum": ("SELECT * FROM sums WHERE total < 5", True, {"total", "n"}),
    "one on a value made from a sum": (
        "SELECT usr FROM (SELECT usr, total + n AS t FROM sums) WHERE t > 5", True, set()
    ),
    "HAVING": ("SELECT usr FROM orders GROUP BY usr HAVING count(*) < 5", True, set()),
    "a group computed": ("SELECT upper(usr) AS u, total AS usr FROM sums", False, {"usr"}),
    "a static table": (
        f"SELECT sums.*, level FROM sums JOIN {STATIC} ON usr = name", False, {"total", "n"}
    ),
    "a static table by a sum": (
        f"SELECT usr, name FROM sums JOIN {STATIC} ON total = level", True, set()
    ),
    "a static table by a sum, or NULL": (
        f"SELECT usr, name FROM sums LEFT JOIN {STATIC} ON total = level", False, {"name"}
    ),
    "a table of WITH": (
        "WITH t AS (SELECT usr AS u, total AS m FROM sums) SELECT * FROM t", False, {"m"}
    ),
    "one of many": (
        "SELECT usr, part FROM sums LATERAL VIEW explode(array(n, total)) AS part", False, {"part"}
    ),
    "a union": (
        "SELECT usr, total FROM sums UNION ALL SELECT usr, 5 FROM sums WHERE n > 1", True, {"total"}
    ),
    "no groups": ("SELECT * FROM orders WHERE amount > 5", False, set()),
    "static groups": (
        "SELECT orders.* FROM orders JOIN (SELECT name, count(*) AS n FROM VALUES ('a') AS t(name) "
        "GROUP BY name) ON usr = name WHERE n < 5", False, set()
    ),
}  # fmt: skip
"""SQL over orders and sums by user, whether it has a condition on aggregates, its aggregates."""


@pytest.mark.parametrize("name", PASSING)
def test_rows_of_an_aggregation_that_may_pass(
    spark: SparkSession, orders: Orders, name: str
) -> None:
    orders.frame.createOrReplaceTempView("orders")
    totals(orders).createOrReplaceTempView("sums")
    sql, has_condition, columns = PASSING[name]
    found = passing(spark.sql(sql))
    assert (bool(found.conditions), set(found.columns)) == (has_condition, columns)


def test_rows_that_would_stay_are_refused_in_update_mode(orders: Orders, tmp_path: Path) -> None:
    few = totals(orders).where("n < 2")
    with pytest.raises(SchemaError, match=r"no longer meets \(n < .* mark such rows by deleted="):
        start(few, tmp_path)
    with pytest.raises(SchemaError, match='key column "n" is an aggregate'):
        start(totals(orders), tmp_path, key=["usr", "n"])
    assert not (tmp_path / "log").exists()
    start(few, tmp_path / "complete", output_mode="complete").stop()
    many = totals(orders).withColumn("many", F.expr("n >= 2"))
    start(many, tmp_path / "deleted", deleted="many").stop()


def test_event_time_may_decide_which_row_stays(orders: Orders, tmp_path: Path) -> None:
    start(by("usr", DAY)(orders.frame), tmp_path, event_time="day").stop()


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
