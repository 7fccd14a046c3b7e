"""Few keys that are looked up together, in the caller's thread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp
from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import QueryResult
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import DEFAULT_CONFIG, QueryConfig
from tests.planner.faults import FaultyStore, failure
from tests.planner.sides import build, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

R = TypeVar("R")

AGES = keyvalue("ages", {"name": "text"}, {"age": "integer", "city": "text"}, partitions=3)
ROWS: list[Row] = [("ann", 30, "Oslo"), ("bob", None, "Rome"), ("cid", 20, None), (None, 5, "Bern")]


def look_up(sql: str, parameters: Row = (), session: Session | None = None) -> LookedUp:
    return look_up_in(AGES, ROWS, sql, parameters, session)


def look_up_in(
    schema: StoreSchema, rows: Sequence[Row], sql: str, parameters: Row, session: Session | None
) -> LookedUp:
    store = open_store(schema)
    fill(store, rows)
    session = session or Session()
    statement = SqlEngine(FixedCatalog(store)).prepare(sql, session)
    assert statement.look_up is not None
    found = statement.look_up(statement.literals or parameters, session)
    assert found is not None
    return found


def test_each_partition_is_reported_once_with_its_rows() -> None:
    session = Session()
    found = look_up("SELECT age FROM ages WHERE name IN ('ann', 'bob', 'no', 'cid')", (), session)
    route = partitioner(AGES.key, AGES.partitions)
    names = ["ann", "bob", "no", "cid"]
    assert sorted(found.rows, key=str) == [(20,), (30,), (None,)]
    assert sorted((partition, rows) for _, partition, _, rows in found.reads) == [
        (partition, sum(route((name,)) == partition for name in names if name != "no"))
        for partition in sorted({route((name,)) for name in names})
    ]
    assert session.seen == found.position


@pytest.mark.parametrize(
    ("where", "parameters"),
    [
        ("name IN ($1, $2)", ("ann", None)),
        ("name IN ($1, $2)", ("ann", "ann")),
        ("name = $1 OR name IS NULL", ("ann",)),
        ("name IN ('ann', 'cid', $1) AND age > $2", ("bob", 20)),
        ("name IN ('ann', 'bob') AND city IN ('Rome', $1)", ("Bern",)),
        ("name = ANY($1)", (["ann", None, "cid", "ann"],)),
        ("name IN ('ann', 'bob', 'cid') AND _partition = $1", (1,)),
    ],
)
@pytest.mark.parametrize(
    "select",
    [
        "SELECT * FROM ages WHERE {}",
        "SELECT city, name FROM ages WHERE {} ORDER BY name DESC LIMIT 2",
        "SELECT count(*), max(age) FROM ages WHERE {}",
        "SELECT DISTINCT city FROM ages WHERE {}",
    ],
)
def test_keys_are_looked_up_as_duckdb_finds_them(select: str, where: str, parameters: Row) -> None:
    sides = build([AGES], {"ages": ROWS})
    # `ours` checks the lookup, the row path and DuckDB against each other.
    sides.ours(select.format(where), parameters)


@pytest.mark.parametrize("key", ["double", "real"])
@pytest.mark.parametrize("where", ["x = $1", "x IN ($1, '2')"])
def test_a_key_is_shown_as_it_is_stored(key: str, where: str) -> None:
    schema = keyvalue("points", {"x": key}, {"y": "integer"})
    sql = f"SELECT x, y FROM points WHERE {where}"
    found = look_up_in(schema, [(0.0, 1)], sql, (-0.0,), None)
    ((x, y),) = found.rows
    assert isinstance(x, float)
    assert (math.copysign(1, x), y) == (1, 1)


# --- laws ----------------------------------------------------------------------------------------

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint", "even": "boolean"})
PAIRS = keyvalue("pairs", {"a": "text", "k": "text"}, {"n": "bigint", "even": "boolean"})
KEYS: dict[str, list[Row]] = {
    COUNTS.name: [(k,) for k in "abcdef"],
    PAIRS.name: [(a, k) for a in "abcdef" for k in "abcdef"],
}
WHERE = {COUNTS.name: "k IN ($1, $2, $3, $4)", PAIRS.name: "a IN ($1, $2) AND k IN ($3, $4)"}
SCHEMAS = st.sampled_from([COUNTS, PAIRS])
ASKED = st.tuples(*[st.sampled_from([None, *"abcdefgh"])] * 4)
ITEMS = st.sampled_from(["*", "n, k", "count(*), sum(n)", "DISTINCT even"])
MORE = st.sampled_from(
    [
        "",
        " AND even",
        " AND n > -1",
        " AND n > -1 AND n <= 3 AND even IS NOT NULL",
        " AND n IN (0, 4, NULL)",
        " AND (n, even) IN ((4, true), (5, false))",
        " AND (k, n) IN (('a', 4), ('b', 4), ('c', 5))",
        " AND k > 'b'",
        " AND _partition IN (0, 2)",
    ]
)


@dataclass(frozen=True)
class Sides:
    """Two engines over the same stores; one has no fast lookups of few rows."""

    catalog: FixedCatalog
    engine: SqlEngine
    bulk: SqlEngine


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    catalog = FixedCatalog()
    bulk = SqlEngine(catalog, limits=EngineLimits(few_rows=False))
    found = Sides(catalog, SqlEngine(catalog), bulk)
    yield found
    found.engine.close()
    bulk.close()


def write(store: LocalStore, epoch: int) -> None:
    """Write the number of an epoch into all rows."""
    keys = KEYS[store.schema.name]
    fill(store, [(*key, epoch, epoch % 2 == 0) for key in keys], epoch=epoch)


@given(
    SCHEMAS,
    ITEMS,
    MORE,
    ASKED,
    st.dictionaries(st.integers(0, 2), st.sampled_from(FailureReason), max_size=1),
)
def test_a_lookup_gives_the_answer_of_its_statement_even_if_partitions_fail(
    sides: Sides,
    schema: StoreSchema,
    items: str,
    more: str,
    asked: Row,
    failing: dict[int, FailureReason],
) -> None:
    store = open_store(schema)
    write(store, 4)
    failures = {n: failure(why) for n, why in failing.items()}
    sides.catalog.replace(FaultyStore(store, failures=failures))
    session, other = Session(), Session()
    sql = f"SELECT {items} FROM {schema.name} WHERE {WHERE[schema.name]}{more}"
    statement = sides.engine.prepare(sql, session)
    assert statement.look_up is not None
    found = statement.look_up(asked, session)
    try:
        result = run(sides.bulk, sql, asked, other)
    except QueryError:
        assert found is None
        assert failing
        assert session.seen.is_empty
        return
    if found is None:
        assert (
            "_partition" in more
        )  # the result is read as a stream, and these streams give batches only
        return
    assert ordered(rows_of(result)) == ordered(list(found.rows))
    assert list(found.reads) == [(a.store, a.partition, a.epoch, a.rows) for a in result.partitions]
    assert (found.position, session.seen) == (result.position, other.seen)


class MovingStore(LocalStore):
    """A store that goes on to its next epoch after each query."""

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        answer = super().query_partition(partition, query, config)
        write(self, self.committed_epoch() + 1)
        return answer


@given(SCHEMAS, MORE, ASKED)
def test_all_keys_of_a_partition_are_of_one_epoch(
    sides: Sides, schema: StoreSchema, more: str, asked: Row
) -> None:
    """Each row has the number of its epoch."""
    store = MovingStore(schema, open_store(schema).replicas)
    write(store, 0)
    columns = ", ".join(column.name for column in (*schema.key, schema.value[0]))
    sql = f"SELECT {columns} FROM {schema.name} WHERE {WHERE[schema.name]}{more}"
    sides.catalog.replace(store)
    session = Session()
    statement = sides.engine.prepare(sql, session)
    assert statement.look_up is not None
    found = statement.look_up(asked, session)
    assert found is not None
    epochs = {partition: epoch for _, partition, epoch, _ in found.reads}
    route = partitioner(schema.key, schema.partitions)
    assert all(epochs[route(row[:-1])] == row[-1] for row in found.rows)
    assert len(epochs) == len(found.reads)


@given(SCHEMAS, ASKED)
def test_a_snapshot_is_not_looked_up(sides: Sides, schema: StoreSchema, asked: Row) -> None:
    store = open_store(schema)
    write(store, 0)
    sql = f"SELECT n FROM {schema.name} WHERE {WHERE[schema.name]}"
    sides.catalog.replace(store)
    engine, session = sides.engine, Session()
    statement = engine.prepare(sql, session)
    run(engine, "BEGIN ISOLATION LEVEL REPEATABLE READ", (), session)
    before = rows_of(run(engine, sql, asked, session))
    write(store, 1)
    assert statement.look_up is not None
    assert statement.look_up(asked, session) is None
    assert rows_of(run(engine, sql, asked, session)) == before
    assert {n for (n,) in before} <= {0}
    run(engine, "ROLLBACK", (), session)
    found = statement.look_up(asked, session)
    assert found is not None
    assert list(found.rows) == [(1,)] * len(before)
