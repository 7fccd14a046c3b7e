"""Laws of computed values: expressions of constants and parameters in the places of constants.

A statement with such expressions has the rows of the statement with their values, and of DuckDB
over all rows. It reads no more than the statement with their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import Row, Value
from tests.planner.sides import Sides, build, ordered, rows_of, run
from tests.planner.values_drawn import HOUR_US, PARAMETERS, expressions, given_values
from tests.support.stores import keyvalue, window

DAY_US = 24 * HOUR_US
NUMBERS = keyvalue("numbers", {"id": "bigint"}, {"small": "smallint", "real": "double"})
TEXTS = keyvalue("texts", {"name": "text"}, {"number": "integer"})
DAYS = keyvalue("days", {"day": "date", "at": "timestamp"}, {"number": "integer"})
HOURS = window("hours", {"name": "text"}, {"number": "bigint"})
KEYS = range(-50, 50)
NAMES = ["", "a", "aa", "ab", "b", "B", "é", "É", "zz", "A~"]
ROWS: dict[str, list[Row]] = {
    "numbers": [(n, n, n / 4) for n in KEYS],
    "texts": [(name, at) for at, name in enumerate(NAMES)],
    "days": [(d, d * DAY_US + h * HOUR_US, d) for d in range(-4, 5) for h in (0, 7)],
    "hours": [(n, h * HOUR_US, (h + 1) * HOUR_US, h) for n in NAMES for h in range(-30, 31)],
}
COLUMNS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "numbers": {"id": ("integer", "bigint", "double"), "small": ("integer",), "real": ("double",)},
    "texts": {"name": ("text",), "number": ("integer", "bigint")},
    "days": {"day": ("date", "timestamp"), "at": ("date", "timestamp")},
    "hours": {"name": ("text",), "window_start": ("timestamptz", "date")},
}
KEY = {"numbers": "id", "texts": "name", "days": "day, at", "hours": "name, window_start"}


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    found = build((NUMBERS, TEXTS, DAYS, HOURS), ROWS)
    yield found
    found.close()


@dataclass(frozen=True)
class Drawn:
    relation: str
    where: str
    values: tuple[str, ...]
    """The expressions in it, which it has as {0}, {1}, …"""

    def sql(self, columns: str, values: tuple[str, ...] = ()) -> str:
        where = self.where.format(*(values or [f"({each})" for each in self.values]))
        return f"SELECT {columns} FROM {self.relation} t WHERE {where}"


@st.composite
def conditions(draw: st.DrawFn) -> Drawn:
    relation = draw(st.sampled_from(sorted(COLUMNS)))
    column = draw(st.sampled_from(sorted(COLUMNS[relation])))
    types = COLUMNS[relation][column]
    forms = [
        *("t.{c} = {0}", "t.{c} >= {0}", "{0} > t.{c}", "t.{c} < {0} OR t.{c} = {1}"),
        *("t.{c} BETWEEN {0} AND {1}", "t.{c} IN ({0}, {1}, {2})", "NOT (t.{c} < {0})"),
        *("t.{c} = ANY (ARRAY[{0}, {1}])", "t.{c} NOT IN ({0}, {1})", "t.{c} <> {0}"),
    ]
    if column == "name":
        forms += ["t.{c} LIKE {0} || '%'", "starts_with(t.{c}, {0})", "t.{c} LIKE {0}"]
    form = draw(st.sampled_from(forms))
    of = draw(st.sampled_from(types))  # the members of a list have one type
    count = 1 + max(n for n in range(3) if f"{{{n}}}" in form)
    values = tuple(draw(expressions(of)) for _ in range(count))
    return Drawn(relation, form.replace("{c}", column), values)


def answer(engine: SqlEngine, sql: str, parameters: Row) -> tuple[list[Row], int] | str:
    """Return the rows, and how many were read; or the SQLSTATE of the error."""
    try:
        result = run(engine, sql, parameters)
        rows = rows_of(result)
    except QueryError as error:
        return error.sqlstate
    return ordered(rows), sum(each.rows for each in result.partitions)


TYPED = ", ".join(f"{text} AS p{at}" for at, text in enumerate(PARAMETERS.values()))
"""Every parameter in a SELECT, so that each statement has all of them."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(drawn=conditions(), parameters=given_values())
def test_a_computed_value_is_as_good_as_a_constant(
    sides: Sides, drawn: Drawn, parameters: Row
) -> None:
    columns = f"t.*, {TYPED}"
    found = answer(sides.engine, drawn.sql(columns), parameters)
    folded: list[Value] = []
    for text in drawn.values:
        one = answer(sides.engine, f"SELECT {text}, {TYPED}", parameters)
        assume(not isinstance(one, str))  # if it fails, only rows decide whether it matters
        folded.append(one[0][0][0])
    # Their values as parameters of the same types, behind the others.
    types = [type_of(sides.engine, text) for text in drawn.values]
    places = tuple(f"(${9 + at}::{of})" for at, of in enumerate(types))
    plain = answer(sides.engine, drawn.sql(columns, places), (*parameters, *folded))
    if isinstance(found, str) or isinstance(plain, str):
        assert found == plain
    else:
        assert found[0] == plain[0]
        assert found[1] <= plain[1]


def type_of(engine: SqlEngine, text: str) -> str:
    (row,) = rows_of(run(engine, f"SELECT pg_typeof({text}), {TYPED}", (None,) * len(PARAMETERS)))
    return str(row[0])


QUICK = {
    **dict.fromkeys(("integer", "bigint"), "t.number"),
    "text": "t.name",
    "date": "(date '2000-01-01' + t.number)",
    "timestamp": "(timestamp '2000-01-01' + t.number * interval '1 day')",
    "timestamptz": "(timestamptz '2000-01-01' + t.number * interval '1 day')",
}
"""Types of which some values need no DuckDB, and a column to compare with."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(of=st.sampled_from(sorted(QUICK)), data=st.data())
def test_a_quick_value_is_that_of_duckdb(sides: Sides, of: str, data: st.DataObject) -> None:
    text, parameters = data.draw(expressions(of, depth=3)), data.draw(given_values())
    plan = plan_of(sides.engine, f"SELECT {TYPED} FROM texts t WHERE {QUICK[of]} = {text}")
    quick = None if plan.values is None else plan.values.quick_values(parameters)
    if plan.values is None or quick is None:
        return
    expected = [
        rows_of(run(sides.engine, f"SELECT {each.text}, {TYPED}", parameters))[0][0]
        for each in plan.values.values
    ]
    assert list(quick) == expected


def plan_of(engine: SqlEngine, sql: str) -> QueryPlan:
    plan = engine.prepare(sql, Session(), cancellation=Cancellation()).plan
    assert isinstance(plan, QueryPlan)
    return plan


RANGES = [
    ("SELECT real FROM numbers WHERE id BETWEEN $1 AND $1 + 9", (0,), 10),
    ("SELECT real FROM numbers WHERE id = $1 + 1", (0,), 1),
    ("SELECT real FROM numbers WHERE id = $1::numeric + 1", (0,), 1),
    ("SELECT count(*) FROM numbers WHERE id IN ($1 - 1, $1, abs($1 - 1))", (0,), 3),
    ("SELECT count(*) FROM numbers WHERE id BETWEEN 1 AND 1 + 9", (), 10),
    (
        "SELECT id FROM numbers WHERE id >= $1::int * 2 ORDER BY id LIMIT $1 - 3 OFFSET 5 - $1",
        (5,),
        2 * NUMBERS.partitions,
    ),
    ("SELECT number FROM texts WHERE name = 'a' || $1", ("b",), 1),
    ("SELECT number FROM texts WHERE name = left($1, 1)", ("abc",), 1),
    ("SELECT number FROM texts WHERE name >= upper('z') AND name < lower('AA')", (), 1),
    ("SELECT number FROM texts WHERE name LIKE $1 || '%'", ("a",), 3),
    ("SELECT number FROM texts WHERE name = ANY (string_to_array($1, ','))", ("a,b",), 2),
    ("SELECT number FROM texts WHERE name = CASE WHEN $1 > 5 THEN 'a' ELSE 'b' END", (7,), 1),
    ("SELECT number FROM days WHERE day BETWEEN $1::date AND $1::date + 1", ("1970-01-01",), 4),
    (
        "SELECT number FROM days WHERE day = date_trunc('day', $1::timestamp)",
        ("1970-01-01 01:00",),
        2,
    ),
    (
        "SELECT sum(number) FROM hours WHERE name = $1 AND window_start >= date_trunc('day', "
        "$2::timestamptz) AND window_start < date_trunc('day', $2::timestamptz) + interval '6 h'",
        ("a", "1970-01-01 05:00+00"),
        7,  # a query for windows includes its last start
    ),
    ("SELECT number FROM hours WHERE name = 'a' AND window_start > now()", (), 0),
    (
        "SELECT number FROM hours WHERE name = 'a' AND window_start < now() - interval '1 day'",
        (),
        61,
    ),
    (
        "SELECT a.number FROM texts a JOIN numbers n ON n.id = a.number WHERE a.name = 'b' || $1",
        ("",),
        2,
    ),
]


@pytest.mark.parametrize(("sql", "parameters", "read"), RANGES)
def test_only_rows_of_the_range_are_read(
    sides: Sides, sql: str, parameters: tuple[int | str, ...], read: int
) -> None:
    types = sides.engine.prepare(sql, Session()).parameters
    values = tuple(
        parse_value(value, of) if isinstance(value, str) else value
        for value, of in zip(parameters, types, strict=True)
    )
    result = run(sides.engine, sql, values)
    assert ordered(rows_of(result)) == ordered(sides.theirs(sql, parameters))
    assert sum(each.rows for each in result.partitions) == read


FAILING = [
    ("SELECT id FROM numbers WHERE $1::int <> 0 AND id = 10 / $1::int", (0,), []),
    ("SELECT id FROM numbers WHERE $1::int = 0 OR id = 10 / $1::int", (5,), [(2,)]),
    ("SELECT id FROM numbers WHERE id = 2147483647 + $1::int", (1,), "22003"),
    ("SELECT id FROM numbers WHERE id = 1 / $1::int", (0,), "22012"),
    ("SELECT id FROM numbers WHERE false AND id = 1 / $1::int", (0,), []),
    ("SELECT id FROM numbers WHERE id = CASE WHEN $1 = 0 THEN 1 ELSE 10 / $1 END", (0,), [(1,)]),
    ("SELECT id FROM numbers WHERE id = ('x' || $1)::int", ("1",), "22P02"),
]


@pytest.mark.parametrize(("sql", "parameters", "expected"), FAILING)
def test_a_value_that_fails_fails_the_statement_only_if_it_is_needed(
    sides: Sides, sql: str, parameters: Row, expected: list[Row] | str
) -> None:
    found = answer(sides.engine, sql, parameters)
    assert (found if isinstance(found, str) else found[0]) == expected
