"""Read the ends of a store's key for `min` and `max`."""

from __future__ import annotations

from msgspec.structs import replace
from sqlglot import exp

from stategate.planner.binding.predicates import NotNull, Predicate
from stategate.planner.planning.draft import Draft
from stategate.planner.trees.known_arguments import known_node
from stategate.stores.spec.schema import StoreKind

_ONE_ROW_A_KEY = {StoreKind.KEYVALUE, StoreKind.GLOBAL}


def read_key_ends(draft: Draft) -> Draft:
    """Read the first and last row of each partition for `min` and `max` of the first key column.

        SELECT min(name), max(name) FROM people

        compose SELECT MIN("name") AS "min", MAX("name") AS "max" FROM "r0" AS "people"
          r0: scan people; columns name; on 3 partitions
    →
        compose SELECT MIN("name") AS "min", MAX("name") AS "max" FROM "r0" AS "people"
          r0: range people; name is not null; ends of name; columns name; on 3 partitions
    """
    plain = draft.plain
    if plain is None or not plain.is_whole:
        return draft
    access = draft.access
    key = access.schema.key[0].name
    if access.schema.kind not in _ONE_ROW_A_KEY:
        return draft
    if not all(_is_end(known_node(node.unalias()), key) for node in plain.tree.expressions):
        return draft
    without_null = _without_null(plain.source.predicate, key)
    return draft.with_access(replace(access, predicate=without_null, ends=key))


def _is_end(node: exp.Expr, column: str) -> bool:
    """Whether a node is the least or the greatest value of a column."""
    if not isinstance(node, exp.Min | exp.Max) or node.expressions:
        return False
    inner = known_node(node.this)
    return isinstance(inner, exp.Column) and inner.name == column


def _without_null(predicate: Predicate, column: str) -> Predicate:
    """Return a predicate for the rows whose column has a value: `min` and `max` skip NULL."""
    disjuncts = tuple((*each, NotNull(column=column)) for each in predicate.disjuncts)
    return replace(predicate, disjuncts=disjuncts)
