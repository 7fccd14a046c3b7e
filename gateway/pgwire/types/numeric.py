"""Numeric on the wire: base-10000 digits in the binary form (`src/backend/utils/adt/numeric.c`)."""

from __future__ import annotations

import struct
from decimal import Decimal

from gateway.pgwire.types.encoders import WireType, bad_binary, register_type, text_decoder
from gateway.pgwire.types.vector_numeric import DIGITS_MAX, numeric_binary, numeric_text
from planner.engine import DataType, Kind, QueryError

_NEGATIVE = 0x4000
_SPECIAL = {0xC000: "NaN", 0xD000: "Infinity", 0xF000: "-Infinity"}
_unpack_head = struct.Struct(">HhHH").unpack_from
_GROUP = 4
"""Decimal digits in one base-10000 digit."""


def encode_numeric_text(value: Decimal) -> bytes:
    """The number without an exponent, with all digits of its scale."""
    return format(value, "f").encode()


def encode_numeric_binary(value: Decimal) -> bytes:
    """Count of digits, weight of the first, sign, digits behind the point, the digits."""
    negative, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int), "decimals are finite"
    scale = max(0, -exponent)
    figures = "".join(map(str, digits)) + "0" * max(0, exponent)
    figures = figures.rjust(scale + 1, "0")
    whole, fraction = figures[: len(figures) - scale], figures[len(figures) - scale :]
    whole = "0" * (-len(whole) % _GROUP) + whole
    fraction += "0" * (-len(fraction) % _GROUP)
    text = whole + fraction
    groups = [int(text[at : at + _GROUP]) for at in range(0, len(text), _GROUP)]
    weight = len(whole) // _GROUP - 1
    while groups and groups[0] == 0:
        groups.pop(0)
        weight -= 1
    while groups and groups[-1] == 0:
        groups.pop()
    sign = _NEGATIVE if negative and groups else 0
    weight = weight if groups else 0
    count = len(groups)
    return struct.pack(f">HhHH{count}H", count, weight, sign, scale, *groups)


def decode_numeric_binary(raw: bytes) -> Decimal:
    """The reverse of `encode_numeric_binary`.

    Raises:
        QueryError: the bytes are no numeric (22P03), or one that is not finite (22003).
    """
    try:
        count, weight, sign, scale = _unpack_head(raw)
        groups = struct.unpack_from(f">{count}H", raw, 8)
    except struct.error as error:
        raise bad_binary("numeric") from error
    if sign in _SPECIAL:
        raise QueryError(f'value "{_SPECIAL[sign]}" is not held by type numeric', sqlstate="22003")
    # PostgreSQL's own bound on the scale; the other bounds keep the text below small.
    if (
        sign not in (0, _NEGATIVE)
        or len(raw) != 8 + 2 * count
        or scale > 0x3FFF
        or any(group > 9999 for group in groups)
    ):
        raise bad_binary("numeric")
    return _assemble(groups, weight=weight, negative=sign == _NEGATIVE, scale=scale)


def _assemble(groups: tuple[int, ...], *, weight: int, negative: bool, scale: int) -> Decimal:
    # By text: Python refuses to make an int of more than some 4,000 digits.
    digits = "".join(f"{group:04d}" for group in groups)
    exponent = _GROUP * (weight + 1 - len(groups))
    # To the declared scale exactly: zeros added, or the padding of the last group taken away.
    surplus = -exponent - scale
    if groups and surplus > 0:
        digits = digits[:-surplus]
    elif groups and surplus < 0:
        digits += "0" * -surplus
    figures = tuple(map(int, digits.lstrip("0") or "0"))
    return Decimal((int(negative), figures, -scale))


def _numeric(data_type: DataType) -> WireType:
    # Parameters have no precision, and columns of more digits behind the point are rare.
    at_once = data_type.precision > 0 and data_type.scale <= DIGITS_MAX
    modifier = (data_type.precision << 16 | data_type.scale) + 4 if data_type.precision else -1
    return WireType(
        oid=1700,
        array_oid=1231,
        length=-1,
        modifier=modifier,
        encode_text=encode_numeric_text,
        encode_binary=encode_numeric_binary,
        decode_text=text_decoder(data_type),
        decode_binary=decode_numeric_binary,
        encode_column_text=(
            numeric_text(data_type.scale, encode_numeric_text) if at_once else None
        ),
        encode_column_binary=(
            numeric_binary(data_type.scale, encode_numeric_binary) if at_once else None
        ),
    )


register_type(Kind.DECIMAL, _numeric)
