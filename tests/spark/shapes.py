"""Shapes of stateful queries, each with SQL that recomputes its store in DuckDB.

The SQL reads the tables `events` and `timely` of `tests.spark.queries.Input`, where `{watermark}`
stands for the last watermark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle


@dataclass(frozen=True)
class Shape:
    """A query, the output modes that Spark allows, and SQL for its store in each."""

    make: Callable[[DataFrame], DataFrame]
    key: tuple[str, ...]
    expected: Mapping[str, str]
    """By output mode."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """More arguments of `materialize`."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of Spark when the query starts."""


def timely(frame: DataFrame) -> DataFrame:
    return frame.withWatermark("moment", "10 minutes")


def aggregates() -> list[Column]:
    return [
        F.count("*").alias("n"),
        F.sum("amount").alias("total"),
        F.max("day").alias("last_day"),
        F.max_by("nested", "id").alias("newest"),
    ]


AGGREGATES_SQL = "count(*), sum(amount), max(day), arg_max_null(nested, id)"


def totals(frame: DataFrame) -> DataFrame:
    return frame.groupBy("k", "name").agg(*aggregates())


def latest_days(frame: DataFrame) -> DataFrame:
    """Count the events of a name by day; of its days the latest stays."""
    return frame.groupBy("name", F.col("day").cast("timestamp").alias("moment")).count()


def windows(frame: DataFrame, *span: str) -> DataFrame:
    return timely(frame).groupBy("k", "name", F.window("moment", *span)).agg(*aggregates())


def windows_sql(source: str, size: str, hops: Sequence[int]) -> str:
    """Return SQL for windows that begin this many minutes before the five minutes of a row."""
    start = "time_bucket(INTERVAL 5 minutes, moment)"
    rows = " UNION ALL ".join(
        f"SELECT *, {start} - INTERVAL {hop} minutes AS s FROM {source}" for hop in hops
    )
    return f"SELECT k, name, s, s + INTERVAL {size}, {AGGREGATES_SQL} FROM ({rows}) GROUP BY ALL"


def closed(sql: str) -> str:
    """Return SQL for the windows that the watermark has passed, which append mode emits."""
    return f"FROM ({sql}) AS w(k, name, s, e, n, t, d, x) WHERE e <= {{watermark}}"


def of_windows(size: str, hops: Sequence[int]) -> dict[str, str]:
    whole = windows_sql("timely", size, hops)
    return {
        "update": whole,
        "append": closed(whole),
        # Late rows count in this mode, since Spark keeps all windows.
        "complete": windows_sql("events", size, hops),
    }


def sessions(frame: DataFrame) -> DataFrame:
    grouped = timely(frame).groupBy("name", F.session_window("moment", "90 seconds"))
    return grouped.agg(F.count("*").alias("n"), F.sum("amount").alias("total"))


def sessions_sql() -> str:
    return """
        WITH marked AS (
            SELECT *, moment > lag(moment) OVER w + INTERVAL 90 seconds AS begins FROM timely
            WINDOW w AS (PARTITION BY name ORDER BY moment)),
        numbered AS (
            SELECT *, count(*) FILTER (begins) OVER (PARTITION BY name ORDER BY moment) AS number
            FROM marked)
        SELECT name, min(moment) AS s, max(moment) + INTERVAL 90 seconds AS e, count(*), sum(amount)
        FROM numbered GROUP BY name, number"""


def sides(frame: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Return the events with even numbers as one stream, and the others as another."""
    even = (
        timely(frame)
        .where("id % 2 = 0")
        .select(
            F.col("id").alias("left_id"),
            F.col("k").alias("left_k"),
            F.col("moment").alias("left_at"),
        )
    )
    odd = (
        timely(frame)
        .where("id % 2 = 1")
        .select(
            F.col("id").alias("right_id"),
            F.col("k").alias("right_k"),
            F.col("moment").alias("right_at"),
            "amount",
        )
    )
    return even, odd


ON = "left_k = right_k AND right_at BETWEEN left_at AND left_at + INTERVAL 3 MINUTES"
JOINED_SQL = """SELECT DISTINCT l.id, r.id, l.k, l.moment, r.k, r.moment, r.amount
    FROM (FROM timely WHERE id % 2 = 0) AS l
    {kind} JOIN (FROM timely WHERE id % 2 = 1) AS r
    ON l.k = r.k AND r.moment BETWEEN l.moment AND l.moment + INTERVAL 3 minutes"""
FULL_SQL = JOINED_SQL.format(kind="FULL").replace("l.k = r.k", "l.k IS NOT DISTINCT FROM r.k")


def joined(kind: str) -> Callable[[DataFrame], DataFrame]:
    def join(frame: DataFrame) -> DataFrame:
        left, right = sides(frame)
        # In a full join of streams Spark 4.3 takes NULLs for equal. So this one says that they are.
        return left.join(right, F.expr(ON.replace(" = ", " <=> ") if kind == "full" else ON), kind)

    return join


def summed(
    key: tuple[Any, ...], frames: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    """Add the numbers of a name's events to its state."""
    before = state.getOption
    total = 0 if before is None else before[0]
    total += sum(int(frame["id"].sum()) for frame in frames)
    state.update((total,))
    yield pd.DataFrame({"name": [key[0]], "total": [total]})


def with_group_state(mode: str) -> Callable[[DataFrame], DataFrame]:
    return lambda frame: (
        frame.select("name", "id")
        .groupBy("name")
        .applyInPandasWithState(
            summed,
            "name string, total bigint",
            "total bigint",
            mode,
            GroupStateTimeout.NoTimeout,
        )
    )


class Summing(StatefulProcessor):
    """Adds the numbers of a name's events; a total that is divisible by three is a tombstone."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.total = handle.getValueState("total", "total bigint")

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        del timerValues
        before = self.total.get()
        total = 0 if before is None else before[0]
        total += sum(int(frame["id"].sum()) for frame in rows)
        self.total.update((total,))
        yield pd.DataFrame({"name": [key[0]], "total": [total], "gone": [total % 3 == 0]})

    def close(self) -> None:
        """Release nothing."""


def with_processor(frame: DataFrame) -> DataFrame:
    named = frame.select("name", "id").groupBy("name")
    return named.transformWithStateInPandas(
        Summing(), "name string, total bigint, gone boolean", "Update", "None"
    )


def chained(frame: DataFrame) -> DataFrame:
    """Count the windows of five minutes in which a name occurs, by windows of ten."""
    short = (
        timely(frame).groupBy("name", F.window("moment", "5 minutes")).agg(F.sum("id").alias("ids"))
    )
    longer = short.groupBy("name", F.window(F.window_time("window"), "10 minutes"))
    return longer.agg(F.count("*").alias("n"), F.sum("ids").alias("ids"))


TOTALS_SQL = f"SELECT k, name, {AGGREGATES_SQL} FROM events GROUP BY ALL"
LATEST_SQL = """SELECT name, id, k, amount, day, nested, moment FROM events
    QUALIFY row_number() OVER (PARTITION BY name ORDER BY moment DESC, id DESC) = 1 AND NOT gone"""
PAYLOAD = ("name", "id", "k", "amount", "day", "nested", "moment", "gone")
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SHAPES: dict[str, Shape] = {
    "aggregation": Shape(
        totals,
        ("k", "name"),
        {"update": TOTALS_SQL, "complete": TOTALS_SQL},
    ),
    "aggregation of which groups leave": Shape(
        lambda frame: totals(frame).withColumn("few", F.expr("n > 3")),
        ("k", "name"),
        {"update": f"{TOTALS_SQL} HAVING count(*) <= 3"},
        {"deleted": "few"},
    ),
    "aggregation of which the latest group stays": Shape(
        latest_days,
        ("name",),
        {
            "update": """
                SELECT name, timezone('UTC', day) AS moment, n FROM (
                    SELECT name, day, count(*) AS n FROM events GROUP BY ALL)
                QUALIFY row_number() OVER (PARTITION BY name ORDER BY day DESC NULLS LAST) = 1"""
        },
        {"event_time": "moment"},
    ),
    "aggregation by decimals, dates and booleans": Shape(
        lambda frame: frame.groupBy("amount", "day", "gone").count(),
        ("amount", "day", "gone"),
        {"update": "SELECT amount, day, gone, count(*) FROM events GROUP BY ALL"},
    ),
    "tumbling windows": Shape(
        lambda frame: windows(frame, "5 minutes"),
        ("k", "name"),
        of_windows("5 minutes", [0]),
        {"kind": "window", "window_size_ms": 300_000},
    ),
    "tumbling windows with a retention": Shape(
        lambda frame: windows(frame, "5 minutes"),
        ("k", "name"),
        {
            "update": f"FROM ({windows_sql('timely', '5 minutes', [0])}) AS w(k, name, s, e) "
            "WHERE s > {watermark} - INTERVAL 8 minutes"
        },
        {"kind": "window", "window_size_ms": 300_000, "retention_ms": 480_000},
    ),
    "hopping windows": Shape(
        lambda frame: windows(frame, "10 minutes", "5 minutes"),
        ("k", "name"),
        of_windows("10 minutes", [0, 5]),
        {"kind": "window", "window_size_ms": 600_000},
    ),
    "sessions": Shape(
        sessions,
        ("name",),
        {
            "append": f"FROM ({sessions_sql()}) WHERE e <= {{watermark}}",
            # Spark drops late rows before it merges sessions, in every mode.
            "complete": sessions_sql(),
        },
        {"kind": "session"},
    ),
    "chained windows": Shape(
        chained,
        ("name",),
        {
            "append": """
                WITH short AS (
                    SELECT name, time_bucket(INTERVAL 5 minutes, moment) AS s, sum(id) AS ids
                    FROM timely GROUP BY ALL),
                longer AS (
                    SELECT name, time_bucket(INTERVAL 10 minutes, s) AS s, count(*), sum(ids)
                    FROM short WHERE s + INTERVAL 5 minutes <= {watermark} GROUP BY ALL)
                SELECT name, s, s + INTERVAL 10 minutes, * EXCLUDE (name, s) FROM longer
                WHERE s + INTERVAL 10 minutes <= {watermark}"""
        },
        {"kind": "window", "window_size_ms": 600_000},
    ),
    "dropDuplicates": Shape(
        lambda frame: frame.select("k", "name").dropDuplicates(),
        ("k", "name"),
        dict.fromkeys(("update", "append"), "SELECT k, name FROM events GROUP BY ALL"),
    ),
    "dropDuplicates with a watermark": Shape(
        lambda frame: timely(frame).select("name", "amount", "moment").dropDuplicates(),
        ("moment", "name"),
        dict.fromkeys(("update", "append"), "SELECT DISTINCT moment, name, amount FROM timely"),
    ),
    "dropDuplicatesWithinWatermark": Shape(
        lambda frame: (
            timely(frame).select("id", "nested", "moment").dropDuplicatesWithinWatermark(["id"])
        ),
        ("id",),
        dict.fromkeys(("append",), "SELECT DISTINCT id, nested, moment FROM timely"),
    ),
    "inner join": Shape(
        joined("inner"),
        ("left_id", "right_id"),
        dict.fromkeys(("append", "update"), JOINED_SQL.format(kind="")),
    ),
    "left join": Shape(
        joined("left"),
        ("left_id", "right_id"),
        {
            "append": f"FROM ({JOINED_SQL.format(kind='LEFT')}) AS j(l, r, lk, la, rk, ra, a) "
            "WHERE r IS NOT NULL OR la + INTERVAL 3 minutes < {watermark}"
        },
    ),
    "full join": Shape(
        joined("full"),
        ("left_id", "right_id"),
        {
            "append": f"FROM ({FULL_SQL}) AS j(l, r, lk, la, rk, ra, a) "
            "WHERE (r IS NOT NULL OR la + INTERVAL 3 minutes < {watermark}) "
            "AND (l IS NOT NULL OR ra < {watermark})"
        },
    ),
    "applyInPandasWithState that appends": Shape(
        with_group_state("append"),
        ("name",),
        {"append": "SELECT name, sum(id) FROM events GROUP BY ALL"},
    ),
    "applyInPandasWithState": Shape(
        with_group_state("update"),
        ("name",),
        {"update": "SELECT name, sum(id) FROM events GROUP BY ALL"},
    ),
    "transformWithStateInPandas": Shape(
        with_processor,
        ("name",),
        {"update": "SELECT name, sum(id) AS t FROM events GROUP BY ALL HAVING t % 3 <> 0"},
        {"deleted": "gone"},
        {"spark.sql.streaming.stateStore.providerClass": ROCKSDB},
    ),
    "latest rows": Shape(
        lambda frame: frame.select(*PAYLOAD),
        ("name",),
        dict.fromkeys(("append", "update"), LATEST_SQL),
        {"event_time": "moment", "deleted": "gone"},
    ),
    "latest rows on every node": Shape(
        lambda frame: frame.select(*PAYLOAD),
        ("name",),
        {"append": LATEST_SQL},
        {"event_time": "moment", "deleted": "gone", "kind": "global", "partitions": 1},
    ),
    "versions": Shape(
        lambda frame: frame.select("k", "name", "amount", "moment", "gone"),
        ("name",),
        {
            "append": """
                SELECT name, moment AS valid_from, valid_to, k, amount, moment FROM (
                    SELECT *, lead(moment) OVER (PARTITION BY name ORDER BY moment) AS valid_to
                    FROM (SELECT DISTINCT ON (id) * FROM events))
                WHERE NOT gone"""
        },
        {"event_time": "moment", "deleted": "gone", "kind": "versioned"},
    ),
}
