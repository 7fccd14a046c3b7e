"""The rows of pg_class, pg_attribute and others that describe stores and system relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from stategate.planner.binding.relations import SYSTEM_SCHEMA
from stategate.planner.pg_catalog import seed
from stategate.planner.pg_catalog.builtin_rows import (
    NAMESPACES,
    OWNER,
    PG_NAMESPACE_OID,
    attribute,
    relation_row,
)
from stategate.planner.pg_catalog.postgres_types import ColumnType, column_type
from stategate.planner.pg_catalog.relations import Fields
from stategate.planner.pg_catalog.store_relations import (
    Relation,
    assign_oids,
    definition_xmin,
    object_names,
)
from stategate.planner.values.quoting import quote_name

PG_CLASS_OID = 1259
"""Oid of pg_class, by which pg_description refers to relations."""
_PG_EXTENSION_OID = 3079
_EXTENSION_OID = 16_000
"""Below users' oids: pg_dump does not create such an extension, but expects it."""
_BTREE = 403
_BTREE_CLASSES: Mapping[int, int] = {
    int(row[6]): int(row[0])
    for row in (line.split("\t") for line in seed.OPCLASS_ROWS.strip().splitlines())
    if row[1] == str(_BTREE) and row[7] == "t"
}
"""Oid of the type of an index column → oid of its default operator class."""


@dataclass(slots=True, kw_only=True)
class RelationRows:
    """The catalog's rows about stores and system relations, and the texts that macros look up.

    Filled by `relation_rows`, read-only after that.
    """

    tables: dict[str, list[Fields]]
    namespaces: Mapping[str, int]
    definitions: list[tuple[int, str, str]] = field(default_factory=list)
    """Oid of an index, constraint or view, its SQL, and its SQL without visible schemas."""
    xmins: list[tuple[int, int]] = field(default_factory=list)


def relation_rows(relations: Sequence[Relation]) -> RelationRows:
    """Return all rows that these relations add to the catalog."""
    oids = assign_oids(object_names(relations))
    namespaces = {**NAMESPACES, SYSTEM_SCHEMA: oids[f"schema {SYSTEM_SCHEMA}"]}
    tables: dict[str, list[Fields]] = {
        name: []
        for name in (
            *("pg_attribute", "pg_class", "pg_constraint", "pg_depend", "pg_description"),
            *("pg_extension", "pg_index", "pg_type"),
        )
    }
    rows = RelationRows(tables=tables, namespaces=namespaces)
    _add_extension(rows, namespaces[SYSTEM_SCHEMA])
    for relation in relations:
        _add_relation(rows, relation, oids)
        if relation.primary_key:
            _add_primary_key(rows, relation, oids)
    return rows


def _add_extension(rows: RelationRows, namespace: int) -> None:
    """Make the schema of system relations part of an extension, so that pg_dump omits it.

    SQL cannot create these relations on another server.
    """
    rows.tables["pg_extension"].append(
        {
            "oid": _EXTENSION_OID,
            "extname": SYSTEM_SCHEMA,
            "extowner": OWNER,
            "extnamespace": namespace,
            "extversion": version("stategate"),
        }
    )
    rows.tables["pg_depend"].append(_member(PG_NAMESPACE_OID, namespace))


def _member(catalog: int, oid: int) -> Fields:
    """Return the row of pg_depend that makes an object a member of the extension."""
    return {
        "classid": catalog,
        "objid": oid,
        "refclassid": _PG_EXTENSION_OID,
        "refobjid": _EXTENSION_OID,
        "deptype": "e",
    }


def _add_relation(rows: RelationRows, relation: Relation, oids: Mapping[str, int]) -> None:
    oid = oids[f"relation {relation.qualified}"]
    row = relation_row(
        oid=oid,
        name=relation.name,
        namespace=rows.namespaces[relation.schema],
        relkind=relation.relkind,
        columns=len(relation.columns),
    )
    type_oid = oids[f"type {relation.qualified}"]
    rows.tables["pg_class"].append(
        {**row, "reltype": type_oid, "relhasindex": bool(relation.primary_key)}
    )
    _add_row_type(rows, relation, oid, type_oid, oids[f"array type {relation.qualified}"])
    rows.tables["pg_attribute"] += [
        attribute(
            relation_oid=oid,
            number=number,
            name=column.name,
            column_type=column_type(column.type),
            required=column.name in relation.required,
        )
        for number, column in enumerate(relation.columns, start=1)
    ]
    comments = {0: relation.comment}
    for name, comment in relation.column_comments.items():
        comments[_number(relation, name)] = comment
    rows.tables["pg_description"] += [
        {"objoid": oid, "classoid": PG_CLASS_OID, "objsubid": number, "description": comment}
        for number, comment in comments.items()
    ]
    rows.xmins.append((oid, definition_xmin(relation.definition)))
    if relation.relkind == "v":
        names = ",\n    ".join(quote_name(column.name) for column in relation.columns)
        definition = f" SELECT {names}\n   FROM {relation.qualified};"
        rows.definitions.append((oid, definition, definition))
    if relation.schema == SYSTEM_SCHEMA:
        rows.tables["pg_depend"].append(_member(PG_CLASS_OID, oid))


def _add_row_type(
    rows: RelationRows, relation: Relation, oid: int, type_oid: int, array_oid: int
) -> None:
    """Add the row type of a relation and its array type."""
    alike = {
        "typnamespace": rows.namespaces[relation.schema],
        "typowner": OWNER,
        "typlen": -1,
        "typisdefined": True,
        "typdelim": ",",
        "typmodin": "-",
        "typmodout": "-",
        "typalign": "d",
        "typstorage": "x",
        "typtypmod": -1,
    }
    rows.tables["pg_type"] += [
        {
            **alike,
            "oid": type_oid,
            "typname": relation.name,
            "typtype": "c",
            "typcategory": "C",
            "typrelid": oid,
            "typsubscript": "-",
            "typarray": array_oid,
            "typinput": "record_in",
            "typoutput": "record_out",
            "typreceive": "record_recv",
            "typsend": "record_send",
            "typanalyze": "-",
        },
        {
            **alike,
            "oid": array_oid,
            "typname": f"_{relation.name}",
            "typtype": "b",
            "typcategory": "A",
            "typsubscript": "array_subscript_handler",
            "typelem": type_oid,
            "typinput": "array_in",
            "typoutput": "array_out",
            "typreceive": "array_recv",
            "typsend": "array_send",
            "typanalyze": "array_typanalyze",
        },
    ]


def _add_primary_key(rows: RelationRows, relation: Relation, oids: Mapping[str, int]) -> None:
    table_oid = oids[f"relation {relation.qualified}"]
    index_oid = oids[f"index {relation.qualified}"]
    constraint_oid = oids[f"constraint {relation.qualified}"]
    namespace = rows.namespaces[relation.schema]
    name = relation.index_name
    numbers = [_number(relation, column) for column in relation.primary_key]
    types = [column_type(relation.columns[number - 1].type) for number in numbers]
    index = relation_row(
        oid=index_oid, name=name, namespace=namespace, relkind="i", columns=len(numbers)
    )
    rows.tables["pg_class"].append({**index, "relam": _BTREE, "reltuples": 0.0})
    rows.tables["pg_attribute"] += [
        attribute(relation_oid=index_oid, number=at, name=column, column_type=kind, required=False)
        for at, (column, kind) in enumerate(zip(relation.primary_key, types, strict=True), start=1)
    ]
    rows.tables["pg_index"].append(_index(index_oid, table_oid, numbers, types))
    rows.tables["pg_constraint"].append(
        _constraint(
            oid=constraint_oid,
            name=name,
            namespace=namespace,
            table_oid=table_oid,
            index_oid=index_oid,
            numbers=numbers,
        )
    )
    columns = ", ".join(map(quote_name, relation.primary_key))
    primary_key = f"PRIMARY KEY ({columns})"
    create, using = f"CREATE UNIQUE INDEX {quote_name(name)} ON", f"USING btree ({columns})"
    full = f"{create} {relation.qualified} {using}"
    rows.definitions += [
        (constraint_oid, primary_key, primary_key),
        (index_oid, full, f"{create} {quote_name(relation.name)} {using}"),
    ]
    rows.xmins.append((index_oid, definition_xmin(f"{name} {relation.definition}")))


def _number(relation: Relation, name: str) -> int:
    return [column.name for column in relation.columns].index(name) + 1


def _index(
    index_oid: int, table_oid: int, numbers: Sequence[int], types: Sequence[ColumnType]
) -> Fields:
    return {
        "indexrelid": index_oid,
        "indrelid": table_oid,
        "indnatts": len(numbers),
        "indnkeyatts": len(numbers),
        "indisunique": True,
        "indisprimary": True,
        "indimmediate": True,
        "indisvalid": True,
        "indisready": True,
        "indislive": True,
        "indkey": list(numbers),
        "indcollation": [each.type.collation for each in types],
        "indclass": [_BTREE_CLASSES.get(each.type.oid, 0) for each in types],
        "indoption": [0 for _ in numbers],
    }


def _constraint(
    *, oid: int, name: str, namespace: int, table_oid: int, index_oid: int, numbers: Sequence[int]
) -> Fields:
    return {
        "oid": oid,
        "conname": name,
        "connamespace": namespace,
        "contype": "p",
        "convalidated": True,
        "conrelid": table_oid,
        "conindid": index_oid,
        "confupdtype": " ",
        "confdeltype": " ",
        "confmatchtype": " ",
        "conislocal": True,
        "connoinherit": True,
        "conkey": list(numbers),
    }
