"""The relations of `pg_catalog` and `information_schema` with their columns, read from the seed.

What PostgreSQL's types become in DuckDB is decided here: oids and transaction numbers are BIGINT,
`name`, `"char"`, `regproc` and vectors of oids are VARCHAR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from planner.pg_catalog import seed
from stores.schema import BIGINT, BOOLEAN, DOUBLE, INTEGER, TEXT, TIMESTAMPTZ, DataType, Kind

SCHEMA_IN_DUCKDB: Mapping[str, str] = {
    "pg_catalog": "sys_catalog",
    "information_schema": "sys_information",
}
"""DuckDB keeps the names pg_catalog and information_schema to itself."""
LOOKUP_SCHEMA = "sys_lookup"
"""Where our own helper tables and macros are; no client can name it."""

_SMALLINT = DataType(kind=Kind.SMALLINT)
_REAL = DataType(kind=Kind.REAL)
_SCALARS: Mapping[str, DataType] = {
    "bool": BOOLEAN,
    "int2": _SMALLINT,
    "int4": INTEGER,
    "cardinal_number": INTEGER,
    "int8": BIGINT,
    "oid": BIGINT,
    "xid": BIGINT,
    "float4": _REAL,
    "float8": DOUBLE,
    "numeric": DOUBLE,
    "timestamptz": TIMESTAMPTZ,
    "time_stamp": TIMESTAMPTZ,
    "interval": DataType(kind=Kind.INTERVAL),
    "bytea": DataType(kind=Kind.BYTEA),
}
_IN_DUCKDB: Mapping[Kind, str] = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.TINYINT: "TINYINT",
    Kind.SMALLINT: "SMALLINT",
    Kind.INTEGER: "INTEGER",
    Kind.BIGINT: "BIGINT",
    Kind.REAL: "FLOAT",
    Kind.DOUBLE: "DOUBLE",
    Kind.BYTEA: "BLOB",
    Kind.DATE: "DATE",
    Kind.TIME: "TIME",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIMESTAMPTZ: "TIMESTAMPTZ",
    Kind.INTERVAL: "INTERVAL",
}


def type_of_postgres(name: str) -> DataType:
    """The type in which a column of a Postgres type is held; TEXT where there is no nearer one."""
    if name.startswith("_"):
        return DataType(kind=Kind.ARRAY, element=type_of_postgres(name[1:]))
    return _SCALARS.get(name, TEXT)


def duckdb_type(data_type: DataType) -> str:
    """DuckDB's spelling of a type; VARCHAR for all that travels as text."""
    if data_type.kind is Kind.ARRAY:
        assert data_type.element is not None
        return duckdb_type(data_type.element) + "[]"
    if data_type.kind is Kind.DECIMAL:
        return f"DECIMAL({data_type.precision or 38},{data_type.scale})"
    return _IN_DUCKDB.get(data_type.kind, "VARCHAR")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogColumn:
    """A column of a catalog relation, with the Postgres type it is announced with."""

    name: str
    postgres_type: str
    required: bool

    @property
    def type(self) -> DataType:
        """The type in which it is held."""
        return type_of_postgres(self.postgres_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRelation:
    """A relation that PostgreSQL has built in."""

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
        columns = ", ".join(f'"{c.name}" {duckdb_type(c.type)}' for c in self.columns)
        return f"CREATE TABLE {self.in_duckdb} ({columns})"


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
    """All of them by (schema, name)."""
    parsed = (_parse(line) for line in seed.RELATIONS.strip().splitlines())
    return {(relation.schema, relation.name): relation for relation in parsed}


@cache
def column_types() -> Mapping[str, str]:
    """Column name → Postgres type, for names that have the same type wherever they occur.

    The catalogs prefix their columns, so that nearly all names are in it.
    """
    types: dict[str, set[str]] = {}
    for relation in catalog_relations().values():
        for column in relation.columns:
            types.setdefault(column.name, set()).add(column.postgres_type)
    return {name: kinds.pop() for name, kinds in types.items() if len(kinds) == 1}
