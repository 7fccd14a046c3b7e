"""Statements on Spark, against the same reads and SQL by hand in a session of the same Spark.

The gateway's side has all that it adds: partitions that are asked, epochs, and rows that stream
back. For the figure of the design, ten million rows: `--only spark-engine --keys 10000000`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pyspark.sql.connect.session import SparkSession

from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.hosting.host import Host
from stategate.stores.spark.engine import SparkEngine, SparkEngineConfig
from stategate.stores.spark.source import FORMAT, StateGateSource
from tests.bench import data
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import RESTORE_TIMEOUT_S, Setting
from tests.support.waiting import until

CORES = 2
START_S = 600.0
STATEMENTS: Mapping[str, tuple[str, str, Mapping[str, Sequence[str]]]] = {
    "GROUP BY": (
        "SELECT city, count(*) AS n, sum(visits) AS v FROM users GROUP BY city",
        "SELECT city, count(*) AS n, sum(CAST(visits AS DECIMAL(19,0))) AS v FROM {users} "
        "GROUP BY city",
        {"users": ("visits", "city")},
    ),
    "join and GROUP BY": (
        "SELECT a.city, count(*) AS n, max(b.score) AS s FROM users a JOIN users b ON a.id = b.id "
        "WHERE b.visits < 500000 GROUP BY a.city",
        "SELECT a.city, count(*) AS n, max(b.score) AS s FROM {users} a JOIN {others} b "
        "ON a.id = b.id WHERE b.visits < 500000 GROUP BY a.city",
        {"users": ("id", "city"), "others": ("id", "visits", "score")},
    ),
}
"""Ours, Spark's, and the columns of its relations."""


def spark_engine(setting: Setting) -> Sequence[Line]:
    """Milliseconds of a statement, with all its rows."""
    root = setting.directory / "spark-engine"
    data.write_log(root, setting.table)
    spark = SparkEngine(
        SparkEngineConfig(remote=f"local[{CORES}]", root=str(root), shuffle_partitions=CORES)
    )
    host = Host(str(root), None)
    engine = SqlEngine(host, spark=spark)
    spark.start()
    host.start()
    with closing(spark), closing(host), closing(engine):
        until(lambda: host.is_ready, RESTORE_TIMEOUT_S)
        until(lambda: spark.status.state == "running", START_S)
        by_hand = _session(spark)
        return [_compared(setting, engine, by_hand, root, work) for work in STATEMENTS]


def _session(spark: SparkEngine) -> SparkSession:
    assert spark._server is not None
    builder: Any = SparkSession.builder
    session: SparkSession = builder.remote(spark._server.url).create()
    session.dataSource.register(StateGateSource)
    session.conf.set("spark.sql.shuffle.partitions", str(CORES))
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return session


def _compared(
    setting: Setting, engine: SqlEngine, by_hand: SparkSession, root: Path, work: str
) -> Line:
    sql, theirs_sql, relations = STATEMENTS[work]
    session = Session(settings={"stategate.engine": "spark"})

    def ours() -> list[tuple[object, ...]]:
        statement = engine.prepare(sql, session)
        cancellation = Cancellation(timeout_s=START_S)
        result = engine.execute(statement, (), session, cancellation=cancellation)
        return [
            row
            for batch in result.batches or ()
            for row in zip(*batch.to_pydict().values(), strict=True)
        ]

    def theirs() -> list[tuple[object, ...]]:
        frames: dict[str, Any] = {
            name: by_hand.read.format(FORMAT)
            .options(root=str(root), columns=",".join(columns))
            .load(data.STORE)
            for name, columns in relations.items()
        }
        found: Any = by_hand.sql(theirs_sql, **frames)
        return list(zip(*found.toArrow().to_pydict().values(), strict=True))

    if (found := sorted(map(repr, ours()))) != (expected := sorted(map(repr, theirs()))):
        raise BenchError(f"the rows begin with {found[:1]}, not {expected[:1]}")
    mine, other = by_turns(
        lambda: _took_ms(ours), lambda: _took_ms(theirs), rounds=max(5, setting.rounds)
    )
    return Measured(
        work=f"{work} of {setting.keys:,} rows on Spark",
        unit="ms",
        ours=mine,
        rival=other,
        rival_name='format("stategate") by hand',
        better=Better.LOWER,
        ratio_least=0.9,
        ratio_goal=1.0,
    )


def _took_ms(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000
