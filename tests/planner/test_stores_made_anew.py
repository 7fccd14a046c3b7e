"""A store that is dropped and made anew: no answer of the old one is given for the new one."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.planner.engine import Statement
from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Row, StoreSchema
from tests.planner.sides import looked_up, rows_of
from tests.support.hosts import CLICKS, counts, has_epoch, running, write
from tests.support.waiting import until

STATEMENTS: dict[str, list[Row]] = {
    "SELECT n FROM clicks WHERE usr = 'u1'": [("n",)],
    "SELECT usr, n FROM clicks WHERE usr IN ('u1', 'u2') ORDER BY usr": [("u1", "n"), ("u2", "n")],
    "SELECT usr, n FROM clicks ORDER BY usr LIMIT 1": [("u0", "n")],
    "SELECT min(n), max(n), count(*) FROM clicks": [("n", "n", 10)],
    "SELECT a.n, b.n FROM clicks a JOIN clicks b ON a.usr = b.usr WHERE a.usr = 'u1'": [("n", "n")],
    "SELECT DISTINCT max(n) OVER () FROM clicks": [("n",)],
}
"""Each with its rows, in which "n" stands for the number that all rows have."""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stategate.stores.hosting.follower._REFRESH_S", 0.02)
    monkeypatch.setattr("stategate.stores.hosting.follower._BACKOFF_S", 0.01)
    monkeypatch.setattr("stategate.stores.hosting.schedule._LOCAL_MAX_S", 0.02)


def expected(sql: str, n: int) -> list[Row]:
    return [tuple(n if value == "n" else value for value in row) for row in STATEMENTS[sql]]


def answers(engine: SqlEngine, statement: Statement) -> list[list[Row]]:
    """Return the answer of each way in which a statement can be run."""
    session = Session()
    fast = looked_up(statement, (), session)
    result = engine.execute(statement, (), session, cancellation=Cancellation(30))
    return [rows_of(result), *([] if fast is None else [list(fast)])]


@pytest.mark.parametrize(("epochs", "partitions"), [(1, 2), (2, 2), (3, 2), (2, 3)])
def test_kept_plans_and_answers_are_of_the_new_store(
    tmp_path: Path, epochs: int, partitions: int
) -> None:
    """The new store has the same definition or another one, and is shorter, as long or longer."""
    root = tmp_path / "log"
    write(root, n=0)
    write(root, n=1)
    with running(root, tmp_path / "data") as host:
        until(lambda: has_epoch(host, 1))
        engine, session = SqlEngine(host), Session()
        try:
            prepared = {sql: engine.prepare(sql, session) for sql in STATEMENTS}
            for _ in range(4):
                for sql, statement in prepared.items():
                    assert all(each == expected(sql, 1) for each in answers(engine, statement))
            given = engine.kept_answers_given()
            assert given > 0
            shutil.rmtree(root / "clicks")
            for n in range(100, 100 + epochs):
                write(root, n=n, schema=replace(CLICKS, partitions=partitions))
            newest = 99 + epochs
            until(lambda: counts(host) == {newest})
            for _ in range(4):
                for sql, statement in prepared.items():
                    found = answers(engine, statement)
                    assert all(each == expected(sql, newest) for each in found), sql
                    again = answers(engine, engine.prepare(sql, session))
                    assert all(each == expected(sql, newest) for each in again), sql
            assert engine.kept_answers_given() > given
        finally:
            engine.close()


def test_a_column_that_is_gone_is_an_error(tmp_path: Path) -> None:
    root = tmp_path / "log"
    write(root, n=0)
    with running(root, tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        engine = SqlEngine(host)
        try:
            prepared = [engine.prepare(sql, Session()) for sql in STATEMENTS]
            shutil.rmtree(root / "clicks")
            renamed = replace(CLICKS, value=(replace(CLICKS.value[0], name="m"),))
            write_renamed(root, renamed)
            until(lambda: host.stores["clicks"].schema.value == renamed.value)
            until(lambda: has_epoch(host, 0))
            for statement in prepared:
                with pytest.raises(QueryError) as caught:
                    answers(engine, statement)
                assert caught.value.sqlstate == "42703"
        finally:
            engine.close()


def write_renamed(root: Path, schema: StoreSchema) -> None:
    rows = pa.table({"usr": ["u1"], schema.value[0].name: [1]})
    StoreWriter(root, schema).write(rows, position=Position.of({"events": {0: 5}}))
