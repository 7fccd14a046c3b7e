"""Inputs of DuckDB with few rows become one batch; a statement with many rows rarely tries."""

from __future__ import annotations

from decimal import Decimal

import pytest

from stategate.planner.composing import remote
from stategate.planner.composing.messages import SentRelation
from stategate.planner.planning.plan import Compose, QueryPlan
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.spec.query import BatchStream
from stategate.stores.spec.schema import Row, Value
from tests.planner.sides import ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

VALUES: dict[str, Value] = {
    "boolean": True,
    "tinyint": -128,
    "smallint": -2,
    "integer": 3,
    "bigint": -(1 << 63),
    "real": 0.5,
    "double": -0.0,
    "decimal(18,4)": Decimal("-1.5000"),
    "decimal(38,10)": Decimal("1234567890.0123456789"),
    "text": "é",
    "macaddr": "08:00:2b:01:02:03",
    "bytea": b"\x00\xff",
    "date": -1,
    "timestamp": 1_372_809_600_000_001,
    "timestamptz": -1,
    "time": 86_399_999_999,
    "interval": (1, -2, 3),
    "json": '{"a": [1]}',
    "uuid": "00000000-0000-0000-0000-000000000001",
    "timestamp[]": [1, None, -1],
    "struct(a integer, b date)": {"a": 1, "b": 2},
    "map(text, decimal(4,2))": [("x", Decimal("1.25"))],
}
TYPED = keyvalue("typed", {"k": "integer"}, {f"c{at}": name for at, name in enumerate(VALUES)})
COUNTED = keyvalue("counted", {"k": "text", "n": "integer"}, {"v": "bigint"})
MANY = 2_000
FEW = "SELECT k || '!', n + 1, v FROM counted WHERE k = 'b'"
LONG = "SELECT k || '!', n + 1, v FROM counted WHERE k = 'a'"


@pytest.fixture(scope="module")
def catalog() -> FixedCatalog:
    typed, counted = open_store(TYPED), open_store(COUNTED)
    fill(typed, [(0, *VALUES.values()), (1, *[None] * len(VALUES))])
    fill(counted, [("a", n, n) for n in range(MANY)] + [("b", n, -n) for n in range(7)])
    return FixedCatalog(typed, counted)


@pytest.fixture
def engine(catalog: FixedCatalog) -> SqlEngine:
    return SqlEngine(catalog)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of batches of each input that were sent with the statement."""
    found: list[int] = []

    def counted(name: str, schema: bytes, sizes: tuple[int, ...], is_whole: bool) -> SentRelation:
        found.append(len(sizes))
        return SentRelation(name, schema, sizes, is_whole)

    monkeypatch.setattr(remote, "SentRelation", counted)
    return found


def test_values_of_every_type_are_those_of_batches(catalog: FixedCatalog) -> None:
    names = ", ".join(column.name for column in TYPED.value)
    sql = f"SELECT abs(k), {names} FROM typed WHERE k IN (0, 1, 2)"
    batches = SqlEngine(catalog, limits=EngineLimits(few_rows=False))
    assert repr(ordered(rows_of(run(SqlEngine(catalog), sql)))) == repr(
        ordered(rows_of(run(batches, sql)))
    )


@pytest.mark.parametrize(
    ("sql", "batches"),
    [
        (FEW, 1),
        ("SELECT k || '!' FROM counted WHERE k IN ('a', 'b', 'c') AND n IN (1, 2, 3)", 1),
        ("SELECT k || '!' FROM counted WHERE k = 'nothing'", 0),
        ("SELECT k || '!' FROM counted WHERE k >= 'b' ORDER BY k, n LIMIT 3", 1),
    ],
)
def test_few_rows_are_one_batch(engine: SqlEngine, sent: list[int], sql: str, batches: int) -> None:
    found = run(engine, sql)
    rows_of(found)
    assert sent == [batches]
    assert all(answer.status == "ok" for answer in found.partitions)


def test_rows_read_are_counted_once(engine: SqlEngine) -> None:
    found = run(engine, FEW)
    assert len(rows_of(found)) == 7
    assert sum(answer.rows for answer in found.partitions) == 7
    twice = run(engine, f"{FEW} UNION ALL {FEW}")
    assert len(rows_of(twice)) == 14
    assert sum(answer.rows for answer in twice.partitions) == 14


def test_many_rows_are_not_tried_each_time(
    engine: SqlEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[BatchStream] = []
    first_rows = BatchStream.first_rows

    def tried(stream: BatchStream, count: int, *, until_s: float) -> list[Row] | None:
        tries.append(stream)
        return first_rows(stream, count, until_s=until_s)

    monkeypatch.setattr(BatchStream, "first_rows", tried)
    session = Session()
    statement = engine.prepare(LONG, session)
    assert isinstance(statement.plan, QueryPlan)
    assert isinstance(statement.plan.node, Compose)
    counts = []
    for _ in range(8):
        tries.clear()
        result = engine.execute(statement, statement.literals, session, cancellation=Cancellation())
        assert len(rows_of(result)) == MANY
        counts.append(bool(tries))
    assert counts == [True, False, True, False, False, False, True, False]
