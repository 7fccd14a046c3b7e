"""Statements on Spark: epochs, bounds, partitions, errors, cancel, deadlines and lost sessions."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession as ClassicSession
from pyspark.sql.connect.session import SparkSession

from stategate.planner.errors import (
    InvalidValueError,
    NotSupportedError,
    QueryCancelledError,
    QueryError,
    UnavailableError,
)
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Isolation, Session
from stategate.stores.errors import EngineError, EngineInterruptedError
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark.engine import SparkEngine, SparkEngineConfig
from stategate.stores.spec.position import Position
from stategate.stores.spec.query_engine import EngineRelation, EngineStatement
from tests.planner.sides import rows_of
from tests.spark.engine.sides import ORDERS, ROWS, Engines, connected, open_engines, write_world
from tests.support.stores import batch
from tests.support.waiting import until

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

ENDLESS = "SELECT max(id) AS c0 FROM range(1000000000000000)"


class EndlessEngine(SparkEngine):
    """An engine for which each store has more rows than anyone waits for."""

    def _read(self, session: SparkSession, relation: EngineRelation) -> Any:
        assert relation.columns == ("age",)
        return session.sql("SELECT CAST(id % 7 AS INT) AS age FROM range(1000000000000000)")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("log")
    write_world(root)
    return root


@pytest.fixture(scope="module")
def spark_engine(connect_url: str, world: Path) -> Iterator[SparkEngine]:
    with connected(connect_url, world, statements_max=2) as engine:
        yield engine


@pytest.fixture(scope="module")
def engines(spark_engine: SparkEngine, world: Path) -> Iterator[Engines]:
    with open_engines(world, spark_engine) as found:
        yield found


def test_stores_are_read_by_spark(engines: Engines) -> None:
    for sql in (
        "SELECT * FROM people",
        "SELECT * FROM orders",
        "SELECT * FROM clicks",
        "SELECT * FROM carried",
        "SELECT count(*) FROM people JOIN orders USING (name)",
    ):
        assert engines.answer(sql, "spark") == engines.answer(sql, "local")


def test_an_answer_has_its_partitions_and_position(engines: Engines) -> None:
    result = engines.run("SELECT sum(amount) FROM orders", "spark")
    rows_of(result)
    assert [each.partition for each in result.partitions] == list(range(ORDERS.partitions))
    assert {(each.status, each.epoch, each.node) for each in result.partitions} == {("ok", 1, "n")}
    assert result.position == Position.of({"events": {0: 2}})


def test_a_session_knows_the_position_of_its_answers(engines: Engines) -> None:
    session = Session(settings={"stategate.engine": "spark"})
    rows_of(engines.run_in(session, "SELECT count(*) FROM orders"))
    (row,) = rows_of(engines.run_in(session, "SHOW stategate.position"))
    assert row == ('{"events":{"0":2}}',)


def test_only_the_partitions_that_are_asked_are_read(engines: Engines) -> None:
    for sql in (
        "SELECT name FROM orders WITH PARTITIONS (0, 2)",
        "SELECT number FROM orders WHERE name = 'a' AND number = 1",
        "SELECT number FROM orders WHERE name = NULL",
    ):
        found = engines.run(sql, "spark")
        assert sorted(rows_of(found)) == sorted(rows_of(engines.run(sql, "local")))
        assert len(found.partitions) < ORDERS.partitions


def test_conditions_are_tested_where_the_files_are_read(
    engines: Engines, spark_engine: SparkEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []
    plain = spark_engine._read

    def noted(session: SparkSession, relation: EngineRelation) -> Any:
        read.append(plain(session, relation))
        return read[-1]

    monkeypatch.setattr(spark_engine, "_read", noted)
    sql = "SELECT name FROM orders WHERE made >= timestamp '1970-01-01' AND number < $1::bigint"
    assert engines.answer(sql, "spark", (4,)) == engines.answer(sql, "local", (4,))
    (frame,) = read
    assert sorted(frame.columns) == ["made", "name", "number"]
    found = frame.toArrow()  # what Spark reads for the statement, before its WHERE
    assert sorted(found.column("number").to_pylist()) == [1, 3]


def test_a_bound_is_refused_before_spark_is_asked(
    engines: Engines, spark_engine: SparkEngine
) -> None:
    before = spark_engine.status.statements
    with pytest.raises(UnavailableError) as caught:
        engines.run("SELECT count(*) FROM orders WITH BOUND (events[0] >= 9)", "spark")
    assert caught.value.sqlstate == "55S01"
    assert spark_engine.status.statements == before
    met = engines.run("SELECT count(*) FROM orders WITH BOUND (events[0] >= 2)", "spark")
    assert rows_of(met) == [(9,)]


def test_a_transaction_reads_its_epoch(connect_url: str, tmp_path: Path) -> None:
    root = tmp_path / "log"
    write_world(root)
    with (
        connected(connect_url, root) as spark,
        open_engines(root, spark) as engines,
    ):
        session = Session(settings={"stategate.engine": "spark"})
        session.begin(isolation=Isolation.REPEATABLE_READ, deferrable=False)
        sql = "SELECT count(*), max(number) FROM orders"
        before = rows_of(engines.run_in(session, sql))
        added = pa.Table.from_batches([batch(ORDERS, [("new", 9, *ROWS["orders"][0][2:])])])
        StoreWriter(str(root), ORDERS, writer="test").write(
            added, position=Position.of({"events": {0: 3}})
        )
        until(lambda: rows_of(engines.run("SELECT count(*) FROM orders", "local")) == [(10,)])
        assert rows_of(engines.run_in(session, sql)) == before
        session.end(keep=True)
        assert rows_of(engines.run_in(session, "SELECT count(*) FROM orders")) == [(10,)]


def test_a_store_without_an_epoch_is_empty(connect_url: str, tmp_path: Path) -> None:
    StoreWriter(str(tmp_path), ORDERS, writer="test")
    with connected(connect_url, tmp_path) as spark, open_engines(tmp_path, spark) as engines:
        assert rows_of(engines.run("SELECT count(*) FROM orders", "spark")) == [(0,)]


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SELECT number / 0 FROM orders", "22012"),
        ("SELECT number * 10 FROM orders", "22003"),
        ("SELECT score * 1e308::double precision FROM people", "22003"),
        ("SELECT (SELECT name FROM orders) FROM people", "21000"),
        ("SELECT lower(name) FROM people", "0A000"),
    ],
)
def test_errors_have_the_codes_of_postgres(engines: Engines, sql: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        rows_of(engines.run(sql, "spark"))
    assert caught.value.sqlstate == sqlstate


def test_an_epoch_that_the_log_has_lost_is_an_error(engines: Engines, tmp_path: Path) -> None:
    shutil.copytree(engines.root, tmp_path / "log", dirs_exist_ok=True)
    relation = EngineRelation(store="orders", epoch=7, partitions=(0,), columns=("name",))
    runner = engines.engine._parts.spark.runner
    assert runner is not None
    statement = EngineStatement(
        sql="SELECT name AS c0 FROM {r0} AS s0", relations={"r0": relation}, values={}
    )
    with pytest.raises(EngineError) as caught:
        list(runner._engine.run(statement))
    assert (caught.value.sqlstate, caught.value.detail) == (
        "58030",
        'epoch 7 of store "orders" is not committed',
    )


def test_cancel_ends_a_statement_at_once(spark_engine: SparkEngine) -> None:
    run = spark_engine.run(EngineStatement(sql=ENDLESS, relations={}, values={}))
    threading.Timer(1.0, run.interrupt).start()
    with pytest.raises(EngineInterruptedError):
        next(run)
    until(lambda: spark_engine.status.running == 0, 200)  # Spark has stopped it, too


def test_a_statement_that_is_ended_leaves_no_job(
    spark: ClassicSession, spark_engine: SparkEngine
) -> None:
    """Spark may just be about to submit the first job when the statement is ended."""
    jobs = spark.sparkContext.statusTracker()
    for delay_s in (0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.15):
        run = spark_engine.run(EngineStatement(sql=ENDLESS, relations={}, values={}))
        time.sleep(delay_s)
        run.close()
        until(lambda: spark_engine.status.running == 0, 200)
        until(lambda: not jobs.getActiveJobsIds(), 200)


def test_a_deadline_ends_a_statement(connect_url: str, world: Path) -> None:
    with (
        connected(connect_url, world, kind=EndlessEngine) as spark,
        open_engines(world, spark) as engines,
    ):
        session = Session(settings={"stategate.engine": "spark"})
        statement = engines.engine.prepare("SELECT max(age) FROM people", session)
        began = time.monotonic()
        with pytest.raises(QueryCancelledError, match="statement timeout"):
            rows_of(
                engines.engine.execute(
                    statement, (), session, cancellation=Cancellation(timeout_s=3.0)
                )
            )
        assert time.monotonic() - began < 30
        until(lambda: spark.status.running == 0, 200)
        engines.run("SELECT min(age) FROM people", "spark").close()
        until(lambda: spark.status.running == 0, 200)


def test_too_many_statements_are_refused(spark_engine: SparkEngine) -> None:
    statement = EngineStatement(sql=ENDLESS, relations={}, values={})
    runs = [spark_engine.run(statement) for _ in range(2)]
    try:
        with pytest.raises(EngineError) as caught:
            spark_engine.run(statement)
        assert caught.value.sqlstate == "53300"
    finally:
        for each in runs:
            each.close()
    until(lambda: spark_engine.status.running == 0, 200)


def test_a_slow_reader_holds_few_batches(spark_engine: SparkEngine) -> None:
    sql = "SELECT id AS c0 FROM range(2000000)"
    with spark_engine.run(EngineStatement(sql=sql, relations={}, values={})) as run:
        first = next(run)
        time.sleep(1.0)
        assert len(run._batches) <= 2
        assert first.num_rows + sum(each.num_rows for each in run) == 2_000_000


def test_a_lost_session_is_renewed(connect_url: str, world: Path) -> None:
    with connected(connect_url, world) as engine:
        assert engine._session is not None
        engine._session.client.release_session()
        statement = EngineStatement(sql="SELECT 1 AS c0", relations={}, values={})
        with pytest.raises(EngineError) as caught:
            list(engine.run(statement))
        assert caught.value.sqlstate == "57P03"
        until(lambda: engine.status.sessions == 2, 60)
        assert [each.to_pylist() for each in engine.run(statement)] == [[{"c0": 1}]]


def test_a_server_that_is_missing_is_tried_again(world: Path) -> None:
    with open_engines(world, engine := _nowhere(world)) as engines:
        until(lambda: engine.status.state == "failed", 60)
        with pytest.raises(UnavailableError) as caught:
            engines.run("SELECT count(*) FROM orders", "spark")
        assert caught.value.sqlstate == "57P03"
        assert rows_of(engines.run("SELECT count(*) FROM orders", "auto")) == [(9,)]
        engine.close()


def _nowhere(root: Path) -> SparkEngine:
    engine = SparkEngine(SparkEngineConfig(remote="sc://127.0.0.1:1", root=str(root)))
    engine.start()
    return engine


def test_explain_shows_the_engine_and_the_reason(
    engines: Engines, spark_engine: SparkEngine, world: Path
) -> None:
    sql = "EXPLAIN SELECT city, count(*) FROM people GROUP BY city"
    assert "engine spark: stategate.engine is spark" in engines.lines(sql, "spark")
    assert "engine local: stategate.engine is local" in engines.lines(sql, "local")
    assert "engine local: scans have no limit" in engines.lines(sql, "auto")
    with open_engines(world, spark_engine, spark_rows_max=5) as limited:
        assert _reason(limited, sql) == "spark: it reads about N rows, more than 5"
        refused = "EXPLAIN SELECT lower(city), count(*) FROM people GROUP BY 1"
        why = "but the Spark engine does not run the function lower"
        assert _reason(limited, refused) == f"local: it reads about N rows, {why}"
        small = "EXPLAIN SELECT city FROM people WHERE name = 'a'"
        assert _reason(limited, small) == "local: it reads about N rows, at most 5"
        before = spark_engine.status.statements
        sums = "SELECT city, count(*) FROM people GROUP BY city"
        assert limited.answer(sums, "auto") == limited.answer(sums, "local")
        assert spark_engine.status.statements == before + 1


def _reason(engines: Engines, sql: str) -> str:
    """Return the engine that EXPLAIN shows, without the estimate."""
    (line,) = [each for each in engines.lines(sql, "auto") if each.startswith("engine ")]
    return re.sub(r"about \d+ rows", "about N rows", line.removeprefix("engine "))


def test_catalogs_and_system_relations_are_read_here(engines: Engines) -> None:
    assert rows_of(engines.run("SELECT 1", "spark")) == [(1,)]
    stores = "SELECT name FROM stategate.stores ORDER BY name"
    assert len(rows_of(engines.run(stores, "spark"))) == 4
    with pytest.raises(NotSupportedError, match="system relations"):
        engines.run("SELECT p.name FROM stategate.stores s, people p", "spark")


def test_values_out_of_the_promised_range_are_errors(engines: Engines) -> None:
    with pytest.raises(InvalidValueError):
        rows_of(engines.run("SELECT number::smallint FROM orders", "spark"))
