"""Statements that real clients send, with more types and errors than people write by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from stategate.planner.errors import InvalidValueError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.catalog_types import OID
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import DataType, Kind
from tests.planner.sides import rows_of, run
from tests.planner.world import world
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

UUID_OF_ONE = "00000000-0000-0000-0000-000000000001"


def test_exists_in_the_select_list() -> None:
    """SQLAlchemy's `select(exists())`: a SELECT without FROM that still reads a store."""
    sql = "SELECT EXISTS (SELECT * FROM orders WHERE orders.name = '{}') AS anon_1"
    engine = world().engine
    assert rows_of(run(engine, sql.format("ann"))) == [(True,)]
    assert rows_of(run(engine, sql.format("zoe"))) == [(False,)]


def test_a_numeric_parameter_without_precision() -> None:
    """Drivers send numeric without precision and scale."""
    numeric = DataType(kind=Kind.DECIMAL)
    engine, session = world().engine, Session()
    sql = "SELECT count(*) FROM orders WHERE amount < $1"
    statement = engine.prepare(sql, session, parameter_types=[numeric])
    for value, count in ((Decimal("5.0001"), 4), (Decimal(5), 3), (Decimal("-1"), 0)):
        result = engine.execute(statement, (value,), session, cancellation=Cancellation(60))
        assert rows_of(result) == [(count,)]


def test_uuids_stay_uuids_where_duckdb_composes() -> None:
    """DuckDB reads them as text, but a client that copies in binary relies on the declared type."""
    store = open_store(keyvalue("devices", {"id": "bigint"}, {"device": "uuid", "n": "bigint"}))
    fill(store, [(1, UUID_OF_ONE, 1), (2, None, 2)])
    engine = SqlEngine(FixedCatalog(store))
    statement = engine.prepare("SELECT device, abs(n) FROM devices ORDER BY abs(n)", Session())
    assert [str(column.type) for column in statement.columns] == ["uuid", "bigint"]
    found = engine.execute(statement, (), Session(), cancellation=Cancellation(60))
    assert rows_of(found) == [(UUID_OF_ONE, 1), (None, 2)]


def test_an_error_after_the_first_batch_is_reported_like_one_before_it() -> None:
    store = open_store(keyvalue("numbers", {"id": "bigint"}, {"n": "bigint"}))
    fill(store, [(number, number) for number in range(20_000)])
    engine = SqlEngine(FixedCatalog(store))
    with pytest.raises(InvalidValueError, match="division by zero") as caught:
        rows_of(run(engine, "SELECT x FROM (SELECT 1 / (n - 19999) AS x FROM numbers) AS q"))
    assert caught.value.sqlstate == "22012"


def test_oids_of_parameters_are_reported() -> None:
    """asyncpg encodes values by oid, and knows only this array of numbers without the catalog."""
    engine = world().engine
    statement = engine.prepare("SELECT 1 FROM pg_type WHERE oid = ANY ($1::oid[])", Session())
    assert statement.parameters == (DataType(kind=Kind.ARRAY, element=OID),)
