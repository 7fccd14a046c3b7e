"""The laws of `binding.naming.beneath`: what is computed beneath, a derived table computes.

An aggregate of a grouped query may stand in subqueries of it, at any depth; then the statement is
one over a derived table that has the groups and their aggregates. A window may sort and divide its
rows by subqueries; then it is one over a derived table that has these values.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.stores.spec.schema import Row
from tests.planner.sides import Sides, build, ordered
from tests.support.stores import keyvalue

STORES: dict[str, Sequence[Row]] = {
    "a": [(n, (n * 3) % 7 if n % 4 else None, n % 3) for n in range(12)],
    "b": [(n * 2, n % 5 if n % 3 else None, n % 4 if n % 5 else None) for n in range(10)],
}
COLUMNS = ("id", "i", "j")


@pytest.fixture(scope="module")
def sides(shared_process: None) -> Iterator[Sides]:
    schemas = [
        keyvalue(name, {"id": "integer"}, {"i": "integer", "j": "integer"}) for name in STORES
    ]
    made = build(schemas, STORES)
    yield made
    made.close()


class Drawing:
    """Draws expressions of columns of an outer query, each with holes for its values.

    Args:
        chance: decides.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.names = 0

    def one_of(self, *texts: str) -> str:
        return self.chance.choice(texts)

    def name(self) -> str:
        self.names += 1
        return f"q{self.names}"

    def value(self, holes: Sequence[str], depth: int) -> str:
        """Draw a value that reads some holes, mostly in subqueries."""
        if not depth:
            return self.one_of(*holes)
        inner, name = self.value(holes, depth - 1), self.name()
        store, hole = self.one_of("a", "b"), self.one_of(*holes)
        own = f"{name}.{self.one_of(*COLUMNS)}"
        return self.one_of(
            f"(SELECT {inner})",
            f"(SELECT {inner} FROM {store} {name} ORDER BY {name}.id LIMIT 1)",
            f"(SELECT {inner} + {own} FROM {store} {name} WHERE {name}.id = 2)",
            f"(SELECT max({own} + {inner}) FROM {store} {name} WHERE {own} < {hole})",
            f"(SELECT count(*) FROM {store} {name} WHERE {own} = {inner})",
            f"(SELECT count(*) FROM {store} {name} HAVING count({own}) > {inner})",
            f"(SELECT sum(x.v) FROM (SELECT {own} + {inner} AS v FROM {store} {name}) x)",
            f"(SELECT sum({inner} + 0 * {own}) FILTER (WHERE {own} > {hole}) FROM {store} {name})",
            f"(SELECT min({name}.x) FROM (VALUES ({inner}), (3)) {name} (x))",
            f"(CASE WHEN EXISTS (SELECT {own} FROM {store} {name} WHERE {own} = {inner}) "
            f"THEN {hole} END)",
            f"(CASE WHEN {hole} IN (SELECT {inner} FROM {store} {name}) THEN 1 ELSE {hole} END)",
            f"coalesce({hole}, {inner})",
        )


def grouped(chance: random.Random) -> tuple[str, str]:
    """Draw a grouped SELECT with aggregates in its subqueries, and the same over its groups."""
    drawing = Drawing(chance)
    key = drawing.one_of("n.i", "n.j", "n.id % 4", "")
    aggregates = [
        drawing.one_of(
            *("max(n.id)", "min(n.i)", "count(n.j)", "sum(n.id)", "count(DISTINCT n.i)"),
            *("sum(n.id) FILTER (WHERE n.j = 1)", "max(n.i + n.j)"),
        )
        for _ in range(2)
    ]
    holes = [*(["{k}"] if key else []), "{one}", "{other}"]
    listed = ", ".join(
        drawing.value(holes, chance.randint(1, 3)) for _ in range(chance.randint(1, 2))
    )
    having = f"{drawing.value(holes, 1)} IS NOT NULL"
    is_plain = " " in key and "{k}" in f"{listed} {having}"  # in a subquery, no term is known
    tail = drawing.one_of("n", "n WHERE n.id > 3", "n JOIN b m ON m.id = n.id")
    texts = {"k": key, "one": aggregates[0], "other": aggregates[1]}
    by = f" GROUP BY {key}" if key else ""
    one = f"SELECT {listed} FROM a {tail}{by} HAVING {having}".format(**texts)
    items = ", ".join(f"{text} AS {name}" for name, text in texts.items() if text)
    names = {name: f"w.{name}" for name in texts}
    other = f"SELECT {listed} FROM (SELECT {items} FROM a {tail}{by}) w WHERE {having}"
    return ("" if is_plain else one), other.format(**names)


def windowed(chance: random.Random) -> tuple[str, str]:
    """Draw a SELECT with a window over subqueries, and the same over a table of their values."""
    drawing = Drawing(chance)
    holes = ["n.id", "n.i", "n.j"]
    order, part = (drawing.value(holes, chance.randint(1, 2)) for _ in range(2))
    function = drawing.one_of("rank()", "count(*)", "sum(n.id)", "max(n.i)", "dense_rank()")
    frame = drawing.one_of("", "RANGE 1 PRECEDING", "RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING")
    over = drawing.one_of("(PARTITION BY {p} ORDER BY {o} {f})", "(ORDER BY {o} DESC {f})")
    tail = drawing.one_of("a n", "a n WHERE n.id > 3", "a n JOIN b m ON m.id = n.id")
    window = over.format(p=part, o=order, f=frame)
    one = f"SELECT n.id, {function} OVER {window} FROM {tail}"
    if drawing.one_of("", "named"):
        one = f"SELECT n.id, {function} OVER w FROM {tail} WINDOW w AS {window}"
    beneath = f"SELECT n.id, n.i, n.j, {part} AS p, {order} AS o FROM {tail}"
    window = over.format(p="n.p", o="n.o", f=frame)
    return one, f"SELECT n.id, {function} OVER {window} FROM ({beneath}) n"


def check(sides: Sides, one: str, other: str) -> None:
    """Check that two statements have the same rows, or the same error."""
    found: list[object] = []
    for sql in (one, other):
        try:
            found.append(ordered(sides.ours(sql)))
        except QueryError as error:
            if error.sqlstate != "21000":
                raise
            found.append(error.sqlstate)
    assert found[0] == found[1], f"{one}\n{other}"


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_aggregates_belong_to_the_query_of_their_columns(sides: Sides, seed: int) -> None:
    one, other = grouped(random.Random(seed))
    if one:
        check(sides, one, other)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_windows_sort_and_divide_by_any_subquery(sides: Sides, seed: int) -> None:
    check(sides, *windowed(random.Random(seed)))
