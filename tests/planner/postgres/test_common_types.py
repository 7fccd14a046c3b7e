"""Numerics of different scales keep all their digits where they need a common type."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.planner.sql import SqlEngine
from tests.planner.postgres.world import engine
from tests.planner.sides import rows_of, run

FORMS = (
    "SELECT coalesce({a}, {b}), greatest({a}, {b}), least({b}, {a}) FROM samples WHERE id = 1",
    "SELECT CASE WHEN id = 2 THEN {a} ELSE {b} END FROM samples WHERE id < 3 ORDER BY id DESC",
    "SELECT (ARRAY[{a}, {b}])[1], (ARRAY[{a}, {b}])[2] FROM samples WHERE id = 1",
    "SELECT {a} FROM samples WHERE id = 1 UNION ALL SELECT {b} FROM samples WHERE id = 2",
    "SELECT {a} FROM samples WHERE id = 1 UNION ALL (VALUES ({b}))",
    "SELECT x FROM (VALUES ({a}), ({b})) AS v (x), samples WHERE id = 1",
    "WITH w AS (SELECT {a} AS x UNION ALL SELECT {b} UNION ALL SELECT 0) "
    "SELECT x FROM w, samples WHERE id = 1 AND x <> 0",
    "SELECT {a} FROM samples WHERE id = 1 EXCEPT SELECT {a} + 1 FROM samples EXCEPT SELECT {b}",
    "SELECT {a} FROM samples INTERSECT SELECT {a} FROM samples EXCEPT SELECT {b} FROM samples",
)
"""Queries that return values of `a`, `b` or both; the last two return values of `a` only."""


@pytest.fixture(scope="module")
def asked() -> Iterator[SqlEngine]:
    made = engine()
    yield made
    made.close()


def numbers(asked: SqlEngine, sql: str) -> set[Decimal]:
    return {
        value
        for row in rows_of(run(asked, sql))
        for value in row
        if value is not None and isinstance(value, Decimal)
    }


scales = st.integers(0, 16)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=settings().max_examples // 10)
@given(one=scales, other=scales, digits=st.integers(20, 38))
def test_every_digit_is_kept(
    asked: SqlEngine, form: str, one: int, other: int, digits: int
) -> None:
    a, b = Decimal(15).scaleb(-one), Decimal(25).scaleb(-other)
    wide, narrow = max(digits, one + 2), max(digits, other + 2)
    sql = form.format(a=f"{a:f}::numeric({wide},{one})", b=f"{b:f}::numeric({narrow},{other})")
    if "EXCEPT" in form:
        assert numbers(asked, sql) <= {a}
    else:
        assert numbers(asked, sql) <= {a, b}
        assert numbers(asked, sql)


def test_aggregates_beside_each_other(asked: SqlEngine) -> None:
    sql = (
        "SELECT sum(n) FROM samples WHERE id < 3 UNION ALL SELECT avg(i) FROM samples WHERE id < 4"
    )
    assert numbers(asked, sql) == {Decimal("4.000"), Decimal("1.6666666666666667")}
