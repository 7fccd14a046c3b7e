"""The law of long conditions: they mean what short ones mean, and DuckDB takes none of them apart.

The time of DuckDB's optimizer grows with the square of the comparisons in a filter, and more, so
that their number is limited in what it is given.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from stategate.planner.composing.compose import to_duckdb
from stategate.planner.postgres.expressions.long_filters import PARTS_MAX, compared
from stategate.planner.values.session import Session
from tests.planner.sides import Sides, ordered
from tests.planner.world import world

LENGTH = PARTS_MAX + 8
"""More comparisons than a filter of DuckDB has."""
OF_PEOPLE = (
    *("p.age = 20", "p.age <> 30", "p.age > 6", "p.score < 1.5", "p.score IS NULL"),
    *("p.name LIKE 'a%'", "p.city IN ('Oslo', 'Bern')", "NOT p.age = 41", "p.name = p.city"),
)
OF_BOTH = (
    *("p.name = o.name", "p.age = o.number + 28", "o.number > 1", "o.amount <= 5", "o.paid"),
    *("p.age < o.number * 10", "o.number IS NULL", "p.name < o.name"),
)
PAIRS = st.tuples(st.sampled_from([5, 7, 20, 30, 41, 99]), st.sampled_from([-1.0, 0, 0.5, 1.5, 9]))
EXAMPLES = max(5, settings().max_examples // 10)
CHECKED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    opened = world()
    yield opened
    opened.close()


@st.composite
def conditions(draw: st.DrawFn, terms: tuple[str, ...]) -> str:
    """Draw an OR of ANDs or an AND of ORs, of a few terms that come again and again."""
    inner, outer = draw(st.sampled_from([(" AND ", " OR "), (" OR ", " AND ")]))
    some = draw(st.lists(st.sampled_from(terms), min_size=1, max_size=4))
    groups = draw(st.lists(st.lists(st.sampled_from(some), min_size=1), min_size=1, max_size=4))
    written = [f"({inner.join(group)})" for group in groups]
    return outer.join(written * (1 + LENGTH // len(written)))


def require_same(sides: Sides, sql: str) -> None:
    assert ordered(sides.ours(sql)) == ordered(sides.theirs(sql))


@given(condition=conditions(OF_PEOPLE))
@CHECKED
def test_of_one_table(sides: Sides, condition: str) -> None:
    require_same(sides, f"SELECT p.name FROM people AS p WHERE {condition}")
    require_same(sides, f"SELECT p.name, {condition} AS is_met FROM people AS p")
    require_same(
        sides, f"SELECT count(*) FROM people AS p GROUP BY p.name, p.age, p.score, p.city "
        f"HAVING {condition}"
    )  # fmt: skip


@given(
    join=st.sampled_from(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]),
    condition=conditions(OF_PEOPLE + OF_BOTH),
    shared=st.sampled_from(OF_BOTH),
)
@CHECKED
def test_of_joins(sides: Sides, join: str, condition: str, shared: str) -> None:
    items = f"SELECT p.name, o.number FROM people AS p {join} orders AS o"
    if join != "FULL JOIN":  # DuckDB takes only equalities there
        require_same(sides, f"{items} ON {condition}")
    require_same(sides, f"{items} ON p.name = o.name WHERE {condition}")
    if " OR (" in condition:  # an OR of ANDs
        parts = " OR ".join(f"({part} AND {shared})" for part in condition.split(" OR "))
        require_same(sides, f"{items} ON p.name = o.name WHERE {parts}")


@given(pairs=st.lists(PAIRS, min_size=1, max_size=LENGTH), extra=st.sampled_from(OF_PEOPLE))
@CHECKED
def test_of_pairs(sides: Sides, pairs: list[tuple[int, float]], extra: str) -> None:
    # Each is another row, so that they are more than the alternatives that a read takes.
    rows = [*pairs, *((100 + k, 0.5) for k in range(LENGTH))]
    alternatives = " OR ".join(f"(age = {age} AND {score} = score)" for age, score in rows)
    for more in ("", f" OR {extra}", f" OR (age = 7 AND {extra})"):
        require_same(sides, f"SELECT name FROM people AS p WHERE {alternatives}{more}")


def test_pairs_of_keys_are_looked_up(sides: Sides) -> None:
    pairs = " OR ".join(f"(number = {k} AND name = 'ann')" for k in range(LENGTH))
    plan = str(sides.ours(f"EXPLAIN SELECT * FROM orders WHERE {pairs}"))
    assert "lookup orders" in plan
    assert "(name, number) in (" in plan


@given(
    condition=st.one_of(conditions(OF_PEOPLE), conditions(OF_BOTH)),
    place=st.sampled_from(["JOIN orders AS o ON", "JOIN orders AS o ON p.name = o.name WHERE"]),
)
@CHECKED
def test_no_filter_of_duckdb_is_long(sides: Sides, condition: str, place: str) -> None:
    written: list[str] = []
    with pytest.MonkeyPatch.context() as patched:

        def noted(tree: exp.Expr) -> str:
            written.append(to_duckdb(tree))
            return written[-1]

        patched.setattr("stategate.planner.planning.plan_query.to_duckdb", noted)
        sides.engine.prepare(f"SELECT 1 FROM people AS p {place} {condition}", Session())
    for sql in written:
        for clause in sqlglot.parse_one(sql, dialect="duckdb").find_all(exp.Where, exp.Join):
            found = clause.args.get("on") if isinstance(clause, exp.Join) else clause.this
            assert found is None or len(list(compared(found))) <= PARTS_MAX + 2


@pytest.mark.parametrize(
    "form",
    [
        "(age > 0 AND coalesce({}, false))",
        "(coalesce({}, NULL) AND 10 / (age + 1) > 1)",
        "(age IS NULL OR nullif({}, true))",
        "(nullif({}, true) OR 10 / (age + 1) > 1)",
    ],
)
def test_nested_conditions_do_not_double_with_each_level(sides: Sides, form: str) -> None:
    """Each holds one that must be guarded: what is written twice would be written 2ⁿ times."""

    def size(depth: int) -> int:
        condition = "10 / (age + 1) > 1"
        for _ in range(depth):
            condition = form.format(condition)
        require_same(sides, f"SELECT name, {condition} FROM people")
        return len(str(sides.ours(f"EXPLAIN SELECT {condition} FROM people")))

    one, two, three = (size(depth) for depth in (3, 6, 9))
    assert three - two <= 2 * (two - one)  # eight times, if each level doubled it
