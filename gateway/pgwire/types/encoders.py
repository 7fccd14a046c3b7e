"""The wire form of each SQL type: OID, text and binary, single values and whole columns.

Values are the *physical values* of the engine's types. A type without parts takes its forms from
its record, so that a new one needs nothing in this folder. Callers choose encoders once per
statement and format, never per row.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import pyarrow as pa

from gateway.pgwire.types.arrow_values import as_stored, physical_values
from gateway.pgwire.types.catalog import catalog_wire_type
from gateway.pgwire.types.fields import Array, Fields
from gateway.pgwire.types.nested import array_wire_type, document_wire_type
from gateway.pgwire.types.scalars import scalar_wire_type
from gateway.pgwire.types.wire_type import WireType
from planner.engine import CatalogType, DataType, Kind, Value

_VALUES_MAX = 1024
"""Values of a column that are Python objects at the same time. To free a million of them takes
200 ms, in which no other thread runs; one array can have as many elements."""
TEXT_FORMAT = 0
BINARY_FORMAT = 1


@lru_cache(maxsize=4096)
def wire_type(data_type: DataType) -> WireType:
    """Return the wire form of a type."""
    if isinstance(data_type, CatalogType):
        return catalog_wire_type(data_type, wire_type)
    match data_type.kind:
        case Kind.ARRAY:
            return array_wire_type(data_type, wire_type, encode_column)
        case Kind.STRUCT | Kind.MAP:
            return document_wire_type(data_type, wire_type)
        case _:
            return scalar_wire_type(data_type)


def encode_column(array: Array, data_type: DataType, code: int) -> Fields:
    """Encode a whole column in a format."""
    wire = wire_type(data_type)
    is_text = code == TEXT_FORMAT
    at_once = wire.encode_column_text if is_text else wire.encode_column_binary
    if at_once is not None and (held := as_stored(array, data_type)) is not None:
        return at_once(held)
    parts = [
        encode_values(physical_values(array.slice(at, _VALUES_MAX), data_type), data_type, code)
        for at in range(0, len(array), _VALUES_MAX)
    ]
    return pa.concat_arrays(parts) if parts else pa.nulls(0, pa.binary())


def encode_values(values: Iterable[Value], data_type: DataType, format_code: int) -> Fields:
    """Encode single values in a format."""
    wire = wire_type(data_type)
    encode = wire.encode_text if format_code == TEXT_FORMAT else wire.encode_binary
    fields = [None if value is None else encode(value) for value in values]
    return pa.array(fields, pa.binary())
