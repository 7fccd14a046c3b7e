"""Names mean what PostgreSQL finds by them, whatever else has the same name."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.binding.naming.from_items import told_apart
from stategate.planner.errors import NotSupportedError, QueryError
from stategate.stores.spec.schema import Row
from tests.fuzz.tree import spelled
from tests.planner.binding.colliding_names import Names
from tests.planner.sides import Sides, build, looking_up_by_joins, rows_of, run
from tests.support.stores import keyvalue

EXAMPLES = settings().max_examples
STORES = [("numbers", ("a", "b")), ("others", ("a", "c"))]


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    numbers = keyvalue("numbers", {"a": "integer"}, {"b": "integer"})
    others = keyvalue("others", {"a": "integer"}, {"c": "integer"})
    of_catalog = keyvalue("pg_type", {"id": "bigint"}, {"typname": "text"})
    rows: dict[str, list[Row]] = {
        "numbers": [(1, 3), (2, 2), (3, None)],
        "others": [(2, 1), (3, 3)],
        "pg_type": [(1, "mine")],
    }
    made = build((numbers, others, of_catalog), rows)
    with looking_up_by_joins():
        yield made
    made.close()


@given(seed=st.integers(min_value=0, max_value=1 << 32))
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_relations_can_be_renamed(sides: Sides, seed: int) -> None:
    """A statement whose relations share names equals one in which each has its own name."""
    shared, apart = (
        spelled(Names(random.Random(seed), STORES, apart=each).query()) for each in (False, True)
    )
    expected = _answer(sides, apart)
    found = _answer(sides, shared)
    # DISTINCT ON chooses among rows that are equal in its order.
    if expected is not None and found is not None and "DISTINCT ON" not in shared:
        assert found == expected


@given(seed=st.integers(min_value=0, max_value=1 << 32))
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_relations_of_exists_can_be_renamed(sides: Sides, seed: int) -> None:
    """What is read by the keys of another relation is found by what names mean where they stand."""
    shared, apart = (_with_exists(random.Random(seed), apart=each) for each in (False, True))
    assert _answer(sides, shared) == _answer(sides, apart)


def _with_exists(chance: random.Random, *, apart: bool) -> str:
    """Draw a SELECT with EXISTS whose relations, of both levels, have the same few names."""
    seen: dict[str, tuple[str, str]] = {}
    froms = []
    for level in range(2):
        items = []
        for name in chance.sample(["x", "y", "z"], chance.choice([1, 2])):
            store, columns = chance.choice(STORES)
            own = f"{name}{level}" if apart else name
            seen[name] = (own, chance.choice(columns))
            items.append((store, own, seen[name][1]))
        froms.append(items)
    outer, inner = (", ".join(f"{store} AS {own}" for store, own, _ in each) for each in froms)
    visible = [".".join(each) for each in seen.values()]
    conditions = [" = ".join(chance.choices(visible, k=2)) for _ in range(chance.choice([1, 2, 2]))]
    listed = ", ".join(f"{own}.{column}" for _, own, column in froms[0])
    where = " AND ".join(conditions)
    source, kept = inner, ""
    if chance.random() < 0.3:
        again = chance.choice(list(seen))
        known = ".".join(seen[again])
        kept = f"WITH w AS (SELECT {known} AS k) " if again not in inner else ""
        source += ", w" if kept else ""
        where += f" AND w.k >= {chance.randint(1, 3)}" if kept else ""
    exists = f"EXISTS ({kept}SELECT 1 FROM {source} WHERE {where})"
    return f"SELECT {listed} FROM {outer} WHERE {chance.choice(['', 'NOT '])}{exists}"


def _answer(sides: Sides, sql: str) -> list[Row] | None:
    """Return the rows of a statement in an order; None if its names do not suffice."""
    try:
        rows = sides.ours(sql)
    except QueryError as error:
        if not error.sqlstate.startswith(("42", "0A")):
            raise
        return None
    return sorted(rows, key=repr)


def test_pg_catalog_comes_before_the_stores(sides: Sides) -> None:
    assert sides.ours("SELECT typname FROM pg_type WHERE oid = 16") == [("bool",)]
    assert sides.ours("SELECT typname FROM public.pg_type WHERE id = 1") == [("mine",)]
    assert sides.ours("SELECT * FROM public.pg_type, numbers WHERE a = b") == [(1, "mine", 2, 2)]
    assert sides.ours("WITH pg_type AS (SELECT 7 AS x) SELECT x FROM pg_type") == [(7,)]
    assert sides.ours(
        "SELECT nspname, pg_table_is_visible(c.oid) FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = relnamespace WHERE relname = 'pg_type' ORDER BY 1"
    ) == [("pg_catalog", True), ("public", False)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM pg_type WHERE id = 1",
        "SELECT id FROM pg_type",
        "SELECT (SELECT count(*) FROM pg_type WHERE id = 1)",
    ],
)
def test_a_store_does_not_hide_a_relation_of_pg_catalog(sides: Sides, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        sides.ours(sql)
    assert caught.value.sqlstate == "42703"


def test_the_catalog_is_not_read_together_with_stores(sides: Sides) -> None:
    with pytest.raises(NotSupportedError, match="cannot be read together"):
        sides.ours("SELECT * FROM numbers, pg_type")


@given(st.lists(st.sampled_from(["a", "a#2", "a#3", "b", "b#2#2"]), max_size=20))
def test_names_that_are_told_apart_differ(names: list[str]) -> None:
    found = told_apart(names)
    assert len(set(found)) == len(names)
    firsts = [at for at, name in enumerate(names) if names.index(name) == at]
    assert all(found[at] == names[at] for at in firsts)


@pytest.mark.parametrize(
    "inner",
    [
        "(SELECT max(1), 2)",
        "((SELECT max(1), 2))",
        "((SELECT max(1), 2) LIMIT 1)",
        "(WITH s (x) AS (SELECT 1) SELECT max(x), 2 FROM s)",
        "(VALUES (1, 2))",
        "((SELECT 1, 2) UNION (SELECT 3, 4))",
    ],
)
@pytest.mark.parametrize("word", ["", "RECURSIVE "])
def test_names_of_a_cte_are_those_of_its_list(sides: Sides, word: str, inner: str) -> None:
    result = run(sides.engine, f"WITH {word}t (a, b) AS ({inner}) SELECT * FROM t AS r")
    assert [column.name for column in result.columns] == ["a", "b"]
    assert rows_of(result)[0] == (1, 2)


def test_many_columns_of_one_name_are_told_apart_in_one_pass() -> None:
    found = told_apart(["a"] * 100_000)
    assert found[-1] == "a#100000"
