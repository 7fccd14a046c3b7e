"""Values and messages in bytes, for other nodes.

The bytes are msgpack. What it lacks has an extension type: tuples, decimals, and objects of the
known types, as their name and their fields. A message can hold only those, so that bytes choose
among harmless types and never among all classes of the process.

A field that is added to the end of a type, with a default, keeps nodes of two versions talking
during an upgrade: the older one leaves it out, and ignores it, even if its value is of a type that
the older one does not know.

Law: `decode(encode(value)) == value`, types included.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, TypeAlias

import msgspec
from msgspec.msgpack import Decoder, Encoder, Ext

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.spec import query, scans, versions, windows
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.registry import registered_queries
from stategate.stores.spec.store import PartitionStatus, QueryConfig, ReplicaState, Role

_TUPLE, _DECIMAL, _OBJECT = 1, 2, 3
PLAIN = frozenset({type(None), bool, int, float, str, bytes})
"""Types that msgpack has."""

_Value: TypeAlias = Any


class MessageError(StoreError):
    """A message is malformed, or has a value that other nodes do not know."""


class UnknownKindError(MessageError):
    """A message is, or has, a value of a kind that this node does not know, as newer nodes send."""


_known: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(FailureReason, Position, PositionBound, Progress),
        *(PartitionStatus, QueryConfig, ReplicaState, Role),
        *(query.Interval, query.Order, query.TimestampedRow, versions.VersionedRow),
        *(windows.TimeRange, windows.SessionTime),
        *(query.KeyQuery, query.FewKeysQuery, query.KeysQuery, query.RangeQuery),
        *(query.TimestampedKeyQuery, query.TimestampedRangeQuery),
        *(scans.PrefixQuery, scans.CountQuery, scans.ApproximateCountQuery, scans.RawKeyQuery),
        *(
            versions.VersionedKeyQuery,
            versions.MultiVersionedKeyQuery,
            versions.VersionedRangeQuery,
        ),
        *(windows.WindowKeyQuery, windows.WindowRangeQuery),
        *(windows.SessionQuery, windows.SessionKeyQuery, windows.SessionRangeQuery),
    )
}


def known(kind: type[_Value]) -> type[_Value]:
    """Let messages hold objects of a type; use it as a decorator."""
    _known[kind.__name__] = kind
    return kind


def encode(value: object) -> bytes:
    """Return a value in bytes.

    Raises:
        MessageError: it has a part of an unknown type.
    """
    try:
        return _ENCODER.encode(_packed(value))
    except (OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise MessageError(f"a value cannot be sent to another node: {error}") from error


def decode(data: bytes) -> Any:
    """Return the value of bytes.

    Raises:
        MessageError: they are malformed.
    """
    try:
        return _DECODER.decode(data)
    except (ValueError, TypeError, ArithmeticError, RecursionError, msgspec.MsgspecError) as error:
        raise MessageError(f"a message of a node is malformed: {error}") from error


def _packed(value: _Value) -> _Value:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple:
        return Ext(_TUPLE, _ENCODER.encode([_packed(each) for each in value]))
    if kind is list:
        return [_packed(each) for each in value]
    if kind is dict:
        return {key: _packed(each) for key, each in value.items()}
    if kind is Decimal:
        return Ext(_DECIMAL, str(value).encode())
    name = kind.__name__
    if _kind_of(name) is not kind:
        raise MessageError(f"a value of type {name} cannot be sent to another node")
    parts = [name]
    for part in _parts_of(name, value):
        parts.append(part if type(part) in PLAIN else _packed(part))
    return Ext(_OBJECT, _ENCODER.encode(parts))


def _unpacked(code: int, data: memoryview) -> _Value:
    if code == _DECIMAL:
        return Decimal(bytes(data).decode())
    if code == _TUPLE:
        return tuple(_DECODER.decode(data))
    if code != _OBJECT:
        raise UnknownKindError(f"this node does not know values of the type {code}")
    try:
        name, *given = _DECODER.decode(data)
    except UnknownKindError:
        name, *given = _known_parts(data)
    kind = _kind_of(name)
    if kind is None:
        raise UnknownKindError(f"this node does not know {name}")
    if issubclass(kind, Enum):
        try:
            return kind(*given)
        except ValueError as error:
            raise UnknownKindError(f"this node does not know {name} {given[0]}") from error
    return kind(**dict(zip(_names_of(name), given, strict=False)))


def _known_parts(data: memoryview) -> list[_Value]:
    """Return the name and the fields of an object without the fields that a newer node has added.

    Raises:
        UnknownKindError: another part is of an unknown type, too.
    """
    first, *parts = _PARTS.decode(data)
    name = _DECODER.decode(first)
    if not isinstance(name, str) or _kind_of(name) is None:
        raise UnknownKindError(f"this node does not know {name}")
    return [name, *map(_DECODER.decode, parts[: len(_names_of(name))])]


def _kind_of(name: str) -> type[_Value] | None:
    found = _known.get(name)
    if found is None:
        found = next((kind for kind in registered_queries() if kind.__name__ == name), None)
    return found


@cache
def _names_of(name: str) -> tuple[str, ...]:
    """Return the fields of a known type that is not an enumeration."""
    kind = _kind_of(name)
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.init)
    names: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    return names


def _parts_of(name: str, value: _Value) -> list[_Value]:
    if isinstance(value, Enum):
        return [value.value]
    return [getattr(value, each) for each in _names_of(name)]


_ENCODER = Encoder()
_DECODER: Decoder[_Value] = Decoder(ext_hook=_unpacked)
_PARTS: Decoder[list[msgspec.Raw]] = Decoder(list[msgspec.Raw])
