"""The rows of `stategate.queries` and `stategate.settings`."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from tests.planner.sides import rows_of
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

LISTED = "SELECT username, sql FROM stategate.queries ORDER BY number"
SCAN = "SELECT v FROM state"


@pytest.fixture
def store() -> LocalStore:
    store = open_store(keyvalue("state", {"k": "text"}, {"v": "bigint"}))
    fill(store, [("a", 1), ("b", 2)])
    return store


@pytest.fixture
def engine(store: LocalStore) -> SqlEngine:
    limits = EngineLimits(few_rows=False)  # otherwise its rows would be read at once
    return SqlEngine(FixedCatalog(store), limits=limits, clock=lambda: 1_000)


def begin(engine: SqlEngine, sql: str, session: Session | None = None) -> Result:
    session = session or Session(user="joe")
    statement = engine.prepare(sql, session)
    return engine.execute(statement, (), session, cancellation=Cancellation())


def listed(engine: SqlEngine, user: str = "joe") -> list[Row]:
    return rows_of(begin(engine, LISTED, Session(user=user)))


def test_a_statement_is_listed_until_it_is_read(engine: SqlEngine) -> None:
    scan = begin(engine, SCAN)
    assert listed(engine) == [("joe", SCAN), ("joe", LISTED)]
    assert len(rows_of(scan)) == 2
    assert listed(engine) == [("joe", LISTED)]


def test_a_statement_is_listed_until_its_result_is_closed(engine: SqlEngine) -> None:
    begin(engine, SCAN).close()
    assert listed(engine) == [("joe", LISTED)]


def test_a_statement_is_listed_until_it_fails(engine: SqlEngine, store: LocalStore) -> None:
    store.close()
    with pytest.raises(QueryError):
        begin(engine, SCAN)
    assert listed(engine) == [("joe", LISTED)]


def test_lookups_are_not_listed(engine: SqlEngine) -> None:
    rows_of(begin(engine, "SELECT v FROM state WHERE k = 'a'"))
    assert listed(engine) == [("joe", LISTED)]


def test_the_text_of_another_user_is_hidden(engine: SqlEngine) -> None:
    scan = begin(engine, SCAN)
    assert listed(engine, "ann") == [("joe", None), ("ann", LISTED)]
    scan.close()


def test_times_are_those_of_the_clock(store: LocalStore) -> None:
    now_ms = 1_000
    limits = EngineLimits(few_rows=False)
    engine = SqlEngine(FixedCatalog(store), limits=limits, clock=lambda: now_ms)
    scan = begin(engine, SCAN)
    now_ms = 3_500
    sql = "SELECT started, elapsed_ms FROM stategate.queries ORDER BY number LIMIT 1"
    assert rows_of(begin(engine, sql)) == [(1_000_000, 2_500)]
    scan.close()


def test_settings_are_those_of_the_session(engine: SqlEngine) -> None:
    session = Session()
    session.set("stategate.wait", "2s")
    sql = "SELECT name, value, default_value FROM stategate.settings"
    found = {row[0]: row[1:] for row in rows_of(begin(engine, sql, session))}
    assert found["stategate.wait"] == ("2s", "0")
    assert found["stategate.consistency"] == ("eventual", "eventual")
