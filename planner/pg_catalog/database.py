"""The definition of the DuckDB that holds the catalog for one set of stores.

It cannot reach files, the network or extensions, and its settings are locked.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from stategate.planner.composing.compose import MEANING
from stategate.planner.composing.database import Definition
from stategate.planner.pg_catalog import seed
from stategate.planner.pg_catalog.builtin_rows import (
    OWNER,
    PUBLIC_OWNER,
    builtin_tables,
    postgres_settings,
    proc_lines,
    role_names,
    settings_table,
)
from stategate.planner.pg_catalog.macros import macro_script
from stategate.planner.pg_catalog.postgres_types import postgres_types, spellings
from stategate.planner.pg_catalog.relations import (
    LOOKUP_SCHEMA,
    SCHEMA_IN_DUCKDB,
    WIDE,
    Fields,
    catalog_relations,
    catalog_table,
    is_of_catalog,
)
from stategate.planner.pg_catalog.store_relations import DATABASE_OID, Relation, settle_index_names
from stategate.planner.pg_catalog.store_rows import RelationRows, relation_rows
from stategate.planner.pg_catalog.views import (
    ALL_INFORMATION,
    COMPUTED,
    INFORMATION,
    SESSION_INFORMATION,
    SESSION_VIEWS,
)
from stategate.planner.values.quoting import quote_always, quote_name, quote_text

MEMORY_LIMIT = "256MB"
"""The catalog of 1,000 stores with 20 columns takes 20 MB; the rest is for sorts and joins."""
_UTF8 = 6
_CONFIG = {
    "memory_limit": MEMORY_LIMIT,
    "temp_directory": "",
    "disabled_optimizers": "join_order,build_side_probe_side",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""One thread, because statements are short and share the machine with queries of stores.

Joins run in the order of the text. Without ORDER BY rows then come in the order of the first table
as in PostgreSQL, on which clients rely when they list columns.
"""

_VIEWS = {"pg_catalog": SESSION_VIEWS, "information_schema": SESSION_INFORMATION}
_NAME_FIELDS = {
    "kind": pa.string(),
    "spelling": pa.string(),
    "oid": pa.int64(),
}
_DEFINITION_FIELDS = {"oid": pa.int64(), "text": pa.string(), "pretty": pa.string()}
_DISPLAY_FIELDS = {"kind": pa.string(), "oid": pa.int64(), "text": pa.string()}


def catalog_definition(
    relations: Sequence[Relation], *, server_version: str, database: str, started: dt.datetime
) -> Definition:
    """Return the definition of the catalog of these relations."""
    rows = relation_rows(settle_index_names(relations))
    return Definition(
        config=_CONFIG,
        threads=1,
        before=tuple(_schema_script()),
        tables={
            **_catalog_tables(rows, database),
            **_lookup_tables(rows, server_version, database),
        },
        after=(
            *_view_script(database),
            *(relation.create_wide_view for relation in catalog_relations().values()),
            *macro_script(started=quote_text(started.isoformat())),
            *MEANING,
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ),
    )


def _schema_script() -> Iterator[str]:
    for schema in (*SCHEMA_IN_DUCKDB.values(), LOOKUP_SCHEMA, WIDE):
        yield f"CREATE SCHEMA {schema}"
    for relation in catalog_relations().values():
        if relation.name not in _VIEWS[relation.schema]:
            yield relation.create_table
        elif relation.name in ALL_INFORMATION and relation.schema == "information_schema":
            yield relation.create_table_as(f"{LOOKUP_SCHEMA}.{ALL_INFORMATION[relation.name]}")


def _view_script(database: str) -> Iterator[str]:
    catalog, information = SCHEMA_IN_DUCKDB["pg_catalog"], SCHEMA_IN_DUCKDB["information_schema"]
    names = {
        "cat": catalog,
        "info": information,
        "look": LOOKUP_SCHEMA,
        "database": quote_text(database),
    }
    for schema, bodies in _VIEWS.items():
        for name, body in bodies.items():
            yield f"CREATE VIEW {SCHEMA_IN_DUCKDB[schema]}.{name} AS {body.format(**names)}"
    for schema, bodies in ((catalog, COMPUTED), (information, INFORMATION)):
        for name, body in bodies.items():
            into = f"{schema}.{name}"
            if schema == information and name in ALL_INFORMATION:
                into = f"{LOOKUP_SCHEMA}.{ALL_INFORMATION[name]}"
            yield f"INSERT INTO {into} BY NAME {body.format(**names)}"


def _catalog_tables(rows: RelationRows, database: str) -> Mapping[str, pa.Table]:
    catalog = SCHEMA_IN_DUCKDB["pg_catalog"]
    namespaces = [_namespace_row(name, oid) for name, oid in rows.namespaces.items()]
    tables = {
        **builtin_tables(),
        "pg_namespace": catalog_table("pg_namespace", namespaces),
        "pg_database": catalog_table("pg_database", [_database_row(database)]),
    }
    for name, added in rows.tables.items():
        parts = [tables[name]] if name in tables else []
        tables[name] = pa.concat_tables([*parts, catalog_table(name, added)])
    return {f"{catalog}.{name}": table for name, table in tables.items()}


def _namespace_row(name: str, oid: int) -> Fields:
    if name != "public":
        return {"oid": oid, "nspname": name, "nspowner": OWNER}
    owner = role_names()[PUBLIC_OWNER]
    granted = [f"{owner}=UC/{owner}", f"=U/{owner}"]
    return {"oid": oid, "nspname": name, "nspowner": PUBLIC_OWNER, "nspacl": granted}


def _database_row(database: str) -> Fields:
    return {
        "oid": DATABASE_OID,
        "datname": database,
        "datdba": OWNER,
        "encoding": _UTF8,
        "datlocprovider": "c",
        "datallowconn": True,
        "datconnlimit": -1,
        "dattablespace": 1663,
        "datcollate": "C",
        "datctype": "C",
    }


def _lookup_tables(
    rows: RelationRows, server_version: str, database: str
) -> Mapping[str, pa.Table]:
    names = sorted(set(_names(rows, database)))
    displays = sorted(set(_displays(rows)))
    keywords = [line.split("\t") for line in seed.KEYWORDS.strip("\n").splitlines()]
    shown = [(name, each.shown) for name, each in postgres_settings().items() if each.unit]
    keyword_fields = ("word", "catcode", "barelabel", "catdesc", "baredesc")
    tables = {
        "names": _table(_NAME_FIELDS, names),
        "displays": _table(_DISPLAY_FIELDS, displays),
        "definitions": _table(_DEFINITION_FIELDS, rows.definitions),
        "roles": _table({"oid": pa.int64(), "rolname": pa.string()}, [*role_names().items()]),
        "xmins": _table({"oid": pa.int64(), "xmin": pa.int64()}, rows.xmins),
        "keywords": _table(dict.fromkeys(keyword_fields, pa.string()), keywords),
        "settings": settings_table(server_version),
        "shown_settings": _table({"name": pa.string(), "shown": pa.string()}, shown),
    }
    return {f"{LOOKUP_SCHEMA}.{name}": table for name, table in tables.items()}


def _table(fields: Mapping[str, pa.DataType], rows: Sequence[Sequence[object]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ([] for _ in fields)
    arrays = [
        pa.array(list(values), kind) for values, kind in zip(columns, fields.values(), strict=True)
    ]
    return pa.table(arrays, names=list(fields))


def _relations(rows: RelationRows) -> Iterator[tuple[str, str, int]]:
    for relation in catalog_relations().values():
        yield relation.schema, relation.name, relation.oid
    by_oid = {oid: name for name, oid in rows.namespaces.items()}
    for row in rows.tables["pg_class"]:
        yield by_oid[row["relnamespace"]], row["relname"], row["oid"]


def _row_types(rows: RelationRows) -> Iterator[tuple[str, str, str, int]]:
    """Yield schema, name, suffix (`[]` for arrays) and oid of each row type."""
    by_oid = {oid: name for name, oid in rows.namespaces.items()}
    for row in rows.tables["pg_type"]:
        is_array = row["typtype"] == "b"
        name = row["typname"][1:] if is_array else row["typname"]
        yield by_oid[row["typnamespace"]], name, "[]" if is_array else "", row["oid"]


def _row_type_names(rows: RelationRows) -> Iterator[tuple[str, str, int]]:
    """Yield every way to write row types and their arrays."""
    for schema, name, suffix, oid in _row_types(rows):
        for spelled in _spellings(name):
            for qualifier in _spellings(schema):
                yield "regtype", f"{qualifier}.{spelled}{suffix}", oid
            if schema == "public":
                yield "regtype", f"{spelled}{suffix}", oid


def _names(rows: RelationRows, database: str) -> Iterator[tuple[str, str, int]]:
    """Yield every way to write each name, so that macros need no parser."""
    for schema, name, oid in _relations(rows):
        for spelled in _relation_spellings(database, schema, name):
            yield "regclass", spelled, oid
    for spelled, oid in spellings().items():
        yield "regtype", spelled, oid
    yield from _row_type_names(rows)
    for name, oid in rows.namespaces.items():
        for spelled in _spellings(name):
            yield "regnamespace", spelled, oid
    for oid, name, arguments in _functions():
        for kind, spelled in (("regproc", name), ("regprocedure", f"{name}({arguments})")):
            yield kind, spelled, oid
            yield kind, f"pg_catalog.{spelled}", oid


def _relation_spellings(database: str, schema: str, name: str) -> Iterator[str]:
    for spelled in _spellings(name):
        if schema in {"public", "pg_catalog"}:
            yield spelled
        for qualifier in _spellings(schema):
            yield f"{qualifier}.{spelled}"
            yield from (f"{whole}.{qualifier}.{spelled}" for whole in _spellings(database))


def _spellings(name: str) -> Iterable[str]:
    """Return the ways to write a name: quoted, and bare if that means the same name."""
    return {
        quote_always(name),
        quote_name(name),
        name if name == name.lower() else quote_name(name),
    }


def _displays(rows: RelationRows) -> Iterator[tuple[str, int, str]]:
    for schema, name, oid in _relations(rows):
        bare = quote_name(name)
        visible = schema == "pg_catalog" or (schema == "public" and not is_of_catalog("", name))
        yield "regclass", oid, bare if visible else f"{quote_name(schema)}.{bare}"
    for kind in postgres_types().values():
        yield "regtype", kind.oid, kind.display
    for schema, name, suffix, oid in _row_types(rows):
        qualifier = "" if schema == "public" else f"{quote_name(schema)}."
        yield "regtype", oid, f"{qualifier}{quote_name(name)}{suffix}"
    for name, oid in rows.namespaces.items():
        yield "regnamespace", oid, quote_name(name)
    for oid, name in role_names().items():
        yield "regrole", oid, name
    for oid, name, arguments in _functions():
        yield "regproc", oid, name
        yield "regprocedure", oid, f"{name}({arguments})"


def displays_of(relations: Sequence[Relation]) -> Mapping[str, Mapping[int, str]]:
    """Return the text of object types: regclass or another → oid → name."""
    found: dict[str, dict[int, str]] = {}
    for kind, oid, text in _displays(relation_rows(settle_index_names(relations))):
        found.setdefault(kind, {}).setdefault(oid, text)
    return found


def _functions() -> Iterator[tuple[int, str, str]]:
    """Yield oid, name and argument types of the functions in pg_proc."""
    displays = {kind.oid: kind.display for kind in postgres_types().values()}
    for fields in proc_lines():
        types = [displays.get(int(oid), "-") for oid in fields[9].split()]
        yield int(fields[0]), fields[1], ",".join(types)
