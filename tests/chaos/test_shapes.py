"""A drawn change is one that a store takes, whatever it has become by then."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.spec.datatypes import DataType
from stategate.stores.spec.redefinition import changed_columns, redefinition
from stategate.stores.spec.schema import Column
from tests.chaos.reads.rows import rows_of
from tests.chaos.shapes import Change, Shape, drawn_change
from tests.support.gateway import columns, schema_of

STORE = schema_of(
    "totals",
    key=columns(key="text", part="integer"),
    value=columns(n="bigint", amount="bigint"),
    partitions=2,
)


def pairs(change: Change, option: str) -> list[str]:
    found = zip(change.options[::2], change.options[1::2], strict=True)
    return [value for name, value in found if name == option]


@given(st.integers(0, 1 << 32), st.integers(1, 8))
def test_a_store_takes_each_drawn_change(seed: int, changes: int) -> None:
    chance, before = random.Random(seed), STORE
    for number in range(changes):
        if chance.random() < 0.3:
            extra = Column(name=f"extra{number}", type=DataType.parse("bigint"))
            before = replace(before, value=(*before.value, extra))
        change = drawn_change(before, chance)
        after, renamed = changed_columns(
            before,
            drop=pairs(change, "--drop"),
            rename=dict(each.split(":") for each in pairs(change, "--rename")),
            key=tuple(pairs(change, "--key")) or None,
        )
        for partitions in pairs(change, "--partitions"):
            after = replace(after, partitions=int(partitions))
        after = redefinition(before, after, renamed).after
        shape = Shape.of(column.name for column in after.value)
        assert {shape.n, shape.amount, *shape.extras} == {each.name for each in after.value}
        assert not change.dropped & {*shape.extras}
        before = after


def test_statements_have_the_names_of_the_columns() -> None:
    shape = Shape.of(["part", "key", "amount2", "extra12", "n", "extra3"])
    extras = ("extra12", "extra3")
    assert shape == Shape(n="n", amount="amount2", extras=extras, is_turned=True)
    assert shape.selected("totals") == "SELECT key, n, amount2, extra12, extra3 FROM totals"
    assert "bool_and(coalesce(extra3 = n + amount2, true))" in shape.selected("windows")
    assert shape.all_rows("latest") == "SELECT key, n, amount2 FROM latest"
    assert shape.rows("latest") == "SELECT key, n, amount2, extra12, extra3 FROM latest"
    assert "window_start" in shape.rows("windows")
    assert "window_end" in shape.all_rows("sessions")


def test_a_wrong_further_column_makes_a_wrong_row() -> None:
    assert rows_of([("a", 1, 2, 3, None), ("b", 1, 2, True)]) == {"a": (1, 2), "b": (1, 2)}
    assert rows_of([("a", 1, 2, 4)]) == rows_of([("a", 1, 2, False)]) == {"a": (1, -1)}
