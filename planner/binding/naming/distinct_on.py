"""DISTINCT ON beside functions that return rows, such as `unnest` in the SELECT list.

With an ORDER BY that does not name their results, PostgreSQL chooses the rows first, and then the
functions return theirs. DuckDB chooses last. So the choice becomes a query in FROM.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from stategate.planner.postgres.refused import TABLE_FUNCTIONS
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import Nodes, put, strip

_CHOSEN = ("distinct", "from_", "joins", "where", "group", "having", "qualify", "windows", "order")
"""The clauses that choose the rows."""
_CONSTANT = (exp.Literal, exp.Boolean, exp.Null, exp.Parameter)


def chooses_first(select: exp.Select) -> bool:
    """Whether a SELECT chooses rows before functions in its list return theirs."""
    distinct, order = select.args.get("distinct"), select.args.get("order")
    if order is None or distinct is None or distinct.args.get("on") is None:
        return False
    if not any(returns_rows(item) for item in select.expressions):
        return False
    terms = [_item_of(term.this, select.expressions) or term for term in order.expressions]
    return not any(returns_rows(each) for each in (*terms, distinct))


def choose_first(nodes: Nodes, taken: set[str]) -> None:
    """Write the choice of such SELECTs as a query in FROM, in place.

    Args:
        nodes: the nodes of a tree whose names are resolved.
        taken: the names of the statement; gets those that are added.
    """
    found = [select for select in nodes.of(exp.Select) if chooses_first(select)]
    for select in found:
        _choose_first(select, taken)
    if found:
        nodes.renew()


def returns_rows(node: exp.Expr) -> bool:
    """Whether an expression calls a function that returns rows, outside of its subqueries."""
    return any(map(_is_call, _inside(node)))


def _inside(root: exp.Expr) -> Iterator[exp.Expr]:
    return root.walk(prune=lambda node: isinstance(node, exp.Query) and node is not root)


def _is_call(node: exp.Expr) -> bool:
    if isinstance(node, exp.Explode | exp.Unnest | exp.GenerateSeries):
        return True
    return isinstance(node, exp.Func) and call_name(node) in TABLE_FUNCTIONS


def _item_of(term: exp.Expr, items: list[exp.Expr]) -> exp.Expr | None:
    """Return the item of the SELECT list that a term names; None if it is an expression."""
    bare = strip(term)
    if isinstance(bare, exp.Literal) and not bare.is_string and bare.name.isdigit():
        at = int(bare.name)
        return items[at - 1] if 0 < at <= len(items) else None
    if isinstance(bare, exp.Column) and not bare.table:
        named = (item for item in items if isinstance(item, exp.Alias) and item.alias == bare.name)
        return next(named, None)
    return None


def _choose_first(select: exp.Select, taken: set[str]) -> None:
    inner = _Inner(
        next(n for n in map("chosen#{}".format, range(len(taken) + 1)) if n not in taken)
    )
    taken.add(inner.name)
    places: dict[int, exp.Expr] = {}
    items: list[exp.Expr] = []
    for item in select.expressions:
        value, name = item.unalias(), column_name(item)
        if returns_rows(value):
            outer = inner.around_calls(value)
        else:
            outer = inner.column(value)
            places[id(item)] = outer
        items.append(exp.Alias(this=outer, alias=exp.to_identifier(name, quoted=True)))
    terms: list[exp.Expr] = []
    for term in select.args["order"].expressions:
        item = _item_of(term.this, select.expressions)
        place = inner.column(term.this) if item is None else places[id(item)]
        outer_term = term.copy()
        outer_term.set("this", place.copy())
        terms.append(outer_term)
        if item is not None:
            term.set("this", exp.column(place.name, quoted=True))
    keys = select.args["distinct"].args["on"]
    for key in keys.expressions if isinstance(keys, exp.Tuple) else [keys]:
        if (item := _item_of(key, select.expressions)) is not None:
            put(key, exp.column(places[id(item)].name, quoted=True))
    chosen = exp.Select(expressions=inner.items)
    for part in _CHOSEN:
        if (value := select.args.pop(part, None)) is not None:
            chosen.set(part, value)
    alias = exp.TableAlias(this=exp.to_identifier(inner.name, quoted=True))
    select.set("expressions", items)
    select.set("from_", exp.From(this=exp.Subquery(this=chosen, alias=alias)))
    select.set("order", exp.Order(expressions=terms))
    taken.update(item.alias for item in inner.items)


class _Inner:
    """The query that chooses rows: its columns are what the outer one needs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.items: list[exp.Expr] = []

    def column(self, value: exp.Expr) -> exp.Expr:
        """Add a column with a value, and return the column as the outer query names it."""
        name = f"{self.name}.{len(self.items)}"
        alias = exp.to_identifier(name, quoted=True)
        self.items.append(exp.Alias(this=value.copy(), alias=alias))
        return exp.column(name, table=exp.to_identifier(self.name, quoted=True), quoted=True)

    def around_calls(self, value: exp.Expr) -> exp.Expr:
        """Return an expression whose parts without calls that return rows are columns."""
        copied = value.copy()
        left = [copied]
        while left:
            node = left.pop()
            for child in [*node.iter_expressions()]:
                if returns_rows(child):
                    left.append(child)
                elif isinstance(child, exp.Condition | exp.Query) and not isinstance(
                    child, _CONSTANT
                ):
                    put(child, self.column(child))
        return copied
