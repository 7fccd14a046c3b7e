"""Parts of json and jsonb texts: `->`, `->>`, `#>`, `#>>`, elements, members, lengths, casts.

A part is a piece of the text, as it is written there: digits, blanks and all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from json import JSONDecoder
from typing import Any

import msgspec

from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.values.documents.json_text import (
    checked_escapes,
    invalid_json,
    quoted,
    read_json,
    too_deep,
)

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decoder: Any = JSONDecoder(parse_int=str, parse_float=str)
_BLANKS = " \t\n\r"
_SPACE = re.compile(r"[ \t\n\r]*")
_INDEX = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]{1,10}")
_INT_MAX = (1 << 31) - 1


def _first(text: str) -> str:
    """Return the first sign, which tells the type of a json."""
    sign = text[:1]
    return text.lstrip(_BLANKS)[:1] if sign in _BLANKS else sign


def _decoded(decode: Any, text: str) -> Any:
    try:
        return decode(text)
    except msgspec.DecodeError:
        raise invalid_json() from None
    except RecursionError:
        raise too_deep() from None


def _text(part: Any) -> str | None:
    return None if part is None else bytes(part).decode().strip(_BLANKS)


def member(text: str, key: str) -> str | None:
    """Return `value -> key`; NULL for a missing key."""
    if _first(text) != "{":
        return None
    return _text(_decoded(_members, checked_escapes(text)).get(key))


def element(text: str, index: int) -> str | None:
    """Return `json -> index`; a negative index counts from the end."""
    if _first(text) != "[":
        return None
    found = _decoded(_elements, checked_escapes(text))
    return _text(found[index]) if -len(found) <= index < len(found) else None


def element_of_jsonb(text: str, index: int) -> str | None:
    """Return `jsonb -> index`: PostgreSQL holds a scalar as an array of one element."""
    if text[:1] not in "{[":
        return text if index in {0, -1} else None
    return element(text, index)


def text_of(text: str | None) -> str | None:
    """Return a json as a text: a string without its quotes, NULL for null."""
    if text is None or _first(text) == "n":
        return None
    return str(read_json(checked_escapes(text))) if _first(text) == '"' else text


def member_text(text: str, key: str) -> str | None:
    """Return `value ->> key`."""
    return text_of(member(text, key))


def element_text(text: str, index: int) -> str | None:
    """Return `json ->> index`."""
    return text_of(element(text, index))


def element_text_of_jsonb(text: str, index: int) -> str | None:
    """Return `jsonb ->> index`."""
    return text_of(element_of_jsonb(text, index))


def at_path(text: str, path: Sequence[str | None]) -> str | None:
    """Return `value #> path`; NULL if a step is NULL or leads nowhere."""
    found: str | None = text
    for step in path:
        if found is None or step is None:
            return None
        sign = _first(found)
        if sign == "{":
            found = member(found, step)
        elif sign == "[" and _INDEX.fullmatch(step) and abs(int(step)) <= _INT_MAX:
            found = element(found, int(step))
        else:
            return None
    return found


def text_at_path(text: str, path: Sequence[str | None]) -> str | None:
    """Return `value #>> path`."""
    return text_of(at_path(text, path))


def array_length(text: str) -> int:
    """Return the number of elements of an array.

    Raises:
        InvalidValueError: it is not an array (22023).
    """
    if (sign := _first(text)) != "[":
        what = "non-array" if sign == "{" else "scalar"
        raise InvalidValueError(f"cannot get array length of a {what}")
    return len(_decoded(_elements, text))


def elements(text: str, name: str) -> list[str | None]:
    """Return the elements of an array, for the function of this name.

    Raises:
        InvalidValueError: it is not an array (22023).
    """
    if (sign := _first(text)) != "[":
        what = "an object" if sign == "{" else "a scalar"
        is_jsonb = name.startswith("jsonb")
        raise InvalidValueError(
            f"cannot extract elements from {what}"
            if is_jsonb
            else f"cannot call {name} on {'a non-array' if sign == '{' else what}"
        )
    return [_text(part) for part in _decoded(_elements, text)]


def element_texts(text: str, name: str) -> list[str | None]:
    """Return the elements of an array as texts."""
    return [text_of(each) for each in elements(checked_escapes(text), name)]


def keys(text: str, name: str) -> list[str]:
    """Return the keys of an object as they are written, each as often as it occurs.

    Raises:
        InvalidValueError: it is not an object (22023).
    """
    if (sign := _first(text)) != "{":
        raise InvalidValueError(
            f"cannot call {name} on {'an array' if sign == '[' else 'a scalar'}"
        )
    return [key for key, _ in _pairs(text)]


def pairs(text: str, name: str) -> list[list[str | None]]:
    """Return the keys of an object with their values, as they are written.

    Raises:
        InvalidValueError: it is not an object (22023).
    """
    if (sign := _first(text)) != "{":
        raise InvalidValueError(
            f"cannot call {name} on a non-object"
            if name.startswith("jsonb")
            else f"cannot deconstruct {'an array as an object' if sign == '[' else 'a scalar'}"
        )
    as_text = name.endswith("_text")
    return [[key, text_of(part) if as_text else part] for key, part in _pairs(text)]


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the members of an object; of equal keys, all."""
    checked_escapes(text)
    found: list[tuple[str, str]] = []
    at = _after(text, _after(text, 0) + 1)
    while text[at : at + 1] == '"':
        key, at = _decoder.parse_string(text, at + 1)
        start = _after(text, _after(text, at) + 1)
        try:
            _, end = _decoder.scan_once(text, start)
        except (StopIteration, ValueError):
            raise invalid_json() from None
        except RecursionError:
            raise too_deep() from None
        found.append((key, text[start:end]))
        at = _after(text, _after(text, end) + 1)
    return found


def _after(text: str, at: int) -> int:
    """Return the first place from `at` on that is not blank."""
    blank = _SPACE.match(text, at)
    return at if blank is None else blank.end()


def without_nulls(text: str) -> str:
    """Return `json_strip_nulls(value)`: without blanks and without members that are null.

    Raises:
        QueryError: as `checked_escapes`.
    """
    checked_escapes(text)
    try:
        return _stripped(text.strip(_BLANKS))
    except RecursionError:
        raise too_deep() from None


def _stripped(text: str) -> str:
    sign = _first(text)
    if sign == "{":
        kept = [(key, part) for key, part in _pairs(text) if part != "null"]
        return "{" + ",".join(f"{quoted(key)}:{_stripped(part)}" for key, part in kept) + "}"
    if sign == "[":
        parts = [bytes(part).decode().strip(_BLANKS) for part in _decoded(_elements, text)]
        return "[" + ",".join(map(_stripped, parts)) + "]"
    return quoted(read_json(text)) if sign == '"' else text


_TYPES = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}
ANY_NUMERIC = "any numeric"
"""The target of a cast to numeric without digits, which has 16 decimal places here."""
_PLACES_MAX = 16
_WHOLE = {"smallint": 16, "integer": 32, "bigint": 64}
_BOOLEANS = {"true": True, "false": False}


def number_of(text: str, target: str) -> str:
    """Return the digits of a jsonb that is cast to a type of numbers, rounded to the type.

    Raises:
        InvalidValueError: it is not a number (22023), or out of range (22003).
    """
    found = _TYPES.get(text[:1], "numeric")
    if found != "numeric":
        raise InvalidValueError(f"cannot cast jsonb {found} to type {target.removeprefix('any ')}")
    if target == ANY_NUMERIC and len(text.partition(".")[2].rstrip("0")) > _PLACES_MAX:
        raise NotSupportedError(
            f"a numeric of more than {_PLACES_MAX} decimal places is not supported"
        )
    bits = _WHOLE.get(target)
    if bits is not None:
        number = int(Decimal(text).to_integral_value(rounding=ROUND_HALF_UP))
        if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
            raise InvalidValueError(f"{target} out of range", sqlstate="22003")
        return str(number)
    if target in {"real", "double precision"} and abs(float(text)) > _LARGEST[target]:
        raise InvalidValueError(f'"{text}" is out of range for type {target}', sqlstate="22003")
    return text


_LARGEST = {"real": 3.4028235677973366e38, "double precision": 1.7976931348623157e308}


def boolean_of(text: str) -> bool:
    """Return a jsonb that is cast to boolean.

    Raises:
        InvalidValueError: it is not a boolean (22023).
    """
    if text not in _BOOLEANS:
        found = _TYPES.get(text[:1], "numeric")
        raise InvalidValueError(f"cannot cast jsonb {found} to type boolean")
    return _BOOLEANS[text]
