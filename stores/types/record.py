"""What the record of a type holds, and the errors of texts and bytes that are no value of it.

The records themselves stand in the modules of their families. Nothing here knows a store, a parser
or a protocol, so that each of them can look a type up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

Value: TypeAlias = Any
"""One physical value; the table in `stores.spec.datatypes` says which Python values these are."""
Cell: TypeAlias = Any
"""What a JSON cell is made from: bool, int, float or str."""

_SHOWN_MAX = 100
INVALID_TEXT, BAD_BINARY = "22P02", "22P03"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlType:
    """One SQL type: all that does not depend on digits, elements or fields."""

    name: str
    """What our definitions and documents call it."""
    aliases: tuple[str, ...] = ()
    """More names that a definition may use, without blanks."""
    parsed: tuple[str, ...] = ()
    """The names of its tokens in the SQL parser, which knows more than one for some types."""
    postgres: str
    """`pg_type.typname`."""
    spelled: str
    """What PostgreSQL's errors and `format_type` call it."""
    oid: int
    """`pg_type.oid`."""
    array_oid: int
    """`pg_type.typarray`."""
    length: int = -1
    """`pg_type.typlen`: bytes of a binary value, -1 where they vary."""
    duckdb: str
    """The type of the composing database that holds its values."""
    spark: tuple[str, ...] = ()
    """Spark's types that are this one, where Arrow has none for them."""

    arrow: pa.DataType | None = None
    """The type of a column in a batch; None if it depends on digits, elements or fields."""
    read: tuple[pa.DataType, ...] = ()
    """Arrow types whose columns are read as this type."""
    extension: str | None = None
    """Arrow's extension type whose columns are read as this type."""
    count: pa.DataType | None = None
    """Arrow's integers that are the physical values, where `arrow` is no integer itself."""

    is_key: bool = False
    """Whether a key column can be of this type."""
