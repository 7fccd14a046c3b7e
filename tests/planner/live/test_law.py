"""The law: the first rows, with the changes of each epoch, are the rows of the statement.

So it is for a subscriber that stays, and for one that goes on later after the token of any event.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.errors import QueryError
from planner.sql import LiveLimits, SqlEngine
from planner.values.live import RowChange
from stores.hosting.local_store import LocalStore
from stores.spec.schema import Row
from tests.planner.live.watching import Watcher, apply_to, comparable_row
from tests.planner.sides import rows_of, run
from tests.planner.test_law import (
    PEOPLE,
    STORES,
    Query,
    joined,
    nested,
    predicates,
    single_store,
    tables,
)
from tests.support.stores import FixedCatalog, open_store

EXAMPLES = settings().max_examples
CATALOG = FixedCatalog()
KEYS = {"people": 1, "orders": 2, "clicks": 2}
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


SELECTED = st.sampled_from(
    ["*", "name, age", "t.name, upper(city) AS c", "name, coalesce(score, 0), _partition"]
)


@given(
    columns=SELECTED,
    condition=st.one_of(st.none(), predicates("t", "people")),
    contents=st.lists(tables(), min_size=2, max_size=4),
    order=st.sampled_from(["", " ORDER BY name DESC"]),
)
@settings(max_examples=EXAMPLES // 6, suppress_health_check=list(HealthCheck))
def test_reading_changed_keys_gives_the_events_of_comparing_results(
    engine: SqlEngine,
    columns: str,
    condition: str | None,
    contents: list[dict[str, list[Row]]],
    order: str,
) -> None:
    store = open_store(PEOPLE)
    empty: dict[str, list[Row]] = {"people": []}
    apply_all([store], empty, contents[0], 0)
    CATALOG.replace(store)
    where = "" if condition is None else f" WHERE {condition}"
    sql = f"SELECT {columns} FROM people t{where}{order}"
    try:
        keyed = Watcher(engine, sql)
    except QueryError:
        return
    # LIMIT leaves no way to read only some keys, and here it limits nothing.
    compared = Watcher(engine, f"{sql} LIMIT 10000")
    try:
        for epoch, (old, new) in enumerate(itertools.pairwise(contents), 1):
            apply_all([store], old, new, epoch)
            keyed.until(people=epoch)
            compared.until(people=epoch)
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
