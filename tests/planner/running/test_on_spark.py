"""Partitions that are missing, failing or behind fail a statement on Spark, or are listed by it.

The engine here reads the same replicas, at the epochs and partitions that it is given; so an answer
lacks exactly the rows that the planner left out. What it must equal is the answer of the gateway
for one cut, which is what Spark reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.query_engine import (
    EngineRelation,
    EngineRun,
    EngineStatement,
    EngineStatus,
)
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import QueryConfig
from tests.planner.accounts import ACCOUNTS, IDS, made, put, shifted
from tests.planner.faults import FaultyStore, failure
from tests.planner.sides import ordered, rows_of, run
from tests.support.stores import FixedCatalog
from tests.support.waiting import lending

SQL = "SELECT id, amount FROM accounts"
PARTITIONS = range(ACCOUNTS.partitions)


class Run:
    """The rows of one relation."""

    def __init__(self, batches: Sequence[pa.RecordBatch]) -> None:
        self._batches = iter(batches)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        return next(self._batches)

    def interrupt(self) -> None:
        """Do nothing: the rows are there."""

    def close(self) -> None:
        """Do nothing, too."""


@dataclass
class Spark:
    """Runs `SELECT … FROM` one relation over replicas, and keeps what it was asked."""

    store: LocalStore
    asked: list[EngineRelation] = field(default_factory=list)

    @property
    def status(self) -> EngineStatus:
        return EngineStatus(state="running")

    def run(self, statement: EngineStatement) -> EngineRun:
        (relation,) = statement.relations.values()
        self.asked.append(relation)
        found = []
        for partition in relation.partitions:
            query = RangeQuery(columns=relation.columns)
            config = QueryConfig(at_epoch=relation.epoch)
            answer = self.store.query_partition(partition, query, config)
            assert isinstance(answer, Success), answer
            found += list(answer.value)
        return Run(found)


@dataclass(frozen=True)
class Answer:
    """Rows and what is said of each partition, or an error."""

    rows: Sequence[Row]
    partitions: Sequence[tuple[int, str, str | None, int]]
    notices: Sequence[str] = ()
    error: tuple[str, str, str | None] | None = None


def answer(engine: SqlEngine, sql: str, where: str) -> Answer:
    try:
        result = run(engine, sql, session=Session(settings={"stategate.engine": where}))
        rows = ordered(rows_of(result))
    except QueryError as error:
        return Answer([], [], error=(error.sqlstate, error.message, error.detail))
    told = [(e.partition, e.status, e.reason, e.epoch) for e in result.partitions]
    return Answer(rows, sorted(told), [notice.message for notice in result.notices])


def both(store: LocalStore, clause: str, bound: str = "") -> tuple[Answer, Answer, Spark]:
    """Return the answer of Spark, that of the gateway for one cut, and what Spark was asked."""
    spark = Spark(store)
    engine = SqlEngine(FixedCatalog(store), spark=spark)
    try:
        cut = ", ".join(filter(None, ["SNAPSHOT", bound]))
        of_spark = f" WITH BOUND ({bound})" if bound else ""
        more = f"{',' if bound else ' WITH'} {clause}" if clause else ""
        here = answer(
            engine, f"{SQL} WITH BOUND ({cut})" + (f", {clause}" if clause else ""), "local"
        )
        return answer(engine, SQL + of_spark + more, "spark"), here, spark
    finally:
        engine.close()


@pytest.mark.parametrize("reason", list(FailureReason))
def test_a_partition_that_fails_is_never_silent(reason: FailureReason) -> None:
    store = FaultyStore(made(ACCOUNTS), failures={1: failure(reason)})
    there, here, spark = both(store, "")
    assert there == here
    assert there.error is not None
    assert "partition 1" in f"{there.error[1]} {there.error[2]}"
    assert spark.asked == []
    there, here, spark = both(store, "PARTIAL")
    assert there == here
    assert there.error is None
    assert [each[:3] for each in there.partitions] == [
        (0, "ok", None),
        (1, "failed", reason.value),
        (2, "ok", None),
    ]
    assert [each.partitions for each in spark.asked] == [(0, 2)]
    assert 0 < len(there.rows) < len(IDS)
    (notice,) = there.notices
    assert "rows are missing" in notice
    assert "1" in notice


def test_a_statement_that_waits_for_spark_lends_its_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, lent = made(ACCOUNTS), list[bool]()
    with lending() as mine:
        take = Run.__next__

        def noting(run: Run) -> pa.RecordBatch:
            lent.append(mine.is_lent)
            return take(run)

        monkeypatch.setattr(Run, "__next__", noting)
        _, here, _ = both(store, "")
    assert here.rows
    assert lent
    assert all(lent)
    assert not mine.is_lent


def test_a_partition_that_is_not_here_is_listed() -> None:
    whole = made(ACCOUNTS)
    store = LocalStore(ACCOUNTS, {n: whole.replicas[n] for n in (0, 2)})
    there, here, _ = both(store, "")
    assert there == here
    assert there.error is not None
    assert there.error[0] == "55S03"
    there, here, spark = both(store, "PARTIAL")
    assert there == here
    assert (1, "failed", "NOT_PRESENT") in [each[:3] for each in there.partitions]
    assert [each.partitions for each in spark.asked] == [(0, 2)]


def test_without_any_partition_there_are_no_rows_but_all_are_listed() -> None:
    missing = {n: failure(FailureReason.NOT_PRESENT) for n in PARTITIONS}
    there, here, spark = both(FaultyStore(made(ACCOUNTS), failures=missing), "PARTIAL")
    assert there == here
    assert there.rows == []
    assert [each[1] for each in there.partitions] == ["failed"] * 3
    assert [each.partitions for each in spark.asked] == [()]


def test_a_partition_that_is_behind_is_read_at_the_cut_or_refuses() -> None:
    store = made(ACCOUNTS)
    put(store, shifted(1), 1)
    put(store, shifted(2), 2, [0, 2])
    there, here, spark = both(store, "")
    assert there == here
    assert there.rows == ordered(shifted(1))
    assert [(each.epoch, each.partitions) for each in spark.asked] == [(1, (0, 1, 2))]
    there, here, _ = both(store, "", "events[0] >= 2")
    assert there == here
    assert there.error is not None
    assert there.error[0] == "55S01"


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Mapping[int, int], Mapping[int, FailureReason], str, str]:
    reached = {n: draw(st.integers(1, 3)) for n in PARTITIONS}
    reasons = st.sampled_from([None, None, *FailureReason])
    failing = {n: reason for n in PARTITIONS if (reason := draw(reasons)) is not None}
    clause = draw(st.sampled_from(["", "PARTIAL", "PARTITIONS (0, 2)", "PARTITIONS (1), PARTIAL"]))
    bound = draw(st.sampled_from(["", "events[0] >= 1", "events[0] >= 2"]))
    return reached, failing, clause, bound


@given(drawn=worlds())
def test_spark_answers_as_the_gateway_does_for_a_cut(
    drawn: tuple[Mapping[int, int], Mapping[int, FailureReason], str, str],
) -> None:
    reached, failing, clause, bound = drawn
    store = made(ACCOUNTS)
    for epoch in range(1, max(reached.values()) + 1):
        put(store, shifted(epoch), epoch, [n for n, last in reached.items() if epoch <= last])
    faulty = FaultyStore(store, failures={n: failure(each) for n, each in failing.items()})
    there, here, spark = both(faulty, clause, bound)
    assert there == here
    read = {partition for each in spark.asked for partition in each.partitions}
    assert read == {partition for partition, status, *_ in there.partitions if status == "ok"}
