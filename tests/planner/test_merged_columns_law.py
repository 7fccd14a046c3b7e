"""A column that USING merges has the type of both sides, in every expression and clause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.planner.sides import comparable, ordered, rows_of, run
from tests.support.stores import FixedCatalog

TYPES = ("smallint", "integer", "bigint", "numeric(8, 2)", "double precision")
"""Each becomes the later ones where it meets one of them."""
EXPRESSIONS = (
    "{k}",
    "{k} / 2",
    "{k} * 1000",
    "{k} + 2147483000",
    "pg_typeof({k})",
    "-{k}",
)
CONDITIONS = (
    "true",
    "{k} / 2 > 1",
    "{k} = 3",
    "{k} IN (1, 3)",
    "{k} IS NULL",
    "{k} BETWEEN 2 AND 4",
)
NUMBERS = st.lists(st.sampled_from(["NULL", "0", "1", "2", "3", "5", "-7"]), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def engine(shared_process: None) -> Iterator[SqlEngine]:
    made = SqlEngine(FixedCatalog())
    yield made
    made.close()


@st.composite
def relations(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw two relations of a column k, and the common type."""
    kinds = [draw(st.sampled_from(TYPES)) for _ in range(2)]
    rows = [", ".join(f"({each}::int)" for each in draw(NUMBERS)) for _ in kinds]
    sides = [
        f"(SELECT v::{kind} AS k FROM (VALUES {values}) u(v))"
        for kind, values in zip(kinds, rows, strict=True)
    ]
    return sides[0], sides[1], max(kinds, key=TYPES.index)


@given(
    drawn=relations(),
    side=st.sampled_from(["", "LEFT ", "RIGHT ", "FULL "]),
    expression=st.sampled_from(EXPRESSIONS),
    condition=st.sampled_from(CONDITIONS),
    is_grouped=st.booleans(),
)
def test_it_is_as_a_cast_of_the_first_that_is_there(
    engine: SqlEngine,
    drawn: tuple[str, str, str],
    side: str,
    expression: str,
    condition: str,
    *,
    is_grouped: bool,
) -> None:
    a, b, common = drawn
    first = "b.k, a.k" if side == "RIGHT " else "a.k, b.k"
    plain = f"(SELECT coalesce({first})::{common} AS m FROM {a} a {side}JOIN {b} b ON a.k = b.k) q"
    item, where = (each.format(k="k") for each in (expression, condition))
    other, other_where = (each.format(k="m") for each in (expression, condition))
    groups = (" GROUP BY k", " GROUP BY m") if is_grouped else ("", "")
    merged = f"SELECT {item} AS x FROM {a} a {side}JOIN {b} b USING (k) WHERE {where}{groups[0]}"
    spelled = f"SELECT {other} AS x FROM {plain} WHERE {other_where}{groups[1]}"
    found, wanted = run(engine, merged), run(engine, spelled)
    assert [c.type.kind for c in found.columns] == [c.type.kind for c in wanted.columns], merged
    assert _rows(rows_of(found)) == _rows(rows_of(wanted)), merged


def _rows(rows: list[Row]) -> list[Row]:
    return ordered([*map(comparable, rows)])
