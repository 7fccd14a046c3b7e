"""Read the first rows in the order of the key, or of the time.

Reads come in key order with NULLs first, or reversed as a whole. NULLs of the first column of the
ORDER BY are read separately, so they can stand at either end. NULLs of a later column must stand
where the key order has them, except those of the last key column: each group has at most one such
row, which can be held back.

Windows and sessions of all keys are filed by time. Partitions give their first rows by time in any
order. They also give every row with the same time as the last of these, since further items of the
ORDER BY may decide between them.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace
from sqlglot import exp

from stategate.planner.binding.predicates import Disjunct, Equals, Predicate
from stategate.planner.planning.access import ByTime, Top
from stategate.planner.planning.draft import Draft, PlainSelect
from stategate.planner.planning.key_regions import fixed_columns
from stategate.planner.planning.limits import Limits
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import kinds
from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import Column, Kind, StoreKind, StoreSchema

FIRST_ROWS_MAX = 20_000
"""Up to this many ordered rows are merged here; DuckDB sorts more, which it does in parallel."""
_NOT_BY_ROW = kinds(
    exp.AggFunc, exp.Window, exp.UDTF, exp.Explode, exp.GenerateSeries, exp.Anonymous
)
"""Nodes that do not make exactly one result row from each row."""
_FLOATS = {Kind.REAL, Kind.DOUBLE}
"""Types with NaN, which Arrow sorts with the NULLs."""
_READ_ORDER = {
    StoreKind.WINDOW: ("window_start",),
    StoreKind.SESSION: ("window_end", "window_start"),
    StoreKind.VERSIONED: ("valid_from",),
}
"""The columns that order the rows of one key."""

_FILED_BY = {
    StoreKind.WINDOW: ("window_start", "window_end"),
    StoreKind.SESSION: ("window_end",),
}
"""The columns that order rows as their segments do."""


def read_first_rows(draft: Draft) -> Draft:
    """Read the first n rows of each partition in the order of the key for `ORDER BY key LIMIT n`.

        SELECT name FROM people ORDER BY name LIMIT 2

        compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
          r0: scan people; columns name; on 3 partitions
    →
        stream; limit 2
          scan people; first 2 by name asc; columns name; on 3 partitions
    """
    plain = draft.plain
    if plain is None or not plain.tree.args.get("order"):
        return draft
    if plain.projection is None and draft.bound.nodes.has(_NOT_BY_ROW):
        return draft
    found = _first_rows(plain, draft)
    if found is None:
        return draft
    access = draft.access
    if isinstance(found, Top):
        return draft.with_access(replace(access, top=found))
    return draft.with_access(replace(access, by_time=found))


def _first_rows(plain: PlainSelect, draft: Draft) -> Top | ByTime | None:
    """Return the rows that a SELECT needs of its store; None if it needs all of them."""
    limits = plain.limits
    if limits is None or limits.rows is None:
        return None
    terms = _terms(plain.tree.args["order"])
    if terms is None or (limits.constant or 0) > FIRST_ROWS_MAX:
        return None
    renamed = _renamed(plain.tree)
    if any(term.column in renamed for term in terms):
        return None
    access = draft.access
    found = _top(access.schema, access.predicate, terms, limits)
    return found or _by_time(access.schema, access.predicate, terms, limits)


def _renamed(select: exp.Select) -> set[str]:
    """Return the result names that are not names of the columns they stand for."""
    return {
        node.alias
        for node in select.expressions
        if isinstance(node, exp.Alias)
        and not (isinstance(node.this, exp.Column) and node.this.name == node.alias)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """One item of ORDER BY that is a column."""

    column: str
    descending: bool
    nulls_first: bool


def _terms(order: exp.Order) -> tuple[_Term, ...] | None:
    """Return the items of an ORDER BY; None if one is not a column."""
    found: list[_Term] = []
    for node in order.expressions:
        column = known_node(node.this) if isinstance(node, exp.Ordered) else node
        if not isinstance(column, exp.Column):
            return None
        found.append(
            _Term(
                column=column.name,
                descending=bool(node.args.get("desc")),
                nulls_first=bool(node.args.get("nulls_first")),
            )
        )
    return tuple(found)


def _top(
    schema: StoreSchema, predicate: Predicate, terms: tuple[_Term, ...], limits: Limits
) -> Top | None:
    """Return how reads give the first rows in an order; None if they give them in another."""
    if not predicate.disjuncts:
        return None
    names = [column.name for column in schema.key]
    counts = {fixed_columns(disjunct, schema) for disjunct in predicate.disjuncts}
    single = _single(predicate.conditions)
    if schema.time_columns:
        is_one_key = counts == {len(names)} and single.issuperset(names)
        return _times_of_key(schema, terms, single, limits) if is_one_key else None
    if len(names) in counts:
        return None  # few rows, which are looked up in no order
    prefix = 0
    while prefix < len(names) and names[prefix] in single:
        prefix += 1
    free = schema.key[prefix:]
    wanted = tuple(term for term in terms if term.column not in names[:prefix])[: len(free)]
    if not _is_key_order(wanted, free):
        return None
    descending = wanted[0].descending
    odd = [term for term in wanted[1:] if term.nulls_first is descending]
    if odd and (descending or len(odd) > 1 or odd[0].column != names[-1]):
        return None
    return Top(
        columns=tuple((term.column, term.nulls_first) for term in wanted),
        order=Order.DESCENDING if descending else Order.ASCENDING,
        limits=limits,
        split=prefix,
        held=odd[0].column if odd else None,
    )


def _is_key_order(terms: tuple[_Term, ...], free: tuple[Column, ...]) -> bool:
    """Whether terms are the first of the key columns that are not fixed, in one direction."""
    columns = free[: len(terms)]
    return (
        bool(terms)
        and [term.column for term in terms] == [column.name for column in columns]
        and all(column.type.kind not in _FLOATS for column in columns)
        and len({term.descending for term in terms}) == 1
    )


def _single(disjunct: Disjunct) -> set[str]:
    """Return the columns that have one value, whatever the parameters are."""
    return {c.column for c in disjunct if isinstance(c, Equals) and c.is_single}


def _times_of_key(
    schema: StoreSchema, terms: tuple[_Term, ...], single: set[str], limits: Limits
) -> Top | None:
    """Return how the rows of one key are read by their times, which are never NULL."""
    given = _READ_ORDER.get(schema.kind, ())
    wanted = [term for term in terms if term.column not in single][: len(given)]
    if not wanted or tuple(term.column for term in wanted) != given[: len(wanted)]:
        return None
    if len({term.descending for term in wanted}) > 1:
        return None
    return Top(
        columns=tuple((term.column, False) for term in wanted),
        order=Order.DESCENDING if wanted[0].descending else Order.ASCENDING,
        limits=limits,
    )


def _by_time(
    schema: StoreSchema, predicate: Predicate, terms: tuple[_Term, ...], limits: Limits
) -> ByTime | None:
    """Return how the rows of many keys are read by the time that files them."""
    single = _single(predicate.conditions)
    first = next((term for term in terms if term.column not in single), None)
    if not predicate.disjuncts or first is None:
        return None
    if first.column not in _FILED_BY.get(schema.kind, ()):
        return None
    decided = {column.name for column in (*schema.key, *schema.time_columns)} | {"_partition"}
    if not decided.issuperset(predicate.columns):
        return None  # rows are dropped after the read, so the first ones may not be enough
    order = Order.DESCENDING if first.descending else Order.ASCENDING
    return ByTime(column=first.column, order=order, limits=limits)
