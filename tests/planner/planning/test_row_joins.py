"""The law of row joins: they give the rows that DuckDB gives, or decline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stategate.planner.planning.plan import QueryPlan
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import Row, Value
from tests.planner.sides import looked_up, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, window

HOUR_US = 3_600_000_000
PEOPLE = keyvalue(
    "people", {"id": "integer"}, {"boss": "bigint", "city": "text", "f": "double"}, partitions=2
)
CITIES = keyvalue("cities", {"city": "text"}, {"mayor": "smallint", "size": "bigint"}, partitions=2)
VISITS = keyvalue(
    "visits", {"city": "text", "id": "bigint"}, {"size": "bigint", "f": "double"}, partitions=2
)
HOURS = window("hours", {"city": "text"}, {"id": "integer", "n": "bigint"}, partitions=2)
SCHEMAS = (PEOPLE, CITIES, VISITS, HOURS)
COLUMNS = {
    "people": ("id", "boss", "city"),
    "cities": ("city", "mayor", "size"),
    "visits": ("city", "id", "size"),
    "hours": ("city", "id", "n", "window_start"),
}
NUMBERS = {"people": ("id", "boss"), "cities": ("mayor", "size"), "visits": ("id", "size")}
NUMBERS["hours"] = ("id", "n")


IDS: list[Value] = [None, -1, 0, 1, 2]
TEXTS: list[Value] = [None, "", "a", "b"]
BIG: list[Value] = [None, -1, 0, 1, 2, 1 << 40]
FLOATS: list[Value] = [None, 0.0, -0.0, 1.5]
SEEDS = range(6)


def tables(seed: int) -> dict[str, list[Row]]:
    """Return small tables with NULLs and duplicates; each is empty for one of the seeds."""
    random = Random(seed)

    def table(key: list[list[Value]], *value: list[Value]) -> list[Row]:
        keys = [tuple(random.choice(each) for each in key) for _ in range(8)]
        return [(*key, *map(random.choice, value)) for key in dict.fromkeys(keys)]

    hours = table([["", "a", "b"], [0, 1, 2, 3]], IDS, BIG)
    found = {
        "people": table([IDS], BIG, TEXTS, FLOATS),
        "cities": table([TEXTS], IDS, BIG),
        "visits": table([TEXTS, BIG], BIG, FLOATS),
        "hours": [(c, h * HOUR_US, (h + 1) * HOUR_US, *rest) for c, h, *rest in hours],
    }
    if seed < len(found):
        found[sorted(found)[seed]] = []
    return found


@st.composite
def conditions(draw: st.DrawFn, alias: str, store: str) -> str:
    number, value = draw(st.sampled_from(NUMBERS[store])), draw(st.integers(-1, 2))
    forms = [
        f"{alias}.{number} = {value}",
        f"{alias}.{number} >= {value}",
        f"{alias}.{number} IN ({value}, 0)",
        f"{alias}.{number} <> {value}",
        f"{alias}.{number} IS NOT NULL",
        f"{alias}.{number} IS NULL",
        f"{alias}.city = 'a'",
        f"({alias}.city = 'b' OR {alias}.{number} = {value})",
        f"{alias}.{number} + 1 = 2",
    ]
    if store == "hours":
        forms += [f"{alias}.window_start >= '1970-01-01 0{value + 1}:00+00'"] * 3
    return draw(st.sampled_from(forms))


@st.composite
def equalities(draw: st.DrawFn, one: tuple[str, str], other: tuple[str, str]) -> str:
    (alias, store), (beside, theirs) = one, other
    if draw(st.booleans()):
        return f"{alias}.city = {beside}.city"
    numbers = draw(st.sampled_from(NUMBERS[store])), draw(st.sampled_from(NUMBERS[theirs]))
    return f"{alias}.{numbers[0]} = {beside}.{numbers[1]}"


@st.composite
def comparisons(draw: st.DrawFn, one: tuple[str, str], other: tuple[str, str]) -> str:
    (alias, store), (beside, theirs) = one, other
    sign = draw(st.sampled_from(["<", "<=", ">", ">=", "<>"]))
    if draw(st.booleans()):
        return f"{alias}.city {sign} {beside}.city"
    numbers = draw(st.sampled_from(NUMBERS[store])), draw(st.sampled_from(NUMBERS[theirs]))
    if draw(st.integers(0, 3)) == 0:
        low, high = (f"{beside}.{draw(st.sampled_from(NUMBERS[theirs]))}" for _ in range(2))
        return f"{alias}.{numbers[0]} BETWEEN {low} AND {high}"
    return f"{alias}.{numbers[0]} {sign} {beside}.{numbers[1]}"


@st.composite
def statements(draw: st.DrawFn) -> str:
    stores = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=4))
    named = list(zip("abcd", stores, strict=False))
    clauses, where = [f"{stores[0]} a"], list[str]()
    for at, (alias, store) in enumerate(named[1:], start=1):
        other = draw(st.sampled_from(named[:at]))
        equal = [draw(equalities((alias, store), other))]
        if draw(st.integers(0, 3)) == 0:
            equal.append(draw(equalities(draw(st.sampled_from(named[:at])), (alias, store))))
        if draw(st.integers(0, 3)) == 0:
            equal.append(draw(comparisons(draw(st.sampled_from(named[:at])), (alias, store))))
        word = draw(st.sampled_from([" JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN ", " INNER JOIN "]))
        if draw(st.integers(0, 3)) == 0:
            equal.append(draw(conditions(*draw(st.sampled_from(named[: at + 1])))))
        if len(named) == 2 and draw(st.integers(0, 4)) == 0:
            clauses.append(f", {store} {alias}")
            where += equal
        else:
            clauses.append(f"{word}{store} {alias} ON {' AND '.join(equal)}")
    where += draw(st.lists(st.one_of([conditions(*each) for each in named]), max_size=2))
    columns = [f"{alias}.{name}" for alias, store in named for name in COLUMNS[store]]
    items = draw(st.lists(st.sampled_from(columns), unique=True, min_size=1, max_size=4))
    tail, word = f" WHERE {' AND '.join(where)}" if where else "", ""
    form = draw(st.sampled_from(["rows", "rows", "star", "distinct", "groups", "all"]))
    if form == "star":
        items = ["*"] if draw(st.booleans()) else ["a.*", items[0], "b.*"]
    if form == "distinct":
        word = "DISTINCT "
    if form in {"groups", "all"}:
        keys, items = items, [] if form == "all" else items
        number = draw(st.sampled_from([c for c in columns if not c.endswith(("city", "start"))]))
        items = [*items, "count(*)", f"count({keys[0]})", f"sum({number})", f"max({number})"]
        tail += "" if form == "all" else f" GROUP BY {', '.join(keys)}"
    if form != "star" and draw(st.booleans()):
        # Rows are ordered by every output, so that rows among which LIMIT chooses are equal.
        terms = draw(st.permutations(range(1, len(items) + 1)))
        tail += f" ORDER BY {', '.join(map(str, terms))}"
        tail += draw(st.sampled_from(["", " LIMIT 3", " LIMIT 2 OFFSET 1"]))
    return f"SELECT {word}{', '.join(items)} FROM {''.join(clauses)}{tail}"


@pytest.fixture(scope="module")
def planning() -> Iterator[SqlEngine]:
    with closing(SqlEngine(FixedCatalog(*map(open_store, SCHEMAS)))) as made:
        yield made


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[tuple[SqlEngine, SqlEngine]]]:
    """Return, for each seed, an engine and one without row joins over the same stores."""
    made = []
    for rows in map(tables, SEEDS):
        stores = [open_store(schema) for schema in SCHEMAS]
        for store in stores:
            fill(store, rows[store.schema.name])
        catalog = FixedCatalog(*stores)
        made.append((SqlEngine(catalog), SqlEngine(catalog, limits=EngineLimits(few_rows=False))))
    yield made
    for engine, bulk in made:
        engine.close()
        bulk.close()


@given(seed=st.sampled_from(SEEDS), sql=statements())
@settings(max_examples=2 * settings().max_examples)
def test_joined_rows_are_those_that_duckdb_joins(
    worlds: list[tuple[SqlEngine, SqlEngine]], seed: int, sql: str
) -> None:
    (engine, bulk), session = worlds[seed], Session()
    statement = engine.prepare(sql, session)
    plan = statement.plan
    assert isinstance(plan, QueryPlan)
    event("with a row join" if plan.join is not None else "without")
    if plan.join is None:
        return
    wanted = rows_of(run(bulk, sql))
    for found in (looked_up(statement, (), session), run(engine, sql).rows):
        assert found is not None
        if "ORDER BY" in sql:
            assert list(found) == wanted
        else:
            assert ordered(list(found)) == ordered(wanted)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p.id, h.n FROM people p JOIN hours h ON h.city = p.city WHERE p.id = $1",
        "SELECT h.n FROM people p, hours h WHERE h.city = p.city AND p.id < 3 AND h.n > 1",
        "SELECT count(*) FROM people p LEFT JOIN cities c ON c.city = p.city AND c.size > $1",
        "SELECT * FROM people p LEFT JOIN cities c ON c.city = p.city WHERE c.size > 1",
        "SELECT boss.* FROM people p JOIN people boss ON boss.id = p.boss WHERE p.id = 1",
        "SELECT size, n FROM people p JOIN cities c ON c.city = p.city"
        " JOIN hours h ON h.city = c.city WHERE p.id = 1",
        "SELECT v.f FROM people p JOIN visits v ON v.city = p.city AND v.id = p.boss",
        "SELECT a.id, b.id FROM people a CROSS JOIN people b WHERE a.id = 1 AND b.id = 2",
        "SELECT c.city FROM people p JOIN cities c ON c.city = p.city AND c.size > p.boss",
        "SELECT p.id FROM people p LEFT JOIN cities c ON c.city = p.city AND p.id <> c.mayor",
        "SELECT p.id FROM people p, visits v"
        " WHERE v.city = p.city AND p.boss BETWEEN v.id AND v.size",
    ],
)
def test_statements_with_a_row_join(planning: SqlEngine, sql: str) -> None:
    plan = planning.prepare(sql, Session()).plan
    assert isinstance(plan, QueryPlan)
    assert plan.join is not None


@pytest.mark.parametrize(
    "sql",
    [
        # A condition that the reads cannot apply.
        "SELECT 1 FROM people p JOIN cities c ON c.city = p.city AND c.size > p.boss",
        "SELECT c.city FROM people p JOIN cities c ON c.city = p.city AND c.size > p.boss + 1",
        "SELECT v.city FROM people p JOIN visits v ON v.city = p.city AND v.f > p.f",
        "SELECT c.city FROM people p JOIN cities c ON c.city = p.city WHERE p.id + 1 = 2",
        "SELECT c.city FROM people p JOIN cities c ON c.city = p.city OR p.id = 1",
        "SELECT c.city FROM people p JOIN cities c ON c.city = p.city WHERE $1 = 1",
        # Rows without a match.
        "SELECT p.id FROM people p LEFT JOIN cities c ON c.city = p.city WHERE c.city IS NULL",
        "SELECT p.id FROM people p LEFT JOIN cities c ON c.city = p.city AND p.id = 1",
        "SELECT p.id FROM people p RIGHT JOIN cities c ON c.city = p.city",
        "SELECT p.id FROM people p FULL JOIN cities c ON c.city = p.city",
        # No key to look up by.
        "SELECT p.id FROM people p JOIN cities c ON c.size = p.boss",
        "SELECT p.id FROM people p, cities c",
        # Values that Python may tell apart, or treat as equal.
        "SELECT p.id FROM people p JOIN visits v ON v.city = p.city AND v.f = p.f",
        # Columns that belong to neither, or to both.
        "SELECT city FROM people p JOIN cities c USING (city)",
        "SELECT p.id FROM people p NATURAL JOIN cities c",
        "SELECT x.id FROM people x (id, b) JOIN cities c ON c.city = x.city",
        # Statements that do more than join.
        "SELECT p.id FROM people p JOIN (SELECT * FROM cities) c ON c.city = p.city",
        "SELECT p.id FROM people p WHERE p.city IN (SELECT city FROM cities)",
        "SELECT upper(c.city) FROM people p JOIN cities c ON c.city = p.city",
        "SELECT a.id FROM people a JOIN people b ON b.id = a.id JOIN people c ON c.id = a.id"
        " JOIN people d ON d.id = a.id JOIN people e ON e.id = a.id",
    ],
)
def test_joins_that_duckdb_makes(planning: SqlEngine, sql: str) -> None:
    plan = planning.prepare(sql, Session()).plan
    assert isinstance(plan, QueryPlan)
    assert plan.join is None
