"""Few rows of relations, written into the EXECUTE of a prepared statement.

DuckDB plans a statement that scans Arrow rows each time it runs, even if it is prepared: that takes
300 µs more than ten rows that are written. Each column is one text that is cast to a list. As a
list of literals, of which each is parsed and bound, ten rows would take 100 µs more.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from msgspec import Struct

VALUES_MAX = 400
"""Values that are written; more cost as much as a scan."""
COLUMNS_MAX = 8
"""Columns of all relations together; each costs some 25 µs."""
_EPOCH = dt.datetime(1970, 1, 1)
_DAY_US = 86_400_000_000
_FIRST_DAY, _LAST_DAY = (
    (dt.date(1, 1, 1) - _EPOCH.date()).days,
    (dt.date(9999, 12, 31) - _EPOCH.date()).days,
)
"""Times outside of these years, such as infinity, are scanned."""


class _Form(Struct, frozen=True):
    """How the values of a type are written."""

    kind: str
    """The type of the list's elements in DuckDB."""
    write: Callable[[Any], str | None]
    """Writes a value as an element of a list in a text; None if it is not written."""
    read: str = "{}"
    """The expression that makes the column of the list."""
    physical: pa.DataType | None = None
    """The type that the values are read as; None for the column's own."""


def quoted(value: str) -> str | None:
    """Return a text as DuckDB's SQL; None if it has a NUL."""
    return None if "\0" in value else "'" + value.replace("'", "''") + "'"


def _within(first: int, last: int) -> Callable[[int], str | None]:
    return lambda value: str(value) if first <= value <= last else None


def _element(value: str) -> str | None:
    """Return a text as an element of a list; None if it has a NUL."""
    if "\0" in value:
        return None
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_microseconds = _within(_FIRST_DAY * _DAY_US, (_LAST_DAY + 1) * _DAY_US - 1)
_FORMS: Mapping[pa.DataType, _Form] = {
    pa.string(): _Form("VARCHAR", _element),
    pa.bool_(): _Form("BOOLEAN", str),
    pa.int8(): _Form("TINYINT", str),
    pa.int16(): _Form("SMALLINT", str),
    pa.int32(): _Form("INTEGER", str),
    pa.int64(): _Form("BIGINT", str),
    pa.float32(): _Form("FLOAT", repr),
    pa.float64(): _Form("DOUBLE", repr),
    pa.date32(): _Form("INTEGER", _within(_FIRST_DAY, _LAST_DAY), "make_date({})", pa.int32()),
    pa.timestamp("us"): _Form("BIGINT", _microseconds, "make_timestamp({})", pa.int64()),
    pa.timestamp("us", "UTC"): _Form("BIGINT", _microseconds, "make_timestamptz({})", pa.int64()),
}


class RowValues:
    """The relations of a statement as parameters of its PREPARE.

    Law: the statement has the rows that it has over the relations.

    Args:
        columns: the form of each column, by relation.
    """

    __slots__ = ("_columns", "clause")

    def __init__(self, columns: Mapping[str, Mapping[str, _Form]]) -> None:
        self._columns = columns
        self.clause = "WITH " + ", ".join(map(self._table, columns)) + " "
        """The beginning of the statement, with a table for each relation."""

    def _table(self, relation: str) -> str:
        made, lists = [], []
        for at, (name, form) in enumerate(self._columns[relation].items()):
            made.append(f'{form.read.format(f"c{at}")} AS "{name.replace(chr(34), chr(34) * 2)}"')
            parameter = _parameter(relation, at)
            lists.append(f"unnest(CAST(${parameter} AS {form.kind}[])) AS c{at}")
        return f'"{relation}" AS (SELECT {", ".join(made)} FROM (SELECT {", ".join(lists)}))'

    def arguments(self, relations: Mapping[str, Iterable[pa.RecordBatch]]) -> list[str] | None:
        """Return the arguments of the EXECUTE; None if there are too many values, or others."""
        written: list[str] = []
        left = VALUES_MAX
        for relation, batches in relations.items():
            few = list[pa.RecordBatch]()
            for batch in batches:
                left -= batch.num_rows * batch.num_columns
                if left < 0:
                    return None
                few.append(batch)
            for at, form in enumerate(self._columns[relation].values()):
                values = _values(form, [batch.column(at) for batch in few])
                if values is None:
                    return None
                listed = f"'[{values}]'"
                written.append(f"{_parameter(relation, at)} := CAST({listed} AS {form.kind}[])")
        return written


def row_values(schemas: Mapping[str, pa.Schema]) -> RowValues | None:
    """Return how relations are written; None if one of them cannot be."""
    if not schemas or sum(map(len, schemas.values())) > COLUMNS_MAX:
        return None
    columns: dict[str, dict[str, _Form]] = {}
    for relation, schema in schemas.items():
        forms = [None if each.metadata else _FORMS.get(each.type) for each in schema]
        known = {name: form for name, form in zip(schema.names, forms, strict=True) if form}
        if not known or len(known) < len(schema) or not relation.isalnum():
            return None
        columns[relation] = known
    return RowValues(columns)


def _parameter(relation: str, at: int) -> str:
    return f"zz_{relation}_{at}"


def _values(form: _Form, parts: Sequence[pa.Array]) -> str | None:
    written = []
    for part in parts:
        values = part if form.physical is None else part.cast(form.physical)
        for value in values.to_pylist():
            text = "NULL" if value is None else form.write(value)
            if text is None:
                return None
            written.append(text)
    return ", ".join(written).replace("'", "''")
