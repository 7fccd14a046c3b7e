"""What statements read, return and wait for is counted by access path and by bound."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from stategate.planner.errors import QueryCancelledError, QueryError
from stategate.planner.running import read_counts
from stategate.planner.running.read_counts import ReadCounts, bound_of
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result
from stategate.stores.spec.position import Position, PositionBound
from tests.planner.sides import run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

AGES = keyvalue("ages", {"name": "text"}, {"age": "bigint"}, partitions=3)
ROWS = [(f"n{number}", number % 5) for number in range(40)]
BEHIND = "WITH BOUND (events[0] >= 9)"


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    """An engine that takes no row path, so that all other paths are taken."""
    store = open_store(AGES)
    fill(store, ROWS)
    made = SqlEngine(FixedCatalog(store), limits=EngineLimits(few_rows=False))
    yield made
    made.close()


@dataclass(frozen=True)
class Counted:
    """The statements and rows of a path."""

    statements: int
    read: int
    returned: int


def counted(engine: SqlEngine) -> dict[str, Counted]:
    return {
        path: Counted(count.statements, count.read, count.returned)
        for path, count in engine.counts.paths.items()
    }


def growth(engine: SqlEngine, sql: str) -> dict[str, Counted]:
    """Read a statement to its end; return what it has added to the counts."""
    before = counted(engine)
    deque(run(engine, sql).batches or (), maxlen=0)
    after = counted(engine)
    return {
        path: Counted(
            now.statements - before[path].statements,
            now.read - before[path].read,
            now.returned - before[path].returned,
        )
        for path, now in after.items()
        if now != before[path]
    }


def test_each_access_path_counts_its_rows(engine: SqlEngine) -> None:
    fives = "SELECT age, count(*) FROM ages GROUP BY age"
    assert growth(engine, fives) == {"composed": Counted(1, 40, 5)}
    assert growth(engine, "SELECT name FROM ages") == {"stream": Counted(1, 40, 40)}
    assert growth(engine, "SELECT name FROM ages LIMIT 3")["stream"].returned == 3
    assert growth(engine, "SELECT count(*) FROM ages") == {"count": Counted(1, 40, 1)}
    assert growth(engine, "SELECT age FROM ages WHERE name = 'n7'") == {}


def test_few_rows_that_are_read_the_fast_way_are_counted() -> None:
    store = open_store(AGES)
    fill(store, ROWS)
    engine, session = SqlEngine(FixedCatalog(store)), Session()
    few = engine.prepare("SELECT name FROM ages WHERE age = 4 ORDER BY name LIMIT 2", session)
    assert few.look_up is not None
    assert few.look_up(few.literals, session) is not None
    assert counted(engine)["rows"] == Counted(1, 40, 2)
    sql = "SELECT a.name FROM ages a JOIN ages b ON b.name = a.name WHERE a.name = 'n4'"
    joined = engine.prepare(sql, session)
    assert joined.look_up is not None
    assert joined.look_up(joined.literals, session) is not None
    assert counted(engine)["rows"] == Counted(2, 42, 3)
    engine.close()


def opened(engine: SqlEngine) -> Result:
    return run(engine, "SELECT name FROM ages")


def test_a_stream_is_open_until_it_ends_is_closed_or_is_forgotten(engine: SqlEngine) -> None:
    read, closed, forgotten = opened(engine), opened(engine), opened(engine)
    assert engine.counts.open_streams().count == 3
    assert engine.counts.open_streams().oldest_s >= 0.0
    deque(read.batches or (), maxlen=0)
    assert engine.counts.open_streams().count == 2
    closed.close()
    closed.close()
    assert list(closed.batches or ()) == []
    assert engine.counts.open_streams().count == 1
    del forgotten
    gc.collect()
    assert engine.counts.open_streams().count == 0
    assert engine.counts.open_streams().oldest_s == 0.0


def test_a_stream_that_fails_is_counted_once(engine: SqlEngine) -> None:
    before = counted(engine)["stream"].statements
    cancellation = Cancellation()
    session = Session()
    statement = engine.prepare("SELECT name FROM ages", session)
    result = engine.execute(statement, (), session, cancellation=cancellation)
    assert result.batches is not None
    cancellation.cancel()
    with pytest.raises(QueryCancelledError):
        next(result.batches)
    result.close()
    assert counted(engine)["stream"].statements == before + 1
    assert engine.counts.open_streams().count == 0


def test_the_age_of_a_stream_is_that_of_the_oldest() -> None:
    now = [10.0]
    counts = ReadCounts(lambda: now[0])
    first, second = object(), object()
    counts.note_opened(first)
    now[0] = 15.0
    counts.note_opened(second)
    assert counts.open_streams().oldest_s == 5.0
    counts.note_closed(first)
    assert counts.open_streams().oldest_s == 0.0


def test_waits_and_refusals_are_counted_by_bound(
    engine: SqlEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However busy the machine is, only a statement that waits takes so long. Its wait is counted
    # from when it is asked; the time of its clause is that of the whole statement.
    least_s = 0.4
    monkeypatch.setattr(read_counts, "_WAITED_S", least_s)
    bound = engine.counts.bounds["position"]
    refused, waited = bound.refused, bound.waited
    for sql in (f"SELECT name FROM ages {BEHIND}", f"SELECT name FROM ages {BEHIND}, WAIT '1s'"):
        with pytest.raises(QueryError, match="behind") as caught:
            run(engine, sql)
        assert caught.value.sqlstate == "55S01"
    assert (bound.refused - refused, bound.waited - waited, bound.waiting) == (2, 1, 0)
    assert bound.waited_s >= least_s
    run(engine, "SELECT name FROM ages WITH BOUND (events[0] >= 0), WAIT '20ms'").close()
    assert (bound.refused - refused, bound.waited - waited) == (2, 1)


def test_the_strictest_bound_counts() -> None:
    at = Position.of({"events": {0: 1}})
    assert bound_of(ReadOptions()) == "none"
    assert bound_of(ReadOptions(seen=at)) == "seen"
    assert bound_of(ReadOptions(seen=at, bound=PositionBound(position=at))) == "position"
    assert bound_of(ReadOptions(bound=PositionBound(position=at, lag_ms_max=1))) == "lag"
    assert bound_of(ReadOptions(bound=PositionBound(lag_ms_max=1), snapshot=True)) == "snapshot"
    assert bound_of(ReadOptions(latest=True, snapshot=True)) == "latest"
