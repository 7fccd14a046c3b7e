"""Laws of the oids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.pg_catalog.store_relations import (
    FIRST_OID,
    LAST_OID,
    assign_oids,
    definition_xmin,
)

NAMES = st.lists(st.text(max_size=8), max_size=30)


@given(NAMES)
def test_distinct_and_in_range(names: list[str]) -> None:
    oids = assign_oids(names)
    assert set(oids) == set(names)
    assert len(set(oids.values())) == len(oids)
    assert all(FIRST_OID <= oid <= LAST_OID for oid in oids.values())


@given(NAMES)
def test_order_does_not_matter(names: list[str]) -> None:
    shuffled = sorted(names, reverse=True)
    assert assign_oids(shuffled) == assign_oids(names)


@given(st.text())
def test_xmin_is_a_plain_transaction_number(definition: str) -> None:
    assert 3 <= definition_xmin(definition) <= LAST_OID
