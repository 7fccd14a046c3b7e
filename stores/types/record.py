"""The fields of a type's record, and the errors for texts and bytes that are not values of it.

The records themselves are in the modules of their families. Nothing here knows a store, a parser
or a protocol, so that each of them can look a type up.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.errors import ValueFormatError

Value: TypeAlias = Any
"""One physical value; `stategate.stores.spec.datatypes` says which Python values these are."""
Cell: TypeAlias = Any
"""The values that become a JSON cell: bool, int, float or str."""

Encode: TypeAlias = Callable[[Value], bytes]
EncodeMany: TypeAlias = Callable[[Sequence[Value]], list[bytes]]
Decode: TypeAlias = Callable[[bytes], Value]
Canonical: TypeAlias = Callable[[pa.Array], pa.Array]

_SHOWN_MAX = 100


def _no_form(value: object) -> NoReturn:
    raise TypeError("values of this type have no form of their own, only their parts have")


class KeyForm(Enum):
    """How a value is stored in a key; widths are those of the type's slot."""

    INTEGER = "integer"
    FLOAT = "float"
    DECIMAL = "decimal"
    BYTES = "bytes"
    """Text as its UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    r"""How any text of a value becomes the one text in which the value is held.

    Composing processes apply it to columns of texts, so the patterns are in the syntax that Python
    and RE2 share, with `\1` for a group in what replaces a match.
    """

    steps: tuple[tuple[str, str], ...]
    """Patterns, each with the replacement of its matches, in turn; the text is in lower case."""
    held: str
    """The pattern that a text must match as a whole to be a value. All others are errors."""

    def parser(self, name: str) -> Callable[[str], str]:
        """Return the `parse` of a type of this name."""
        steps = [(re.compile(pattern, re.ASCII), fresh) for pattern, fresh in self.steps]
        held = re.compile(self.held)

        def parse(text: str) -> str:
            found = text.lower()
            for pattern, fresh in steps:
                found = pattern.sub(fresh, found)
            if not held.fullmatch(found):
                raise invalid_text(text, name)
            return found

        return parse

    def canonical(self, parse: Callable[[str], str]) -> Canonical:
        """Return the `canonical` of a type whose texts this `parse` reads."""

        def canonical(texts: pa.Array) -> pa.Array:
            if pc.all(pc.match_substring_regex(texts, f"^({self.held})$"), min_count=0).as_py():
                return texts
            found = [None if text is None else parse(text) for text in texts.to_pylist()]
            return pa.array(found, texts.type)

        return canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlType:
    """One SQL type: everything that does not depend on digits, elements or fields."""

    name: str
    """Its name in our definitions and documents."""
    aliases: tuple[str, ...] = ()
    """More names that a definition may use, without blanks."""
    parsed: tuple[str, ...] = ()
    """The names of its tokens in the SQL parser; none if the parser reads its name like any other.
    """
    postgres: str
    """`pg_type.typname`."""
    spelled: str
    """Its name in PostgreSQL's errors, and as `format_type` returns it."""
    oid: int
    """`pg_type.oid`."""
    array_oid: int
    """`pg_type.typarray`."""
    length: int = -1
    """`pg_type.typlen`: bytes of a binary value, -1 where they vary."""
    has_extremes: bool = True
    """Whether `min` and `max` take it; PostgreSQL's do not take all types that have an order."""
    duckdb: str
    """The type of the composing database that holds its values."""
    spark: tuple[str, ...] = ()
    """Spark's types that are read as this one, and that Arrow lacks."""

    arrow: pa.DataType | None = None
    """The type of a column in a batch; None if it depends on digits, elements or fields."""
    read: tuple[pa.DataType, ...] = ()
    """Arrow types whose columns are read as this type."""
    extension: str | None = None
    """Arrow's extension type whose columns are read as this type."""
    count: pa.DataType | None = None
    """Arrow's integers that are the physical values, where `arrow` is not an integer itself."""
    from_arrow: Callable[[Any], Value] | None = None
    """The physical value of Arrow's Python value; None if they are the same."""
    to_arrow: Callable[[Value], Any] | None = None
    """The Python value that Arrow expects for a physical value; None if they are the same."""

    slot: str | None = None
    """How a value of fixed width is stored in a row, as `struct` names it; None if widths vary."""
    packed: struct.Struct | None = None
    """Packs a tuple into its slot; None if the slot holds the value itself."""
    key: KeyForm | None = None
    """How a value is stored in a key; None if a key column cannot be of this type."""

    canonical: Canonical | None = None
    """A column of `arrow` with each value in the form that is held; None if all of them are.

    A ValueFormatError if one is no value of the type. Writers apply it to what others have made.
    """
    has_one_form: bool = True
    """Whether equal values look the same: 0.0 and -0.0 do not, nor do 1.0 and 1.00."""
    text: Encode = _no_form
    """A value, never None, in PostgreSQL's text form, as UTF-8."""
    texts: EncodeMany | None = None
    """The texts of many values, at least one, if that takes less time than `text` for each of them.

    Law: texts(values) == [text(value) for value in values]; a TypeError if one is None.
    """
    parse: Callable[[str], Value] | None = None
    """The value of a text; None if the planner parses the text, as composing processes must, too.

    It and `decode` raise a ValueFormatError for anything that is not a value of the type.
    """
    spelling: Spelling | None = None
    """How `parse` is made, for a type that is held as a text."""
    encode: Encode = _no_form
    """A value, never None, in PostgreSQL's binary form; a ValueFormatError if out of range."""
    decode: Decode = _no_form
    """The value of a binary form. Law: decode(encode(v)) == v."""
    cell: Callable[[Value], Cell] | None = None
    """A value, never None, as a JSON cell; None if the cell is the value itself."""


def invalid_text(text: str, name: str, *, sqlstate: str = "22P02") -> ValueFormatError:
    """Return the error for a text that is not a value of the named type; long texts are cut."""
    shown = text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "…"
    return ValueFormatError(f'invalid input syntax for type {name}: "{shown}"', sqlstate=sqlstate)


def bad_binary(name: str) -> ValueFormatError:
    """Return the error for bytes that are not a value of the named type."""
    return ValueFormatError(f"incorrect binary data format for type {name}", sqlstate="22P03")


def fixed_decoder(name: str, layout: str, convert: Callable[..., Value] | None = None) -> Decode:
    """Return the decoder of a binary form of fixed layout.

    Args:
        name: the type, for the error.
        layout: as for `struct`, without the byte order.
        convert: makes the value from the unpacked numbers; None takes the only one.
    """
    unpack = struct.Struct(">" + layout).unpack

    def decode(raw: bytes) -> Value:
        try:
            numbers = unpack(raw)
        except struct.error as error:
            raise bad_binary(name) from error
        return numbers[0] if convert is None else convert(*numbers)

    return decode


def decode_utf8(raw: bytes) -> str:
    """Return the text of a field.

    Raises:
        ValueFormatError: it is not UTF-8, or has a NUL, which PostgreSQL cannot store (22021).
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ValueFormatError(
            'invalid byte sequence for encoding "UTF8"',
            detail=f"Byte {raw[error.start]:#04x} at offset {error.start}.",
            sqlstate="22021",
        ) from error
    if "\0" in text:
        raise ValueFormatError('invalid byte sequence for encoding "UTF8": 0x00', sqlstate="22021")
    return text
