"""decimal, in base-10000 digits on the wire.

Source: PostgreSQL's `src/backend/utils/adt/numeric.c`.
"""

from __future__ import annotations

import struct
from decimal import Decimal, InvalidOperation

from stategate.stores.errors import ValueFormatError
from stategate.stores.types.record import KeyForm, SqlType, bad_binary, invalid_text

_EXPONENT_MAX = 20_000
"""Slightly above PostgreSQL's limit. Without one, a short text could mean a billion digits."""
_NEGATIVE = 0x4000
_NOT_FINITE = {0xC000: "NaN", 0xD000: "Infinity", 0xF000: "-Infinity"}
_SCALE_MAX = 0x3FFF
"""PostgreSQL's own limit; its other limits keep the text below small."""
_unpack_head = struct.Struct(">HhHH").unpack_from
_GROUP = 4
"""Decimal digits in one base-10000 digit."""


def _parse_decimal(text: str) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise invalid_text(text, "numeric") from None
    if "_" in text or not text.isascii():  # Python reads more than PostgreSQL does
        raise invalid_text(text, "numeric")
    if not value.is_finite():
        raise _not_held(text.strip())
    if abs(value.adjusted()) > _EXPONENT_MAX:
        raise ValueFormatError("value overflows numeric format", sqlstate="22003")
    return value


def _not_held(value: str) -> ValueFormatError:
    return ValueFormatError(f'value "{value}" is not held by type numeric', sqlstate="0A000")


def _decimal_text(value: Decimal) -> bytes:
    """Return the number without an exponent, with all digits of its scale."""
    return format(value, "f").encode()


def _encode_decimal(value: Decimal) -> bytes:
    """Return the number of digits, weight of the first, sign, digits after the point, digits."""
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


def _decode_decimal(raw: bytes) -> Decimal:
    """Reverse `_encode_decimal`; NaN and infinities are refused."""
    try:
        count, weight, sign, scale = _unpack_head(raw)
        groups = struct.unpack_from(f">{count}H", raw, 8)
    except struct.error as error:
        raise bad_binary("numeric") from error
    if sign in _NOT_FINITE:
        raise _not_held(_NOT_FINITE[sign])
    if (
        sign not in (0, _NEGATIVE)
        or len(raw) != 8 + 2 * count
        or scale > _SCALE_MAX
        or any(group > 9999 for group in groups)
    ):
        raise bad_binary("numeric")
    return _assembled(groups, weight=weight, negative=sign == _NEGATIVE, scale=scale)


def _assembled(groups: tuple[int, ...], *, weight: int, negative: bool, scale: int) -> Decimal:
    # The digits go by text, because Python refuses to make an int of more than some 4,000 digits.
    digits = "".join(f"{group:04d}" for group in groups)
    exponent = _GROUP * (weight + 1 - len(groups))
    # The scale becomes the declared one: zeros are added, or the padding of the last group removed.
    surplus = -exponent - scale
    if groups and surplus > 0:
        digits = digits[:-surplus]
    elif groups and surplus < 0:
        digits += "0" * -surplus
    figures = tuple(map(int, digits.lstrip("0") or "0"))
    return Decimal((int(negative), figures, -scale))


DECIMAL = SqlType(
    name="decimal",
    parsed=("DECIMAL", "BIGDECIMAL"),
    postgres="numeric",
    spelled="numeric",
    oid=1700,
    array_oid=1231,
    duckdb="DECIMAL",
    key=KeyForm.DECIMAL,
    has_one_form=False,
    text=_decimal_text,
    parse=_parse_decimal,
    encode=_encode_decimal,
    decode=_decode_decimal,
    cell=lambda value: format(value, "f"),
)
