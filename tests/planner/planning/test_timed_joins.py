"""The law of joins by time: they give DuckDB's rows over all rows, whatever reads they use."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stategate.planner.planning.plan import Compose, QueryPlan
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.schema import Row, StoreKind, Value
from tests.planner.sides import Sides, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, timed, window

HALF_US = 1_800_000_000
HOUR_US = 2 * HALF_US
FLIGHTS = keyvalue(
    "flights",
    {"id": "integer"},
    {"city": "text", "at": "timestamptz", "until": "timestamptz", "n": "bigint"},
    partitions=2,
)
VALUE = {"n": "bigint", "seen": "timestamptz"}
HOURS = window("hours", {"city": "text"}, VALUE, partitions=2)
HOPS = window("hops", {"city": "text"}, VALUE, partitions=2)
"""Windows of one hour that start every half hour."""
GATES = window("gates", {"city": "text", "gate": "bigint"}, VALUE, partitions=2)
RECENT = window("recent", {"city": "text"}, VALUE, partitions=2, retention_ms=4 * 3_600_000)
"""Windows of which the first ones have expired."""
VISITS = timed(StoreKind.SESSION, "visits", {"city": "text"}, VALUE, partitions=2)
PRICES = timed(
    StoreKind.VERSIONED, "prices", {"city": "text"}, VALUE, partitions=2, retention_ms=1 << 40
)
SCHEMAS = (FLIGHTS, HOURS, HOPS, GATES, RECENT, VISITS, PRICES)
TIMES = {each.name: [c.name for c in each.time_columns] for each in SCHEMAS[1:]}
SEEDS = range(4)
CITIES: list[Value] = ["a", "b", "c"]
NUMBERS: list[Value] = [None, 0, 1, 2]
MOMENTS: list[Value] = [
    None,
    *(half * HALF_US for half in range(-1, 18)),
    *(hour * HOUR_US + by for hour in range(9) for by in (-1, 1, 500, HALF_US + 1000)),
]


def stores(seed: int) -> list[LocalStore]:
    random = Random(seed)
    opened = {schema.name: open_store(schema) for schema in SCHEMAS}

    def value() -> Row:
        return random.choice(NUMBERS), random.choice(MOMENTS)

    places: list[Value] = [None, *CITIES, "d"]
    flights = [
        (n, random.choice(places), *(random.choice(MOMENTS) for _ in range(2)), value()[0])
        for n in range(12)
    ]
    fill(opened["flights"], flights)
    for name, step_us, last in (("hours", HOUR_US, 8), ("hops", HALF_US, 16)):
        starts = [(c, n * step_us) for c in CITIES for n in range(last) if random.random() < 0.8]
        fill(opened[name], [(c, at, at + HOUR_US, *value()) for c, at in starts])
    gates = [(c, g, n * HOUR_US) for c in CITIES for g in (0, 1) for n in range(8)]
    fill(opened["gates"], [(c, g, at, at + HOUR_US, *value()) for c, g, at in gates])
    recent = opened["recent"]
    for epoch in range(2):
        starts = [(c, n * HOUR_US) for c in CITIES for n in range(4 * epoch, 4 * epoch + 4)]
        rows = [(c, at, at + HOUR_US, *value()) for c, at in starts]
        fill(recent, rows, epoch=epoch, times_us=[at for _, at in starts])
    spans = {(c, random.choice(MOMENTS[1:]), random.choice(MOMENTS[1:])) for c in CITIES * 6}
    fill(opened["visits"], [(c, min(a, b), max(a, b), *value()) for c, a, b in sorted(spans)])
    since = sorted({(c, random.choice(MOMENTS[1:])) for c in CITIES * 5}, key=lambda each: each[1])
    fill(opened["prices"], [(c, *value()) for c, _ in since], times_us=[at for _, at in since])
    return list(opened.values())


def sides(seed: int) -> Sides:
    """Return the engine, and DuckDB with all rows that the stores hold, in tables."""
    opened = stores(seed)
    catalog = FixedCatalog(*opened)
    bulk = SqlEngine(catalog, limits=EngineLimits(few_rows=False))
    plain = duckdb.connect(":memory:")
    plain.execute("SET TimeZone = 'UTC'")
    plain.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
    for schema in SCHEMAS:
        result = run(bulk, f"SELECT * FROM {schema.name}")
        listed = zip(*rows_of(result), strict=True)
        arrays = [
            physical_array(values, column.type)
            for values, column in zip(listed, result.columns, strict=True)
        ]
        names = [column.name for column in result.columns]
        plain.register("whole", pa.Table.from_arrays(arrays, names=names))
        plain.execute(f'CREATE TABLE "{schema.name}" AS SELECT * FROM whole')
        plain.unregister("whole")
    return Sides(SqlEngine(catalog), plain, bulk, opened)


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[Sides]]:
    made = [sides(seed) for seed in SEEDS]
    yield made
    for each in made:
        each.close()


@st.composite
def limits(draw: st.DrawFn, store: str) -> str:
    """Return a condition on a time of `t`, mostly by a column of `f`."""
    start, end = TIMES[store]
    own, theirs = draw(st.sampled_from([start, end])), draw(st.sampled_from(["at", "until"]))
    sign = draw(st.sampled_from(["<", "<=", ">", ">=", "="]))
    hour = draw(st.integers(0, 8))
    forms = [
        f"t.{own} {sign} f.{theirs}",
        f"f.{theirs} {sign} t.{own}",
        f"t.{own} {sign} f.{theirs}",
        f"t.{start} <= f.{theirs} AND f.{theirs} < t.{end}",
        f"f.{theirs} BETWEEN t.{start} AND t.{end}",
        f"t.{own} BETWEEN f.at AND f.until",
        f"t.{own} {sign} timestamptz '1970-01-01 0{hour}:00+00'",
        f"t.{own} <> f.{theirs}",
        f"t.seen {sign} f.{theirs}",
        f"t.n {sign} f.n",
        f"t.{own} + interval '1 hour' {sign} f.{theirs}",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def statements(draw: st.DrawFn) -> str:
    store = draw(st.sampled_from(sorted(TIMES)))
    start, end = TIMES[store]
    key = draw(st.sampled_from(["t.city = f.city"] * 4 + ["t.city = 'a'", "t.city >= f.city"]))
    if store == "gates":
        key += draw(st.sampled_from([" AND t.gate = f.n", " AND t.gate = 1", ""]))
    on = [key, *draw(st.lists(limits(store), min_size=1, max_size=3))]
    where = draw(
        st.lists(
            st.sampled_from(
                [
                    "f.id = 3",
                    "f.id IN (1, 2, 3, 5)",
                    "f.n = 1",
                    "f.id >= 4",
                    "t.n = 1",
                    "f.n IS NULL",
                ]
            ),
            max_size=2,
        )
    )
    form = draw(st.sampled_from(["join", "join", "left", "comma", "turned", "third", "exists"]))
    items = draw(st.sampled_from([f"f.id, t.{start}, t.n", f"t.{end}, f.at", "*", "count(*)"]))
    if form == "exists":
        within = " AND ".join([*on, *(each for each in where if "t." in each)])
        beyond = "".join(f" AND {each}" for each in where if "t." not in each)
        query = f"SELECT 1 FROM {store} t WHERE {within}"
        return f"SELECT f.id, f.at FROM flights f WHERE EXISTS ({query}){beyond}"
    if form == "comma":
        return f"SELECT {items} FROM flights f, {store} t WHERE {' AND '.join(on + where)}"
    tail = f" WHERE {' AND '.join(where)}" if where else ""
    both, condition = f"flights f JOIN {store} t", " AND ".join(on)
    if form == "left":
        both = f"flights f LEFT JOIN {store} t"
    if form == "turned":
        both = f"{store} t JOIN flights f"
    if form == "third":
        more = draw(st.sampled_from(["", f" AND g.at >= t.{start}", " AND g.until < f.at"]))
        side = draw(st.sampled_from(["", "LEFT "]))
        condition += f" {side}JOIN flights g ON g.id = t.n{more}"
    sql = f"SELECT {items} FROM {both} ON {condition}{tail}"
    if items.startswith("f.id") and draw(st.booleans()):
        sql += " ORDER BY 1, 2, 3" + draw(st.sampled_from(["", " LIMIT 3", " LIMIT 4 OFFSET 1"]))
    return sql


@given(seed=st.sampled_from(SEEDS), sql=statements())
@settings(max_examples=2 * settings().max_examples)
def test_joins_by_time_give_duckdbs_rows(worlds: list[Sides], seed: int, sql: str) -> None:
    world = worlds[seed]
    plan = world.engine.prepare(sql, Session()).plan
    assert isinstance(plan, QueryPlan)
    if plan.join is not None:
        event("a read for each row" if any(s.times for s in plan.join.steps) else "a row join")
    elif isinstance(plan.node, Compose):
        event("a timed link" if any(link.times for link in plan.node.links) else "DuckDB")
    ours, theirs = world.ours(sql), world.theirs(sql)
    if "ORDER BY" in sql:
        assert ours == theirs
    else:
        assert ordered(ours) == ordered(theirs)
