"""Positions of the client: the laws of those of the stores, and the same texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stategate
from stategate.position import EMPTY, Position
from stategate.stores.spec.position import Position as StorePosition

COMPONENTS = st.dictionaries(
    st.sampled_from(["events", "orders", "é\"'"]),
    st.dictionaries(st.integers(0, 3), st.integers(0, 9), max_size=4),
    max_size=3,
)
POSITIONS = COMPONENTS.map(Position.of)


@given(a=POSITIONS, b=POSITIONS, c=POSITIONS)
def test_merging_is_commutative_associative_and_idempotent(
    a: Position, b: Position, c: Position
) -> None:
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert a | a == a == a | EMPTY
    assert (a | b).covers(a)
    assert a.covers(b) == (a | b == a)


@given(components=COMPONENTS)
def test_tokens_are_those_of_the_stores(components: dict[str, dict[int, int]]) -> None:
    mine, theirs = Position.of(components), StorePosition.of(components)
    assert Position.from_token(mine.token) == mine == Position.from_token(theirs.token())
    assert StorePosition.from_token(mine.token) == theirs
    assert mine.to_dict() == theirs.to_dict()
    assert bool(mine) != theirs.is_empty


@pytest.mark.parametrize(
    "token", ["", "[]", "{", '{"t": 1}', '{"t": {"x": 1}}', '{"t": {"0": -1}}']
)
def test_other_texts_are_no_tokens(token: str) -> None:
    with pytest.raises(stategate.InterfaceError):
        Position.from_token(token)


@pytest.mark.parametrize(("topic", "partition", "offset"), [("", 0, 0), ("t", -1, 0), ("t", 0, -1)])
def test_wrong_bounds_are_refused(topic: str, partition: int, offset: int) -> None:
    with pytest.raises(stategate.InterfaceError):
        stategate.at_least(topic, partition, offset)


def test_bounds_are_joined() -> None:
    bound = stategate.at_least("a", 0, 1) | stategate.at_least("a", 1, 2)
    assert bound.to_dict() == {"a": {0: 1, 1: 2}}
