"""EXPLAIN (FORMAT JSON), and EXPLAIN's estimates of cost."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from stategate.planner.sql import SqlEngine
from tests.planner.refusals import refusal
from tests.planner.sides import Sides, rows_of, run
from tests.planner.world import world


def explained(sides: Sides, sql: str) -> dict[str, Any]:
    result = run(sides.engine, sql)
    assert [str(column.type) for column in result.columns] == ["json"]
    ((text,),) = rows_of(result)
    (found,) = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_the_plan_and_its_reads(sides: Sides) -> None:
    found = explained(
        sides,
        "EXPLAIN (FORMAT JSON) SELECT city, count(*) FROM people WHERE age % 2 = 0 GROUP BY city",
    )
    assert found["Plan"]["Node Type"] == "Compose"
    (access,) = found["Plan"]["Plans"]
    assert (access["Relation"], access["Node Type"]) == ("r0", "Access")
    assert access["Description"].startswith("scan people")
    assert found["Residual"] == "age % 2 = 0"
    assert "Partitions" not in found


def test_conditions_of_the_reads_are_not_computed_again(sides: Sides) -> None:
    found = explained(
        sides, "EXPLAIN (FORMAT JSON) SELECT city, count(*) FROM people WHERE age > 6 GROUP BY city"
    )
    assert "Residual" not in found
    assert "WHERE" not in found["Plan"]["SQL"]
    (access,) = found["Plan"]["Plans"]
    assert "filter age > 6" in access["Description"]


def test_a_lookup_that_was_run(sides: Sides) -> None:
    sql = "EXPLAIN (ANALYZE, FORMAT json) SELECT age FROM people WHERE name = 'ann' WITH WAIT '1 s'"
    found = explained(sides, sql)
    assert found["Plan"]["Node Type"] == "Lookup"
    assert [answer["status"] for answer in found["Partitions"]] == ["ok"]
    assert (found["Rows Returned"], found["With"]) == (1, "wait 1000 ms")
    assert found["Execution Time"] > 0
    assert found["Position"] == {"events": {"0": 0}}


def test_system_relations(sides: Sides) -> None:
    found = explained(sides, "EXPLAIN (FORMAT JSON) SELECT name FROM stategate.stores")
    assert found["Plan"]["Plans"][0]["Node Type"] == "System Scan"


def test_the_catalog(sides: Sides) -> None:
    found = explained(sides, "EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1 FROM pg_class LIMIT 1")
    assert found["Plan"]["Node Type"] == "Catalog"
    assert "pg_class" in found["Plan"]["SQL"]
    assert (found["Rows Returned"], found["Partitions"]) == (1, [])


def test_text_stays_text(sides: Sides) -> None:
    assert len(rows_of(run(sides.engine, "EXPLAIN (ANALYZE off) SELECT age FROM people"))) == 3


def test_the_error_of_another_format_points_at_it(sides: Sides) -> None:
    error = refusal(sides.engine, "EXPLAIN (FORMAT XML) SELECT 1 FROM people")
    assert (error.sqlstate, error.position) == ("0A000", 17)


_COSTS = re.compile(r"\(cost=(\d+\.\d+)\.\.(\d+\.\d+) rows=(\d+) width=(\d+)\)$")
"""The text that postgres_fdw reads after the last opening parenthesis of the first line."""


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    return world().engine


def estimated(engine: SqlEngine, sql: str) -> tuple[float, int, int]:
    """Return cost, rows and width."""
    first = rows_of(run(engine, f"EXPLAIN {sql}"))[0][0]
    found = _COSTS.search(first)
    assert found is not None, first
    return float(found[2]), int(found[3]), int(found[4])


def test_a_key_is_estimated_as_one_row_and_a_scan_as_the_store(engine: SqlEngine) -> None:
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


def test_it_shows_which_statements_can_run_without_duckdb(sides: Sides) -> None:
    few = "row by row, if at most 256 rows are read"
    in_memory = "column by column, if at most 65536 rows are in memory"
    lines = {
        sql: "\n".join(str(line) for (line,) in sides.ours(f"EXPLAIN ANALYZE {sql}"))
        for sql in (
            "SELECT name, age FROM people WHERE name IN ('ann', 'bob') ORDER BY age",
            "SELECT city, count(*) FROM people GROUP BY city",
            "SELECT upper(name) FROM people WHERE name IN ('ann', 'bob')",
            "SELECT age FROM people WHERE name = 'ann'",
        )
    }
    by_rows, by_columns, by_duckdb, lookup = lines.values()
    assert few in by_rows
    assert in_memory not in by_rows
    assert "ms, without DuckDB" in by_rows
    assert f"{few}, or {in_memory}" in by_columns
    for text in (by_duckdb, lookup):
        assert few not in text
        assert "without DuckDB" not in text
