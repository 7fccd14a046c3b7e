"""Rows of catalog relations as Arrow tables, with defaults for missing columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from planner.pg_catalog.relations import CatalogColumn, CatalogRelation, catalog_relations
from planner.values.catalog_types import is_vector
from stores.spec.schema import DataType, Kind, Value

PG_CATALOG = "pg_catalog"

Fields = Mapping[str, Value]
"""The columns of one row by name; missing ones get a default."""

_ZEROS: Mapping[Kind, Value] = {
    Kind.BOOLEAN: False,
    Kind.SMALLINT: 0,
    Kind.INTEGER: 0,
    Kind.BIGINT: 0,
    Kind.REAL: 0.0,
    Kind.DOUBLE: 0.0,
    Kind.TEXT: "",
    Kind.ARRAY: [],
}


def relation(name: str, *, schema: str = PG_CATALOG) -> CatalogRelation:
    """Return a built-in relation; an unknown name is a bug."""
    return catalog_relations()[schema, name]


def catalog_table(name: str, rows: Iterable[Fields], *, schema: str = PG_CATALOG) -> pa.Table:
    """Return rows of a relation; a missing column is zero if required, otherwise NULL."""
    found = relation(name, schema=schema)
    listed = list(rows)
    columns = [_column(column, listed) for column in found.columns]
    unknown = {key for row in listed for key in row} - {column.name for column in found.columns}
    assert not unknown, f"{name} has no column {unknown}"
    return pa.table(columns, schema=found.arrow_schema)


def copied_table(name: str, text: str) -> pa.Table:
    """Return rows of a relation from COPY's text format with all columns."""
    found = relation(name)
    lines = [line.split("\t") for line in text.strip("\n").splitlines()]
    columns = []
    for at, column in enumerate(found.columns):
        values = [_copied(line[at], column.type) for line in lines]
        columns.append(pa.array(values, column.type.arrow))
    return pa.table(columns, schema=found.arrow_schema)


def _column(column: CatalogColumn, rows: Sequence[Fields]) -> pa.Array:
    default = _ZEROS.get(column.type.kind) if column.required else None
    return pa.array([row.get(column.name, default) for row in rows], column.type.arrow)


def _copied(text: str, data_type: DataType) -> Value:
    if text == "\\N":
        return None
    if data_type.kind is Kind.BOOLEAN:
        return text == "t"
    if data_type.kind in {Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT}:
        return int(text)
    if data_type.kind is Kind.ARRAY:
        assert data_type.element is not None
        parts = text.split() if is_vector(data_type) else text.strip("{}").split(",")
        parts = [part for part in parts if part]
        return [_copied(part, data_type.element) for part in parts]
    return text
