"""The texts of json and jsonb: how they are read, checked, and written in PostgreSQL's form.

A json keeps its text. A jsonb is held as its canonical text, which is made once, when a value
enters: members sorted by the length of their keys and then by bytes, the last of equal keys, and
numbers with all their digits and without an exponent. A part of a canonical text is one, too.

No number becomes a double. An integer is an int; another number is `Digits`.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, DecimalException
from typing import Any, TypeAlias

import msgspec

from stategate.planner.errors import InvalidValueError, LimitExceededError, QueryError

Json: TypeAlias = Any
"""None, a bool, an int, `Digits`, a str, a list or a dict of them."""
WHOLE_DIGITS_MAX, PLACES_MAX = 131_072, 16_383
"""The digits of PostgreSQL's numeric before and after the decimal point."""


class Digits(str):
    """The text of a number."""

    __slots__ = ()


_decode = msgspec.json.Decoder(float_hook=Digits).decode
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_SHORT = {
    **{'"': '\\"', "\\": "\\\\"},
    **{"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"},
}


def read_json(text: str) -> Json:
    """Return the value of a json text; of equal keys, the last one counts.

    Raises:
        InvalidValueError: it is not json, or has half of a surrogate pair (22P02).
        LimitExceededError: it is nested too deep (54001).
    """
    try:
        return _decode(text)
    except msgspec.ValidationError:  # an integer of thousands of digits
        return _read_by_parts(text)
    except msgspec.DecodeError:
        raise invalid_json() from None
    except RecursionError:
        raise too_deep() from None


def _read_by_parts(text: str) -> Json:
    try:
        return json.loads(text, parse_int=Digits, parse_float=Digits, parse_constant=_no_constant)
    except ValueError:
        raise invalid_json() from None
    except RecursionError:
        raise too_deep() from None


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not json")


def invalid_json() -> InvalidValueError:
    """Return the error for a text that is not json."""
    return InvalidValueError("invalid input syntax for type json", sqlstate="22P02")


def too_deep() -> LimitExceededError:
    """Return the error for json that is nested too deep."""
    return LimitExceededError(
        "stack depth limit exceeded", hint="Nest the json less deep.", sqlstate="54001"
    )


def checked(text: str) -> str:
    """Return a json text as it is.

    Raises:
        QueryError: as `read_json`; but halves of surrogate pairs are left as they are.
    """
    try:
        _decode(text)
    except msgspec.DecodeError:  # or a ValidationError, which is one
        _read_by_parts(text)
    except RecursionError:
        raise too_deep() from None
    return text


def checked_escapes(text: str) -> str:
    r"""Return a json text whose strings can all become texts.

    Raises:
        QueryError: it has `\u0000` (22P05), or half of a surrogate pair (22P02).
    """
    if "\\u" in text:
        if _NUL.search(text):
            raise no_text()
        read_json(text)
    return text


def no_text() -> InvalidValueError:
    r"""Return the error for the escape `\u0000`, which no text can hold."""
    return InvalidValueError("unsupported Unicode escape sequence", sqlstate="22P05")


def canonical(text: str) -> str:
    r"""Return the canonical text of a json text.

    Raises:
        QueryError: as `read_json`; or it has `\u0000` (22P05), or a number that numeric cannot hold
            (22003).
    """
    return written(read_json(text))


def written(value: Json) -> str:
    """Return the canonical text of a value.

    Raises:
        QueryError: as `canonical`.
    """
    try:
        return _written(value)
    except RecursionError:
        raise too_deep() from None


def _written(value: Json) -> str:
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind is dict:
        members = (f"{quoted(key)}: {_written(value[key])}" for key in in_order(value))
        return "{" + ", ".join(members) + "}"
    if kind is list:
        return "[" + ", ".join([_written(each) for each in value]) + "]"
    return scalar_text(value)


def scalar_text(value: Json) -> str:
    """Return the text of a number, a boolean or null."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    return number_text(value)


def in_order(members: dict[str, Json]) -> list[str]:
    """Return the keys of an object in the order of jsonb."""
    return sorted(members, key=_place) if len(members) > 1 else list(members)


def _place(key: str) -> tuple[int, bytes]:
    raw = key.encode()
    return len(raw), raw


def quoted(text: str) -> str:
    r"""Return a text as a json string.

    Raises:
        InvalidValueError: it has a NUL, which came from `\u0000` (22P05).
    """
    return f'"{_ESCAPED.sub(_escape, text)}"' if _ESCAPED.search(text) else f'"{text}"'


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    if sign == "\0":
        raise no_text()
    return _SHORT.get(sign) or f"\\u{ord(sign):04x}"


def number_text(number: int | Digits) -> str:
    """Return the digits of a number, without an exponent and with its zeros after the point.

    Raises:
        InvalidValueError: PostgreSQL's numeric cannot hold it (22003).
    """
    if type(number) is int:
        return str(number)
    text = f"{decimal_of(number):f}"
    is_zero = text[:1] == "-" and not text.strip("-0.")
    return text[1:] if is_zero else text


def decimal_of(number: int | Digits) -> Decimal:
    """Return a number as an exact decimal.

    Raises:
        InvalidValueError: PostgreSQL's numeric cannot hold it (22003).
    """
    if type(number) is int:
        return Decimal(number)
    try:
        found = Decimal(number)
    except DecimalException:
        raise _overflow() from None
    places = -int(found.as_tuple().exponent)
    if places > PLACES_MAX or max(found.adjusted() if found else 0, -places) >= WHOLE_DIGITS_MAX:
        raise _overflow()
    return found


def _overflow() -> QueryError:
    return InvalidValueError("value overflows numeric format", sqlstate="22003")
