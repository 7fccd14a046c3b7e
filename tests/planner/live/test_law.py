"""The law: the first rows, with the changes of each epoch, are the rows of the statement.

So it is for a subscriber that stays, and for one that goes on later after the token of any event.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.live.kept_results import KeyedResult
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.planner.values.live import RowChange
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from tests.planner.live.watching import Watcher, apply_to, comparable_row
from tests.planner.sides import rows_of, run
from tests.planner.test_law import (
    HOUR_US,
    STORES,
    Query,
    joined,
    nested,
    predicates,
    single_store,
    tables,
)
from tests.support.stores import FixedCatalog, keyvalue, open_store, window

EXAMPLES = settings().max_examples
CATALOG = FixedCatalog()
KEYS = {"people": 1, "orders": 2, "clicks": 2, "spots": 3, "visits": 3}
"""How many columns at the beginning of a row tell it apart."""


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    made = SqlEngine(CATALOG, live=LiveLimits(linger_s=0))
    yield made
    made.close()


def keyed(name: str, rows: list[Row]) -> dict[Row, Row]:
    return {row[: KEYS[name]]: row for row in rows}


def apply_all(
    stores: list[LocalStore], old: dict[str, list[Row]], new: dict[str, list[Row]], epoch: int
) -> None:
    """Make the rows of all stores new in one epoch of each."""
    for store in stores:
        name = store.schema.name
        before, after = keyed(name, old[name]), keyed(name, new[name])
        gone = [row for key, row in before.items() if key not in after]
        changed = [row for key, row in after.items() if before.get(key) != row]
        apply_to(store, changed, epoch, gone)


def rows_now(engine: SqlEngine, query: Query) -> Counter[Row] | None:
    """Return the rows of a statement; None if it fails."""
    try:
        return Counter(map(comparable_row, rows_of(run(engine, query.sql, query.parameters))))
    except QueryError:
        return None


def agree(found: Counter[Row], expected: Counter[Row], query: Query) -> None:
    # LIMIT may keep any of the rows that are equal in the order.
    if "LIMIT" in query.sql:
        assert found.total() == expected.total(), query.sql
    else:
        assert found == expected, query.sql


@given(
    query=st.one_of(single_store(), joined(), nested()),
    contents=st.lists(tables(), min_size=2, max_size=4),
    leave_at=st.integers(0, 3),
)
@settings(max_examples=EXAMPLES // 6, suppress_health_check=list(HealthCheck))
def test_changes_make_the_rows_of_each_epoch(
    engine: SqlEngine, query: Query, contents: list[dict[str, list[Row]]], leave_at: int
) -> None:
    stores = [open_store(schema) for schema in STORES]
    empty: dict[str, list[Row]] = {schema.name: [] for schema in STORES}
    apply_all(stores, empty, contents[0], 0)
    CATALOG.replace(*stores)
    expected = rows_now(engine, query)
    try:
        staying = Watcher(engine, query.sql, query.parameters)
    except QueryError:
        return  # the statement fails, or cannot be subscribed to
    left: tuple[str, list[Row]] | None = None
    try:
        assert expected is not None
        agree(staying.counts(), expected, query)
        for epoch, (old, new) in enumerate(itertools.pairwise(contents), 1):
            if epoch - 1 == leave_at and staying.moment is not None:
                left = staying.moment.token, staying.rows
            apply_all(stores, old, new, epoch)
            expected = rows_now(engine, query)
            if expected is None:
                return  # it fails with these rows, as a division by zero, and the subscription ends
            staying.until(people=epoch, orders=epoch, clicks=epoch)
            agree(staying.counts(), expected, query)
        if left is not None and staying.events:
            returned = Watcher(engine, query.sql, query.parameters, token=left[0], rows=left[1])
            assert returned.subscription.start_over is None
            assert returned.subscription.first is None
            while returned.take() is not None:
                pass
            assert returned.counts() == staying.counts()
            assert [e.moment for e in returned.events] == [
                e.moment for e in staying.events[-len(returned.events) :] if returned.events
            ]
            returned.close()
    finally:
        staying.close()


SELECTED = {
    "people": ["*", "name, age", "t.name, upper(city) AS c", "coalesce(score, 0), _partition"],
    "orders": ["*", "name, number, amount * 2", "t.number, paid", "name, _partition", "paid"],
    "spots": ["*", "a, b, c", "b, n + 1", "c"],
    "clicks": ["*", "name, window_start, clicks", "window_end, clicks + 1", "clicks"],
    "visits": ["*", "a, b, window_start", "n, window_start"],
}
ORDERED = {
    "people": "name DESC",
    "orders": "number, name",
    "spots": "c, b DESC",
    "clicks": "window_end DESC, name",
    "visits": "b, window_start",
}
SPOTS = keyvalue("spots", {"a": "text", "b": "bigint", "c": "double"}, {"n": "bigint"})
VISITS = window("visits", {"a": "text", "b": "bigint"}, {"n": "bigint"})
KEYED = {schema.name: schema for schema in (*STORES, SPOTS, VISITS)}
SPOT_CONDITIONS = st.sampled_from(
    [
        *("a = 'x'", "a > 'w' AND b < 2", "(a, b) IN (('x', 1), ('y', 2))", "b IS NULL OR c > 0"),
        *("c IN ('NaN', 1)", "a = 'x' AND b = 1 AND c = 1", "a IS NULL AND c = 'NaN'", "n % 2 = 0"),
        *("(a, c) IN (('x', 'NaN'), ('y', 1))", "a IN ('x', 'y') AND n > 0", "b = 1 OR c = 1"),
    ]
)


VISIT_CONDITIONS = st.sampled_from(
    [
        *("a = 'x'", "b > 1 OR a IS NULL", "window_start >= '1970-01-01 01:00:00Z' AND n > 0"),
        *("(a, b) IN (('x', 1), ('y', 2))", "window_end <= '1970-01-01 03:00:00Z'", "n IS NULL"),
        "window_start IN ('1970-01-01 00:00:00Z', '1970-01-01 02:00:00Z') AND b IN (1, 2)",
    ]
)


@st.composite
def of_one_store(draw: st.DrawFn, names: Sequence[str] = tuple(SELECTED)) -> tuple[str, str]:
    """Draw a statement whose changes are those of the changed keys, and its store."""
    name = draw(st.sampled_from(names))
    own = {"spots": SPOT_CONDITIONS, "visits": VISIT_CONDITIONS}
    conditions = own[name] if name in own else predicates("t", name)
    condition = draw(st.one_of(st.none(), conditions))
    where = "" if condition is None else f" WHERE {condition}"
    order = draw(st.sampled_from(["", f" ORDER BY {ORDERED[name]}"]))
    return f"SELECT {draw(st.sampled_from(SELECTED[name]))} FROM {name} t{where}{order}", name


@st.composite
def keyed_tables(draw: st.DrawFn) -> dict[str, list[Row]]:
    """Draw the rows of all stores; each key column of `spots` and `visits` may be NULL."""
    spots = draw(
        st.dictionaries(
            st.tuples(
                st.sampled_from([None, "x", "y"]),
                st.sampled_from([None, 1, 2]),
                st.sampled_from([None, 1.0, -0.5, math.nan]),
            ),
            st.tuples(st.sampled_from([None, 0, 1])),
        )
    )
    visits = draw(
        st.dictionaries(
            st.tuples(
                st.sampled_from([None, "x", "y"]),
                st.sampled_from([None, 1, 2]),
                st.integers(0, 3).map(lambda hour: hour * HOUR_US),
            ),
            st.tuples(st.sampled_from([None, 0, 1])),
        )
    )
    return {
        **draw(tables()),
        "spots": [(*key, *row) for key, row in spots.items()],
        "visits": [(a, b, at, at + HOUR_US, *row) for (a, b, at), row in visits.items()],
    }


@given(
    query=of_one_store(),
    contents=st.lists(keyed_tables(), min_size=2, max_size=4),
)
@settings(max_examples=EXAMPLES // 3, suppress_health_check=list(HealthCheck))
def test_reading_changed_keys_gives_the_events_of_comparing_results(
    engine: SqlEngine, query: tuple[str, str], contents: list[dict[str, list[Row]]]
) -> None:
    sql, name = query
    store = open_store(KEYED[name])
    empty: dict[str, list[Row]] = {name: []}
    apply_all([store], empty, contents[0], 0)
    CATALOG.replace(store)
    try:
        keyed = Watcher(engine, sql)
    except QueryError:
        return
    assert [type(each.kept) for each in engine._live._live.values()] == [KeyedResult], sql
    # LIMIT leaves no way to read only some keys, and here it limits nothing.
    compared = Watcher(engine, f"{sql} LIMIT 10000")
    try:
        for epoch, (old, new) in enumerate(itertools.pairwise(contents), 1):
            apply_all([store], old, new, epoch)
            keyed.until(**{name: epoch})
            compared.until(**{name: epoch})
            assert keyed.counts() == compared.counts(), sql
            mine, theirs = keyed.events[-1], compared.events[-1]
            assert Counter(map(shown, mine.changes)) == Counter(map(shown, theirs.changes)), sql
            assert mine.moment.position == theirs.moment.position
    finally:
        keyed.close()
        compared.close()


def shown(change: RowChange) -> tuple[Row | None, Row | None]:
    return (
        None if change.old is None else comparable_row(change.old),
        None if change.new is None else comparable_row(change.new),
    )
