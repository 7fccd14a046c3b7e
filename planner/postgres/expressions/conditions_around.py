"""The conditions under which PostgreSQL computes a part of an expression, and where those stand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Set

from sqlglot import exp

from stategate.planner.postgres.expressions.volatile import is_volatile
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.known_arguments import conjuncts
from stategate.planner.trees.nodes import outermost

_OF_ROWS = (exp.AggFunc, exp.WithinGroup, exp.Where, exp.Join)
"""Nodes whose operands are of rows, not of groups."""
BRANCHES = (exp.Case, exp.If, exp.Coalesce)
_GUARDED_MAX = 1_000
"""Nodes of the conditions by which a side of IN is guarded."""


def conditions_in_turn(node: exp.Expr) -> list[exp.Expr]:
    """Return the conditions under which a part of an expression is computed, outer ones first.

    Large conditions are left out: each copy contains the guards within it, so that the statement
    would double in size with each level.
    """
    found: list[exp.Expr] = []
    left, parent = _GUARDED_MAX, node.parent
    while parent is not None and not isinstance(parent, exp.Query):
        if isinstance(parent, exp.And) and parent.expression is node:
            parts = conjuncts(parent.this)
        else:
            parts = [*conditions_within(parent, node)]
        for part in parts:
            left -= sum(1 for _ in itertools.islice(part.walk(), left + 1))
            if left < 0:
                return []
        is_both = isinstance(parent, exp.And)
        found[:0] = [is_not(part, value=False) if is_both else part for part in parts]
        node, parent = parent, parent.parent
    return found


def place_of(query: exp.Select) -> exp.Expr | None:
    """Return the expression that a subquery is; None for a query in FROM or WITH, or the whole."""
    node: exp.Expr = query
    while isinstance(node.parent, exp.Subquery | exp.SetOperation):
        node = node.parent
    parent = node.parent
    if parent is None or isinstance(parent, exp.From | exp.Join | exp.CTE | exp.Lateral):
        return None
    return parent if isinstance(parent, exp.Exists | exp.Any | exp.All | exp.In) else node


def operand_of(place: exp.Expr) -> exp.Expr | None:
    """Return what is compared with the rows of a subquery: DuckDB joins by it, so it is early."""
    compared = place.parent if isinstance(place, exp.Any | exp.All) else place
    return compared.this if isinstance(compared, exp.In | exp.Binary) else None


def conditions_of(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions under which PostgreSQL computes a part of an expression."""
    child, parent = node, node.parent
    is_conjunct = True
    while parent is not None and not isinstance(parent, exp.Query | exp.Where | exp.Having):
        checkpoint()
        yield from conditions_within(parent, child)
        is_conjunct = is_conjunct and not isinstance(parent, (*BRANCHES, exp.Or))
        child, parent = parent, parent.parent
    if is_conjunct and isinstance(parent, exp.Where):
        # PostgreSQL computes the subqueries of a WHERE after its other conditions.
        for part in conjuncts(parent.this):
            if part.find(exp.Query) is None:
                yield part


def conditions_within(parent: exp.Expr, child: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions under which a node computes one of its operands."""
    if isinstance(parent, exp.And | exp.Or) and parent.this.find(exp.Query) is not None:
        return  # it is not plain, and a copy for each part of a chain of EXISTS takes long
    match parent:
        case exp.If() if parent.args.get("true") is child:
            yield _met(parent)
        case exp.Case():
            others = [] if child is parent.this else parent.args["ifs"]
            for other in itertools.takewhile(lambda each: each is not child, others):
                yield is_not(_met(other), value=True)
        case exp.Coalesce():
            operands = (parent.this, *parent.expressions)
            for other in itertools.takewhile(lambda each: each is not child, operands):
                yield exp.Is(this=exp.Paren(this=other.copy()), expression=exp.null())
        case exp.Or() if parent.expression is child:
            yield is_not(parent.this, value=True)
        case exp.And() if parent.expression is child:
            yield is_not(parent.this, value=False)


def _met(branch: exp.If) -> exp.Expr:
    """Return the condition of a branch of CASE."""
    case, condition = branch.parent, exp.Paren(this=branch.this.copy())
    operand = case.this if isinstance(case, exp.Case) else None
    if operand is None:
        return condition
    return exp.Paren(this=exp.EQ(this=exp.Paren(this=operand.copy()), expression=condition))


def is_not(condition: exp.Expr, *, value: bool) -> exp.Expr:
    """Return `condition IS NOT value`, which is never NULL."""
    constant = exp.Boolean(this=value)
    return exp.Not(this=exp.Is(this=exp.Paren(this=condition.copy()), expression=constant))


def from_within(condition: exp.Expr, place: exp.Expr, named: Set[str]) -> exp.Expr | None:
    """Return a condition as it can be written in a subquery; None if that is not certain.

    Args:
        condition: a condition outside of the subquery.
        place: the expression that the subquery is.
        named: the items of FROM in it, which hide those outside.
    """
    if not is_plain(condition) or condition.find(exp.AggFunc, exp.Window):
        return None
    select = place.parent_select
    if not isinstance(select, exp.Select):
        return None
    is_of_rows = isinstance(place.find_ancestor(*_OF_ROWS, exp.Select), _OF_ROWS)
    is_of_rows = is_of_rows or _is_key(place, select)
    group = None if is_of_rows else select.args.get("group")
    grouped = None if group is None else {each.name for each in group.find_all(exp.Column)}
    if grouped is None and not is_of_rows and _is_aggregated(select):
        return None
    for column in condition.find_all(exp.Column):
        owner = column.table
        if not owner or owner in named or (grouped is not None and column.name not in grouped):
            return None  # without a table, it is merged by USING
    return exp.Paren(this=condition.copy())


def _is_key(place: exp.Expr, select: exp.Select) -> bool:
    """Whether the item of a SELECT that a place is in is a key of its groups, by its position."""
    group, item = select.args.get("group"), place
    while item.parent is not select and item.parent is not None:
        item = item.parent
    if group is None or item.arg_key != "expressions":
        return False
    position = str((item.index or 0) + 1)
    return any(key.name == position for key in group.find_all(exp.Literal) if key.is_int)


def _is_aggregated(select: exp.Select) -> bool:
    """Whether a SELECT makes one row of all."""
    return bool(select.args.get("having")) or any(
        each.parent_select is select and not isinstance(outermost(each), exp.Window)
        for item in select.expressions
        for each in item.find_all(exp.AggFunc)
    )


def is_correlated(query: exp.Select, named: Set[str]) -> bool:
    """Whether a subquery reads a column of a query around it, none of its items being named so."""
    return any(column.table and column.table not in named for column in query.find_all(exp.Column))


def is_plain(condition: exp.Expr) -> bool:
    """Whether a condition can be computed again: it has no subquery, and the same value."""
    return condition.find(exp.Query) is None and not is_volatile(condition)
