"""Which ORDER BY a store's reads can give themselves, so that LIMIT n reads some n rows.

Reads come in key order with NULLs first, or all reversed. The NULLs of the first column that orders
are read apart, so that they can stand at either end; those of a later one must stand where the key
order has them, but for the last key column, whose one NULL by group can be held back.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from planner.binding.predicates import Disjunct, Equals, Predicate
from planner.planning.access import Top
from planner.planning.key_regions import fixed_columns
from planner.trees.known_arguments import seen
from stores.spec.query import Order
from stores.spec.schema import Column, Kind, StoreKind, StoreSchema

_FLOATS = {Kind.REAL, Kind.DOUBLE}
"""Whose NaN Arrow sorts with the NULLs."""
_READ_ORDER = {
    StoreKind.WINDOW: ("window_start",),
    StoreKind.SESSION: ("window_end", "window_start"),
    StoreKind.VERSIONED: ("valid_from",),
}
"""What orders the rows of one key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One item of ORDER BY that is a column."""

    column: str
    descending: bool
    nulls_first: bool


def terms_of(order: exp.Order) -> tuple[Term, ...] | None:
    """The items of an ORDER BY, if they are columns; None if one is not."""
    found: list[Term] = []
    for node in order.expressions:
        column = seen(node.this) if isinstance(node, exp.Ordered) else node
        if not isinstance(column, exp.Column):
            return None
        found.append(
            Term(
                column=column.name,
                descending=bool(node.args.get("desc")),
                nulls_first=bool(node.args.get("nulls_first")),
            )
        )
    return tuple(found)


def top_of(
    schema: StoreSchema, predicate: Predicate, terms: tuple[Term, ...], rows: int
) -> Top | None:
    """How reads give the first rows in an order; None if they do not come in it."""
    if not predicate.disjuncts:
        return None
    names = [column.name for column in schema.key]
    counts = {fixed_columns(disjunct, schema) for disjunct in predicate.disjuncts}
    single = _single(predicate.conditions)
    if schema.time_columns:
        is_one_key = counts == {len(names)} and single.issuperset(names)
        return _by_time(schema, terms, single, rows) if is_one_key else None
    if len(names) in counts:
        return None  # few rows, looked up in no order
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
        rows=rows,
        split=prefix,
        held=odd[0].column if odd else None,
    )


def _is_key_order(terms: tuple[Term, ...], free: tuple[Column, ...]) -> bool:
    """Whether terms are the first of the key columns that are not fixed, all in one direction."""
    columns = free[: len(terms)]
    return (
        bool(terms)
        and [term.column for term in terms] == [column.name for column in columns]
        and all(column.type.kind not in _FLOATS for column in columns)
        and len({term.descending for term in terms}) == 1
    )


def _single(disjunct: Disjunct) -> set[str]:
    """The columns that have one value, whatever the parameters are."""
    return {c.column for c in disjunct if isinstance(c, Equals) and c.is_single}


def _by_time(
    schema: StoreSchema, terms: tuple[Term, ...], single: set[str], rows: int
) -> Top | None:
    """Rows of one key, by their times, which are never NULL."""
    given = _READ_ORDER.get(schema.kind, ())
    wanted = [term for term in terms if term.column not in single][: len(given)]
    if not wanted or tuple(term.column for term in wanted) != given[: len(wanted)]:
        return None
    if len({term.descending for term in wanted}) > 1:
        return None
    return Top(
        columns=tuple((term.column, False) for term in wanted),
        order=Order.DESCENDING if wanted[0].descending else Order.ASCENDING,
        rows=rows,
    )
