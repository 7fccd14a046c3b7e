"""Each access, run alone, reads every row that its conditions allow, and no row but those asked."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.access import Access, plan_access
from planner.errors import TypeProblem
from planner.fit import Fitted, Outside, fitter
from planner.predicates import Compares, Condition, Equals, Operand, fitted_value
from stores.local import LocalStore
from stores.partitioner import partitioner
from stores.query import (
    BatchStream,
    KeysQuery,
    Query,
    RangeQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from stores.result import Success
from stores.schema import BIGINT, DOUBLE, INTEGER, TEXT, TIMESTAMPTZ, DataType, Row, Value
from tests.planner.world import CLICKS, HOUR_US, ORDERS, PEOPLE, STOCK
from tests.support.stores import fill, open_store

NAMES = ["", "a", "aa", "b", "é", None]
NUMBERS = [-(1 << 63), -1, 0, 2, (1 << 63) - 1, None]
ORDER_ROWS: list[Row] = [
    (name, number, Decimal(1), None, None) for name in NAMES for number in NUMBERS
]
CLICK_ROWS: list[Row] = [
    (name, hour * HOUR_US, (hour + 1) * HOUR_US, hour)
    for name in ["", "a", "aa", "b"]
    for hour in range(-2, 4)
]
DECIMAL = DataType.parse("decimal(3,1)")
orders = open_store(ORDERS)
fill(orders, ORDER_ROWS)
clicks = open_store(CLICKS)
fill(clicks, CLICK_ROWS)

Given: TypeAlias = st.SearchStrategy[tuple[Value, DataType]]
texts = st.sampled_from([*NAMES, "ab", "zz"])
numbers = st.one_of(
    st.tuples(st.sampled_from([*NUMBERS, 1, 3]), st.just(BIGINT)),
    st.tuples(st.sampled_from([Decimal("-1.5"), Decimal(0), Decimal("2.5")]), st.just(DECIMAL)),
)
times = st.tuples(
    st.one_of(
        st.integers(-3, 5).map(lambda hour: hour * HOUR_US),
        st.integers(-3 * HOUR_US, 5 * HOUR_US),
        st.none(),
    ),
    st.just(TIMESTAMPTZ),
)
partitions = st.tuples(st.integers(-1, 4), st.just(BIGINT))


def operand(given_value: tuple[Value, DataType], column: DataType) -> Operand:
    value, data_type = given_value
    fit = fitter(data_type, column)
    assert fit is not None
    return Operand(text=repr(value), fit=fit, constant=value)


@st.composite
def conditions_on(draw: st.DrawFn, column: str, column_type: DataType, values: Given) -> Condition:
    if draw(st.booleans()):
        given_values = draw(st.lists(values, min_size=1, max_size=3))
        return Equals(
            column=column,
            operands=tuple(operand(v, column_type) for v in given_values),
        )
    return Compares(
        column=column,
        operator=draw(st.sampled_from(["<", "<=", ">", ">="])),
        operand=operand(draw(values), column_type),
    )


TEXT_VALUES = st.tuples(texts, st.just(TEXT))
ORDER_CONDITIONS = st.lists(
    st.one_of(
        conditions_on("name", TEXT, TEXT_VALUES),
        conditions_on("number", BIGINT, numbers),
        conditions_on("_partition", INTEGER, partitions),
    ),
    max_size=4,
)
CLICK_CONDITIONS = st.lists(
    st.one_of(
        conditions_on("name", TEXT, TEXT_VALUES),
        conditions_on("window_start", TIMESTAMPTZ, times),
        conditions_on("window_end", TIMESTAMPTZ, times),
    ),
    max_size=4,
)


def holds(condition: Condition, value: Value) -> bool:
    """Whether a row's value meets a condition, by Python's own comparison."""
    if value is None:
        return False
    operands = condition.operands if isinstance(condition, Equals) else (condition.operand,)
    constants = [o.constant for o in operands if o.constant is not None]
    if isinstance(condition, Equals):
        return any(value == constant for constant in constants)
    compare = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}[condition.operator]
    if not constants:
        return False
    left = Decimal(value) if isinstance(constants[0], Decimal) else value
    return bool(getattr(left, compare)(constants[0]))


def read(access: Access, store: LocalStore) -> list[Row]:
    """All rows of all targets."""
    schema = access.schema
    rows: list[Row] = []
    for partition, query in access.targets((), partitioner(schema.key, schema.partitions)):
        answer = store.query_partition(partition, query)
        assert isinstance(answer, Success)
        for batch in answer.value:
            rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return rows


def expected(rows: list[Row], columns: list[str], conditions: list[Condition]) -> list[Row]:
    return [row for row in rows if all(holds(c, row[columns.index(c.column)]) for c in conditions)]


def sort_key(row: Row) -> list[tuple[bool, str]]:
    return [(value is None, repr(value)) for value in row]


@given(conditions=ORDER_CONDITIONS)
@settings(max_examples=200)
def test_keyvalue_accesses_read_what_they_promise(conditions: list[Condition]) -> None:
    route = partitioner(ORDERS.key, ORDERS.partitions)
    rows = [(name, number, route((name, number))) for name, number, *_ in ORDER_ROWS]
    columns = ["name", "number", "_partition"]
    access = plan_access(ORDERS, conditions, tuple(columns))
    found = read(access, orders)
    allowed = expected(rows, columns, conditions)
    assert len(found) == len(set(found))
    assert set(allowed) <= set(found)
    if access.decides(conditions):
        assert sorted(found, key=sort_key) == sorted(allowed, key=sort_key)


@given(conditions=CLICK_CONDITIONS)
@settings(max_examples=200)
def test_window_accesses_read_what_they_promise(conditions: list[Condition]) -> None:
    columns = ["name", "window_start", "window_end"]
    rows = [row[:3] for row in CLICK_ROWS]
    access = plan_access(CLICKS, conditions, tuple(columns))
    micros = {"window_start", "window_end"}
    found = [
        tuple(
            v if c not in micros else round(v.timestamp() * 1e6)
            for c, v in zip(columns, row, strict=True)
        )
        for row in read(access, clicks)
    ]
    allowed = expected(rows, columns, conditions)
    assert set(allowed) <= set(found)
    if access.decides(conditions):
        assert sorted(found) == sorted(allowed)


def equals(column: str, *values: Value, column_type: DataType = TEXT) -> Equals:
    operands = tuple(operand((value, column_type), column_type) for value in values)
    return Equals(column=column, operands=operands)


def queries(access: Access, parameters: Row = ()) -> list[tuple[int, Query[BatchStream]]]:
    schema = access.schema
    return access.targets(parameters, partitioner(schema.key, schema.partitions))


def test_a_key_goes_to_its_partition_alone() -> None:
    access = plan_access(PEOPLE, [equals("name", "ann")], ("age",))
    route = partitioner(PEOPLE.key, PEOPLE.partitions)
    assert queries(access) == [(route(("ann",)), KeysQuery(keys=(("ann",),), columns=("age",)))]


def test_keys_are_grouped_by_partition() -> None:
    access = plan_access(PEOPLE, [equals("name", *"abcdefgh", "a")], ("age",))
    found = queries(access)
    assert len({partition for partition, _ in found}) == len(found) <= PEOPLE.partitions
    keys = [key for _, query in found if isinstance(query, KeysQuery) for key in query.keys]
    assert sorted(keys) == [(name,) for name in "abcdefgh"]


def test_a_prefix_is_asked_of_every_partition() -> None:
    access = plan_access(ORDERS, [equals("name", "ann")], ("amount",))
    assert [partition for partition, _ in queries(access)] == [0, 1, 2]
    assert all(isinstance(query, RangeQuery) for _, query in queries(access))


def test_windows_have_queries_of_their_own() -> None:
    by_key = plan_access(CLICKS, [equals("name", "ann")], ("clicks",))
    assert [type(query) for _, query in queries(by_key)] == [WindowKeyQuery]
    scan = plan_access(CLICKS, [], ("clicks",))
    assert {type(query) for _, query in queries(scan)} == {WindowRangeQuery}


def test_nothing_is_asked_where_nothing_can_match() -> None:
    null = Equals(column="name", operands=(Operand(text="NULL", fit=Fitted),))
    assert queries(plan_access(PEOPLE, [null], ("age",))) == []
    assert queries(plan_access(ORDERS, [null], ("amount",))) == []


def test_too_many_combinations_are_read_by_prefix_or_scan() -> None:
    items = equals("item", *range(200), column_type=INTEGER)
    days = equals("day", *range(200), column_type=INTEGER)
    access = plan_access(STOCK, [items, days], ("amount",))
    assert not access.is_lookup
    assert not access.decides([items, days])


def test_an_array_is_looked_up_unless_it_is_too_long() -> None:
    fit = fitter(TEXT, TEXT)
    assert fit is not None
    any_of = Equals(
        column="name", operands=(Operand(text="any ($1)", fit=fit, parameter=0, is_list=True),)
    )
    access = plan_access(PEOPLE, [any_of], ("age",))
    assert not access.decides([any_of])
    short = queries(access, (["ann", None, "bob"],))
    assert sum(len(query.keys) for _, query in short if isinstance(query, KeysQuery)) == 2
    assert queries(access, (None,)) == []
    long = queries(access, ([str(i) for i in range(10_001)],))
    assert [type(query) for _, query in long] == [RangeQuery] * PEOPLE.partitions


def test_a_value_that_is_not_of_its_type_is_refused() -> None:
    fit = fitter(DOUBLE, INTEGER)
    assert fit is not None
    with pytest.raises(TypeProblem) as caught:
        fitted_value(Operand(text="$1", fit=fit, parameter=0), "x")
    assert caught.value.sqlstate == "42804"


def test_outside_is_neither_in_nor_out_by_accident() -> None:
    fit = fitter(BIGINT, INTEGER)
    assert fit is not None
    assert (fit(1 << 40), fit(-(1 << 40)), fit(5)) == (Outside.ABOVE, Outside.BELOW, Fitted(5))
