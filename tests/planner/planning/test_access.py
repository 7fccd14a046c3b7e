"""Each access, run alone, gives the rows that its predicate allows, each once, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from stategate.planner.binding.domains import Domain
from stategate.planner.binding.predicates import (
    EVERY_ROW,
    NO_ROW,
    Compares,
    Condition,
    Equals,
    NotNull,
    OneOf,
    Operand,
    Predicate,
    all_hold,
    equals_one_of,
    fitted_value,
)
from stategate.planner.errors import MismatchedTypeError
from stategate.planner.planning.access import Access, plan_access
from stategate.planner.planning.limits import Amount, Limits
from stategate.planner.planning.partition_queries import KEYS_HASHED_TOGETHER
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.planner.planning.scatter import Scatter, scatterer
from stategate.planner.running.few_reads import FewReads
from stategate.planner.values.comparison_bounds import Fitted, Outside, fitter
from stategate.stores.codec.partitioner import partitioner
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.query import (
    FEW_ROWS,
    BatchStream,
    Interval,
    KeysQuery,
    Query,
    RangeQuery,
)
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import (
    BIGINT,
    DOUBLE,
    INTEGER,
    TEXT,
    TIMESTAMPTZ,
    DataType,
    Row,
    StoreSchema,
    Value,
)
from stategate.stores.spec.windows import WindowKeyQuery, WindowRangeQuery
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
    shape = draw(st.sampled_from(["one of", "one of", "compares", "compares", "not null"]))
    if shape == "not null":
        return NotNull(column=column)
    if shape == "one of":
        given_values = draw(st.lists(values, max_size=3))
        operands = tuple(operand(v, column_type) for v in given_values)
        return equals_one_of(column, operands, null=draw(st.booleans()))
    return Compares(
        column=column,
        operator=draw(st.sampled_from(["<", "<=", ">", ">="])),
        operand=operand(draw(values), column_type),
    )


TEXT_VALUES = st.tuples(texts, st.just(TEXT))
PAIRS = st.lists(st.tuples(texts, st.sampled_from([*NUMBERS, 1])), min_size=1, max_size=4)


def one_of(columns: tuple[str, ...], rows: list[Row]) -> OneOf:
    types = [ORDERS.column_by_name[name].type for name in columns]
    given_rows = tuple(
        tuple(operand((v, t), t) for v, t in zip(row, types, strict=True)) for row in rows
    )
    return OneOf(columns=columns, rows=given_rows)


ORDER_CONDITIONS = st.lists(
    st.one_of(
        conditions_on("name", TEXT, TEXT_VALUES),
        conditions_on("number", BIGINT, numbers),
        conditions_on("_partition", INTEGER, partitions),
        PAIRS.map(lambda rows: one_of(("name", "number"), rows)),
        PAIRS.map(lambda rows: one_of(("number", "name"), [row[::-1] for row in rows])),
    ),
    max_size=3,
)
CLICK_CONDITIONS = st.lists(
    st.one_of(
        conditions_on("name", TEXT, TEXT_VALUES),
        conditions_on("window_start", TIMESTAMPTZ, times),
        conditions_on("window_end", TIMESTAMPTZ, times),
    ),
    max_size=4,
)


def predicates(conditions: st.SearchStrategy[list[Condition]]) -> st.SearchStrategy[Predicate]:
    disjuncts = st.lists(conditions.map(tuple), max_size=3)
    return disjuncts.map(lambda found: Predicate(disjuncts=tuple(found)))


def allows(predicate: Predicate, columns: list[str], row: Row) -> bool:
    by_name = dict(zip(columns, row, strict=True))
    return any(all(holds(c, by_name) for c in each) for each in predicate.disjuncts)


def holds(condition: Condition, row: dict[str, Value]) -> bool:
    """Whether a row meets a condition, by Python's own comparison."""
    if isinstance(condition, OneOf):
        values = tuple(row[name] for name in condition.columns)
        listed = [tuple(o.constant for o in each) for each in condition.rows]
        return None not in values and values in listed
    value = row[condition.column]
    if value is None:
        return isinstance(condition, Equals) and condition.null
    if isinstance(condition, NotNull):
        return True
    if isinstance(condition, Equals):
        return any(value == o.constant for o in condition.operands if o.constant is not None)
    constant = condition.operand.constant
    compare = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}[condition.operator]
    left = Decimal(value) if isinstance(constant, Decimal) else value
    return constant is not None and bool(getattr(left, compare)(constant))


def read(access: Access, store: LocalStore) -> list[Row]:
    """Return all rows of all targets that the access keeps."""
    schema = access.schema
    scatter = scatterer(access, partitioner(schema.key, schema.partitions))(())
    keep, test, mask_of = scatter.batch_filter(), scatter.row_test(), scatter.rows_mask()
    rows: list[Row] = []
    batches: list[pa.RecordBatch] = []
    for partition, query in scatter.targets:
        answer = store.query_partition(partition, query)
        assert isinstance(answer, Success)
        read: list[Row] = []
        types = [schema.column_by_name[name].type for name in access.columns]
        for batch in answer.value:
            batches.append(batch)
            kept = batch if keep is None else keep(batch)
            assert kept.schema.names == list(access.columns)
            listed = [physical_list(c, t) for c, t in zip(kept.columns, types, strict=True)]
            read += zip(*listed, strict=True)
        few = answer.value.first_rows(1_000)
        assert few is not None
        allowed = few if test is None else list(filter(test, few))
        assert [row[: len(types)] for row in allowed] == read
        rows += read
    assert rows_by_key(access, store) in (None, rows)
    if batches:
        table = pa.Table.from_batches(batches)  # of several chunks
        mask = None if mask_of is None else mask_of(table)
        assert len(table if mask is None else table.filter(mask)) == len(rows)
    return rows


def rows_by_key(access: Access, store: LocalStore) -> list[Row] | None:
    """Return the rows of an access that looks up few keys; None if it does not."""
    schema = access.schema
    scatter = scatterer(access, partitioner(schema.key, schema.partitions), by_key=True)(())
    if scatter.keys is None:
        return None
    rows = FewReads().rows_by_key(store, scatter.keys)
    assert rows is not None
    return [row[: len(access.columns)] for row in scatter.left_of(rows)]


def sort_key(row: Row) -> list[tuple[bool, str]]:
    return [(value is None, repr(value)) for value in row]


@given(predicate=predicates(ORDER_CONDITIONS), whole=st.booleans())
@settings(max_examples=3 * settings().max_examples)
def test_keyvalue_accesses_read_the_rows_of_their_predicates(
    predicate: Predicate, *, whole: bool
) -> None:
    route = partitioner(ORDERS.key, ORDERS.partitions)
    columns = ["name", "number", "_partition"]
    rows = [(name, number, route((name, number))) for name, number, *_ in ORDER_ROWS]
    # Columns that only the predicate needs are decoded too, but not returned.
    shown = 3 if whole else 2
    access = plan_access(ORDERS, predicate, tuple(columns[:shown]))
    allowed = [row[:shown] for row in rows if allows(predicate, columns, row)]
    assert sorted(read(access, orders), key=sort_key) == sorted(allowed, key=sort_key)


@given(predicate=predicates(CLICK_CONDITIONS))
@settings(max_examples=3 * settings().max_examples)
def test_window_accesses_read_the_rows_of_their_predicates(predicate: Predicate) -> None:
    columns = ["name", "window_start", "window_end"]
    access = plan_access(CLICKS, predicate, tuple(columns))
    found = read(access, clicks)
    allowed = [row[:3] for row in CLICK_ROWS if allows(predicate, columns, row[:3])]
    assert sorted(found) == sorted(allowed)


def equals(column: str, *values: Value, column_type: DataType = TEXT) -> Equals:
    operands = tuple(operand((value, column_type), column_type) for value in values)
    return equals_one_of(column, operands)


def queries(access: Access, parameters: Row = ()) -> list[tuple[int, Query[BatchStream]]]:
    schema = access.schema
    return list(scatterer(access, partitioner(schema.key, schema.partitions))(parameters).targets)


def test_a_key_is_read_from_its_partition_only() -> None:
    access = plan_access(PEOPLE, all_hold(equals("name", "ann")), ("age",))
    route = partitioner(PEOPLE.key, PEOPLE.partitions)
    assert queries(access) == [(route(("ann",)), KeysQuery(keys=(("ann",),), columns=("age",)))]


@pytest.mark.parametrize("count", [1, KEYS_HASHED_TOGETHER, ROWS_MAX, ROWS_MAX + 1])
def test_few_keys_are_asked_for_their_rows(count: int) -> None:
    names = [str(number) for number in range(count)]
    access = plan_access(PEOPLE, all_hold(equals("name", *names)), ("age", "name"))
    scatter = scatterer(access, partitioner(PEOPLE.key, PEOPLE.partitions), by_key=True)(())
    assert (scatter.keys is not None) == (count <= ROWS_MAX)
    assert bool(scatter.targets) == (count > ROWS_MAX)
    if scatter.keys is not None:
        asked = [(at, key) for at, query in scatter.keys.targets for key in query.keys]
        route = partitioner(PEOPLE.key, PEOPLE.partitions)
        assert asked == sorted((route((name,)), (name,)) for name in names)
        assert all(len(query.keys) <= FEW_ROWS for _, query in scatter.keys.targets)
        assert scatter.keys.row_of(("ann", 30, 1.5, "Oslo")) == (30, "ann")


def test_keys_are_grouped_by_partition() -> None:
    access = plan_access(PEOPLE, all_hold(equals("name", *"abcdefgh", "a")), ("age",))
    found = queries(access)
    assert len({partition for partition, _ in found}) == len(found) <= PEOPLE.partitions
    keys = [key for _, query in found if isinstance(query, KeysQuery) for key in query.keys]
    assert sorted(keys) == [(name,) for name in "abcdefgh"]


def test_a_prefix_is_read_from_every_partition() -> None:
    access = plan_access(ORDERS, all_hold(equals("name", "ann")), ("amount",))
    assert [partition for partition, _ in queries(access)] == [0, 1, 2]
    assert all(isinstance(query, RangeQuery) for _, query in queries(access))


def test_windows_have_queries_of_their_own() -> None:
    by_key = plan_access(CLICKS, all_hold(equals("name", "ann")), ("clicks",))
    assert [type(query) for _, query in queries(by_key)] == [WindowKeyQuery]
    scan = plan_access(CLICKS, EVERY_ROW, ("clicks",))
    assert {type(query) for _, query in queries(scan)} == {WindowRangeQuery}


def test_partitions_where_nothing_can_match_are_not_read() -> None:
    null = equals_one_of("name", (Operand(text="NULL", fit=Fitted),))
    assert queries(plan_access(PEOPLE, all_hold(null), ("age",))) == []
    assert queries(plan_access(ORDERS, all_hold(null), ("amount",))) == []


def test_too_many_combinations_are_read_as_a_range() -> None:
    items = equals("item", *range(200), column_type=INTEGER)
    days = equals("day", *range(200), column_type=INTEGER)
    access = plan_access(STOCK, all_hold(items, days), ("amount",))
    found = queries(access)
    assert {type(query) for _, query in found} == {RangeQuery}
    intervals = {query.interval for _, query in found if isinstance(query, RangeQuery)}
    assert intervals == {Interval(lower=(0,), upper=(199,))}


def test_impossible_conditions_read_nothing() -> None:
    twice = all_hold(equals("name", "ann"), equals("name", "bob"))
    assert plan_access(PEOPLE, twice, ("age",)).predicate.disjuncts == ()
    assert queries(plan_access(PEOPLE, NO_ROW, ("age",))) == []


def test_overlapping_alternatives_are_read_once() -> None:
    after_a, after_b = (
        Compares(column="name", operator=">", operand=operand((name, TEXT), TEXT))
        for name in ("a", "b")
    )
    either = Predicate(disjuncts=((after_a,), (after_b,), (equals("name", "c"),)))
    found = queries(plan_access(PEOPLE, either, ("age",)))
    assert [partition for partition, _ in found] == [0, 1, 2]


def test_an_array_is_looked_up_unless_it_is_too_long() -> None:
    fit = fitter(TEXT, TEXT)
    assert fit is not None
    any_of = equals_one_of("name", (Operand(text="any ($1)", fit=fit, parameter=0, is_list=True),))
    access = plan_access(PEOPLE, all_hold(any_of), ("age",))
    short = queries(access, (["ann", None, "bob"],))
    assert sum(len(query.keys) for _, query in short if isinstance(query, KeysQuery)) == 2
    assert queries(access, (None,)) == []
    long = queries(access, ([str(i) for i in range(10_001)],))
    assert [type(query) for _, query in long] == [RangeQuery] * PEOPLE.partitions


def test_a_value_that_is_not_of_its_type_is_refused() -> None:
    fit = fitter(DOUBLE, INTEGER)
    assert fit is not None
    with pytest.raises(MismatchedTypeError) as caught:
        fitted_value(Operand(text="$1", fit=fit, parameter=0), "x")
    assert caught.value.sqlstate == "42804"


def test_values_outside_the_range_of_a_type() -> None:
    fit = fitter(BIGINT, INTEGER)
    assert fit is not None
    assert (fit(1 << 40), fit(-(1 << 40)), fit(5)) == (Outside.ABOVE, Outside.BELOW, Fitted(5))


def opened(predicate: Predicate) -> tuple[Predicate, Row]:
    """Return the predicate with a parameter for each constant, and the parameters."""
    parameters: list[Value] = []

    def open_one(one: Operand) -> Operand:
        parameters.append(one.constant)
        return structs.replace(one, constant=None, parameter=len(parameters) - 1)

    def of(condition: Condition) -> Condition:
        match condition:
            case Equals():
                operands = tuple(map(open_one, condition.operands))
                return equals_one_of(condition.column, operands, null=condition.null)
            case Compares():
                return structs.replace(condition, operand=open_one(condition.operand))
            case OneOf():
                rows = tuple(tuple(map(open_one, row)) for row in condition.rows)
                return structs.replace(condition, rows=rows)
            case NotNull():
                return condition

    made = tuple(tuple(map(of, disjunct)) for disjunct in predicate.disjuncts)
    return Predicate(disjuncts=made), tuple(parameters)


READS = st.one_of(
    st.tuples(st.just(ORDERS), predicates(ORDER_CONDITIONS)),
    st.tuples(st.just(CLICKS), predicates(CLICK_CONDITIONS)),
)


@given(found=READS, limit=st.sampled_from([None, 2]))
@settings(max_examples=3 * settings().max_examples)
def test_parameters_are_read_as_constants_are(
    found: tuple[StoreSchema, Predicate], limit: int | None
) -> None:
    schema, constant = found
    open_predicate, parameters = opened(constant)
    limits = None if limit is None else Limits(rows=Amount(constant=limit))
    of_constants, of_parameters = (
        scatterer(
            Access(schema=schema, columns=("name",), predicate=predicate, limit=limits),
            partitioner(schema.key, schema.partitions),
        )
        for predicate in (constant, open_predicate)
    )
    wanted = of_constants(())
    # The function is made once: no run leaves anything behind for the next one.
    for given_parameters in (parameters, (None,) * len(parameters), parameters):
        scatter = of_parameters(given_parameters)
        if given_parameters is parameters:
            assert scatter.targets == wanted.targets
            assert scatter.enough == wanted.enough
            assert domains_of(scatter) == domains_of(wanted)


def domains_of(scatter: Scatter) -> list[Mapping[str, Domain]] | None:
    return None if scatter.allowed is None else [each.domains for each in scatter.allowed]
