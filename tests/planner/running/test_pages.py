"""Pages: the first rows in the order of the key, read in small parts of several partitions."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.planning.plan import QueryPlan
from planner.running import gathering
from planner.running.ordered_reads import first_few_rows
from planner.sql import SqlEngine
from planner.values.session import Session
from stores.spec.query import Order
from stores.spec.schema import Row
from tests.planner.sides import looked_up
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

ROWS: list[Row] = [
    (group, number, group * 100 + number)
    for group in range(4)
    for number in range(60)
    if (group, number) < (3, 5)
]
STORE = keyvalue("pages", {"g": "integer", "n": "integer"}, {"v": "bigint"}, partitions=5)


@pytest.fixture(scope="module", autouse=True)
def _ample_time() -> Iterator[None]:
    """Let reads take their time, so that a busy machine does not decide how a statement is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathering, "SLICE_S", 60.0)
        yield


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    store = open_store(STORE)
    fill(store, ROWS)
    made = SqlEngine(FixedCatalog(store))
    yield made
    made.close()


@given(
    low=st.integers(-1, 61),
    group=st.one_of(st.none(), st.integers(0, 4)),
    rows=st.integers(0, 70),
    skipped=st.integers(0, 5),
    descending=st.booleans(),
)
def test_a_page_has_the_first_rows_of_all_partitions(
    engine: SqlEngine, low: int, group: int | None, rows: int, skipped: int, *, descending: bool
) -> None:
    where = f"g = {group} AND n > {low}" if group is not None else f"(g, n) > (1, {low})"
    word = " DESC" if descending else ""
    sql = (
        f"SELECT v FROM pages WHERE {where} ORDER BY g{word}, n{word} LIMIT {rows} OFFSET {skipped}"
    )
    session = Session()
    statement = engine.prepare(sql, session)
    kept = [
        row
        for row in ROWS
        if (row[0] == group and row[1] > low if group is not None else row[:2] > (1, low))
    ]
    kept.sort(reverse=descending)
    found = looked_up(statement, (), session)
    assert isinstance(statement.plan, QueryPlan)
    assert found is not None or statement.plan.rows is None
    if found is not None:
        assert [value for (value,) in found] == [row[2] for row in kept[skipped : skipped + rows]]


def test_a_page_reads_few_rows_beyond_its_own(engine: SqlEngine) -> None:
    session = Session()
    sql = "SELECT v FROM pages WHERE g = 1 AND n > 3 ORDER BY n LIMIT 20"
    statement = engine.prepare(sql, session)
    assert statement.look_up is not None
    found = statement.look_up((), session)
    assert found is not None
    assert len(found.rows) == 20
    assert sum(rows for _, _, _, rows in found.reads) <= 60


@given(
    lists=st.lists(st.lists(st.integers(0, 40), max_size=12), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 4), min_size=1, max_size=6),
    wanted=st.integers(0, 15),
    descending=st.booleans(),
)
def test_the_first_rows_are_among_those_read(
    lists: list[list[int]], cuts: list[int], wanted: int, *, descending: bool
) -> None:
    ordered = [sorted(((value,) for value in each), reverse=descending) for each in lists]

    def chunked(rows: list[Row]) -> Iterator[list[Row]]:
        for cut in cuts * (len(rows) + 1):
            yield rows[:cut]  # of any length, even empty
            rows = rows[cut:]
        yield rows

    order = Order.DESCENDING if descending else Order.ASCENDING
    found = first_few_rows(
        [chunked(each) for each in ordered], [0], order, wanted=wanted, rows_max=100
    )
    assert found is not None
    rows, counts = found
    assert sum(counts) == len(rows)
    every = sorted((row for each in ordered for row in each), reverse=descending)
    assert sorted(rows, reverse=descending)[:wanted] == every[:wanted]


@pytest.mark.parametrize("odd", [None, math.nan])
@pytest.mark.parametrize("order", Order)
def test_pages_with_values_that_python_does_not_order_are_declined(
    odd: float | None, order: Order
) -> None:
    one: list[list[list[Row]]] = [[[(1.0,), (2.0,)]], [[], [(odd,)]]]
    assert first_few_rows(list(map(iter, one)), [0], order, wanted=3, rows_max=9) is None
    two: list[list[list[Row]]] = [[[(1, 2.0)]], [[(1, 2.0), (1, odd)]]]
    assert first_few_rows(list(map(iter, two)), [0, 1], order, wanted=3, rows_max=9) is None


def test_long_pages_are_declined() -> None:
    long = [[[(number,)] for number in range(20)]] * 2
    assert (
        first_few_rows(list(map(iter, long)), [0], Order.ASCENDING, wanted=30, rows_max=9) is None
    )


def test_a_path_that_missed_is_skipped_for_some_statements(engine: SqlEngine) -> None:
    session = Session()
    statement = engine.prepare("SELECT v FROM pages WHERE g < 4 ORDER BY v", session)
    assert isinstance(statement.plan, QueryPlan)
    path = statement.plan.rows
    assert path is not None
    skipped = []
    for missed in (True, True, True, False, True):
        path.note(missed=missed)
        skipped.append(0)
        while path.is_skipped:
            path.count_statement()
            skipped[-1] += 1
    assert skipped == [2, 4, 8, 0, 2]
