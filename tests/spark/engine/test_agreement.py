"""The law of engines: a statement that Spark runs has the columns and rows that it has here.

`same.sql` has statements at the places where databases differ; the generated ones mix parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.stores.spark.engine import SparkEngine
from tests.spark.engine.sides import Engines, TableEngine, connected, open_engines, write_world

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

SAME = (Path(__file__).parent / "same.sql").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def spark_engine(
    connect_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[SparkEngine, Path]]:
    root = tmp_path_factory.mktemp("log")
    write_world(root)
    with connected(connect_url, root, kind=TableEngine) as engine:
        yield engine, root


@pytest.fixture(scope="module")
def engines(spark_engine: tuple[SparkEngine, Path]) -> Iterator[Engines]:
    with open_engines(spark_engine[1], spark_engine[0]) as found:
        yield found


@pytest.mark.parametrize("sql", SAME)
def test_same(engines: Engines, sql: str) -> None:
    assert engines.answer(sql, "spark") == engines.answer(sql, "local")


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        ("SELECT name FROM people WHERE age > $1 AND city = $2", (5, "Oslo")),
        ("SELECT name FROM people WHERE score = $1::double precision", (float("nan"),)),
        ("SELECT number FROM orders WHERE due >= $1 AND made < $2", (-3_600_000_000, 60_000_000)),
        ("SELECT number FROM orders WHERE day = $1 OR paid = $2", (19_782, True)),
        ("SELECT name FROM people WHERE id = $1", ("6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01",)),
        ("SELECT name FROM people WHERE age = $1", (None,)),
        ("SELECT number + $1::bigint FROM orders WHERE name = 'a'", (1,)),
    ],
)
def test_parameters(engines: Engines, sql: str, parameters: tuple[object, ...]) -> None:
    found = engines.answer(sql, "spark", parameters)
    assert found == engines.answer(sql, "local", parameters)
    assert found[0] == "rows"


NUMBERS = {
    "p": ["p.age", "p.small", "p.score", "7", "-3", "0.5", "2.5"],
    "o": ["o.number", "o.amount", "3", "-1", "0.01", "9.50"],
}
TEXTS = {"p": ["p.name", "p.city", "'Oslo'", "'a'", "''"], "o": ["o.name", "'a'", "'zz'"]}
OTHERS = {"p": ["p.id"], "o": ["o.due", "o.made", "o.day", "o.paid"]}
ORDER = ["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]


def numbers(alias: str) -> st.SearchStrategy[str]:
    base = st.sampled_from(NUMBERS[alias])
    return st.recursive(
        base,
        lambda inner: st.one_of(
            st.builds(lambda a, op, b: f"({a} {op} {b})", inner, st.sampled_from("+-*"), base),
            st.builds(lambda a, b: f"coalesce({a}, {b})", inner, base),
            st.builds(lambda a, b: f"greatest({a}, {b})", inner, base),
            st.builds(lambda a: f"(- {a})", inner),
            st.builds(lambda a: f"abs({a})", inner),
            st.builds(lambda a, b: f"CASE WHEN {a} > {b} THEN {a} ELSE {b} END", inner, base),
        ),
        max_leaves=3,
    )


def texts(alias: str) -> st.SearchStrategy[str]:
    base = st.sampled_from(TEXTS[alias])
    return st.one_of(
        base,
        st.builds(lambda a, b: f"({a} || {b})", base, base),
        st.builds(lambda a, n: f"left({a}, {n})", base, st.integers(0, 3)),
        st.builds(lambda a, n: f"substring({a}, {n})", base, st.integers(1, 3)),
        st.builds(lambda a, b: f"coalesce({a}, {b})", base, base),
    )


def conditions(alias: str) -> st.SearchStrategy[str]:
    compare = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"])
    base = st.one_of(
        st.builds(lambda a, op, b: f"{a} {op} {b}", numbers(alias), compare, numbers(alias)),
        st.builds(lambda a, op, b: f"{a} {op} {b}", texts(alias), compare, texts(alias)),
        st.builds(lambda a: f"{a} IS NULL", st.sampled_from(OTHERS[alias] + TEXTS[alias][:1])),
        st.builds(
            lambda a, b: f"{a} IN ({', '.join(b)})",
            st.sampled_from(NUMBERS[alias]),
            st.lists(st.sampled_from(["7", "-3", "0.5", "NULL", "3"]), min_size=1, max_size=3),
        ),
        st.builds(
            lambda a, b: f"{a} LIKE '{b}'",
            st.sampled_from(TEXTS[alias][:1]),
            st.sampled_from(["a%", "%", "_", "%b", "é"]),
        ),
    )
    return st.recursive(
        base,
        lambda inner: st.one_of(
            st.builds(lambda a, b: f"({a} AND {b})", inner, inner),
            st.builds(lambda a, b: f"({a} OR {b})", inner, inner),
            st.builds(lambda a: f"NOT ({a})", inner),
        ),
        max_leaves=3,
    )


@st.composite
def statements(draw: st.DrawFn) -> str:
    alias, store = draw(st.sampled_from([("p", "people"), ("o", "orders")]))
    where = draw(st.one_of(st.just(""), conditions(alias).map(lambda c: f" WHERE {c}")))
    items = draw(st.lists(st.one_of(numbers(alias), texts(alias)), min_size=1, max_size=3))
    if draw(st.booleans()):
        listed = ", ".join(f"{item} AS x{at}" for at, item in enumerate(items))
        order = ", ".join(f"x{at}{draw(st.sampled_from(ORDER))}" for at in range(len(items)))
        limit = draw(st.sampled_from(["", " LIMIT 3", " LIMIT 2 OFFSET 1"]))
        distinct = draw(st.sampled_from(["", "DISTINCT "]))
        return f"SELECT {distinct}{listed} FROM {store} {alias}{where} ORDER BY {order}{limit}"
    key = draw(st.sampled_from(TEXTS[alias][:1] + OTHERS[alias][:1] + NUMBERS[alias][:2]))
    of = draw(st.sampled_from(NUMBERS[alias][:2]))
    aggregates = draw(
        st.lists(
            st.sampled_from(
                ["count(*)", "sum({})", "avg({})", "min({})", "max({})", "count(DISTINCT {})"]
            ),
            min_size=1,
            max_size=3,
        )
    )
    listed = ", ".join(each.format(of) for each in aggregates)
    having = draw(st.sampled_from(["", " HAVING count(*) > 1"]))
    return f"SELECT {key}, {listed} FROM {store} {alias}{where} GROUP BY {key}{having}"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sql=statements())
def test_generated(engines: Engines, sql: str) -> None:
    there = engines.answer(sql, "spark")
    if there == ("error", "0A000"):
        return  # refused
    here = engines.answer(sql, "local")
    failed = [str(each[1]) for each in (there, here) if each[0] == "error"]
    if failed:
        # SQL leaves the order of conditions open: one side may compute what the other never needs.
        assert all(sqlstate.startswith("22") for sqlstate in failed)
    else:
        assert there == here
