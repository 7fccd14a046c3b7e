"""Lists of keys with NaN, which is one value however often it is written, and with both zeros."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.planner.sides import Sides, build, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, window

POINTS = keyvalue("points", {"x": "double", "n": "integer", "y": "real"}, {"v": "text"})
ROWS: list[Row] = [
    (math.nan, 1, 0.5, "a"),
    (math.nan, 2, math.nan, "b"),
    (0.0, 3, 0.0, "c"),
    (1.0, 4, math.inf, "d"),
    (None, 5, 1.0, "e"),
]


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    made = build([POINTS], {"points": ROWS})
    yield made
    made.close()


@pytest.mark.parametrize(
    ("where", "parameters", "found"),
    [
        ("x IN ('NaN', 'NaN') AND y = 0.5::real AND n = 1", (), "a"),
        (
            "x IN ('NaN', 0, -0.0, 'NaN'::real) AND y IN ('NaN', '0', '-0') AND n IN (2, 3)",
            (),
            "bc",
        ),
        ("x = ANY($1) AND y = ANY($2) AND n = 2", ([math.nan, float("nan")], [-math.nan]), "b"),
        ("x IN ($1, $2) AND y = 0.5::real AND n = 1", (math.nan, float("nan")), "a"),
        ("(x, n) IN (('NaN', 2), ('NaN', 2), (-0.0, 3))", (), "bc"),
        ("(x, n) IN (($1, 1), ($2, 4)) AND y IN (0.5::real, 'Infinity')", (math.nan, 1.0), "ad"),
        ("x = 'NaN' OR (x = 'NaN' AND y = 'NaN' AND n = 2)", (), "ab"),
    ],
)
def test_each_row_is_found_once(sides: Sides, where: str, parameters: Row, found: str) -> None:
    rows = [(letter,) for letter in found]
    assert ordered(sides.ours(f"SELECT v FROM points WHERE {where}", parameters)) == rows
    counted = sides.ours(f"SELECT count(*) FROM points WHERE {where}", parameters)
    assert counted == [(len(found),)]


def test_each_window_is_found_once() -> None:
    store = open_store(window("windows", {"x": "double"}, {"v": "text"}))
    hour_us = 3_600_000_000
    fill(store, [(math.nan, at * hour_us, (at + 1) * hour_us, str(at)) for at in range(2)])
    engine = SqlEngine(FixedCatalog(store))
    result = run(engine, "SELECT v FROM windows WHERE x IN ('NaN', 'NaN')")
    assert ordered(rows_of(result)) == [("0",), ("1",)]
    engine.close()
