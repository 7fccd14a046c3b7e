"""Edits of json texts: `||`, `-`, `#-`, `jsonb_set`, `jsonb_insert`.

Numbers keep their digits, and keys keep their order. A repeated key has its last value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from planner.errors import InvalidValueError

_Path: TypeAlias = Sequence[str | None]


class _Number(str):
    """The digits of a number as they are written."""

    __slots__ = ()


def checked(text: str) -> str:
    """Return a json text as it is, if PostgreSQL reads it; DuckDB reads a trailing comma, too.

    Raises:
        InvalidValueError: it is not json (22P02).
    """
    try:
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        raise InvalidValueError("invalid input syntax for type json", sqlstate="22P02") from None
    return text


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not json")


def concatenated(left: str, right: str) -> str:
    """Return `left || right`: two objects become one, other values elements of one array."""
    one, other = _read(left), _read(right)
    if isinstance(one, dict) and isinstance(other, dict):
        return _written({**one, **other})
    listed = [each if isinstance(each, list) else [each] for each in (one, other)]
    return _written(listed[0] + listed[1])


def without_keys(text: str, keys: Sequence[str | None]) -> str:
    """Return `value - keys`: an object without these keys, or an array without these texts.

    Raises:
        InvalidValueError: the value is a scalar (22023).
    """
    value = _read(text)
    gone = {key for key in keys if key is not None}
    if isinstance(value, dict):
        return _written({key: each for key, each in value.items() if key not in gone})
    if isinstance(value, list):
        return _written([each for each in value if not (_is_text(each) and each in gone)])
    raise InvalidValueError("cannot delete from scalar")


def without_element(text: str, index: int) -> str:
    """Return `value - index`: an array without an element; negative indexes count from the end.

    Raises:
        InvalidValueError: the value is not an array (22023).
    """
    value = _read(text)
    if isinstance(value, dict):
        raise InvalidValueError("cannot delete from object using integer index")
    if not isinstance(value, list):
        raise InvalidValueError("cannot delete from scalar")
    at = index + len(value) if index < 0 else index
    return _written([each for i, each in enumerate(value) if i != at])


def without_path(text: str, path: _Path) -> str:
    """Return `value #- path`.

    Raises:
        InvalidValueError: the value is a scalar (22023), or an index is not a number (22P02).
    """
    value = _read(text)
    if not isinstance(value, dict | list):
        raise InvalidValueError("cannot delete path in scalar")

    def delete(owner: Any, step: Any) -> None:
        if isinstance(owner, dict):
            owner.pop(step, None)
        elif 0 <= step < len(owner):
            del owner[step]

    _edit(value, path, delete)
    return _written(value)


def with_path(text: str, path: _Path, new: str, create: bool) -> str:
    """Return `jsonb_set(value, path, new, create)`.

    Raises:
        InvalidValueError: the value is a scalar (22023), or an index is not a number (22P02).
    """
    value, fresh = _read(text), _read(new)
    if not isinstance(value, dict | list):
        raise InvalidValueError("cannot set path in scalar")

    def replace(owner: Any, step: Any) -> None:
        if isinstance(owner, dict):
            if create or step in owner:
                owner[step] = fresh
        elif 0 <= step < len(owner):
            owner[step] = fresh
        elif create:
            owner.insert(0 if step < 0 else len(owner), fresh)

    _edit(value, path, replace)
    return _written(value)


def with_inserted(text: str, path: _Path, new: str, after: bool) -> str:
    """Return `jsonb_insert(value, path, new, after)`.

    Raises:
        InvalidValueError: the value is a scalar, or the key exists (22023), or an index is not a
            number (22P02).
    """
    value, fresh = _read(text), _read(new)
    if not isinstance(value, dict | list):
        raise InvalidValueError("cannot set path in scalar")

    def insert(owner: Any, step: Any) -> None:
        if isinstance(owner, dict):
            if step in owner:
                raise InvalidValueError("cannot replace existing key")
            owner[step] = fresh
        elif step < 0:
            owner.insert(0, fresh)
        else:
            owner.insert(min(step, len(owner)) + (after and step < len(owner)), fresh)

    _edit(value, path, insert)
    return _written(value)


def _edit(value: Any, path: _Path, change: Callable[[Any, Any], None]) -> None:
    """Change the value at the end of a path; nothing if an earlier step leads nowhere."""
    for at, step in enumerate(path):
        if step is None:
            raise InvalidValueError(f"path element at position {at + 1} is null", sqlstate="22004")
        if not isinstance(value, dict | list):
            return
        place: Any = step
        if isinstance(value, list):
            place = _index(step, at)
            place = place + len(value) if place < 0 else place
        if at == len(path) - 1:
            change(value, place)
        elif isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and 0 <= place < len(value):
            value = value[place]
        else:
            return


def _index(step: str, at: int) -> int:
    digits = step.strip().removeprefix("-").removeprefix("+")
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 10:
        raise InvalidValueError(
            f'path element at position {at + 1} is not an integer: "{step[:100]}"',
            sqlstate="22P02",
        )
    return int(step)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _Number)


def _read(text: str) -> Any:
    return json.loads(text, parse_int=_Number, parse_float=_Number)


def _written(value: Any) -> str:
    if isinstance(value, dict):
        fields = (f"{_written(key)}:{_written(each)}" for key, each in value.items())
        return "{" + ",".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    if isinstance(value, _Number):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
