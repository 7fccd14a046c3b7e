"""Parameter types by OID, and the decoders of the values in a Bind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from stategate.gateway.pgwire.protocol.errors import PROTOCOL_VIOLATION
from stategate.gateway.pgwire.types.encoders import BINARY_FORMAT, wire_type
from stategate.gateway.pgwire.types.timed_types import timed
from stategate.gateway.pgwire.types.wire_type import Decode, WireType, decode_utf8
from stategate.planner.engine import (
    OID,
    VOID,
    DataType,
    Kind,
    QueryError,
    Row,
    TimeSettings,
    parse_value,
)

_UNSPECIFIED = frozenset({0, 705})
"""OIDs that leave the type to the server: 0, and that of a literal of unknown type."""
_TEXT = DataType(kind=Kind.TEXT)
_TEXT_ALIASES = (18, 19, 1042, 1043)
"""The OIDs of "char", name, bpchar and varchar: drivers send strings as any of them."""
_TEXT_ARRAY_ALIASES = (1002, 1003, 1014, 1015)
_NO_PARAMETERS = {Kind.TINYINT, Kind.NULL, Kind.ARRAY, Kind.STRUCT, Kind.MAP}
"""Kinds without their own OID, because PostgreSQL has no such type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterType:
    """How the values of one parameter arrive."""

    oid: int
    data_type: DataType
    decode_text: Decode
    decode_binary: Decode


def _known() -> dict[int, ParameterType]:
    known: dict[int, ParameterType] = {}
    for kind in set(Kind) - _NO_PARAMETERS:
        scalar = DataType(kind=kind)
        array = DataType(kind=Kind.ARRAY, element=scalar)
        for data_type in (scalar, array):
            wire = wire_type(data_type)
            known[wire.oid] = _parameter(wire.oid, data_type, wire)
    for oid in _TEXT_ALIASES:
        known[oid] = _parameter(oid, _TEXT, wire_type(_TEXT))
    for oid in _TEXT_ARRAY_ALIASES:
        known[oid] = known[wire_type(_TEXT).array_oid]
    # pgjdbc sends the result of `{? = call f(?)}` as $1: NULL, of type void.
    for data_type in (OID, DataType(kind=Kind.ARRAY, element=OID), VOID):
        wire = wire_type(data_type)
        known[wire.oid] = _parameter(wire.oid, data_type, wire)
    return known


def _parameter(oid: int, data_type: DataType, wire: WireType) -> ParameterType:
    return ParameterType(
        oid=oid,
        data_type=data_type,
        decode_text=wire.decode_text,
        decode_binary=wire.decode_binary,
    )


_BY_OID = _known()


@lru_cache(maxsize=1024)
def _inferred(data_type: DataType) -> ParameterType:
    wire = wire_type(data_type)
    return _parameter(wire.oid, data_type, wire)


def requested_types(oids: Sequence[int]) -> tuple[DataType | None, ...]:
    """Return the types that a Parse declares; None where the engine chooses the type.

    Raises:
        QueryError: an oid does not belong to any of our types (42704).
    """
    return tuple(None if oid in _UNSPECIFIED else _of_oid(oid).data_type for oid in oids)


def _of_oid(oid: int) -> ParameterType:
    found = _BY_OID.get(oid)
    if found is None:
        raise QueryError(f"type with OID {oid} does not exist", sqlstate="42704")
    return found


def parameter_types(oids: Sequence[int], inferred: Sequence[DataType]) -> tuple[ParameterType, ...]:
    """Return how each parameter arrives: as the client declares, otherwise as inferred."""
    if not inferred:
        return ()
    asked = [*oids[: len(inferred)], *([0] * (len(inferred) - len(oids)))]
    return tuple(
        _inferred(data_type) if oid in _UNSPECIFIED else _of_oid(oid)
        for oid, data_type in zip(asked, inferred, strict=True)
    )


def expand_formats(formats: Sequence[int], count: int, *, what: str) -> tuple[int, ...]:
    """Return one format code for each of `count` parameters or columns.

    Raises:
        QueryError: neither none, one nor `count` codes (08P01), or a code that is neither 0 nor 1
            (22023).
    """
    for code in formats:
        if code not in (0, 1):
            raise QueryError(f"unsupported format code: {code}", sqlstate="22023")
    match len(formats):
        case 0:
            return (0,) * count
        case 1:
            return (formats[0],) * count
        case given if given == count:
            return tuple(formats)
        case given:
            raise QueryError(
                f"bind message has {given} {what} formats but {count} {what}s",
                sqlstate=PROTOCOL_VIOLATION,
            )


def choose_decoders(
    types: Sequence[ParameterType], formats: Sequence[int], times: TimeSettings
) -> tuple[Decode, ...]:
    """Return the decoder of each parameter for the formats of a Bind.

    Args:
        types: how the parameters arrive.
        formats: the formats.
        times: the session's settings of times, by which texts are read.

    Raises:
        QueryError: as `expand_formats`.
    """
    codes = expand_formats(formats, len(types), what="parameter")
    return tuple(
        each.decode_binary if code == BINARY_FORMAT else _text_decoder(each, times)
        for each, code in zip(types, codes, strict=True)
    )


def _text_decoder(parameter: ParameterType, times: TimeSettings) -> Decode:
    data_type = parameter.data_type
    if timed(data_type, times) is data_type:
        return parameter.decode_text
    return lambda raw: parse_value(decode_utf8(raw), data_type, times)


def check_count(decoders: Sequence[Decode], parameters: Sequence[bytes | None]) -> None:
    """Refuse a Bind with more or fewer values than the statement has parameters.

    Raises:
        QueryError: it has (08P01).
    """
    if len(parameters) != len(decoders):
        raise QueryError(
            f"bind message supplies {len(parameters)} parameters, but the prepared statement "
            f"requires {len(decoders)}",
            sqlstate=PROTOCOL_VIOLATION,
        )


def decode_parameters(decoders: Sequence[Decode], parameters: Sequence[bytes | None]) -> Row:
    """Decode the parameters of a Bind to physical values.

    Raises:
        QueryError: their number is not the statement's (08P01), or one is not a value of its type.
    """
    check_count(decoders, parameters)
    if len(parameters) == 1:  # most lookups; a loop would double the cost
        (raw,) = parameters
        return (None if raw is None else decoders[0](raw),)
    values = [
        None if raw is None else decode(raw)
        for decode, raw in zip(decoders, parameters, strict=False)
    ]
    return tuple(values)
