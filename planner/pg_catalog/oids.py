"""Oids of the objects that the gateway adds to the catalog: the same after every restart.

An oid is the hash of a name, or the next free one after a collision. Clients cache oids, so they
depend on the set of names only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from planner.binding.relations import SYSTEM_SCHEMA
from planner.pg_catalog.store_relations import Relation

FIRST_OID = 16384
"""The first oid of users' objects, as in PostgreSQL."""
LAST_OID = 2**31 - 1
"""Clients that read oids as signed numbers would see greater ones as negative."""
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
