"""Stores and system relations as the catalog describes them: columns, primary key, comments, oids.

Oids are the same after every restart. An oid is the hash of a name, or the next free one after a
collision. Clients cache oids, so they depend on the set of names only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stategate.planner.binding.relations import SYSTEM_SCHEMA, primary_key_of
from stategate.planner.values.quoting import quote_name
from stategate.stores.spec.schema import (
    VALID_FROM,
    VALID_TO,
    WINDOW_END,
    WINDOW_START,
    Column,
    StoreSchema,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A store or system relation as the catalog describes it."""

    schema: str
    name: str
    relkind: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    index_name: str = ""
    """Name of the index and constraint of the primary key."""
    required: tuple[str, ...] = ()
    """Columns that are never NULL. Columns of a key may be NULL: Spark groups by NULL, too."""
    comment: str = ""
    column_comments: Mapping[str, str] = field(default_factory=dict)

    @property
    def qualified(self) -> str:
        """`schema.name`, quoted where needed."""
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    @property
    def definition(self) -> str:
        """A text that changes when a client has to read the definition again."""
        columns = ",".join(
            # Names and types alone unless a user has set a comment: then clients read it again.
            f"{each.name} {each.type}"
            + (" not null" if each.name in self.required else "")
            + (f" {each.comment!r}" if each.comment else "")
            for each in self.columns
        )
        return f"{self.qualified} {self.relkind} {columns} {self.primary_key} {self.comment}"


def store_relation(schema: StoreSchema) -> Relation:
    """Return a store as a relation of schema public, with the primary key of its kind."""
    key = tuple(column.name for column in schema.key)
    comments = {name: f"key, {at} of {len(key)}" for at, name in enumerate(key, start=1)}
    comments |= {name: _TIME_COMMENTS[name] for name in (c.name for c in schema.time_columns)}
    comments |= {column.name: column.comment for column in schema.columns if column.comment}
    return Relation(
        schema="public",
        name=schema.name,
        relkind="r",
        columns=schema.columns,
        primary_key=primary_key_of(schema),
        index_name=f"{schema.name}_pkey",
        required=(
            *sorted(schema.not_null),
            *(c.name for c in schema.time_columns if c.name != VALID_TO.name),
        ),
        comment=schema.comment or describe_store(schema),
        column_comments=comments,
    )


_TIME_COMMENTS: Mapping[str, str] = {
    VALID_FROM.name: "when the version became valid, inclusive",
    VALID_TO.name: "when the next version replaced it, exclusive; NULL for the newest",
    WINDOW_END.name: "end of the window, exclusive",
    WINDOW_START.name: "start of the window, inclusive",
}


def system_relation(name: str, columns: tuple[Column, ...]) -> Relation:
    """Return a system relation, which the catalog shows as a view."""
    return Relation(
        schema=SYSTEM_SCHEMA, name=name, relkind="v", columns=columns, comment="system relation"
    )


def describe_store(schema: StoreSchema) -> str:
    """Return what a store without a comment of its own shows.

    An example: `window store, 4 partitions, windows of 1 hour, from clicks`.
    """
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


def settle_index_names(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """Return the relations with unique index names: `_pkey1` if `_pkey` is taken."""
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


DATABASE_OID = 16384
"""The oid of the database. Clients hide databases with smaller ones, which PostgreSQL keeps."""
FIRST_OID = DATABASE_OID
"""The first oid of users' relations; oids are distinct within a catalog."""
LAST_OID = 2**31 - 1
"""The greatest oid; a greater one is negative to clients that read oids as signed numbers."""
_FIRST_XMIN = 3
"""0 to 2 are reserved transaction numbers."""


def assign_oids(names: Iterable[str]) -> Mapping[str, int]:
    """Return an oid for each name, e.g. `relation public.clicks`.

    Laws: the order of the names does not matter; oids are distinct and within FIRST_OID…LAST_OID;
    a name keeps its oid when names are added, unless it collides with one that sorts before it.
    """
    assigned: dict[str, int] = {}
    taken: set[int] = set()
    for name in sorted(set(names)):
        oid = _hash(name, FIRST_OID, LAST_OID)
        while oid in taken:
            oid = oid + 1 if oid < LAST_OID else FIRST_OID
        taken.add(oid)
        assigned[name] = oid
    return assigned


def definition_xmin(definition: str) -> int:
    """Return the transaction number of a definition; it changes when the definition does."""
    return _hash(definition, _FIRST_XMIN, LAST_OID)


def object_names(relations: Sequence[Relation]) -> Iterator[str]:
    """Yield the name under which each object of these relations gets its oid."""
    yield f"schema {SYSTEM_SCHEMA}"
    for relation in relations:
        yield f"relation {relation.qualified}"
        yield f"type {relation.qualified}"
        yield f"array type {relation.qualified}"
        if relation.primary_key:
            yield f"index {relation.qualified}"
            yield f"constraint {relation.qualified}"


def relation_oids(relations: Sequence[Relation]) -> Mapping[str, int]:
    """Return `pg_class.oid` of each relation by `schema.name`, without quotes."""
    oids = assign_oids(object_names(relations))
    return {f"{r.schema}.{r.name}": oids[f"relation {r.qualified}"] for r in relations}


def _hash(text: str, low: int, high: int) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return low + int.from_bytes(digest, "big") % (high - low + 1)
