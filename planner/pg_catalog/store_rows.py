"""What the catalog holds of the gateway's own relations: stores, their keys, system relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from planner.binding.relations import SYSTEM_SCHEMA
from planner.pg_catalog.arrow_tables import Fields
from planner.pg_catalog.builtin_rows import (
    NAMESPACES,
    OWNER,
    PG_NAMESPACE_OID,
    attribute,
    relation_row,
)
from planner.pg_catalog.oids import assign_oids, definition_xmin
from planner.pg_catalog.postgres_types import ColumnType, column_type
from planner.values.quoting import quote_name
from stores.spec.schema import (
    VALID_FROM,
    VALID_TO,
    WINDOW_END,
    WINDOW_START,
    Column,
    StoreKind,
    StoreSchema,
)

PG_CLASS_OID = 1259
"""pg_description says with it that an object is a relation."""
_PG_EXTENSION_OID = 3079
_EXTENSION_OID = 16_000
"""Below those of a user: a dump does not make such an extension, it is there."""
_BTREE = 403
_BTREE_CLASSES: Mapping[str, int] = {
    "bool": 424,
    "bytea": 428,
    "date": 3122,
    "float4": 1970,
    "float8": 1972,
    "int2": 1979,
    "int4": 1978,
    "int8": 3124,
    "numeric": 3125,
    "text": 3126,
    "timestamp": 3128,
    "timestamptz": 3127,
    "uuid": 2968,
}
"""Default operator class of an index column by its type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation of the gateway as the catalog needs it."""

    schema: str
    name: str
    relkind: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    index_name: str = ""
    """Name of the index and constraint behind the primary key."""
    required: tuple[str, ...] = ()
    """Columns that are never NULL. Those of a key may be: Spark groups by NULL too."""
    comment: str = ""
    column_comments: Mapping[str, str] = field(default_factory=dict)

    @property
    def qualified(self) -> str:
        """`schema.name`, quoted where needed."""
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    @property
    def definition(self) -> str:
        """All that makes a client read the definition again when it changes."""
        columns = ",".join(f"{column.name} {column.type}" for column in self.columns)
        return f"{self.qualified} {self.relkind} {columns} {self.primary_key} {self.comment}"


@dataclass(slots=True, kw_only=True)
class RelationRows:
    """The rows of the gateway's relations, by catalog relation, and what macros look up.

    Filled relation by relation while it is built, read-only after that.
    """

    tables: dict[str, list[Fields]]
    namespaces: Mapping[str, int]
    definitions: list[tuple[int, str, str]] = field(default_factory=list)
    """Oid of an index, constraint or view, its SQL, and its SQL without visible schemas."""
    xmins: list[tuple[int, int]] = field(default_factory=list)


def store_relation(schema: StoreSchema) -> Relation:
    """A store as a relation of schema public; the key and what the kind adds to it are its key."""
    key = tuple(column.name for column in schema.key)
    comments = {name: f"key, {at} of {len(key)}" for at, name in enumerate(key, start=1)}
    comments |= {name: _TIME_COMMENTS[name] for name in (c.name for c in schema.time_columns)}
    return Relation(
        schema="public",
        name=schema.name,
        relkind="r",
        columns=schema.columns,
        primary_key=(*key, *_KEY_TIMES.get(schema.kind, ())),
        index_name=f"{schema.name}_pkey",
        required=tuple(c.name for c in schema.time_columns if c.name != VALID_TO.name),
        comment=describe_store(schema),
        column_comments=comments,
    )


_KEY_TIMES: Mapping[StoreKind, tuple[str, ...]] = {
    StoreKind.SESSION: (WINDOW_START.name, WINDOW_END.name),
    StoreKind.VERSIONED: (VALID_FROM.name,),
    StoreKind.WINDOW: (WINDOW_START.name,),
}
"""What tells the rows of one key apart."""
_TIME_COMMENTS: Mapping[str, str] = {
    VALID_FROM.name: "when the version became valid, inclusive",
    VALID_TO.name: "when the next version replaced it, exclusive; NULL for the newest",
    WINDOW_END.name: "end of the window, exclusive",
    WINDOW_START.name: "start of the window, inclusive",
}


def system_relation(name: str, columns: tuple[Column, ...]) -> Relation:
    """A system relation, announced as a view."""
    return Relation(
        schema=SYSTEM_SCHEMA, name=name, relkind="v", columns=columns, comment="system relation"
    )


def describe_store(schema: StoreSchema) -> str:
    """The comment of a store: `window store, 4 partitions, windows of 1 hour, from clicks`."""
    number = schema.partitions
    parts = [f"{schema.kind.value} store", f"{number} partition{'s' * (number != 1)}"]
    if schema.window_size_ms is not None:
        parts.append(f"windows of {_duration(schema.window_size_ms)}")
    if schema.retention_ms is not None:
        parts.append(f"kept for {_duration(schema.retention_ms)}")
    if schema.inputs:
        parts.append("from " + ", ".join(each.topic for each in schema.inputs))
    return ", ".join(parts)


def _duration(milliseconds: int) -> str:
    units = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1000))
    for unit, size in units:
        if milliseconds % size == 0:
            count = milliseconds // size
            return f"{count} {unit}{'s' * (count != 1)}"
    return f"{milliseconds} ms"


def relation_oids(relations: Sequence[Relation]) -> Mapping[str, int]:
    """Oids of the relations, by their qualified names, which are in no quotes."""
    oids = assign_oids(_object_names(relations))
    return {f"{r.schema}.{r.name}": oids[f"relation {r.qualified}"] for r in relations}


def relation_rows(relations: Sequence[Relation]) -> RelationRows:
    """All rows that these relations add to the catalog."""
    oids = assign_oids(_object_names(relations))
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
    """The schema of system relations as an extension's, whose members no dump contains.

    They are made by the gateway, and no SQL makes them anywhere else.
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
    """A row of pg_depend: that an object belongs to the extension."""
    return {
        "classid": catalog,
        "objid": oid,
        "refclassid": _PG_EXTENSION_OID,
        "refobjid": _EXTENSION_OID,
        "deptype": "e",
    }


def _object_names(relations: Sequence[Relation]) -> Iterator[str]:
    yield f"schema {SYSTEM_SCHEMA}"
    for relation in relations:
        yield f"relation {relation.qualified}"
        yield f"type {relation.qualified}"
        yield f"array type {relation.qualified}"
        if relation.primary_key:
            yield f"index {relation.qualified}"
            yield f"constraint {relation.qualified}"


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
    """The type of a relation's rows, and that of arrays of them."""
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


def settle_index_names(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The relations with index names that meet no other name: `_pkey1` where `_pkey` is taken."""
    taken = {relation.name for relation in relations}
    settled = []
    for relation in relations:
        name = relation.index_name
        while name in taken:
            suffix = name.removeprefix(relation.index_name) or "0"
            name = f"{relation.index_name}{int(suffix) + 1}"
        if relation.index_name:
            taken.add(name)
        settled.append(replace(relation, index_name=name))
    return tuple(settled)


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
        "indclass": [_BTREE_CLASSES.get(each.type.name, 0) for each in types],
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
