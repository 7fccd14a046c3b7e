"""Moments computed from parameters equal those that DuckDB computes."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from planner.binding.moments import moment_of, scaled
from stores.spec.schema import DOUBLE, DataType, Kind

TIMESTAMP, INTERVAL = DataType(kind=Kind.TIMESTAMP), DataType(kind=Kind.INTERVAL)


@given(
    st.tuples(*[st.integers(-1000, 1000)] * 2, st.integers(-(10**12), 10**12)),
    st.one_of(st.integers(-50, 50).map(float), st.sampled_from([0.5, -0.5, 0.25, 1.5, 0.1])),
)
def test_a_scaled_interval_is_that_of_postgres(
    interval: tuple[int, int, int], factor: float
) -> None:
    months, days, micros = scaled(interval, factor)
    assert abs(months - interval[0] * factor) < 1
    total = ((interval[0] * 30 + interval[1]) * 86_400_000_000 + interval[2]) * factor
    assert (months * 30 + days) * 86_400_000_000 + micros == pytest.approx(total, abs=2)


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("$1 - interval '1 hour'", (7_200_000_000,)),
        ("$1::timestamp + interval '1 month'", (2_592_000_000_000,)),
        ("interval '1 day' + $1", (0,)),
        ("timestamp '2020-01-31' + $2 * interval '1 month'", (None, 1.0)),
        ("timestamp '2020-01-31' - (interval '1 day' * $2)", (None, 1.5)),
        ("$1 + $2 * interval '90 minutes' - interval '1 second'", (5_000_000, -2.0)),
        ("$1 + interval '1 day'", (None,)),
    ],
)
def test_a_moment_is_that_of_duckdb(sql: str, row: tuple[int | float | None, ...]) -> None:
    kinds = {1: TIMESTAMP, 2: DOUBLE}
    moment = moment_of(_tree(sql), kinds.__getitem__)
    assert moment is not None
    given_values = ["NULL" if v is None else f"make_timestamp({v})" for v in row[:1]]
    text = sql.replace("$1", f"({given_values[0]})::timestamp")
    text = text.replace("$2", f"({row[1]})::double" if len(row) > 1 else "")
    wanted = duckdb.connect().execute(f"SELECT epoch_us({text})").fetchone()
    assert (moment.compute(row)[0],) == wanted


@pytest.mark.parametrize("sql", ["$1 * $1", "$2 + $2", "x + interval '1 day'", "$1 + '1 day'"])
def test_expressions_that_are_not_moments(sql: str) -> None:
    assert moment_of(_tree(sql), {1: TIMESTAMP, 2: DOUBLE}.__getitem__) is None


def _tree(sql: str) -> exp.Expr:
    return parse_one(sql, dialect="postgres")
