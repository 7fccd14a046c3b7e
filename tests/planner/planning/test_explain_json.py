"""EXPLAIN (FORMAT JSON)."""

from __future__ import annotations

import json
from typing import Any

from tests.planner.refusals import refusal
from tests.planner.sides import Sides, rows_of, run


def explained(sides: Sides, sql: str) -> dict[str, Any]:
    result = run(sides.engine, sql)
    assert [str(column.type) for column in result.columns] == ["json"]
    ((text,),) = rows_of(result)
    (found,) = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_the_plan_and_what_it_reads(sides: Sides) -> None:
    found = explained(
        sides, "EXPLAIN (FORMAT JSON) SELECT city, count(*) FROM people WHERE age > 6 GROUP BY city"
    )
    assert found["Plan"]["Node Type"] == "Compose"
    (access,) = found["Plan"]["Plans"]
    assert (access["Relation"], access["Node Type"]) == ("r0", "Access")
    assert access["Description"].startswith("scan people")
    assert found["Residual"] == "age > 6"
    assert "Partitions" not in found


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
    assert len(rows_of(run(sides.engine, "EXPLAIN (ANALYZE off) SELECT age FROM people"))) == 2


def test_other_formats_are_refused_at_their_word(sides: Sides) -> None:
    error = refusal(sides.engine, "EXPLAIN (FORMAT XML) SELECT 1 FROM people")
    assert (error.sqlstate, error.position) == ("0A000", 17)
