"""The relations of `pg_catalog` and `information_schema`: their columns, and rows as Arrow tables.

Columns are read from the seed. `catalog_types` has the types in which DuckDB holds the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from stategate.planner.pg_catalog import seed
from stategate.planner.values.catalog_types import CATALOG_TYPES, CHAR, NAME, OID, is_vector
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    INTERVAL,
    REAL,
    SMALLINT,
    TEXT,
    TIMESTAMPTZ,
    Column,
    DataType,
    Kind,
    Value,
)

SCHEMA_IN_DUCKDB: Mapping[str, str] = {
    "pg_catalog": "sys_catalog",
    "information_schema": "sys_information",
}
"""PostgreSQL's schema → its name in DuckDB, which reserves PostgreSQL's names for itself."""
LOOKUP_SCHEMA = "sys_lookup"
"""The schema of the helper tables, which clients cannot name."""
WIDE = "sys_wide"
"""The schema with a view of each relation that includes its system columns."""
INTERNAL = "internal"
"""Marks a table node that a rewriting added; the table is in LOOKUP_SCHEMA."""
SYSTEM_COLUMNS: Mapping[str, DataType] = {
    "xmin": CATALOG_TYPES["xid"],
    "xmax": CATALOG_TYPES["xid"],
    "cmin": CATALOG_TYPES["cid"],
    "cmax": CATALOG_TYPES["cid"],
    "ctid": CATALOG_TYPES["tid"],
    "tableoid": OID,
}
"""Columns of every relation that `*` does not include."""
KEYWORDS = (
    Column(name="word", type=TEXT),
    Column(name="catcode", type=CHAR),
    Column(name="barelabel", type=BOOLEAN),
    Column(name="catdesc", type=TEXT),
    Column(name="baredesc", type=TEXT),
)
"""The columns of pg_get_keywords()."""

_SCALARS: Mapping[str, DataType] = {
    "bool": BOOLEAN,
    "int2": SMALLINT,
    "int4": INTEGER,
    "cardinal_number": INTEGER,
    "int8": BIGINT,
    **CATALOG_TYPES,
    "sql_identifier": NAME,
    "float4": REAL,
    "float8": DOUBLE,
    "numeric": DOUBLE,
    "timestamptz": TIMESTAMPTZ,
    "time_stamp": TIMESTAMPTZ,
    "interval": INTERVAL,
    "bytea": DataType(kind=Kind.BYTEA),
}


def type_of_postgres(name: str) -> DataType:
    """Return the type that holds a PostgreSQL type; TEXT if no other fits better."""
    if name.startswith("_"):
        return DataType(kind=Kind.ARRAY, element=type_of_postgres(name[1:]))
    return _SCALARS.get(name, TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogColumn:
    """A column of a catalog relation with its PostgreSQL type."""

    name: str
    postgres_type: str
    required: bool

    @property
    def type(self) -> DataType:
        """The type that holds its values."""
        return type_of_postgres(self.postgres_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRelation:
    """A built-in relation of PostgreSQL."""

    oid: int
    relkind: str
    schema: str
    name: str
    columns: tuple[CatalogColumn, ...]

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of its rows."""
        return pa.schema([(column.name, column.type.arrow) for column in self.columns])

    @property
    def in_duckdb(self) -> str:
        """Its qualified name in DuckDB."""
        return f'{SCHEMA_IN_DUCKDB[self.schema]}."{self.name}"'

    @property
    def create_table(self) -> str:
        """The statement that creates it in DuckDB."""
        return self.create_table_as(self.in_duckdb)

    def create_table_as(self, name: str) -> str:
        """Return the statement that creates a table with its columns."""
        columns = ", ".join(f'"{c.name}" {duckdb_type(c.type)}' for c in self.columns)
        return f"CREATE TABLE {name} ({columns})"

    @property
    def create_wide_view(self) -> str:
        """The statement that creates its view with system columns."""
        own = {column.name for column in self.columns}
        xmin = f"(SELECT zz_x.xmin FROM {LOOKUP_SCHEMA}.xmins AS zz_x WHERE zz_x.oid = zz_r.oid)"
        values = {
            "xmin": f"coalesce({xmin}, 2)" if "oid" in own else "2::BIGINT",
            "xmax": "0::BIGINT",
            "cmin": "0::BIGINT",
            "cmax": "0::BIGINT",
            "ctid": "'(0,1)'",
            "tableoid": f"{self.oid}::BIGINT",
        }
        added = "".join(f", {v} AS {n}" for n, v in values.items() if n not in own)
        name = f'{WIDE}."{self.schema}.{self.name}"'
        return f"CREATE VIEW {name} AS SELECT zz_r.*{added} FROM {self.in_duckdb} AS zz_r"


def _parse(line: str) -> CatalogRelation:
    oid, relkind, qualified, *fields = line.split(" ")
    schema, name = qualified.split(".")
    columns = []
    for field in fields:
        column, postgres_type = field.removesuffix("!").split(":")
        required = field.endswith("!")
        columns.append(CatalogColumn(name=column, postgres_type=postgres_type, required=required))
    return CatalogRelation(
        oid=int(oid), relkind=relkind, schema=schema, name=name, columns=tuple(columns)
    )


@cache
def catalog_relations() -> Mapping[tuple[str, str], CatalogRelation]:
    """Return all relations by (schema, name)."""
    parsed = (_parse(line) for line in seed.RELATIONS.strip().splitlines())
    return {(relation.schema, relation.name): relation for relation in parsed}


def find_relation(schema: str, name: str) -> CatalogRelation | None:
    """Return a built-in relation, of pg_catalog without a schema; None if it is unknown."""
    return catalog_relations().get((schema or "pg_catalog", name))


def is_of_catalog(schema: str, name: str) -> bool:
    """Whether there is a built-in relation, of pg_catalog without a schema."""
    return find_relation(schema, name) is not None


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
