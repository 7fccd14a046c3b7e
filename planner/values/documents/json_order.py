"""The order and equality of jsonb: keys whose bytes compare as PostgreSQL compares the values.

Null < strings < numbers < false < true < arrays < objects. Arrays and objects of fewer members come
first, then their members count, in turn. An empty array that is the whole value precedes all.

Source: compareJsonbContainers in PostgreSQL's `src/backend/utils/adt/jsonb_util.c`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from stategate.planner.values.documents.json_text import (
    Digits,
    Json,
    decimal_of,
    in_order,
    read_json,
    too_deep,
)

_EMPTY, _NULL, _TEXT, _NUMBER, _FALSE, _TRUE, _ARRAY, _OBJECT = (bytes([at]) for at in range(1, 9))
_END = b"\0"
"""Ends a text and the digits of a number; no text of jsonb has this byte."""
_BIAS = 1 << 31
_FLIPPED = bytes(255 - at for at in range(256))


def sort_key(text: str) -> bytes:
    """Return the key of a canonical text. Equal values have equal keys: 1.0 is 1.00."""
    if text == "[]":
        return _EMPTY
    parts: list[bytes] = []
    try:
        _add(read_json(text), parts.append)
    except RecursionError:
        raise too_deep() from None
    return b"".join(parts)


def _add(value: Json, add: Callable[[bytes], None]) -> None:
    if type(value) is str:
        add(_TEXT + value.encode() + _END)
    elif value is None:
        add(_NULL)
    elif value is True or value is False:
        add(_TRUE if value else _FALSE)
    elif type(value) is list:
        add(_ARRAY + len(value).to_bytes(4))
        for each in value:
            _add(each, add)
    elif type(value) is dict:
        add(_OBJECT + len(value).to_bytes(4))
        for key in in_order(value):
            add(key.encode() + _END)
            _add(value[key], add)
    else:
        add(_NUMBER + _number_key(decimal_of(value)))


def _number_key(number: Decimal) -> bytes:
    """Return bytes in the order of numbers: the sign, the power of ten, the digits."""
    if not number:
        return b"\x02"
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    size = (number.adjusted() + _BIAS).to_bytes(4) + digits.encode() + _END
    return b"\x03" + size if number > 0 else b"\x01" + size.translate(_FLIPPED)


def contains(left: str, right: str) -> bool:
    """Whether `left @> right`. An array also contains a scalar that is one of its elements."""
    one, other = read_json(left), read_json(right)
    if isinstance(one, list) and not isinstance(other, list | dict):
        return any(_is_same(each, other) for each in one)
    return _contains(one, other)


def _contains(one: Json, other: Json) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return all(key in one and _contains(one[key], each) for key, each in other.items())
    if isinstance(one, list) and isinstance(other, list):
        return all(any(_contains(mine, each) for mine in one) for each in other)
    return _is_same(one, other)


def _is_same(one: Json, other: Json) -> bool:
    """Whether scalars are equal."""
    if _is_number(one) and _is_number(other):
        return decimal_of(one) == decimal_of(other)
    return type(one) is type(other) and not isinstance(one, list | dict) and bool(one == other)


def _is_number(value: Json) -> bool:
    return type(value) in {int, Digits}


def has_key(text: str, key: str) -> bool:
    """Whether `value ? key`: a member of this key, an element that is this text, or this text."""
    return _has(read_json(text), key)


def has_any_key(text: str, keys: Sequence[str | None]) -> bool:
    """Whether `value ?| keys`."""
    value = read_json(text)
    return any(_has(value, key) for key in keys if key is not None)


def has_all_keys(text: str, keys: Sequence[str | None]) -> bool:
    """Whether `value ?& keys`."""
    value = read_json(text)
    return all(_has(value, key) for key in keys if key is not None)


def _has(value: Json, key: str) -> bool:
    if isinstance(value, dict):
        return key in value
    return any(type(each) is str and each == key for each in _listed(value))


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else (value,)


def distinct(texts: Sequence[str | None]) -> list[str | None]:
    """Return one text of each value, in their order, NULL last."""
    found: dict[bytes, str] = {}
    for text in texts:
        if text is not None:
            found.setdefault(sort_key(text), text)
    ends = [None] if None in texts else []
    return [*(found[key] for key in sorted(found)), *ends]


def greatest(texts: Sequence[str | None]) -> str | None:
    """Return the greatest value; NULL does not count."""
    return max((text for text in texts if text is not None), key=sort_key, default=None)


def least(texts: Sequence[str | None]) -> str | None:
    """Return the least value; NULL does not count."""
    return min((text for text in texts if text is not None), key=sort_key, default=None)
