"""`json_object`: objects made of arrays of texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.documents.json_text import quoted

_Texts = Sequence[str | None]


def object_of_list(texts: _Texts) -> str:
    """Return `json_object('{key, value, …}')`.

    Raises:
        InvalidValueError: the last key has no value (2202E), or a key is NULL (22004).
    """
    if len(texts) % 2:
        raise InvalidValueError("array must have even number of elements", sqlstate="2202E")
    return _object(zip(texts[::2], texts[1::2], strict=True))


def object_of_rows(rows: Sequence[_Texts]) -> str:
    """Return `json_object('{{key, value}, …}')`.

    Raises:
        InvalidValueError: a row has not two texts (2202E), or a key is NULL (22004).
    """
    if any(len(row) != 2 for row in rows):
        raise InvalidValueError("array must have two columns", sqlstate="2202E")
    return _object((row[0], row[1]) for row in rows)


def object_of_both(keys: _Texts, values: _Texts) -> str:
    """Return `json_object(keys, values)`.

    Raises:
        InvalidValueError: their numbers differ (2202E), or a key is NULL (22004).
    """
    if len(keys) != len(values):
        raise InvalidValueError("mismatched array dimensions", sqlstate="2202E")
    return _object(zip(keys, values, strict=True))


def _object(pairs: Iterable[tuple[str | None, str | None]]) -> str:
    found: list[str] = []
    for key, value in pairs:
        if key is None:
            raise InvalidValueError("null value not allowed for object key", sqlstate="22004")
        found.append(f"{quoted(key)} : {'null' if value is None else quoted(value)}")
    return "{" + ", ".join(found) + "}"
