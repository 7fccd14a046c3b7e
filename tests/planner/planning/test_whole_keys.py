"""Lookups of whole keys: the times that they read are those that their conditions allow."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.binding.predicates import Compares, Condition, Equals, NotNull, Operand
from stategate.planner.planning.filters import row_test
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.planner.planning.whole_keys import WholeKeys, whole_keys
from stategate.planner.values.comparison_bounds import Fitted
from stategate.stores.codec.segments import MICROS_MAX, MICROS_MIN
from stategate.stores.spec.schema import Key
from tests.support.stores import keyvalue, window

SIZE_MS = 1_500
HOURS = window("hours", {"city": "text", "n": "bigint"}, {"v": "bigint"}, size_ms=SIZE_MS)
PEOPLE = keyvalue("people", {"id": "bigint"}, {"age": "bigint"})
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
EDGES = (MICROS_MIN, MICROS_MIN + 1, MICROS_MAX - 1, MICROS_MAX)
TIMES = [*EDGES, *(second * 500_000 + by for second in range(-3, 9) for by in (-1, 0, 1, 700))]
STARTS = [time for time in TIMES if time <= MICROS_MAX - SIZE_MS * 1000]


def given_by(place: int, *, is_list: bool = False) -> Operand:
    return Operand(text=f"${place + 1}", fit=Fitted, parameter=place, is_list=is_list)


def equal(column: str, place: int, *, is_list: bool = False, null: bool = False) -> Equals:
    operand = given_by(place, is_list=is_list)
    return Equals(column=column, operands=(operand,), null=null)


KEY: tuple[Condition, ...] = (equal("city", 0), equal("n", 1))


@given(
    limits=st.lists(
        st.tuples(
            st.sampled_from(["window_start", "window_end"]),
            st.sampled_from(sorted(OPERATORS)),
            st.sampled_from([None, *TIMES]),
        ),
        max_size=3,
    ),
    columns=st.sampled_from([("window_start", "window_end"), ("window_end",), ("window_start",)]),
)
def test_a_read_and_its_test_apply_the_limits_of_times(
    limits: list[tuple[str, str, int | None]], columns: tuple[str, ...]
) -> None:
    compared = [
        Compares(column=column, operator=sign, operand=given_by(2 + at))
        for at, (column, sign, _) in enumerate(limits)
    ]
    keys_of = whole_keys(HOURS, (*KEY, *compared), columns)
    if any(column not in columns for column, _, _ in limits):
        return  # a read that is tested decodes the columns of its conditions
    assert keys_of is not None
    found = keys_of(("a", 1, *(time for _, _, time in limits)))
    assert found is not None
    first_us = MICROS_MIN if found.time.start_ms is None else found.time.start_ms * 1000
    last_us = MICROS_MAX if found.time.end_ms is None else found.time.end_ms * 1000
    allows = None if found.allowed is None else row_test(HOURS, found.allowed, columns)
    for start in STARTS:
        times = {"window_start": start, "window_end": start + SIZE_MS * 1000}
        is_read = found.keys == [("a", 1)] and first_us <= start <= last_us
        row = tuple(times[name] for name in columns)
        is_wanted = all(
            time is not None and OPERATORS[sign](times[column], time)
            for column, sign, time in limits
        )
        assert (is_read and (allows is None or allows(row))) == is_wanted, start


def test_keys_are_those_of_the_parameters_each_once() -> None:
    keys_of = whole_keys(PEOPLE, (equal("id", 0, is_list=True),), ("id",))
    assert keys_of is not None
    assert keys(keys_of(([3, None, 1, 3],))) == [(3,), (1,)]
    assert keys(keys_of((None,))) == []
    assert len(keys(keys_of((list(range(ROWS_MAX)),)))) == ROWS_MAX
    assert keys_of((list(range(ROWS_MAX + 1)),)) is None


def test_several_columns_have_all_combinations_of_their_values() -> None:
    conditions = (equal("n", 1, is_list=True), equal("city", 0, is_list=True))
    keys_of = whole_keys(HOURS, conditions, ("city", "n"))
    assert keys_of is not None
    cities = ["a", "b", "a", None]
    assert keys(keys_of((cities, [2, 1]))) == [("a", 2), ("a", 1), ("b", 2), ("b", 1)]
    assert keys(keys_of((cities, []))) == []
    assert keys_of((cities, list(range(ROWS_MAX // 2 + 1)))) is None


def keys(found: WholeKeys | None) -> list[Key]:
    assert found is not None
    return list(found.keys)


@pytest.mark.parametrize(
    "conditions",
    [
        (equal("city", 0),),
        (*KEY, equal("city", 2)),
        (equal("city", 0), equal("n", 1, null=True)),
        (*KEY, equal("v", 2)),
        (*KEY, equal("window_start", 2)),
        (*KEY, NotNull(column="v")),
        (*KEY, Compares(column="v", operator="<", operand=given_by(2))),
    ],
)
def test_other_conditions_are_read_by_their_domains(conditions: tuple[Condition, ...]) -> None:
    assert whole_keys(HOURS, conditions, ("city", "n")) is None
