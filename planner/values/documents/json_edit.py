"""Edits of jsonb: `||`, `-`, `#-`, `jsonb_set`, `jsonb_insert`, `jsonb_strip_nulls`.

They take and return canonical texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.documents.json_text import (
    Json,
    in_order,
    quoted,
    read_json,
    scalar_text,
    too_deep,
    written,
)

_Path: TypeAlias = Sequence[str | None]


def concatenated(left: str, right: str) -> str:
    """Return `left || right`: two objects become one, other values elements of one array."""
    one, other = read_json(left), read_json(right)
    if isinstance(one, dict) and isinstance(other, dict):
        return written({**one, **other})
    listed = [each if isinstance(each, list) else [each] for each in (one, other)]
    return written(listed[0] + listed[1])


def without_keys(text: str, keys: Sequence[str | None]) -> str:
    """Return `value - keys`: an object without these keys, or an array without these texts.

    Raises:
        InvalidValueError: the value is a scalar (22023).
    """
    value = read_json(text)
    gone = {key for key in keys if key is not None}
    if isinstance(value, dict):
        return written({key: each for key, each in value.items() if key not in gone})
    if isinstance(value, list):
        return written([each for each in value if not (type(each) is str and each in gone)])
    raise InvalidValueError("cannot delete from scalar")


def without_element(text: str, index: int) -> str:
    """Return `value - index`: an array without an element; negative indexes count from the end.

    Raises:
        InvalidValueError: the value is not an array (22023).
    """
    value = read_json(text)
    if isinstance(value, dict):
        raise InvalidValueError("cannot delete from object using integer index")
    if not isinstance(value, list):
        raise InvalidValueError("cannot delete from scalar")
    at = index + len(value) if index < 0 else index
    return written([each for i, each in enumerate(value) if i != at])


def without_path(text: str, path: _Path) -> str:
    """Return `value #- path`.

    Raises:
        InvalidValueError: the value is a scalar (22023), or an index is not a number (22P02).
    """
    value = read_json(text)
    if not isinstance(value, dict | list):
        raise InvalidValueError("cannot delete path in scalar")
    if not value:
        return text

    def delete(owner: Any, step: Any) -> None:
        if isinstance(owner, dict):
            owner.pop(step, None)
        elif 0 <= step < len(owner):
            del owner[step]

    _edit(value, path, delete)
    return written(value)


def with_path(text: str, path: _Path, new: str, create: bool) -> str:
    """Return `jsonb_set(value, path, new, create)`.

    Raises:
        InvalidValueError: the value is a scalar (22023), or an index is not a number (22P02).
    """
    value, fresh = read_json(text), read_json(new)
    if not isinstance(value, dict | list):
        raise InvalidValueError("cannot set path in scalar")
    if not value and not create:
        return text

    def replace(owner: Any, step: Any) -> None:
        if isinstance(owner, dict):
            if create or step in owner:
                owner[step] = fresh
        elif 0 <= step < len(owner):
            owner[step] = fresh
        elif create:
            owner.insert(0 if step < 0 else len(owner), fresh)

    _edit(value, path, replace)
    return written(value)


def with_inserted(text: str, path: _Path, new: str, after: bool) -> str:
    """Return `jsonb_insert(value, path, new, after)`.

    Raises:
        InvalidValueError: the value is a scalar, or the key exists (22023), or an index is not a
            number (22P02).
    """
    value, fresh = read_json(text), read_json(new)
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
    return written(value)


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


def without_nulls(text: str) -> str:
    """Return `jsonb_strip_nulls(value)`: without members that are null."""

    def stripped(value: Json) -> Json:
        if isinstance(value, dict):
            return {key: stripped(each) for key, each in value.items() if each is not None}
        return [stripped(each) for each in value] if isinstance(value, list) else value

    return _shallow(lambda: written(stripped(read_json(text))))


def pretty(text: str) -> str:
    """Return `jsonb_pretty(value)`: a line for each value, indented by four blanks."""
    return _shallow(lambda: _pretty(read_json(text), "\n"))


def _pretty(value: Json, line: str) -> str:
    inner = f"{line}    "
    if isinstance(value, dict):
        each = [f"{inner}{quoted(key)}: {_pretty(value[key], inner)}" for key in in_order(value)]
        return "{" + ",".join(each) + line + "}"
    if isinstance(value, list):
        return "[" + ",".join(inner + _pretty(each, inner) for each in value) + line + "]"
    return quoted(value) if type(value) is str else scalar_text(value)


def _shallow(compute: Callable[[], str]) -> str:
    try:
        return compute()
    except RecursionError:
        raise too_deep() from None
