"""What `materialize` refuses by a query's plan: keys that lose rows, and rows that would stay."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from stategate.stores.errors import SchemaError
from stategate.stores.spark.plan_changes import passing
from stategate.stores.spark.plan_keys import SIDES, ungrouped
from stategate.stores.spark.plan_nodes import unknown_above_groups
from tests.spark.conftest import Orders
from tests.spark.test_materialize import start, totals
from tests.support.seeds import seeds

pytestmark = [pytest.mark.spark, pytest.mark.timeout(360)]

# Keys with only a part of the grouping columns

DAY = "date_trunc('day', at) AS day"
Grouped = Callable[[DataFrame], DataFrame]


def by(*texts: str) -> Grouped:
    """Return amounts summed by expressions of SQL."""
    return lambda f: f.groupBy(*map(F.expr, texts)).agg(F.sum("amount").alias("total"))


def rollup(frame: DataFrame, *more: Column) -> DataFrame:
    return frame.rollup("usr", "gone").agg(F.sum("amount").alias("total"), *more)


def side(name: str, frame: DataFrame) -> DataFrame:
    return frame.withColumn("side", F.lit(name))


def hours(frame: DataFrame) -> DataFrame:
    return by("usr", "window(at, '1 hour')")(frame.withWatermark("at", "1 hour"))


GROUPED: dict[str, tuple[Grouped, str, tuple[str, ...]]] = {
    "all columns": (by("usr", DAY), "usr day", ()),
    "one of two": (by("usr", DAY), "usr", ("day",)),
    "the other of two": (by("usr", DAY), "day", ("usr",)),
    "a sum": (by("usr", DAY), "total", ("usr", "day")),
    "one that is dropped": (lambda f: by("usr", DAY)(f).select("usr", "total"), "usr", ("day",)),
    "renamed": (lambda f: by("usr", DAY)(f).withColumnRenamed("usr", "u"), "u", ("day",)),
    "computed from one, where several become one": (
        lambda f: by("usr", DAY)(f).selectExpr("upper(usr) AS u", "total"), "u", ("usr", "day")
    ),
    "computed from both": (
        lambda f: by("usr", DAY)(f).selectExpr("concat(usr, day) AS u", "total"), "u",
        ("usr", "day"),
    ),
    "as a text": (
        lambda f: by("usr", "amount")(f).selectExpr("usr", "string(amount) AS d"), "usr d", ()
    ),
    "moments as a text": (
        lambda f: by("usr", "at")(f).selectExpr("usr", "string(at) AS at"), "usr at", ("at",)
    ),
    "as a struct": (
        lambda f: by("usr", DAY)(f).selectExpr("struct(usr, day) AS both"), "both", ()
    ),
    "one of another": (by("usr", "upper(usr)"), "usr", ()),
    "a window": (hours, "usr window", ()),
    "without the window": (hours, "usr", ("window",)),
    "the window's start": (
        lambda f: hours(f).selectExpr("usr", "window.start AS at", "total"), "usr at", ()
    ),
    "filtered by a sum": (lambda f: by("usr", DAY)(f).where("total > 5"), "usr", ("day",)),
    "filtered to one": (lambda f: by("usr", DAY)(f).where("day = DATE '2020-01-01'"), "usr", ()),
    "filtered to two": (
        lambda f: by("usr", DAY)(f).where("day = DATE '2020-01-01' OR day = DATE '2020-01-02'"),
        "usr", ("day",),
    ),
    "filtered to others": (
        lambda f: by("usr", DAY)(f).where("NOT (day = DATE '2020-01-01')"), "usr", ("day",)
    ),
    "filtered to equal ones": (
        lambda f: by("usr", "amount")(f).where("amount = length(usr)"), "usr", ()
    ),
    "filtered by itself": (lambda f: by("usr", "gone")(f).where("NOT gone"), "usr", ()),
    "sorted": (lambda f: by("usr", DAY)(f).orderBy("total"), "usr", ("day",)),
    "with a hint": (lambda f: by("usr", DAY)(f).hint("broadcast"), "usr", ("day",)),
    "limited": (lambda f: by("usr", DAY)(f).limit(5), "usr", ("day",)),
    "observed": (
        lambda f: by("usr", DAY)(f).observe("rows", F.count("*").alias("n")), "usr", ("day",)
    ),
    "moved": (
        lambda f: by("usr", DAY)(f).repartition(2, "usr").coalesce(1), "usr", ("day",)
    ),
    "a rollup": (rollup, "usr gone", ("grouping_id()",)),
    "a rollup with its level": (
        lambda f: rollup(f, F.grouping_id().alias("level")), "usr gone level", ()
    ),
    "a rollup of what is never NULL": (
        lambda f: rollup(f.selectExpr("coalesce(usr, '') usr", "gone IS TRUE gone", "amount")),
        "usr gone", (),
    ),
    "a union": (lambda f: by("usr")(f).union(by("usr")(f)), "usr", (SIDES,)),
    "a union with its side": (
        lambda f: side("a", by("usr")(f)).union(side("b", by("usr")(f))), "usr side", ()
    ),
    "a union with one side twice": (
        lambda f: side("a", by("usr")(f)).union(side("a", by("usr")(f))), "usr side", (SIDES,)
    ),
    "a union with rows": (
        lambda f: f.select("usr", "amount").union(by("usr")(f)), "usr", (SIDES,)
    ),
    "rows that are not grouped": (lambda f: f, "usr", ()),
    "rows of several sources": (lambda f: f.union(f), "usr", ()),
    "distinct rows": (lambda f: f.dropDuplicates(["usr", "amount"]), "usr", ("amount",)),
    "distinct rows by their key": (lambda f: f.dropDuplicates(["usr"]), "usr", ()),
    "distinct rows for a while": (
        lambda f: f.withWatermark("at", "1 hour").dropDuplicatesWithinWatermark(["amount"]),
        "usr", ("amount",),
    ),
    "distinct columns": (lambda f: f.select("usr", "gone").distinct(), "usr", ("gone",)),
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
    assert ungrouped(joined, {"usr"}) == ("day",)
    assert ungrouped(joined, {"name"}) == ("usr", "day")
    assert ungrouped(joined, {"usr", "day"}) == ()
    assert ungrouped(joined, {"name", "day"}) == ("usr",)
    other = names.withColumnRenamed("usr", "u")
    for kind, missing in {"inner": (), "right": (), "left": ("usr",), "full": ("usr",)}.items():
        joined = by("usr")(orders.frame).join(other, F.expr("usr = u"), kind)
        assert ungrouped(joined, {"u"}) == missing, kind
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
    "sorted, with a hint": (
        "SELECT /*+ BROADCAST(x) */ * FROM (SELECT * FROM sums SORT BY usr) AS x WHERE n > 3",
        True, {"total", "n"},
    ),
    "distinct rows": (
        "SELECT * FROM (SELECT DISTINCT usr, gone FROM orders) WHERE gone", False, set()
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


# Nodes of which nothing is known


def same(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    yield from batches


def any_rows(frame: DataFrame) -> DataFrame:
    return frame.mapInPandas(same, frame.schema)


UNKNOWN: dict[str, tuple[Grouped, str | None]] = {
    "a function of rows": (any_rows, None),
    "groups of rows of a function": (
        lambda f: by("usr")(any_rows(f.select("usr", "amount"))),
        None,
    ),
    "a function of groups": (lambda f: any_rows(by("usr")(f)), "MapInPandas"),
    "a function of groups, with Arrow": (
        lambda f: by("usr")(f).mapInArrow(lambda batches: batches, "usr string, total bigint"),
        "MapInArrow",
    ),
    "a sample of groups": (lambda f: by("usr")(f).sample(0.5), "Sample"),
    "a sample of rows": (lambda f: f.sample(0.5), None),
    "columns of groups as rows": (
        lambda f: by("usr")(f).unpivot("usr", ["total"], "name", "value"),
        "Expand",
    ),
    "a window over groups": (
        lambda f: by("usr")(f).withColumn("n", F.expr("row_number() OVER (ORDER BY usr)")),
        "Window",
    ),
    "a function of distinct rows": (lambda f: any_rows(f.dropDuplicates(["usr"])), "MapInPandas"),
    "groups of groups": (
        lambda f: by("usr")(by("usr", "gone")(f).selectExpr("usr", "total AS amount")),
        None,
    ),
}
"""Queries, and the node of which nothing is known above groups."""


@pytest.mark.parametrize("name", UNKNOWN)
def test_nodes_of_which_nothing_is_known(orders: Orders, name: str) -> None:
    make, node = UNKNOWN[name]
    assert unknown_above_groups(make(orders.frame)) == node


def test_a_key_must_be_vouched_for_where_nothing_is_known(orders: Orders, tmp_path: Path) -> None:
    frame = any_rows(by("usr")(orders.frame))
    with pytest.raises(SchemaError, match=r"after Spark's MapInPandas: .*key_is_unique=True"):
        start(frame, tmp_path)
    with pytest.raises(SchemaError, match="key_is_unique= is True or False"):
        start(frame, tmp_path, key_is_unique="yes")
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("rows_max", [0, 1000], ids=["tasks", "driver"])
def test_a_key_that_is_vouched_for_is_checked_in_each_batch(
    orders: Orders, tmp_path: Path, rows_max: int
) -> None:
    frame = any_rows(by("usr", "gone")(orders.frame).select("usr", "total"))
    query = start(frame, tmp_path, key_is_unique=True, collect_rows_max=rows_max)
    orders.send(0, ("a", 1), ("b", 2))
    query.processAllAvailable()
    orders.send(0, ("a", 1, 0, False), ("a", 1, 0, True))
    with pytest.raises(StreamingQueryException, match=r"at usr = 'a' came at once"):
        query.processAllAvailable()


def test_a_join_that_repeats_a_key_is_found_in_its_batch(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    names = spark.createDataFrame(
        [("a", "Ann"), ("a", "Ada"), ("b", "Bob")], "usr string, name string"
    )
    query = start(totals(orders).join(names, "usr"), tmp_path)
    orders.send(0, ("b", 2))
    query.processAllAvailable()
    orders.send(0, ("a", 1))
    with pytest.raises(StreamingQueryException, match=r"at usr = 'a' came at once"):
        query.processAllAvailable()


# Whatever is accepted loses no row

STEPS: tuple[Callable[[DataFrame], DataFrame], ...] = (
    lambda f: f.orderBy("t"),
    lambda f: f.hint("broadcast"),
    lambda f: f.where("b = 1"),
    lambda f: f.where("b = 1 OR b IS NULL"),
    lambda f: f.where("a = b"),
    lambda f: f.where("NOT a <=> b"),
    lambda f: f.where("b IN (2)"),
    lambda f: f.where("b IS NULL"),
    lambda f: f.where("t > 1"),
    lambda f: f.withColumn("a", F.expr("a DIV 2")),
    lambda f: f.withColumn("b", F.expr("string(b)")),
    lambda f: f.withColumn("b", F.expr("b % 2")),
    lambda f: f.withColumn("s", F.lit("x")).union(f.withColumn("s", F.lit("y"))),
    lambda f: f.union(f),
    lambda f: f.select(F.col("b").alias("a"), F.col("a").alias("b"), "t"),
    lambda f: f.selectExpr("a", "t", "struct(a, b).b AS b"),
    lambda f: f.repartition(2, "t"),
)
GROUPS: tuple[Callable[[DataFrame], DataFrame], ...] = (
    lambda f: f.groupBy("a", "b").agg(F.sum("v").alias("t")),
    lambda f: f.groupBy("a", F.expr("b % 2").alias("b")).agg(F.max("v").alias("t")),
    lambda f: f.rollup("a", "b").agg(F.sum("v").alias("t")),
    lambda f: f.cube("a", "b").agg(F.sum("v").alias("t"), F.grouping_id().alias("s")),
    lambda f: f.dropDuplicates(["a", "b"]).withColumnRenamed("v", "t"),
    lambda f: f.selectExpr("a", "b", "v AS t").distinct(),
    lambda f: f.groupBy("a").agg(F.first("b").alias("b"), F.sum("v").alias("t")),
)


@pytest.mark.hypothesis
def test_no_two_groups_share_a_key_that_is_accepted(spark: SparkSession, orders: Orders) -> None:
    pairs = itertools.product((1, 2, 3, None), repeat=2)
    rows = [(a, b, v) for v, (a, b) in enumerate(pairs)]
    table = spark.createDataFrame([*rows, *rows[::3]], "a bigint, b bigint, v bigint").cache()
    stream = orders.frame.selectExpr("amount AS a", "amount + 1 AS b", "amount AS v")
    verdicts = set()
    for seed in seeds(15):
        draw = random.Random(seed)
        steps = [draw.choice(GROUPS), *draw.choices(STEPS, k=draw.randint(0, 3))]

        def query(frame: DataFrame, steps: list[Callable[[DataFrame], DataFrame]] = steps) -> Any:
            for step in steps:
                frame = step(frame)
            return frame

        streamed, found = query(stream), query(table).collect()
        for size in (1, 2, 3):
            for key in itertools.combinations(streamed.columns, size):
                is_accepted = not ungrouped(streamed, {*key})
                verdicts.add(is_accepted)
                keys = [tuple(row[name] for name in key) for row in found]
                assert not is_accepted or len(keys) == len({*keys}), (seed, key, streamed)
    assert verdicts == {True, False}
