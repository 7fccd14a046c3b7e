from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.msgpack import Decoder, Ext
from msgspec.msgpack import encode as msgpack

from stategate.stores.nodes import messages
from stategate.stores.nodes.codec import MessageError, UnknownKindError, decode, encode
from stategate.stores.spec.position import EMPTY, Position, PositionBound, Progress
from stategate.stores.spec.query import KeyQuery, Query
from stategate.stores.spec.registry import register_query
from stategate.stores.spec.schema import StoreKind
from stategate.stores.spec.store import PartitionStatus, QueryConfig, ReplicaState, Role
from tests.stores.test_agreement import EventsAgreement, ExpiringWindows
from tests.support.values import same

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
)
POSITIONS = st.dictionaries(
    st.text(min_size=1), st.dictionaries(st.integers(0, 9), st.integers(0, 2**40)), max_size=3
).map(Position.of)
BOUNDS = st.builds(
    PositionBound,
    position=POSITIONS,
    epoch=st.none() | st.integers(0, 9),
    latest=st.booleans(),
    committed_ms=st.none() | st.integers(0, 2**45),
)
STATUSES = st.builds(
    PartitionStatus,
    partition=st.integers(0, 9),
    role=st.sampled_from(Role),
    state=st.sampled_from(ReplicaState),
    progress=st.builds(Progress, epoch=st.integers(-1, 9), position=POSITIONS),
    error=st.none() | st.text(),
)
MESSAGES = (
    st.builds(
        messages.Ask,
        store=st.text(),
        targets=st.lists(
            st.tuples(
                st.integers(0, 9),
                EventsAgreement.queries | ExpiringWindows.queries,
                st.none() | st.builds(QueryConfig, bound=BOUNDS, at_epoch=st.integers(0, 9)),
            ),
            max_size=3,
        ).map(tuple),
    )
    | st.builds(messages.Statuses, st.lists(STATUSES, max_size=3).map(tuple))
    | st.builds(messages.Answer, st.integers(-1, 9), POSITIONS, value=VALUES)
    | st.builds(messages.WaitForBound, st.text(), st.integers(0, 9), BOUNDS, st.floats(0, 9))
)


@given(VALUES)
def test_a_value_comes_back(value: Any) -> None:
    found = decode(encode(value))
    assert type(found) is type(value)
    assert same_parts(found) == same_parts(value)


def same_parts(value: Any) -> Any:
    """Make NaN equal to NaN, and tell -0.0 from 0.0 and True from 1."""
    if isinstance(value, list | tuple):
        return type(value)(same_parts(each) for each in value)
    if isinstance(value, dict):
        return {key: same_parts(each) for key, each in value.items()}
    return type(value), same(value), str(value)


def is_sent(message: Any) -> bool:
    """Whether nodes can send it: entries of a database as they are stored are not sent."""
    return "RawScanQuery" not in repr(message)


@given(MESSAGES.filter(is_sent))
def test_a_message_comes_back(message: Any) -> None:
    found = decode(encode(message))
    assert repr(found) == repr(message)


class Unknown:
    """A class that messages may not hold."""


def test_unknown_types_are_refused() -> None:
    with pytest.raises(MessageError, match="type Unknown cannot be sent"):
        encode((1, Unknown()))
    with pytest.raises(MessageError, match="cannot be sent"):
        encode(2**70)
    with pytest.raises(MessageError, match="does not know Path"):
        decode(msgpack(Ext(3, msgpack(["Path", "/etc"]))))


NOTHING = msgpack(None)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data + b"\xc1",
        lambda data: msgpack(Ext(9, NOTHING)),
        lambda data: msgpack(Ext(3, msgpack([]))),
        lambda data: msgpack(Ext(3, msgpack(["Role", "king"]))),
        lambda data: msgpack(Ext(3, msgpack(["Release"]))) + b"x",
        lambda data: msgpack(Ext(3, msgpack(["Ask"]))),
        lambda data: msgpack(Ext(3, msgpack([["Ask"]]))),
        lambda data: msgpack(Ext(1, b"not a number")),
        lambda data: msgpack(Ext(1, b"\xff")),
        lambda data: msgpack(Ext(2, NOTHING)),
    ],
)
def test_malformed_bytes_are_one_error(damage: Callable[[bytes], bytes]) -> None:
    data = encode(messages.Ask("clicks", ((0, KeyQuery(key=("ann",)), None),)))
    with pytest.raises(MessageError):
        decode(damage(data))


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_one_error(data: bytes) -> None:
    with suppress(MessageError):
        decode(data)


def test_fields_of_another_version_do_no_harm() -> None:
    """A later version may add fields to the end, with defaults."""
    longer = msgpack(Ext(3, msgpack(["AskHold", 5, "new", 1])))
    assert decode(longer) == messages.AskHold(5)
    shorter = msgpack(Ext(3, msgpack(["HeldEpoch", 5])))
    assert decode(shorter) == messages.HeldEpoch(5)


NEW = Ext(3, msgpack(["OfTomorrow", 1]))


@pytest.mark.parametrize("new", [NEW, Ext(77, b"x"), Ext(1, msgpack([1, NEW])), [NEW], {"n": NEW}])
def test_fields_of_another_version_do_no_harm_even_if_their_types_are_unknown(new: Any) -> None:
    assert decode(msgpack(Ext(3, msgpack(["AskHold", 5, new])))) == messages.AskHold(5)
    inner = Ext(3, msgpack(["AskHold", 5, new]))
    outer = Ext(3, msgpack(["Answer", 1, encoded(EMPTY), Ext(1, msgpack([])), inner]))
    assert decode(msgpack(outer)).value == messages.AskHold(5)
    # A field that this node does know, or a whole message, is another matter.
    role = Ext(3, msgpack(["Role", "of tomorrow"]))
    for parts in (["AskHold", new], ["AskHold", role], ["OfTomorrow", new]):
        unknown = Ext(3, msgpack(parts))
        with pytest.raises(UnknownKindError, match="this node does not know"):
            decode(msgpack(unknown))


def encoded(value: Any) -> Ext:
    """Return a value of a known type as a part of a message."""
    found: Ext = Decoder().decode(encode(value))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestQuery(Query[Decimal]):
    """A query of an extension."""

    column: str


@pytest.mark.usefixtures("own_registry")
def test_queries_of_extensions_are_sent() -> None:
    query = LargestQuery(column="n")
    with pytest.raises(MessageError, match="LargestQuery cannot be sent"):
        encode(query)
    register_query(StoreKind.KEYVALUE, LargestQuery, lambda engine, view, query: Decimal(1))
    assert decode(encode(query)) == query
