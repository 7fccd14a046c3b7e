"""Columns of a writer in the form that readers know, and errors for values that none could read.

Arrow checks neither texts nor moments, and neither does Spark, whose `CAST(bytes AS STRING)` makes
a text of any bytes. Once committed, one such value would make its store unreadable.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Literal, TypeAlias

import pyarrow as pa

from stategate.stores.errors import ArgumentError, ValueFormatError
from stategate.stores.spec.arguments import shown
from stategate.stores.spec.arrow import rebuilt
from stategate.stores.spec.schema import DataType, Kind

InvalidUtf8: TypeAlias = Literal["refuse", "replace"]
"""What a writer does with a text that is not UTF-8; what replaces bytes is U+FFFD."""


def known_handling(invalid_utf8: object) -> InvalidUtf8:
    """Return the value of an argument.

    Raises:
        ArgumentError: it is not one.
    """
    if invalid_utf8 == "refuse":
        return "refuse"
    if invalid_utf8 == "replace":
        return "replace"
    raise ArgumentError(f'invalid_utf8 is "refuse" or "replace", not {shown(invalid_utf8)}')


@lru_cache(maxsize=1024)
def _is_checked(data_type: DataType) -> bool:
    """Whether a type, or one inside, has columns of Arrow that may hold no value of it."""
    kind = data_type.kind
    inner = [each for _, each in data_type.fields]
    if data_type.element is not None:
        inner.append(data_type.element)
    is_leaf_checked = kind.record.canonical is not None or kind is Kind.DECIMAL
    return is_leaf_checked or kind.record.arrow == pa.string() or any(map(_is_checked, inner))


def canonical(array: pa.Array, data_type: DataType, invalid_utf8: InvalidUtf8) -> pa.Array:
    """Return a column, as a data file holds it, with each value in the form that readers know.

    Raises:
        ValueFormatError: a value does not belong to the type.
    """
    if not _is_checked(data_type):
        return array
    record = data_type.kind.record
    if data_type.fields or data_type.element is not None:
        convert = partial(canonical, invalid_utf8=invalid_utf8)
        return rebuilt(array, data_type, array.type, convert)
    if record.arrow == pa.string():
        array = _texts(array, invalid_utf8)
    elif data_type.kind is Kind.DECIMAL:
        _check_digits(array)
    return array if record.canonical is None else record.canonical(array)


def _texts(array: pa.Array, invalid_utf8: InvalidUtf8) -> pa.Array:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        if invalid_utf8 == "refuse":
            raise ValueFormatError(
                'invalid byte sequence for encoding "UTF8"', sqlstate="22021"
            ) from error
        found = array.cast(pa.binary()).to_pylist()
        texts = [None if raw is None else raw.decode(errors="replace") for raw in found]
        return pa.array(texts, array.type)
    return array


def _check_digits(array: pa.Array) -> None:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ValueFormatError("numeric field overflow", sqlstate="22003") from error
