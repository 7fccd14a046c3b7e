"""Answers compare equal, or their difference is returned."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import pytest

from tests.fuzz.comparison import Reply, difference

ANSWER = Reply(names=("a", "b"), types=(23, 701), rows=((b"1", 0.5), (b"2", math.nan)))


def kind(ours: Reply, theirs: Reply, sql: str = "", ordered: tuple[int, ...] = ()) -> str | None:
    found = difference(ours, theirs, ordered=ordered, sql=sql)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(ANSWER, rows=(ANSWER.rows[1], ANSWER.rows[0])), None),
        (replace(ANSWER, rows=ANSWER.rows[:1]), "rows"),
        (replace(ANSWER, rows=(*ANSWER.rows, ANSWER.rows[0])), "rows"),
        (replace(ANSWER, rows=((b"1", 0.5), (b"2", None))), "rows"),
        (replace(ANSWER, rows=((b"1", 0.5000000001), (b"2", math.nan))), "rows"),
        (replace(ANSWER, names=("a", "c")), "names b for c"),
        (replace(ANSWER, types=(20, 701)), "types 23 for 20"),
        (Reply(sqlstate="22012", message="division by zero"), "rows for 22012: division by zero"),
    ],
)
def test_answers_differ_or_not(other: Reply, told: str | None) -> None:
    assert kind(ANSWER, other) == told
    assert kind(ANSWER, ANSWER) is None


def test_a_text_that_is_not_a_time_fails_in_one_of_several_ways() -> None:
    ours, theirs = Reply(sqlstate="22007", message="a"), Reply(sqlstate="22008", message="b")
    assert kind(ours, theirs, "SELECT t::date FROM samples") is None
    assert kind(ours, theirs, "SELECT make_date(1, 2, 3)") == "22007 for 22008: a"
    assert kind(ours, replace(theirs, sqlstate="22P02"), "SELECT t::date") == "22007 for 22P02: a"


def test_the_order_of_rows_counts_where_the_statement_defines_it() -> None:
    turned = replace(ANSWER, rows=(ANSWER.rows[1], ANSWER.rows[0]))
    assert kind(turned, ANSWER, ordered=(0,)) == "order of rows"


def test_the_sign_of_zero_counts_unless_equal_values_were_merged() -> None:
    one, other = (Reply(names=("d",), types=(701,), rows=((zero,),)) for zero in (0.0, -0.0))
    assert kind(one, other, "SELECT d FROM t") == "rows"
    assert kind(one, other, "SELECT DISTINCT d FROM t") is None


def test_a_percentile_between_infinities_may_be_one_of_them() -> None:
    ours, theirs = (
        Reply(names=("d",), types=(701,), rows=((value,), (1.5,))) for value in (math.inf, math.nan)
    )
    assert kind(ours, theirs, "SELECT percentile_cont(0.5)") is None
    assert kind(ours, theirs, "SELECT max(d)") == "rows"
    assert kind(theirs, ours, "SELECT percentile_cont(0.5)") == "rows"
    finite = replace(ours, rows=((2.5,), (1.5,)))
    assert kind(finite, theirs, "SELECT percentile_cont(0.5)") == "rows"


def test_numerics_may_differ_only_after_the_sixteenth_digit() -> None:
    def of(text: str) -> Reply:
        return Reply(names=("n",), types=(1700,), rows=((Decimal(text),),))

    assert kind(of("0.3333333333333333"), of("0.33333333333333333333")) is None
    assert kind(of("1.50"), of("1.5")) is None
    assert kind(of("1.5"), of("1.500000001")) == "rows"
    assert kind(of("0.333333333333333"), of("0.33333333333333433333")) == "rows"


def test_a_numeric_with_too_many_digits_is_an_overflow() -> None:
    overflow = Reply(sqlstate="22003", message="numeric field overflow")
    large = Reply(names=("n",), types=(1700,), rows=((Decimal("1e300"),),))
    assert kind(overflow, large) is None
    assert kind(overflow, replace(large, rows=((Decimal("1e10"),),))) is not None
    assert kind(replace(overflow, sqlstate="22012"), large) is not None


def test_errors_with_the_same_sqlstate_are_equal() -> None:
    one, other = Reply(sqlstate="22012", message="x"), Reply(sqlstate="22012", message="y")
    assert kind(one, other) is None
    assert kind(replace(one, sqlstate="XX000"), other) == "XX000 for 22012: x"


def test_numerics_that_are_doubles_here_are_compared_as_such() -> None:
    ours = Reply(types=(701,), rows=((0.5,),))
    theirs = Reply(types=(1700,), rows=((Decimal("0.5000000000000000"),),))
    assert difference(ours, theirs, ordered=(), sql="SELECT stddev(n) FROM t") is None
    assert difference(ours, theirs, ordered=(), sql="SELECT n::varchar(2), '^'") is not None
    other = Reply(types=(1700,), rows=((Decimal("0.6"),),))
    assert difference(ours, other, ordered=(), sql="SELECT sqrt(n) FROM t") is not None
