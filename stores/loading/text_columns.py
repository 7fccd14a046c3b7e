"""Columns of texts, as files without types have them, as columns of SQL types.

Arrow casts whole columns. Texts that it refuses are parsed one by one as PostgreSQL reads them, so
that they are values after all, or the error names the row.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.errors import SchemaError, ValueFormatError
from stategate.stores.spec.arguments import shown
from stategate.stores.spec.arrow import physical_array, physical_list
from stategate.stores.spec.datatypes import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
)
from stategate.stores.spec.schema import Value
from stategate.stores.types.kinds import Kind

_Column: TypeAlias = Any
"""An Arrow array; the stubs for pyarrow lack most of its kernels."""

_GUESSES = (BIGINT, DOUBLE, BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ)
_NUMERAL = r"^[-+]?0[0-9xX]"
"""A number that would lose its zeros, such as a postcode, or one in hexadecimal."""
_CAST = frozenset(
    {
        *(Kind.BOOLEAN, Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.REAL),
        *(Kind.DOUBLE, Kind.DECIMAL, Kind.TEXT, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
    }
)
"""Types whose texts Arrow reads as PostgreSQL does, if it reads them at all."""


def guessed_type(column: _Column) -> DataType:
    """Return the type that all texts of a column are values of; text if all are NULL.

    It is the first of bigint, double, boolean, date, timestamp, timestamptz; otherwise text.
    """
    if (
        column.null_count == len(column)
        or pc.any(pc.match_substring_regex(column, _NUMERAL)).as_py()
    ):
        return TEXT
    return next((guess for guess in _GUESSES if _is_castable(column, guess)), TEXT)


def _is_castable(column: _Column, guess: DataType) -> bool:
    try:
        column.cast(guess.arrow)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def column_of_texts(texts: _Column, data_type: DataType, *, name: str, row: int) -> _Column:
    """Return a column of texts as a column of a type.

    Args:
        texts: the texts; NULL stays NULL.
        data_type: the type.
        name: the name of the column, for errors.
        row: the number of its first row, for errors.

    Raises:
        SchemaError: a text is not a value of the type; the message names its row.
    """
    for fits in _arrow_types(data_type):
        try:
            return texts.cast(fits).cast(data_type.arrow)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    values = []
    for number, text in enumerate(texts.to_pylist(), row):
        try:
            values.append(None if text is None else _value(text, data_type))
        except (ValueFormatError, pa.ArrowException) as error:
            why = f"{shown(text)} is not a value of type {data_type}"
            why = str(error) if isinstance(error, ValueFormatError) else why
            raise SchemaError(f'row {number}: column "{name}": {why}') from error
    return _held(values, data_type, name=name, row=row)


def _value(text: str, data_type: DataType) -> Value:
    """Return the physical value of a text.

    Raises:
        ValueFormatError, ArrowException: it is not a value of the type.
    """
    parse = data_type.kind.record.parse
    if parse is not None:
        return parse(text)
    if data_type.kind is Kind.BYTEA and text.startswith("\\x"):
        return _hex(text)
    for fits in _arrow_types(data_type):
        try:
            column = pa.array([text]).cast(fits).cast(data_type.arrow)
            return physical_list(column, data_type)[0]
        except pa.ArrowException:
            continue
    raise pa.ArrowInvalid("Arrow reads no such text")


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text[2:])
    except ValueError as error:
        raise pa.ArrowInvalid("not in hexadecimal") from error


def _held(values: list[Value], data_type: DataType, *, name: str, row: int) -> _Column:
    try:
        return physical_array(values, data_type)
    except (pa.ArrowInvalid, OverflowError, ValueError, TypeError):
        pass
    for number, value in enumerate(values, row):
        try:
            physical_array([value], data_type)
        except (pa.ArrowInvalid, OverflowError, ValueError, TypeError) as error:
            raise SchemaError(
                f'row {number}: column "{name}": {shown(str(value))} is not a value of type '
                f"{data_type}"
            ) from error
    raise AssertionError("a column that cannot be held has a value that cannot")


def _arrow_types(data_type: DataType) -> list[pa.DataType]:
    """Return the Arrow types as which to read texts of a type, in turn."""
    if data_type.kind is Kind.TIMESTAMPTZ:
        return [data_type.arrow, TIMESTAMP.arrow]  # without a zone a text is in UTC
    return [data_type.arrow] if data_type.kind in _CAST else []


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def unescaped(column: _Column) -> _Column:
    r"""Return fields of COPY's text format as texts: `\N` is NULL, `\t` a tab, `\\` a backslash."""
    if not pc.any(pc.match_substring(column, "\\")).as_py():
        return column
    texts = [
        None if text is None or text == "\\N" else _ESCAPE.sub(_meant, text)
        for text in column.to_pylist()
    ]
    return pa.array(texts, column.type)


def _meant(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _PLAIN.get(code, code)
