"""All types, each with its record, and indexes to find one.

A new type is a record in the module of its family and a line in `Kind`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import pyarrow as pa

from stategate.stores.types import decimals, nested, networks, numerics, texts, times
from stategate.stores.types.record import SqlType


class Kind(Enum):
    """The SQL types that rows and results are made of; the value is the SQL name."""

    _value_: str
    record: SqlType

    def __new__(cls, record: SqlType) -> Kind:
        """Return the member for a record, which `Kind(name)` finds by the name of the type."""
        kind = object.__new__(cls)
        kind._value_, kind.record = record.name, record
        return kind

    # Members are looked up in dicts for every value that is parsed; Enum's own hash is Python code.
    __hash__ = object.__hash__

    BOOLEAN = numerics.BOOLEAN
    TINYINT = numerics.TINYINT
    SMALLINT = numerics.SMALLINT
    INTEGER = numerics.INTEGER
    BIGINT = numerics.BIGINT
    REAL = numerics.REAL
    DOUBLE = numerics.DOUBLE
    DECIMAL = decimals.DECIMAL
    TEXT = texts.TEXT
    BYTEA = texts.BYTEA
    DATE = times.DATE
    TIME = times.TIME
    TIMESTAMP = times.TIMESTAMP
    TIMESTAMPTZ = times.TIMESTAMPTZ
    INTERVAL = times.INTERVAL
    UUID = texts.UUID
    MACADDR = networks.MACADDR
    JSON = nested.JSON
    JSONB = nested.JSONB
    ARRAY = nested.ARRAY
    STRUCT = nested.STRUCT
    MAP = nested.MAP
    NULL = texts.NULL


SCALARS = tuple(kind for kind in Kind if kind.record.arrow is not None)
"""Types without digits, elements or fields."""
BY_NAME: Mapping[str, Kind] = {
    name: kind for kind in SCALARS for name in (kind.record.name, *kind.record.aliases)
}
"""Kinds by their names in definitions."""
BY_PARSED: Mapping[str, Kind] = {name: kind for kind in Kind for name in kind.record.parsed}
"""Kinds by the SQL parser's names of their tokens."""
BY_POSTGRES: Mapping[str, Kind] = {
    kind.record.postgres: kind
    for kind in SCALARS
    if not kind.record.parsed and kind.value != "null"
}
"""Kinds by PostgreSQL's names, if they have no token of their own in the SQL parser."""
BY_ARROW: Mapping[pa.DataType, Kind] = {arrow: kind for kind in Kind for arrow in kind.record.read}
"""Kinds by the Arrow types of their columns."""
BY_EXTENSION: Mapping[str, Kind] = {
    kind.record.extension: kind for kind in Kind if kind.record.extension is not None
}
"""Kinds by Arrow's names of extension types."""
BY_SPARK: Mapping[str, Kind] = {name: kind for kind in Kind for name in kind.record.spark}
"""Kinds by Spark's names, if Arrow cannot tell their types apart."""
