"""Joins of few rows: the answers that they are made from, and when DuckDB makes them."""

from __future__ import annotations

from typing import TypeVar

import pytest
from msgspec import structs

from stategate.planner.errors import QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import DEFAULT_CONFIG, QueryConfig
from tests.planner.faults import FaultyStore, failure
from tests.planner.sides import ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, window

R = TypeVar("R")
BOOKS = keyvalue("books", {"id": "bigint"}, {"author": "bigint"}, partitions=2)
PAGES = keyvalue("pages", {"book": "bigint", "n": "bigint"}, {"words": "bigint"}, partitions=2)
JOIN = "SELECT b.id, p.n, p.words FROM books b JOIN pages p ON p.book = b.id WHERE b.id = $1"
ITSELF = "SELECT a.id, b.id FROM books a JOIN books b ON b.id = a.author WHERE a.id IN ($1, 2)"
DAYS = window("days", {"book": "bigint"}, {"sold": "bigint"}, partitions=2, size_ms=86_400_000)
LOANS = keyvalue("loans", {"id": "bigint"}, {"book": "bigint", "at": "timestamptz"}, partitions=2)
BY_TIME = (
    "SELECT l.id, d.window_start, d.sold FROM loans l LEFT JOIN days d ON d.book = l.book"
    " AND d.window_start <= l.at AND l.at < d.window_end WHERE l.id IN ($1, 2, 3, 9)"
)
"""Rows 2 and 3 are of one book, row 9 has no time."""
DAY_US = 86_400_000_000
LEFT = "SELECT b.id, p.n FROM books b LEFT JOIN pages p ON p.book = b.id WHERE b.id IN ($1, 3)"


def filled(schema: StoreSchema, rows: list[Row]) -> LocalStore:
    store = open_store(schema)
    fill(store, rows)
    return store


def stores(pages: int = 20) -> list[LocalStore]:
    books = filled(BOOKS, [(n, n % 3) for n in range(30)])
    rows = [(book, n, n * book) for book in (0, 1) for n in range(pages)]
    loans = [(n, n // 2, n * DAY_US + n * DAY_US // 9) for n in range(8)] + [(9, 1, None)]
    days = [(book, n * DAY_US, (n + 1) * DAY_US, n) for book in range(4) for n in range(1, 9)]
    return [books, filled(PAGES, rows), filled(LOANS, loans), filled(DAYS, days)]


@pytest.mark.parametrize("sql", [JOIN, ITSELF, LEFT, BY_TIME])
@pytest.mark.parametrize("parameter", [0, 1, 99, None])
def test_a_join_that_is_looked_up_gives_the_answer_of_its_statement(
    sql: str, parameter: object
) -> None:
    catalog, session, other = FixedCatalog(*stores()), Session(), Session()
    engine = SqlEngine(catalog)
    statement = engine.prepare(sql, session)
    assert statement.look_up is not None
    found = statement.look_up((parameter,), session)
    assert found is not None
    result = run(engine, sql, (parameter,), other)
    assert result.rows == found.rows
    assert found.position == result.position
    assert session.seen == other.seen
    assert list(found.reads) == [(a.store, a.partition, a.epoch, a.rows) for a in result.partitions]
    bulk = run(SqlEngine(catalog, limits=EngineLimits(few_rows=False)), sql, (parameter,))
    assert ordered(rows_of(bulk)) == ordered(list(found.rows))


def test_without_keys_no_partition_of_the_other_store_is_read() -> None:
    engine = SqlEngine(FixedCatalog(*stores()))
    assert {each.store for each in run(engine, JOIN, (99,)).partitions} == {"books"}


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (JOIN, 300),
        # Few rows of each store become many when they are joined.
        ("SELECT p.n, q.n FROM pages p JOIN pages q ON q.book = p.book WHERE p.book = $1", 400),
    ],
)
def test_duckdb_joins_many_rows(sql: str, rows: int) -> None:
    engine, session = SqlEngine(FixedCatalog(*stores(pages=rows if sql == JOIN else 20))), Session()
    statement = engine.prepare(sql, session)
    assert statement.look_up is not None
    assert statement.look_up((1,), session) is None
    result = run(engine, sql, (1,))
    assert result.rows is None
    assert len(rows_of(result)) == rows
    # Reads made in vain are not part of the answer.
    asked = [(each.store, each.partition) for each in result.partitions]
    assert len(asked) == len(set(asked))


def test_a_failed_partition_fails_the_join() -> None:
    books, pages, *_ = stores()
    out = failure(FailureReason.STORE_EXCEPTION)
    engine = SqlEngine(FixedCatalog(books, FaultyStore(pages, failures={0: out, 1: out})))
    session = Session()
    statement = engine.prepare(JOIN, session)
    assert statement.look_up is not None
    assert statement.look_up((1,), session) is None
    with pytest.raises(QueryError, match="out of order"):
        run(engine, JOIN, (1,))
    assert rows_of(run(engine, f"{JOIN} WITH PARTIAL", (1,))) == []


class MovingStore(LocalStore):
    """A store that answers each query at the next epoch."""

    def __init__(self, store: LocalStore) -> None:
        super().__init__(store.schema, store.replicas)
        self.epoch = 0

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        answer = super().query_partition(partition, query, config)
        self.epoch += 1
        return structs.replace(answer, epoch=self.epoch) if type(answer) is Success else answer


def test_two_reads_of_a_partition_are_of_one_epoch() -> None:
    session = Session()
    engine = SqlEngine(FixedCatalog(MovingStore(stores()[0])))
    statement = engine.prepare("SELECT a.id FROM books a JOIN books b ON b.id = a.id", session)
    assert statement.look_up is not None
    assert statement.look_up((), session) is None
    assert session.seen.is_empty


def test_reads_of_several_times_are_of_one_epoch() -> None:
    *_, loans, days = stores()
    session, sql = Session(), BY_TIME.replace("$1, ", "")
    engine = SqlEngine(FixedCatalog(loans, MovingStore(days)))
    statement = engine.prepare(sql, session)
    assert statement.look_up is not None
    assert statement.look_up((), session) is None
    assert len(rows_of(run(engine, sql))) == 3


def test_each_row_reads_the_windows_of_its_time() -> None:
    engine = SqlEngine(FixedCatalog(*stores()))
    result = run(engine, BY_TIME, (4,))
    assert result.rows is not None
    wanted = [(n, n * DAY_US, n) for n in (2, 3, 4)] + [(9, None, None)]
    assert sorted(result.rows) == wanted
    assert sum(each.rows for each in result.partitions if each.store == "days") == 3


@pytest.mark.parametrize(
    "clause", ["PARTITIONS (0)", "PARTITIONS (1)", "PARTIAL", "BOUND (LATEST)"]
)
def test_options_of_a_join_by_time(clause: str) -> None:
    *_, loans, days = stores()
    out = failure(FailureReason.STORE_EXCEPTION)
    faulty = FaultyStore(days, failures={1: out} if clause == "PARTIAL" else {})
    catalog = FixedCatalog(loans, faulty)
    sql = f"{BY_TIME} WITH {clause}"
    result, bulk = (
        run(SqlEngine(catalog, limits=EngineLimits(few_rows=few_rows)), sql, (4,))
        for few_rows in (True, False)
    )
    assert ordered(rows_of(result)) == ordered(rows_of(bulk))
    assert [each.message for each in result.notices] == [each.message for each in bulk.notices]


def test_many_times_are_read_by_duckdb() -> None:
    loans = filled(LOANS, [(n, n % 2, n * 3_600_000_000) for n in range(100)])
    engine, session = SqlEngine(FixedCatalog(loans, stores()[3])), Session()
    sql = BY_TIME.replace(" WHERE l.id IN ($1, 2, 3, 9)", "")
    statement = engine.prepare(sql, session)
    assert statement.look_up is not None
    assert statement.look_up((), session) is None
    result = run(engine, sql)
    assert result.rows is None
    assert len(rows_of(result)) == 100
    # Looking up two keys is no less work than reading all 32 rows; four books have windows on days
    # 1 to 4.
    assert sum(each.rows for each in result.partitions if each.store == "days") == 16


def test_a_transaction_and_a_bound() -> None:
    engine, session = SqlEngine(FixedCatalog(*stores())), Session()
    statement = engine.prepare(JOIN, session)
    run(engine, "BEGIN", (), session)
    assert statement.look_up is not None
    assert statement.look_up((1,), session) is None
    assert run(engine, JOIN, (1,), session).rows is not None
    run(engine, "ROLLBACK", (), session)
    run(engine, "BEGIN ISOLATION LEVEL REPEATABLE READ", (), session)
    result = run(engine, JOIN, (1,), session)
    assert result.rows is None
    assert len(rows_of(result)) == 20
    run(engine, "ROLLBACK", (), session)
    waiting = Session(settings={"stategate.wait": "1s"})
    assert statement.look_up((1,), waiting) is None
    assert len(rows_of(run(engine, JOIN, (1,), waiting))) == 20
