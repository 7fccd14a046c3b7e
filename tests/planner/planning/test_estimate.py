"""What EXPLAIN thinks a plan costs."""

from __future__ import annotations

import re

import pytest

from planner.sql import SqlEngine
from tests.planner.sides import rows_of, run
from tests.planner.world import world

_COSTS = re.compile(r"\(cost=(\d+\.\d+)\.\.(\d+\.\d+) rows=(\d+) width=(\d+)\)$")
"""What postgres_fdw reads behind the last opening parenthesis of the first line."""


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    return world().engine


def estimated(engine: SqlEngine, sql: str) -> tuple[float, int, int]:
    """Cost, rows and width."""
    first = rows_of(run(engine, f"EXPLAIN {sql}"))[0][0]
    found = _COSTS.search(first)
    assert found is not None, first
    return float(found[2]), int(found[3]), int(found[4])


def test_a_key_is_a_row_and_a_scan_the_store(engine: SqlEngine) -> None:
    ((count,),) = rows_of(run(engine, "SELECT count(*) FROM orders"))
    assert estimated(engine, "SELECT * FROM people WHERE name = 'ann'")[1] == 1
    assert estimated(engine, "SELECT * FROM orders")[1] == count
    assert estimated(engine, "SELECT number FROM orders LIMIT 2")[1] == 2
    assert estimated(engine, "SELECT max(number) FROM orders")[1] == 1


def test_more_rows_cost_more(engine: SqlEngine) -> None:
    statements = (
        "SELECT number FROM orders WHERE name = 'ann' AND number = 1",
        "SELECT number FROM orders WHERE name = 'ann' AND number > 1",
        "SELECT number FROM orders",
        "SELECT o.number FROM orders o JOIN people p ON p.name = o.name",
    )
    costs = [estimated(engine, sql)[0] for sql in statements]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_the_width_is_that_of_the_columns(engine: SqlEngine) -> None:
    narrow, wide = "SELECT number FROM orders", "SELECT number, name, due FROM orders"
    assert estimated(engine, narrow)[2] < estimated(engine, wide)[2]


@pytest.mark.parametrize("option", ["COSTS off", "COSTS false", "ANALYZE, COSTS off"])
def test_costs_can_be_left_out(engine: SqlEngine, option: str) -> None:
    lines = rows_of(run(engine, f"EXPLAIN ({option}) SELECT number FROM orders"))
    assert not any("cost=" in line for (line,) in lines)
