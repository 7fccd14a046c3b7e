"""A parameter that is cast gives DuckDB's rows, and bounds what is read unless the cast hinders.

Drivers declare the types of parameters by their values, so a statement has `$1::bigint` where $1 is
a smallint. The SQL for DuckDB has the value in place of the parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from stategate.planner.errors import QueryError
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.casts import applied, cast_done
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import DataType, Row, Value
from tests.planner.sides import Sides, comparable, looked_up, ordered, rows_of
from tests.planner.world import DAY_US, HOUR_US, world

EXAMPLES = settings().max_examples
INTEGERS = {"smallint": 16, "integer": 32, "bigint": 64}
COLUMNS = {
    "integers": ("orders.number", "people.age", "stock.item", "stock.amount", "clicks.clicks"),
    "numbers": ("orders.amount", "people.score"),
    "texts": ("people.name", "orders.name", "people.city"),
    "times": ("orders.due", "visits.at", "stock.day", "clicks.window_start"),
}
VALUES = [-1, 0, 1, 2, 5, 7, 30, 1 << 15, (1 << 31) - 1, 1 << 31, (1 << 63) - 1, -(1 << 31) - 1]
HINDER = "double precision"
"""A bigint is compared with a double as doubles, which only DuckDB does."""


@dataclass(frozen=True)
class Asked:
    """A comparison of a column with a parameter that is cast."""

    column: str
    operator: str
    declared: str
    value: Value
    casts: tuple[str, ...]

    def sql(self, value: str) -> str:
        relation, name = self.column.split(".")
        casts = "".join(f"::{each}" for each in self.casts)
        many = self.operator == "= ANY"
        right = f"({value}{casts})" if many else f" {value}{casts}"
        return f'SELECT * FROM {relation} WHERE "{name}" {self.operator}{right}'

    @property
    def literal(self) -> str:
        """The parameter as DuckDB reads it."""
        return _literal(self.value, self.declared)


def _literal(value: Value, declared: str) -> str:
    if value is None:
        return f"NULL::{declared}"
    if isinstance(value, list):
        element = declared.removesuffix("[]")
        return f"[{', '.join(_literal(each, element) for each in value)}]"
    if declared in {"timestamp", "timestamptz"}:
        return f"(make_timestamp({value})::{declared})"
    if declared == "date":
        return f"(date '1970-01-01' + ({value}))::date"
    return f"('{value}'::{declared})"


def _held(declared: str) -> st.SearchStrategy[Value]:
    limit = 1 << (INTEGERS[declared] - 1)
    return st.sampled_from([None, *(v for v in VALUES if -limit <= v < limit)])


@st.composite
def comparisons(draw: st.DrawFn) -> Asked:
    family = draw(st.sampled_from(sorted(COLUMNS)))
    operator = draw(st.sampled_from(["=", "<", "<=", ">", ">=", "<>"]))
    value: Value
    if family == "texts":
        declared, value = "text", draw(st.sampled_from(["ann", "", "Oslo", None]))
        casts = draw(st.lists(st.sampled_from(["text", "varchar"]), max_size=2))
    elif family == "times":
        declared = draw(st.sampled_from(["timestamp", "timestamptz", "date"]))
        hours = draw(st.sampled_from([0, 1, 5, 12, 24, 36, -1]))
        value = hours // 24 if declared == "date" else hours * HOUR_US
        casts = draw(st.lists(st.sampled_from(["timestamp", "timestamptz", "date"]), max_size=2))
    else:
        declared = draw(st.sampled_from(sorted(INTEGERS)))
        others = ["numeric(22,2)", "numeric(6,1)", HINDER]
        casts = draw(st.lists(st.sampled_from([*INTEGERS, *others]), max_size=2))
        if any(each not in INTEGERS for each in casts[:-1]):
            casts = casts[-1:]  # only DuckDB casts a numeric or a double to an integer
        value = draw(_held(declared))
        if draw(st.booleans()) and all(each in INTEGERS for each in casts):
            operator, declared = "= ANY", f"{declared}[]"
            value = [*draw(st.lists(st.just(value), max_size=2)), 1, None]
            casts = [f"{each}[]" for each in casts]
    column = draw(st.sampled_from(COLUMNS[family]))
    return Asked(column, operator, declared, value, tuple(casts))


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()


def _ours(sides: Sides, asked: Asked) -> list[Row] | str:
    session, declared = Session(), DataType.parse(asked.declared)
    try:
        statement = sides.engine.prepare(asked.sql("$1"), session, parameter_types=[declared])
        result = sides.engine.execute(
            statement, (asked.value,), session, cancellation=Cancellation(timeout_s=60)
        )
        rows = ordered([comparable(row) for row in rows_of(result)])
        fast = looked_up(statement, (asked.value,), session)
        assert fast is None or ordered([comparable(row) for row in fast]) == rows
    except QueryError as error:
        return error.sqlstate
    return rows


def _theirs(sides: Sides, asked: Asked) -> list[Row] | str:
    try:
        return ordered(sides.theirs(asked.sql(asked.literal)))
    except duckdb.ConversionException:
        return "22003"


@given(asked=comparisons())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
def test_a_cast_parameter_gives_duckdbs_rows(sides: Sides, asked: Asked) -> None:
    assert _ours(sides, asked) == _theirs(sides, asked), asked


@given(asked=comparisons())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
def test_a_cast_parameter_bounds_what_is_read(sides: Sides, asked: Asked) -> None:
    if HINDER in asked.casts or asked.column in {"orders.amount", "people.score"}:
        return
    session = Session()
    declared = DataType.parse(asked.declared)
    sql = asked.sql("$1")
    plan = sides.engine.prepare(f"EXPLAIN {sql}", session, parameter_types=[declared])
    result = sides.engine.execute(plan, (), session, cancellation=Cancellation(timeout_s=60))
    lines = [row[0] for row in rows_of(result)]
    name = asked.column.split(".")[1]
    reads = [line for line in lines if any(w in line for w in ("lookup ", "range ", "scan "))]
    assert reads, lines
    assert any(f"{name} " in line.partition("; columns")[0] for line in reads), (sql, lines)


@pytest.mark.parametrize(
    ("declared", "to", "value", "found"),
    [
        # Halves are rounded away from the year 2000.
        ("timestamp", "timestamp(0)", 1_500_000, 1_000_000),
        ("timestamp", "timestamp(0)", 1_500_001, 2_000_000),
        ("timestamp", "timestamp(0)", 946_684_801_500_000, 946_684_802_000_000),
        ("timestamptz", "timestamptz(3)", DAY_US + 1_500, DAY_US + 1_000),
        ("timestamp", "timestamp(6)", 1_234_567, 1_234_567),
        ("timestamp", "timestamp(0)", (1 << 63) - 1, (1 << 63) - 1),
        ("date", "timestamp", (1 << 31) - 1, (1 << 63) - 1),
        ("timestamptz", "date", -1, -1),
        ("timestamp", "date", -((1 << 63) - 1), -((1 << 31) - 1)),
        ("integer", "double precision", 3, 3.0),
        ("integer", "numeric", None, None),
    ],
)
def test_casts_of_values(declared: str, to: str, value: Value, found: Value) -> None:
    done = cast_done(DataType.parse(declared), _type(to))
    assert done is not None
    assert applied(done, value) == found


@pytest.mark.parametrize(
    ("declared", "to"),
    [
        ("text", "varchar(3)"),
        ("text", "char"),
        ("text", "integer"),
        ("double", "integer"),
        ("decimal(5,2)", "integer"),
        ("decimal(5,2)", "numeric(4,1)"),
        ("integer", "text"),
        ("integer", "real"),
        ("text", "uuid"),
        ("text", "regclass"),
        ("date", "timestamp(0)"),
    ],
)
def test_casts_that_duckdb_does(declared: str, to: str) -> None:
    assert cast_done(DataType.parse(declared), _type(to)) is None


@pytest.mark.parametrize(
    ("declared", "to", "value"),
    [
        ("bigint", "smallint", 1 << 15),
        ("bigint", "integer", -(1 << 31) - 1),
        ("bigint", "numeric(4,2)", 100),
    ],
)
def test_a_cast_out_of_range_is_an_error(declared: str, to: str, value: int) -> None:
    done = cast_done(DataType.parse(declared), _type(to))
    assert done is not None
    with pytest.raises(QueryError) as caught:
        applied(done, value)
    assert caught.value.sqlstate == "22003"


def test_a_value_out_of_the_range_of_a_column_meets_no_row(sides: Sides) -> None:
    for column in ("stock.item", "stock.amount"):
        asked = Asked(column, "=", "bigint", 1 << 40, ("bigint",))
        assert _ours(sides, asked) == []
        assert len(_ours(sides, Asked(column, "<", "bigint", 1 << 40, ()))) == 9


def _type(text: str) -> exp.DataType:
    found = parse_one(f"x::{text}", dialect="postgres")
    assert isinstance(found, exp.Cast)
    return found.to
