"""Pages: the first rows in the order of the key, read in small parts of several partitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.planning.plan import QueryPlan
from stategate.planner.running import few_reads
from stategate.planner.running.few_reads import LateError, first_rows_of
from stategate.planner.running.ordered_reads import first_few_rows
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import Row
from tests.planner.sides import looked_up
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

ROWS: list[Row] = [
    (group, number, group * 100 + number)
    for group in range(4)
    for number in range(60)
    if (group, number) < (3, 5)
]
STORE = keyvalue("pages", {"g": "integer", "n": "integer"}, {"v": "bigint"}, partitions=5)


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
    wanted=st.integers(0, 15),
    descending=st.booleans(),
)
def test_the_first_rows_are_among_those_read(
    lists: list[list[int]], wanted: int, *, descending: bool
) -> None:
    ordered = [sorted(((value,) for value in each), reverse=descending) for each in lists]
    order = Order.DESCENDING if descending else Order.ASCENDING
    found = first_few_rows(
        lambda count: [rows[:count] for rows in ordered],
        [0],
        order,
        wanted=wanted,
        reads=len(lists),
        rows_max=100,
    )
    assert found is not None
    rows = sorted((row for each in found for row in each), reverse=descending)
    every = sorted((row for each in ordered for row in each), reverse=descending)
    assert rows[:wanted] == every[:wanted]


def first(
    reads: Sequence[Sequence[Row]], places: list[int], order: Order
) -> list[list[Row]] | None:
    """Return the first 20 rows of reads, if at most 60 are read."""
    return first_few_rows(
        lambda count: [list(rows[:count]) for rows in reads],
        places,
        order,
        wanted=20,
        reads=len(reads),
        rows_max=60,
    )


@pytest.mark.parametrize("odd", [None, math.nan])
@pytest.mark.parametrize("order", Order)
def test_pages_with_values_that_python_does_not_order_are_declined(
    odd: float | None, order: Order
) -> None:
    one: list[list[Row]] = [[(float(number),) for number in range(30)], [(odd,)] * 30]
    assert first(one, [0], order) is None
    two: list[list[Row]] = [[(1, *row) for row in rows] for rows in one]
    assert first(two, [0, 1], order) is None


def test_long_pages_are_declined() -> None:
    near, far = ([(number,) for number in range(begin, begin + 30)] for begin in (0, 99))
    assert first([near, far], [0], Order.ASCENDING) is not None
    assert first([near, far, far, far], [0], Order.ASCENDING) is None


def test_slow_pages_are_declined() -> None:
    asked: list[int] = []

    def ask(number: int, count: int, until_s: float) -> list[Row] | None:
        asked.append(number)
        return [(number,)]

    with pytest.raises(LateError):
        first_rows_of([0, 1, 2], ask, until_s=-math.inf)(3, 9)
    assert asked == [0]


def test_a_page_that_ends_late_is_no_long_one() -> None:
    with pytest.raises(LateError):
        first_rows_of([0], lambda *_: None, until_s=-math.inf)(3, 9)
    assert first_rows_of([0], lambda *_: None, until_s=math.inf)(3, 9) is None


def test_late_reads_go_on_row_by_row_in_a_thread(
    engine: SqlEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    statement = engine.prepare("SELECT g, v FROM pages WHERE g = 2 ORDER BY n LIMIT 5", session)
    assert statement.look_up is not None
    assert isinstance(statement.plan, QueryPlan)
    path, asked = statement.plan.rows, statement.look_up((), session)
    assert path is not None
    assert asked is not None

    with monkeypatch.context() as patch:
        patch.setattr(few_reads, "SLICE_S", -1.0)
        for _ in range(3):
            assert statement.look_up((), session) is None
            assert not engine.is_inline(statement, session)
            result = engine.execute(statement, (), session, cancellation=Cancellation(timeout_s=9))
            assert result.rows == asked.rows
        assert not path.is_skipped
        held = Cancellation(timeout_s=9, holds_loop=True)
        on_loop = engine.execute(statement, (), session, cancellation=held)
        assert on_loop.rows is None
        assert list(on_loop.batches or ())
        path.note(missed=False)
    # The tries that are left out end as soon as reads are in time again.
    assert [statement.look_up((), session) is None for _ in range(6)].count(True) <= 4
    assert statement.look_up((), session) is not None
    assert engine.is_inline(statement, session)


def test_no_more_rows_are_asked_for_than_may_be_read() -> None:
    asked: list[int] = []

    def ask(number: int, count: int, until_s: float) -> list[Row] | None:
        asked.append(count)
        return [(number,)] * min(count, 4)

    assert first_rows_of([0, 1, 2], ask, until_s=math.inf)(10, 9) is None
    assert asked == [10, 6, 2]


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
