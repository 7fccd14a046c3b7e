"""Packed lookups come back as they were, whatever the keys, rows and positions are."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack

from stategate.stores.errors import FailureReason
from stategate.stores.nodes import packed_keys
from stategate.stores.nodes.codec import MessageError, encode
from stategate.stores.nodes.messages import Answer, Answers, Ask, Refused
from stategate.stores.nodes.packed_keys import (
    KeyAnswerPacker,
    KeyAnswerReader,
    asked_keys,
    pack_key,
    pack_reply,
    packed,
)
from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.store import DEFAULT_CONFIG
from tests.stores.nodes.test_codec import POSITIONS, same_parts

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text()
    | st.binary()
)
ROWS = st.none() | st.lists(PLAIN, max_size=4).map(tuple)
PLACES = st.tuples(st.sampled_from(["s", "t"]), st.integers(0, 2))
RESULTS = st.builds(
    Success,
    value=ROWS | st.tuples(PLAIN, st.decimals(allow_nan=False, allow_infinity=False)),
    position=st.sampled_from([EMPTY, Position.of({"t": {0: 1}})]) | POSITIONS,
    epoch=st.integers(-1, 2**40),
) | st.builds(
    Failure,
    reason=st.sampled_from(FailureReason),
    message=st.text(st.characters(codec="utf-8")),
    restoring=st.booleans(),
)


def ask(key: tuple[Any, ...], **given: Any) -> Ask:
    return Ask("s", ((1, KeyQuery(key=key, **given), None),))


@given(st.lists(st.lists(PLAIN, min_size=1, max_size=3).map(tuple), max_size=5))
def test_keys_come_back(keys: list[tuple[Any, ...]]) -> None:
    items = [pack_key(number, ask(key)) for number, key in enumerate(keys)]
    found = asked_keys(packed([item for item in items if item is not None]))
    wanted = [(number, "s", 1, key) for number, key in enumerate(keys)]
    assert same_parts(found) == same_parts(wanted)


@given(st.lists(st.tuples(PLACES, RESULTS), max_size=12), st.integers(1, 3))
def test_answers_come_back_in_their_order(
    given: list[tuple[tuple[str, int], QueryResult[Any]]], places_max: int
) -> None:
    packer, reader = KeyAnswerPacker(), KeyAnswerReader()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_keys, "PLACES_MAX", places_max)
        for number, ((store, partition), result) in enumerate(given):
            item = packer.pack((number, store, partition, ("k",)), result)
            found = [
                (each, Answers((reply,)) if isinstance(reply, Answer) else reply)
                for each, reply in reader.read(packed([item]))
            ]
            # As texts, NaN equals NaN, and -0.0 and True differ from 0.0 and 1.
            assert repr(found) == repr([(number, Answers((Answer.of(result),)))])


def test_a_position_is_sent_once() -> None:
    packer, position = KeyAnswerPacker(), Position.of({"topic": {n: n for n in range(100)}})
    sizes = [
        len(packer.pack((n, "s", 0, ("k",)), Success(value=(n,), position=position, epoch=1)))
        for n in range(2)
    ]
    assert sizes[0] > 500
    assert sizes[1] < 20


@pytest.mark.parametrize(
    "request_",
    [
        ask((Decimal(1),)),
        ask((2**64,)),
        ask(("\ud800",)),
        ask(("k",), skip_cache=True),
        Ask("s", ((1, KeyQuery(key=("k",)), DEFAULT_CONFIG),)),
        Ask("s", ((1, KeyQuery(key=("k",)), None), (2, KeyQuery(key=("k",)), None))),
        Ask("s", ()),
    ],
)
def test_other_requests_are_not_packed(request_: Ask) -> None:
    assert pack_key(1, request_) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        msgpack.encode([[1, "s", 1]]),
        msgpack.encode([["1", "s", 1, ["k"]]]),
        msgpack.encode([[1, -1, 0, None, None]]),
        msgpack.encode([[1, -1, 0, None, encode(EMPTY)]]),
        msgpack.encode([[1, 7, 0, None, None]]),
        msgpack.encode([[1, 7, 0, None, encode(Refused(""))]]),
    ],
)
def test_malformed_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(MessageError):
        list(KeyAnswerReader().read(data))
    with pytest.raises(MessageError):
        asked_keys(data)


def test_a_row_that_cannot_be_sent_fails_alone() -> None:
    packer = KeyAnswerPacker()
    rows: list[tuple[Any, ...]] = [(object(),), (1,)]
    items = [
        packer.pack((n, "s", 0, ("k",)), Success(value=row, position=EMPTY, epoch=1))
        for n, row in enumerate(rows)
    ]
    (_, refused), (_, answer) = KeyAnswerReader().read(packed(items))
    assert isinstance(refused, Refused)
    assert isinstance(answer, Answer)


def test_any_reply_can_be_packed() -> None:
    reply = Refused("why")
    assert list(KeyAnswerReader().read(packed([pack_reply(3, reply)]))) == [(3, reply)]
