"""Joins over tables: what fits is read into them first, and the rows are those of streams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import duckdb
import pyarrow as pa
import pytest

from stategate.planner.composing import tables
from stategate.planner.composing.database import OUT_OF_MEMORY, STREAM, DatabaseError, Definition
from stategate.planner.composing.local import LocalDatabase, LocalStatement
from stategate.planner.composing.local_relation import LocalRelation

SCHEMA = pa.schema([("k", pa.int64()), ("g", pa.int64()), ("v", pa.int64())])
ROWS = 2_000
JOIN = """
    SELECT count(*) AS n, sum(f.v) AS v FROM r0 f JOIN r1 x ON x.k = f.k + 1 AND x.g = f.g
    JOIN r2 y ON y.k = f.k - 1 AND y.g = f.g WHERE y.v > x.v
"""
"""Both x and y are compared with f by a key, and with each other by less."""


class Source:
    """A relation, and how often its batches were read."""

    def __init__(self, rows: int = ROWS, *, fails_after: int | None = None, why: str = "") -> None:
        self.scans, self.batches = 0, 0
        self._rows, self._fails_after, self._why = rows, fails_after, why

    def read(self) -> Iterator[pa.RecordBatch]:
        self.scans += 1
        for at in range(0, self._rows, 500):
            if self._fails_after is not None and at >= self._fails_after:
                raise RuntimeError(self._why)
            self.batches += 1
            k = range(at, min(at + 500, self._rows))
            columns = [list(k), [n // 1000 for n in k], [n * 7919 % 1000 for n in k]]
            yield pa.record_batch([pa.array(c, pa.int64()) for c in columns], schema=SCHEMA)

    def relation(self, *, is_whole: bool = False) -> LocalRelation:
        return LocalRelation(SCHEMA, self.read, is_whole=is_whole)


@pytest.fixture
def database() -> Iterator[LocalDatabase]:
    made = LocalDatabase(Definition(threads=1))
    yield made
    made.close()


def begun(database: LocalDatabase, sql: str, *sources: Source) -> LocalStatement:
    statement = database.statement(sql)
    relations = {f"r{n}": source.relation() for n, source in enumerate(sources)}
    statement.begin("", relations, {}, 100)
    return statement


def rows_of(statement: LocalStatement) -> list[dict[str, int]]:
    found: list[dict[str, int]] = []
    try:
        while (batch := statement.next()) is not None:
            found += batch.to_pylist()
    finally:
        statement.close()
    return found


def test_dimensions_that_are_compared_are_not_joined_before_the_facts(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = list[str]()

    def explained(cursor: duckdb.DuckDBPyConnection, given: Mapping[str, pa.Table]) -> None:
        tables.make_tables(cursor, given)
        plans.append(cursor.execute(f"EXPLAIN {JOIN}").fetchall()[0][1])

    monkeypatch.setattr("stategate.planner.composing.local.make_tables", explained)
    rows_of(begun(database, JOIN, *(Source() for _ in range(3))))
    _, last_join, first_join = plans[0].split("Hash Join")
    assert re.search("v [<>] v", last_join)
    assert not re.search("v [<>] v", first_join)


def test_tables_have_the_rows_of_streams(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [Source() for _ in range(3)]
    over_tables = rows_of(begun(database, JOIN, *sources))
    assert [source.scans for source in sources] == [1, 1, 1]
    monkeypatch.setattr(tables, "RELATIONS_MIN", 4)
    assert rows_of(begun(database, JOIN, *(Source() for _ in range(3)))) == over_tables
    assert over_tables[0]["n"] > 0


@pytest.mark.parametrize("bytes_max", [0, 30_000, 60_000, 100_000, 10**9])
def test_rows_that_were_read_in_vain_are_not_lost(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch, bytes_max: int
) -> None:
    expected = rows_of(begun(database, JOIN, *(Source() for _ in range(3))))
    monkeypatch.setattr(tables, "TABLES_BYTES_MAX", bytes_max)
    sources = [Source() for _ in range(3)]
    assert rows_of(begun(database, JOIN, *sources)) == expected
    assert [source.scans for source in sources] == [1, 1, 1]
    twice = "SELECT (SELECT count(*) FROM r0) + (SELECT count(*) FROM r0) + count(*) AS n FROM r1"
    assert rows_of(begun(database, twice, *(Source() for _ in range(3)))) == [{"n": 3 * ROWS}]


def test_a_long_relation_is_read_no_further_than_tables_may_be(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "TABLES_BYTES_MAX", 100_000)
    sources = [Source(10_000_000), Source(), Source()]
    statement = begun(database, "SELECT k FROM r0 LIMIT 3", *sources)
    assert len(rows_of(statement)) == 3
    assert sources[0].batches < 1_000


def test_a_statement_without_memory_for_tables_reads_streams(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = rows_of(begun(database, JOIN, *(Source() for _ in range(3))))

    def full(*_: object) -> None:
        raise duckdb.OutOfMemoryException

    monkeypatch.setattr("stategate.planner.composing.local.make_tables", full)
    assert rows_of(begun(database, JOIN, *(Source() for _ in range(3)))) == expected


@pytest.mark.parametrize(
    ("why", "kind"), [("partition 3 is lost", STREAM), ("out of memory: 5 B", OUT_OF_MEMORY)]
)
def test_a_relation_that_fails_while_it_is_read_ahead_ends_the_statement(
    database: LocalDatabase, why: str, kind: str
) -> None:
    with pytest.raises(DatabaseError, match=why.partition(":")[2] or why) as error:
        begun(database, JOIN, Source(), Source(fails_after=500, why=why), Source())
    assert error.value.kind == kind


def test_an_interrupted_statement_ends_before_its_tables_are_used(database: LocalDatabase) -> None:
    statement = database.statement(JOIN)
    source = Source()

    def interrupting() -> Iterator[pa.RecordBatch]:
        statement.interrupt()
        return source.read()

    relations = {f"r{n}": LocalRelation(SCHEMA, interrupting) for n in range(3)}
    with pytest.raises(DatabaseError, match="Interrupted"):
        statement.begin("", relations, {}, 100)
    statement.close()


def test_few_rows_stay_streams(database: LocalDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("stategate.planner.composing.local.make_tables", made)
    assert rows_of(begun(database, JOIN, *(Source(20) for _ in range(3))))
    assert rows_of(begun(database, "SELECT count(*) AS n FROM r0, r1", Source(), Source(1)))
