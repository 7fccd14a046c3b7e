"""Requests are built in steps and immutable."""

from __future__ import annotations

import pytest

from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import QueryConfig, RequestError, StateQueryRequest, in_store

BASE = in_store("clicks").with_query(KeyQuery.with_key("bob"))


def test_a_request_is_built_in_steps() -> None:
    assert (BASE.store, BASE.query) == ("clicks", KeyQuery.with_key("bob"))
    assert BASE.is_all_partitions
    assert BASE.config == QueryConfig()
    assert BASE.position_bound.is_unbounded
    bound = PositionBound.at(Position.of({"events": {0: 4}}))
    full = (
        BASE.with_position_bound(bound)
        .with_partitions({2, 1})
        .require_active()
        .enable_execution_info()
    )
    assert full.partitions == {1, 2}
    assert full.position_bound == bound
    assert full.config == QueryConfig(bound=bound, active=True, info=True)
    assert full.with_all_partitions().is_all_partitions


def test_an_option_returns_a_new_request() -> None:
    named = {0}
    one = BASE.with_partitions(named)
    named.add(1)
    assert one.partitions == {0}
    assert BASE.is_all_partitions
    for changed in (BASE.require_active(), BASE.enable_execution_info()):
        assert changed != BASE
    assert BASE.config == QueryConfig()
    with pytest.raises(AttributeError):
        one.store = "other"  # type: ignore[misc]


def test_a_request_to_all_partitions_has_no_list_of_them() -> None:
    with pytest.raises(RequestError, match="to all partitions"):
        _ = BASE.partitions
    assert BASE.with_partitions(set()).partitions == frozenset()


def test_a_request_can_be_created_with_its_type() -> None:
    made = StateQueryRequest[Row | None](store="clicks", query=KeyQuery.with_key("bob"))
    assert made == BASE
