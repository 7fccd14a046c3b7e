"""The rows that the catalog has without any store: PostgreSQL's built-in objects and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

import pyarrow as pa

from stategate.planner.commands.postgres_settings import OWN_SETTINGS, version_number
from stategate.planner.commands.setting_kinds import PostgresSetting
from stategate.planner.pg_catalog import seed
from stategate.planner.pg_catalog.postgres_types import ColumnType, PostgresType, postgres_types
from stategate.planner.pg_catalog.relations import (
    CatalogRelation,
    Fields,
    catalog_relations,
    catalog_table,
    copied_table,
)

OWNER = 10
"""Oid of the only role that can log in: the user of the session."""
NAMESPACES: Mapping[str, int] = {
    "pg_catalog": 11,
    "pg_toast": 99,
    "public": 2200,
    "information_schema": 13207,
}
"""PostgreSQL's schemas → oid."""
PUBLIC_OWNER = 6171
"""Oid of the predefined role pg_database_owner, which has schema public."""
_PG_PROC_OID = 1255
PG_NAMESPACE_OID = 2615
HEAP = 2
"""Oid of the table access method that tables have in pg_class."""
_INTERNAL_LANGUAGE = 12


@cache
def builtin_tables() -> Mapping[str, pa.Table]:
    """Relation of pg_catalog → its built-in rows."""
    relations = catalog_relations().values()
    return {
        "pg_am": copied_table("pg_am", seed.AM_ROWS),
        "pg_auth_members": copied_table("pg_auth_members", seed.AUTH_MEMBERS_ROWS),
        "pg_attribute": catalog_table(
            "pg_attribute", (row for each in relations for row in _attributes(each))
        ),
        "pg_cast": copied_table("pg_cast", seed.CAST_ROWS),
        "pg_class": catalog_table("pg_class", map(_class, relations)),
        "pg_collation": copied_table("pg_collation", seed.COLLATION_ROWS),
        "pg_description": catalog_table("pg_description", _descriptions()),
        "pg_language": copied_table("pg_language", seed.LANGUAGE_ROWS),
        "pg_opclass": copied_table("pg_opclass", seed.OPCLASS_ROWS),
        "pg_opfamily": copied_table("pg_opfamily", seed.OPFAMILY_ROWS),
        "pg_proc": catalog_table("pg_proc", map(_proc, proc_lines())),
        "pg_range": copied_table("pg_range", seed.RANGE_ROWS),
        "pg_tablespace": copied_table("pg_tablespace", seed.TABLESPACE_ROWS),
        "pg_type": catalog_table("pg_type", map(_type, postgres_types().values())),
    }


def attribute(
    *, relation_oid: int, number: int, name: str, column_type: ColumnType, required: bool
) -> Fields:
    """Return a row of pg_attribute."""
    kind = column_type.type
    return {
        "attrelid": relation_oid,
        "attname": name,
        "atttypid": kind.oid,
        "attstattarget": -1,
        "attlen": kind.length,
        "attnum": number,
        "attndims": column_type.dimensions,
        "attcacheoff": -1,
        "atttypmod": column_type.modifier,
        "attbyval": kind.by_value,
        "attalign": kind.align,
        "attstorage": kind.storage,
        "attnotnull": required,
        "attislocal": True,
        "attcollation": kind.collation,
    }


def relation_row(*, oid: int, name: str, namespace: int, relkind: str, columns: int) -> Fields:
    """Return a row of pg_class."""
    stored = relkind == "r"
    return {
        "oid": oid,
        "relname": name,
        "relnamespace": namespace,
        "relowner": OWNER,
        "relam": HEAP if stored else 0,
        "relfilenode": oid if stored else 0,
        "relpages": 0,
        "reltuples": -1.0,
        "relpersistence": "p",
        "relkind": relkind,
        "relnatts": columns,
        "relhasrules": relkind == "v",
        "relispopulated": True,
        "relreplident": "d" if stored else "n",
    }


def _attributes(relation: CatalogRelation) -> list[Fields]:
    types = postgres_types()
    return [
        attribute(
            relation_oid=relation.oid,
            number=number,
            name=column.name,
            column_type=ColumnType(type=types[column.postgres_type]),
            required=column.required,
        )
        for number, column in enumerate(relation.columns, start=1)
    ]


def _class(relation: CatalogRelation) -> Fields:
    row = relation_row(
        oid=relation.oid,
        name=relation.name,
        namespace=NAMESPACES[relation.schema],
        relkind=relation.relkind,
        columns=len(relation.columns),
    )
    return {**row, "relreplident": "n"}


def _type(each: PostgresType) -> Fields:
    return {
        "oid": each.oid,
        "typname": each.name,
        "typnamespace": NAMESPACES[each.namespace],
        "typowner": OWNER,
        "typlen": each.length,
        "typbyval": each.by_value,
        "typtype": each.kind,
        "typcategory": each.category,
        "typispreferred": each.preferred,
        "typisdefined": True,
        "typdelim": each.delimiter,
        "typsubscript": each.subscript,
        "typelem": each.element,
        "typarray": each.array,
        "typinput": each.input,
        "typoutput": each.output,
        "typreceive": each.receive,
        "typsend": each.send,
        "typmodin": each.modifier_input,
        "typmodout": each.modifier_output,
        "typanalyze": each.analyze,
        "typalign": each.align,
        "typstorage": each.storage,
        "typbasetype": each.base,
        "typtypmod": each.base_modifier,
        "typcollation": each.collation,
        "typdefault": each.default,
    }


def proc_lines() -> list[list[str]]:
    """Return the fields of each function in `seed.PROCS`."""
    return [line.split("\t") for line in seed.PROCS.strip("\n").splitlines()]


def role_names() -> dict[int, str]:
    """Return oid → name of the predefined roles, none of which can log in."""
    lines = (line.split("\t") for line in seed.ROLES.strip("\n").splitlines())
    return {int(oid): name for oid, name in lines}


def _descriptions() -> Iterator[Fields]:
    public = (NAMESPACES["public"], PG_NAMESPACE_OID, "standard public schema")
    functions = [(int(line[0]), _PG_PROC_OID, line[11]) for line in proc_lines()]
    for oid, catalog, text in (public, *functions):
        if text != "\\N":
            yield {"objoid": oid, "classoid": catalog, "objsubid": 0, "description": text}


def _proc(fields: list[str]) -> Fields:
    oid, name, kind, returns_set, volatility, strict, count, defaults, result, types = fields[:10]
    return {
        "oid": int(oid),
        "proname": name,
        "pronamespace": NAMESPACES["pg_catalog"],
        "proowner": OWNER,
        "prolang": _INTERNAL_LANGUAGE,
        "procost": 1.0,
        "prosupport": "-",
        "prokind": kind,
        "proisstrict": strict == "t",
        "proretset": returns_set == "t",
        "provolatile": volatility,
        "proparallel": "s",
        "pronargs": int(count),
        "pronargdefaults": int(defaults),
        "prorettype": int(result),
        "proargtypes": [int(oid) for oid in types.split()],
        "prosrc": fields[10],
    }


@lru_cache(maxsize=1)
def postgres_settings() -> Mapping[str, PostgresSetting]:
    """Return PostgreSQL's settings by their name in lower case."""
    return {
        name.lower(): PostgresSetting(
            name=name,
            default=default,
            context=context,
            kind=kind,
            unit=unit,
            least=least,
            most=most,
            choices=tuple(filter(None, choices.split(","))),
        )
        for name, unit, _, _, context, kind, least, most, default, choices in _rows()
    }


def _rows() -> Iterator[list[str]]:
    for line in seed.SETTINGS.strip("\n").splitlines():
        yield ["" if field == "\\N" else field for field in line.split("\t")]


def settings_table(server_version: str) -> pa.Table:
    """Return the rows of pg_settings for a session that has set nothing."""
    values = {
        **{setting.name: setting.default for setting in OWN_SETTINGS.values()},
        "server_version": server_version,
        "server_version_num": str(version_number(server_version)),
    }
    rows = []
    for line in seed.SETTINGS.strip("\n").splitlines():
        fields = [None if field == "\\N" else field for field in line.split("\t")]
        name, unit, category, description, context, kind, least, most, default, choices = fields
        assert name is not None
        value = values.get(name, default) or ""
        rows.append(
            {
                "name": name,
                "setting": value,
                "unit": unit,
                "category": category,
                "short_desc": description,
                "context": context,
                "vartype": kind,
                "source": "default",
                "min_val": least,
                "max_val": most,
                "enumvals": None if choices is None else choices.split(","),
                "boot_val": value,
                "reset_val": value,
                "pending_restart": False,
            }
        )
    return catalog_table("pg_settings", rows)
