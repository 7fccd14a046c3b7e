"""The difference of two results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.live.differences import Difference
from stategate.planner.values.live import RowChange
from stategate.stores.spec.schema import Column, DataType, Row
from tests.planner.live.watching import comparable_row

COLUMNS = tuple(
    Column(name=name, type=DataType.parse(text))
    for name, text in (("k", "bigint"), ("x", "double"), ("l", "bigint[]"))
)
PLAIN = COLUMNS[:1]
rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 3)),
        st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf])),
        st.one_of(st.none(), st.lists(st.integers(0, 1), max_size=2)),
    ),
    max_size=12,
)


def applied(before: Sequence[Row], changes: Sequence[RowChange]) -> Counter[Row]:
    counts = Counter(map(looks, before))
    for change in changes:
        if change.old is not None:
            counts[looks(change.old)] -= 1
            assert counts[looks(change.old)] >= 0
        if change.new is not None:
            counts[looks(change.new)] += 1
    return +counts


def looks(row: Row) -> Row:
    """Return a row in which 0.0 and -0.0 differ."""
    return tuple(repr(value) for value in comparable_row(row))


@given(old=rows, new=rows, key=st.sampled_from([None, (), (0,), (0, 1), (1, 2)]))
def test_changes_make_the_new_result_of_the_old_one(
    old: list[Row], new: list[Row], key: tuple[int, ...] | None
) -> None:
    difference = Difference(COLUMNS, key)
    before, after = difference.contents(old), difference.contents(new)
    changes = difference.changes(before, after)
    assert applied(old, changes) == Counter(map(looks, new))
    assert difference.changes(before, difference.contents(list(reversed(old)))) == ()
    for change in changes:
        assert change.old is None or change.new is None or looks(change.old) != looks(change.new)
    digest = difference.digest(old)
    digest.apply(changes)
    assert digest.text == difference.digest(reversed(new)).text
    is_same = Counter(map(looks, old)) == Counter(map(looks, new))
    assert (difference.digest(old).text == digest.text) is is_same


@given(old=rows, new=rows)
def test_no_more_changes_than_needed(old: list[Row], new: list[Row]) -> None:
    difference = Difference(COLUMNS, (0,))
    changes = difference.changes(difference.contents(old), difference.contents(new))
    before, after = Counter(map(looks, old)), Counter(map(looks, new))
    assert sum(c.old is not None for c in changes) == (before - after).total()
    assert sum(c.new is not None for c in changes) == (after - before).total()


def changed(old: list[Row], new: list[Row], key: tuple[int, ...] | None) -> list[RowChange]:
    difference = Difference((*PLAIN, *PLAIN), key)
    return list(difference.changes(difference.contents(old), difference.contents(new)))


def test_rows_of_one_key_are_updates_between_deletes_and_inserts() -> None:
    old, new = [(1, 1), (2, 2), (3, 3)], [(1, 1), (2, 9), (4, 4)]
    assert changed(old, new, (0,)) == [
        RowChange((3, 3), None),
        RowChange((2, 2), (2, 9)),
        RowChange(None, (4, 4)),
    ]
    assert changed(old, new, None) == [
        RowChange((2, 2), None),
        RowChange((3, 3), None),
        RowChange(None, (2, 9)),
        RowChange(None, (4, 4)),
    ]


def test_a_result_of_one_row_is_updated() -> None:
    assert changed([(1, 1)], [(2, 1)], ()) == [RowChange((1, 1), (2, 1))]
