"""Lookups of one key each, and their answers, in few bytes and many in one message.

They are what nodes ask each other most. The codec of all messages takes some 10 µs for each of
them, because it is general; here an item is packed in one call of msgspec, and items are joined.
What is not plain, such as a decimal or a failure, travels as a message of that codec.

A position is long, and changes with each epoch only. It is sent with the first answer of an epoch,
under the number of its partition, and the other side keeps it.

Laws: `asked_keys(packed(items)) == items`, and for any answers in the order in which they were
packed, `KeyAnswerReader.read` returns what `KeyAnswerPacker.pack` was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec.msgpack import Decoder, Encoder

from stategate.stores.nodes.codec import PLAIN, MessageError, decode, encode
from stategate.stores.nodes.messages import REPLIES, Answer, Answers, Ask, Refused, Reply
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Key

PLACES_MAX = 100_000
"""Partitions whose positions both sides of a connection keep; beyond that they begin anew."""

AskedKey: TypeAlias = tuple[int, str, int, Key]
"""The number of a request, a store, a partition and a key."""
_Answered: TypeAlias = tuple[int, int, int, tuple[Any, ...] | None, bytes | None]
"""The number of a request, a place, an epoch, a row, and a new position; or the number, -1, and a
message."""

_ANY_NUMBER_OF_ITEMS = b"\xdd"
"""The first byte of a msgpack array whose length takes four bytes."""
_ONE_ITEM = _ANY_NUMBER_OF_ITEMS + b"\0\0\0\1"
_MESSAGE = -1

_ENCODER = Encoder()
_ASKED: Decoder[list[AskedKey]] = Decoder(list[AskedKey])
_ANSWERED: Decoder[list[_Answered]] = Decoder(list[_Answered])


def packed(items: Sequence[bytes]) -> bytes:
    """Return items as one message."""
    if len(items) == 1:
        return _ONE_ITEM + items[0]
    return b"%b%b%b" % (_ANY_NUMBER_OF_ITEMS, len(items).to_bytes(4, "big"), b"".join(items))


def pack_key(number: int, request: Ask) -> bytes | None:
    """Return a request as an item; None if it is not for one plain key, asked as usual.

    An item has no room for a trace: what is recorded costs more than a message of the usual kind.

    Args:
        number: the number of the request.
        request: what is asked.
    """
    if len(request.targets) != 1 or request.trace is not None:
        return None
    partition, query, config = request.targets[0]
    if config is not None or type(query) is not KeyQuery or query.skip_cache:
        return None
    if not PLAIN.issuperset(map(type, query.key)):
        return None
    return _encoded((number, request.store, partition, query.key))


def pack_plain_key(number: int, store: str, partition: int, key: Key) -> bytes | None:
    """Return a lookup of one key as an item; None if the key is not plain."""
    for value in key:
        if type(value) not in PLAIN:
            return None
    return _encoded((number, store, partition, key))


def asked_keys(data: bytes) -> list[AskedKey]:
    """Return the requests in a message.

    Raises:
        MessageError: it is malformed.
    """
    try:
        return _ASKED.decode(data)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise MessageError(f"the keys of a node are malformed: {error}") from error


class KeyAnswerPacker:
    """Packs answers for one connection, on which they are sent in this order."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, int], tuple[int, Position]] = {}
        """The number of each partition that has answered, and its last position."""
        self._numbers = 0

    def pack(self, asked: AskedKey, result: QueryResult[Any]) -> bytes:
        """Return the answer to a request as an item."""
        number, store, partition, _ = asked
        if type(result) is Success and not result.info:
            row = result.value
            if row is None or PLAIN.issuperset(map(type, row)):
                place, position = self._place((store, partition), result.position)
                item = _encoded((number, place, result.epoch, row, position))
                if item is not None:
                    return item
                del self._places[store, partition]  # the other side has not got its position
        try:
            return pack_reply(number, Answers((Answer.of(result),)))
        except MessageError as error:
            return pack_reply(number, Refused(str(error)))

    def _place(self, at: tuple[str, int], position: Position) -> tuple[int, bytes | None]:
        """Return the number of a partition, and its position unless the other side has it."""
        known = self._places.get(at)
        if known is not None and known[1] is position:
            return known[0], None
        if known is not None:
            place = known[0]
        else:
            if self._numbers >= PLACES_MAX:
                self._places.clear()
                self._numbers = 0
            place, self._numbers = self._numbers, self._numbers + 1
        self._places[at] = place, position
        return place, encode(position)


def pack_reply(number: int, reply: Reply) -> bytes:
    """Return any reply as an item.

    Raises:
        MessageError: it has a value that cannot be sent.
    """
    return _ENCODER.encode((number, _MESSAGE, 0, None, encode(reply)))


class KeyAnswerReader:
    """Reads what a `KeyAnswerPacker` of the other node has packed, in the same order."""

    def __init__(self) -> None:
        self._positions: dict[int, Position] = {}

    def read(self, data: bytes) -> Iterator[tuple[int, Answer | Reply]]:
        """Yield the number of each request and its reply, or the only answer of it.

        Raises:
            MessageError: the message is malformed.
        """
        try:
            found = _ANSWERED.decode(data)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise MessageError(f"the answers of a node are malformed: {error}") from error
        positions = self._positions
        for number, place, epoch, row, given in found:
            if place == _MESSAGE:
                yield number, _reply(given)
                continue
            if given is not None:
                positions[place] = self._position(given)
            position = positions.get(place)
            if position is None:
                raise MessageError("an answer of a node has no position")
            yield number, Answer(epoch, position, (), row)

    def _position(self, data: bytes) -> Position:
        found = decode(data)
        if not isinstance(found, Position):
            raise MessageError("an answer of a node has a malformed position")
        return found


def _reply(data: bytes | None) -> Reply:
    found = decode(data or b"")
    if not isinstance(found, REPLIES):
        raise MessageError(f"a node sent no reply but {type(found).__name__}")
    return found


def _encoded(item: object) -> bytes | None:
    """Return an item in bytes; None if it has a number or a text that msgpack cannot hold."""
    try:
        return _ENCODER.encode(item)
    except (OverflowError, UnicodeEncodeError, msgspec.MsgspecError):
        return None
