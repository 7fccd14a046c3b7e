"""The list of slow statements: what enters it, and what is kept."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pyarrow as pa
import pytest

from stategate.planner.binding.running_statements import (
    SLOW_SQL_MAX,
    RunningQueries,
    RunningQuery,
    SlowQueries,
)
from stategate.planner.errors import QueryCancelledError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result, StatementKind
from stategate.stores.spec.schema import Row
from tests.planner.sides import rows_of
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

ANN = Session(user="ann")
BATCH = pa.record_batch({"n": [1, 2, 3]})


def result(batches: Iterator[pa.RecordBatch] | None) -> Result:
    return Result(kind=StatementKind.SELECT, batches=batches)


def watching(least_ms: int = 0) -> RunningQueries:
    return RunningQueries(lambda: 7, slow=SlowQueries(least_ms))


def test_a_statement_runs_until_its_last_row_is_read() -> None:
    queries = watching()
    watched = queries.watch("SELECT 1", ANN, lambda: result(iter([BATCH, BATCH])), Cancellation())
    assert [(each.sql, each.user, each.started_ms) for each in queries.own()] == [
        ("SELECT 1", "ann", 7)
    ]
    assert queries.slow.own() == []
    assert sum(batch.num_rows for batch in watched.batches or ()) == 6
    assert queries.own() == []
    (slow,) = queries.slow.own()
    assert (slow.query.sql, slow.query.user, slow.rows, slow.sqlstate) == (
        "SELECT 1",
        "ann",
        6,
        None,
    )


def test_rows_in_memory_end_a_statement_at_once() -> None:
    queries = watching()
    rows = Result(kind=StatementKind.SELECT, rows=[(1,), (2,)])
    queries.watch("SELECT 1", ANN, lambda: rows, Cancellation())
    assert [each.rows for each in queries.slow.own()] == [2]


def test_a_result_that_is_closed_early_is_listed_once() -> None:
    queries = watching()
    watched = queries.watch("SELECT 1", ANN, lambda: result(iter([BATCH, BATCH])), Cancellation())
    assert watched.batches is not None
    assert next(watched.batches).num_rows == 3
    watched.close()
    watched.close()
    assert [(each.rows, each.sqlstate) for each in queries.slow.own()] == [(3, None)]


def test_the_stream_below_is_closed_with_the_result() -> None:
    ended = list[bool]()

    def read() -> Iterator[pa.RecordBatch]:
        try:
            yield BATCH
            yield BATCH
        finally:
            ended.append(True)

    batches = watching().watch("SELECT 1", ANN, lambda: result(read()), Cancellation()).batches
    assert isinstance(batches, Generator)
    next(batches)
    batches.close()
    assert len(ended) == 1


def failing(error: Exception) -> Iterator[pa.RecordBatch]:
    yield BATCH
    raise error


@pytest.mark.parametrize(
    ("error", "sqlstate"), [(QueryCancelledError("over"), "57014"), (ValueError("bug"), "XX000")]
)
def test_errors_are_listed_with_their_code(error: Exception, sqlstate: str) -> None:
    queries = watching()

    def run() -> Result:
        raise error

    with pytest.raises(type(error)):
        queries.watch("SELECT 1", ANN, run, Cancellation())
    watched = queries.watch("SELECT 2", ANN, lambda: result(failing(error)), Cancellation())
    with pytest.raises(type(error)):
        list(watched.batches or ())
    assert [(each.rows, each.sqlstate) for each in queries.slow.own()] == [
        (0, sqlstate),
        (3, sqlstate),
    ]


def ended(sql: str = "SELECT 1") -> RunningQuery:
    return RunningQuery(number=1, sql=sql, user="ann", started_ms=0)


def test_only_what_took_long_is_kept() -> None:
    slow = SlowQueries(500)
    slow.add(ended(), 0.4994, 1, None)
    assert slow.own() == []
    slow.add(ended(), 0.5, 1, None)
    assert [each.elapsed_ms for each in slow.own()] == [500]


def test_the_latest_are_kept_and_their_texts_are_cut() -> None:
    slow = SlowQueries(0, kept_max=2)
    for number in range(3):
        slow.add(ended(f"{number}" * (SLOW_SQL_MAX + 1)), 1, 0, None)
    assert [each.query.sql[:1] for each in slow.own()] == ["1", "2"]
    assert {len(each.query.sql) for each in slow.own()} == {SLOW_SQL_MAX + 2}


def test_those_of_other_engines_are_shown_with_them() -> None:
    other = SlowQueries(0)
    other.add(ended("other"), 1, 0, None)
    slow = SlowQueries(0, elsewhere=other.own)
    slow.add(ended("own"), 1, 0, None)
    assert [each.query.sql for each in slow.all()] == ["own", "other"]
    assert [each.query.sql for each in slow.own()] == ["own"]


def test_the_text_of_another_user_is_hidden() -> None:
    store = open_store(keyvalue("state", {"k": "text"}, {"v": "bigint"}))
    fill(store, [("a", 1), ("b", 2)])
    engine = SqlEngine(FixedCatalog(store), queries=watching())

    def ask(sql: str, user: str) -> list[Row]:
        session = Session(user=user)
        statement = engine.prepare(sql, session)
        return rows_of(engine.execute(statement, (), session, cancellation=Cancellation()))

    assert ask("SELECT sum(v) FROM state", "ann") == [(3,)]
    listed = "SELECT username, sqlstate, sql FROM stategate.slow_queries ORDER BY number LIMIT 1"
    assert ask(listed, "ann") == [("ann", None, "SELECT sum(v) FROM state")]
    assert ask(listed, "bob") == [("ann", None, None)]
    engine.close()
