"""Compares, orders and groups jsonb by content; its text is only held.

DuckDB compares keys instead, which `pg_sg_jsonb_key` makes of a text: 1.0 and 1.00 have the same.
Clauses that return one of equal values return the first one. So

    SELECT DISTINCT v FROM t        SELECT DISTINCT ON (key(v)) v FROM t
    SELECT v FROM t GROUP BY v      SELECT first(v) AS v FROM t GROUP BY key(v)

Set operations are written in `document_sets`. What has no such form is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sqlglot import exp

from stategate.planner.postgres.document_checks import group_items, term_of
from stategate.planner.postgres.document_keys import is_document, key_of, refused
from stategate.planner.postgres.document_sets import order_sets, set_columns
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types, value_type
from stategate.planner.postgres.types.operands import COMPARED, compared
from stategate.planner.trees.nodes import (
    Nodes,
    call,
    cast,
    is_same_value,
    outermost,
    put,
    strip,
    wrapped,
)
from stategate.stores.spec.schema import BYTEA, NULL, DataType, Kind

_MANY = (exp.Any, exp.All)
_EXTREMES = {exp.Greatest: "pg_sg_jsonb_greatest", exp.Least: "pg_sg_jsonb_least"}
_LISTED_HERE = frozenset({"json_agg", "jsonb_agg"})
"""Aggregates whose rules find the values that differ."""


def order_documents(tree: exp.Query, nodes: Nodes, types: Types) -> exp.Query:
    """Let a query compare jsonb by content; return it, or the one that takes its place.

    Raises:
        NotSupportedError: a clause has no such form.
    """
    extremes = [(node, name) for kind, name in _EXTREMES.items() for node in nodes.of(kind)]
    for extreme, name in reversed(extremes):  # before clauses copy what they order by
        _order_extreme(extreme, name, types)
    if extremes:
        nodes.renew(tree)
    compares, sets = _comparisons(nodes, types), set_columns(nodes, types)
    for node, sides in compares:
        _order_comparison(node, sides, types)
    for select in reversed(nodes.of(exp.Select)):
        _Clauses(select, types).order()
    _order_within(nodes, types)
    for distinct in nodes.of(exp.Distinct):
        if not isinstance(distinct.parent, exp.Select):
            _order_aggregate(distinct, types)
    tree = order_sets(tree, sets, types)
    nodes.renew(tree)
    return tree


def _order_within(nodes: Nodes, types: Types) -> None:
    """Order windows and aggregates by the keys of jsonb."""
    for window in nodes.of(exp.Window):
        for each in window.args.get("partition_by") or ():
            _compare_key(each, types)
    for order in nodes.of(exp.Order):
        if not isinstance(order.parent, exp.Query):
            for term in order.expressions:
                _compare_key(term.this, types)


def _compare_key(node: exp.Expr, types: Types) -> None:
    """Put the key of a jsonb in its place in the tree."""
    found = types.of(node)
    if is_document(found, Kind.JSONB):
        wrapped(node, lambda inner: key_of(inner, found, types))


# --- Comparisons ---------------------------------------------------------------------------------


def _comparisons(nodes: Nodes, types: Types) -> list[tuple[exp.Expr, list[exp.Expr]]]:
    """Return the comparisons of jsonb with what they compare, before a rule changes them."""
    found: list[tuple[exp.Expr, list[exp.Expr]]] = []
    for node in nodes.in_turn(COMPARED):
        if isinstance(node, exp.In) and isinstance(strip(node.this), exp.Tuple):
            _check_rows(node, types)
        for group in compared(node):
            sides = [strip(side) for side in group]
            if any(is_document(value_type(side, types), Kind.JSONB) for side in sides):
                found.append((node, sides))
    return found


def _check_rows(node: exp.Expr, types: Types) -> None:
    row = strip(node.this).expressions
    if node.args.get("query") is not None and any(
        is_document(types.of(each), Kind.JSONB) for each in row
    ):
        raise refused(node, "(…) IN (SELECT …) with a jsonb")


def _order_comparison(node: exp.Expr, sides: Sequence[exp.Expr], types: Types) -> None:
    if isinstance(node, exp.Nullif):
        equal = exp.EQ(this=node.this.copy(), expression=node.expression.copy())
        for each in (equal.this, equal.expression):
            put(each, call("pg_sg_jsonb_key", each.copy()))
        nothing = exp.If(this=equal, true=exp.null())
        known = types.of(node)
        fresh = put(node, exp.Case(ifs=[nothing], default=cast(node.this.copy(), "TEXT")))
        types.note(fresh, known)
        return
    has_list = any(types.kind_of(side) is Kind.ARRAY for side in sides)
    for side in sides:
        if _is_held(side):
            continue
        if isinstance(side, _MANY):
            _key_elements(side, types)
        elif (
            isinstance(side, exp.Query)
            and not isinstance(side.parent, exp.Paren)
            and (isinstance(node, exp.In))
        ):
            _key_rows(side, types)
        else:
            found = types.of(side)
            is_list = has_list if found is None or found == NULL else found.kind is Kind.ARRAY
            macro = "pg_sg_jsonb_keys" if is_list else "pg_sg_jsonb_key"
            made = DataType(kind=Kind.ARRAY, element=BYTEA) if is_list else BYTEA
            types.note(wrapped(side, partial(call, macro)), made)


def _is_held(side: exp.Expr) -> bool:
    """Whether a side has its key already: CASE compares its operand once for each branch."""
    return isinstance(side.parent, exp.Anonymous) and side.parent.name.startswith("pg_sg_jsonb_key")


def _key_elements(many: exp.Expr, types: Types) -> None:
    """Compare with the keys of `ANY (…)`."""
    inner = strip(many.this)
    if isinstance(inner, exp.Query):
        _key_rows(inner, types)
        return
    listed = DataType(kind=Kind.ARRAY, element=BYTEA)
    types.note(wrapped(inner, lambda each: call("pg_sg_jsonb_keys", each)), listed)


def _key_rows(query: exp.Expr, types: Types) -> None:
    """Let a query of one column return keys."""
    while isinstance(query, exp.Subquery) and isinstance(query.this, exp.Query):
        query = query.this
    is_plain = isinstance(query, exp.Select) and not any(
        query.args.get(each) for each in ("distinct", "order", "limit", "offset", "group", "with_")
    )
    if is_plain and not query.is_star:
        item = query.expressions[0]
        _compare_key(item.this if isinstance(item, exp.Alias) else item, types)
        return
    value = exp.column("value", table="keyed", quoted=True)
    names = [exp.to_identifier("value", quoted=True)]
    holder = exp.Subquery(alias=exp.TableAlias(this=exp.to_identifier("keyed"), columns=names))
    put(query, exp.select(call("pg_sg_jsonb_key", value)).from_(holder))
    holder.set("this", query)


def _order_extreme(node: exp.Expr, name: str, types: Types) -> None:
    if types.kind_of(node) is not Kind.JSONB:
        return
    values = [cast(each.copy(), "TEXT") for each in (node.this, *node.expressions)]
    known = types.of(node)
    types.note(put(node, call(name, exp.Array(expressions=values))), known)


def _order_aggregate(distinct: exp.Distinct, types: Types) -> None:
    """Let an aggregate of DISTINCT values take those that differ."""
    if not any(is_document(types.of(each), Kind.JSONB) for each in distinct.expressions):
        return
    order = isinstance(distinct.parent, exp.Order)
    aggregate = distinct.find_ancestor(exp.Func)
    if aggregate is None:
        return
    if isinstance(aggregate, exp.Count):
        for each in [*distinct.expressions]:
            _compare_key(each, types)
        return
    one = len(distinct.expressions) == 1 and not order
    if one and call_name(aggregate) in _LISTED_HERE:
        return
    if not one or not isinstance(aggregate, exp.ArrayAgg):
        raise refused(distinct, "this aggregate of DISTINCT jsonb")
    value = distinct.expressions[0]
    known = types.of(aggregate)
    put(distinct, value.copy())
    fresh = wrapped(outermost(aggregate), lambda inner: call("pg_sg_jsonb_distinct", inner))
    types.note(fresh, known)


# --- The clauses of a SELECT ---------------------------------------------------------------------


class _Clauses:
    """The clauses of one SELECT that compare jsonb."""

    def __init__(self, select: exp.Select, types: Types) -> None:
        self._select, self._types = select, types

    def order(self) -> None:
        """Rewrite them."""
        self._order_by()
        self._distinct()
        self._group_by()

    def _key(self, node: exp.Expr, found: DataType | None) -> exp.Expr:
        return key_of(node.copy(), found, self._types)

    def _order_by(self) -> None:
        order = self._select.args.get("order")
        for term in () if order is None else order.expressions:
            meant, found = term_of(term.this, self._select, self._types)
            if is_document(found, Kind.JSONB):
                term.set("this", self._key(meant, found))

    def _distinct(self) -> None:
        distinct = self._select.args.get("distinct")
        if distinct is None:
            return
        on = distinct.args.get("on")
        if on is not None:
            for each in on.expressions if isinstance(on, exp.Tuple) else [on]:
                meant, found = term_of(each, self._select, self._types)
                if is_document(found, Kind.JSONB):
                    put(each, self._key(meant, found))
            return
        columns = self._types.columns.of_columns(self._select)
        if not any(is_document(found, Kind.JSONB) for _, found in columns):
            return
        keys = [
            self._key(each, found)
            for each, found in columns
            if not isinstance(strip(each), exp.Literal)  # a number would be a place
        ]
        distinct.set("on", exp.Tuple(expressions=keys))

    def _group_by(self) -> None:
        group = self._select.args.get("group")
        if group is None:
            return
        grouped: list[tuple[exp.Expr, DataType, exp.Expr]] = []
        for each in [*group_items(group)]:
            meant, found = term_of(each, self._select, self._types, is_group=True)
            if found is not None and is_document(found, Kind.JSONB):
                key = self._key(meant, found)
                grouped.append((strip(meant).copy(), found, key.copy()))
                put(each, key)
        if not grouped:
            return
        sets = group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is not None
        for item in [*self._select.expressions]:
            self._take_first(item, grouped, is_in_sets=sets)
        for name in ("having", "order", "qualify", "distinct"):
            clause = self._select.args.get(name)
            if clause is not None:
                _replace_grouped(clause, grouped, self._first(is_in_sets=sets))

    def _take_first(self, item: exp.Expr, grouped: Sequence[_Grouped], *, is_in_sets: bool) -> None:
        if item.is_star:
            raise refused(item, "* with GROUP BY of a jsonb")
        name = item.alias_or_name
        held = item if isinstance(item, exp.Alias) else wrapped(item, lambda i: exp.Paren(this=i))
        _replace_grouped(held, grouped, self._first(is_in_sets=is_in_sets))
        if held is not item:
            inner = held.this
            put(held, exp.alias_(inner, name, quoted=True) if name else inner)

    def _first(self, *, is_in_sets: bool) -> Callable[[_Grouped], exp.Expr]:
        def make(grouped: _Grouped) -> exp.Expr:
            node, found, key = grouped
            first: exp.Expr = call("first", node.copy())
            if is_in_sets:
                is_in = exp.EQ(this=call("grouping", key.copy()), expression=exp.Literal.number(0))
                first = exp.Case(ifs=[exp.If(this=is_in, true=first)])
            self._types.note(first, found)
            return first

        return make


_Grouped = tuple[exp.Expr, DataType, exp.Expr]
"""An expression of GROUP BY, its type, and its key."""


def _replace_grouped(
    root: exp.Expr, grouped: Sequence[_Grouped], make: Callable[[_Grouped], exp.Expr]
) -> None:
    """Replace grouped expressions within a node, but not the arguments of aggregates."""
    for child in [*root.iter_expressions()]:
        found = next((each for each in grouped if is_same_value(child, each[0])), None)
        if found is not None:
            put(child, make(found))
        elif isinstance(child, exp.Grouping):
            _name_groups(child, grouped)
        elif not isinstance(child, exp.Query) and not _is_aggregate(child):
            _replace_grouped(child, grouped, make)


def _name_groups(node: exp.Grouping, grouped: Sequence[_Grouped]) -> None:
    """Let GROUPING name the key by which rows are grouped."""
    for each in [*node.expressions]:
        for group, _, key in grouped:
            if is_same_value(each, group):
                put(each, key.copy())


def _is_aggregate(node: exp.Expr) -> bool:
    is_one = isinstance(node, exp.AggFunc) or call_name(node) in _AGGREGATES
    return is_one and not isinstance(node.parent, exp.Window)


_AGGREGATES = frozenset(
    {"json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg", "string_agg", "array_agg"}
)
