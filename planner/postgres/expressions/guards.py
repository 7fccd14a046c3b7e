"""Guards: what PostgreSQL does not compute for a row, DuckDB must not compute, as it could fail.

DuckDB computes the arguments of an aggregate before its FILTER; a correlated subquery, and what is
compared with the rows of a subquery, before the CASE, COALESCE, AND or OR around it; and both sides
of an AND or OR that is a value. So an expression that can fail becomes a CASE with the condition
under which PostgreSQL computes it: that of the FILTER, of the other side, or of the branches around
the subquery. Expressions without a column stay: PostgreSQL computes constants in any case.

DuckDB computes an expression that stands twice once, before a COALESCE around it, but after a CASE.

A subquery that is not correlated is computed once, whether a row needs it or not; it stays, as a
guard would make it a join with the rows outside.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import reduce

from sqlglot import exp

from stategate.planner.postgres.expressions.conditions_around import (
    BRANCHES,
    conditions_in_turn,
    conditions_of,
    from_within,
    is_correlated,
    is_not,
    is_plain,
    operand_of,
    place_of,
)
from stategate.planner.postgres.expressions.volatile import held
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.known_arguments import conjuncts
from stategate.planner.trees.nodes import put

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_LEAVES = (exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Parameter, exp.Star)
_CONDITIONS = (exp.And, exp.Or, exp.Not, exp.Is, exp.Between, exp.In, exp.Exists, exp.Any, exp.All)
_CONNECTORS = (exp.And, exp.Or, exp.Not)
_AROUND = (exp.Paren, exp.Alias, exp.Tuple, exp.Array, exp.Subquery)
_OF_AGGREGATES = (exp.AggFunc, exp.Filter, exp.Where, exp.Order, exp.Ordered, exp.Distinct)
_OF_WINDOWS = (exp.Window, exp.WindowSpec)
_NEVER_FAIL = (
    *(*_COMPARISONS, *_LEAVES, *_CONDITIONS, *BRANCHES, *_AROUND),
    *(*_OF_AGGREGATES, *_OF_WINDOWS),
)
"""Nodes that do not fail if what is in them does not; an aggregate is computed in any case."""
_COMPUTED_BEFORE = (exp.AggFunc, exp.Window, exp.Filter, exp.Query)
"""Nodes whose operands DuckDB computes before the expression around them."""
_WITHOUT_NULLS = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)
"""Aggregates that do not see a NULL."""
_COPIED_MAX = 100
"""Nodes of an operand that is written again; larger ones would double with each level."""


def apply(tree: exp.Expr) -> None:
    """Guard the expressions of a tree that DuckDB can run, in place."""
    guarded: set[int] = set()
    values = _values(tree)
    name = _free_name(tree) if len(values) > 1 else ""
    for value in reversed(values):  # inner ones first
        _guard_value(value, guarded, name)
    for node in [*tree.find_all(exp.Filter)]:
        plain = [each for each in conjuncts(node.expression.this) if is_plain(each)]
        for part in node.this.iter_expressions() if plain else ():
            _guard(part, reduce(_both, plain))
        if not plain:
            _filter_within(node)
    _guard_operands(tree)
    _guard_listed(tree)
    for query in [*tree.find_all(exp.Select)]:
        checkpoint()
        place = place_of(query)
        if place is None or place.find(exp.Query) is None:
            continue
        if _may_fail(query):
            _guard_query(query, place)
        operand = operand_of(place)
        if operand is not None and _may_fail(operand):
            conditions = [each.copy() for each in conditions_of(place) if is_plain(each)]
            if conditions:
                _guard(operand, reduce(_both, conditions))


def _guard_listed(tree: exp.Expr) -> None:
    """Guard what IN compares with a list: DuckDB makes a range of that, which it computes first."""
    for listed in [*tree.find_all(exp.In, bfs=False)]:  # those that are computed first come first
        if listed.expressions and _may_fail(listed.this):
            conditions = [*filter(is_plain, conditions_in_turn(listed))]
            if conditions:
                _guard(listed.this, reduce(_then, reversed(conditions)))


def _then(later: exp.Expr, first: exp.Expr) -> exp.Expr:
    """Return both conditions, of which the later one is computed only if the first one is met."""
    return exp.Case(ifs=[exp.If(this=exp.Paren(this=first), true=exp.Paren(this=later))])


def _guard_operands(tree: exp.Expr) -> None:
    """Guard the operands of COALESCE: DuckDB computes one before it that stands elsewhere, too."""
    for coalesce in [*tree.find_all(exp.Coalesce)]:
        missing: exp.Expr | None = None
        for operand in [coalesce.this, *coalesce.expressions]:
            if missing is not None and _may_fail(operand):
                _guard(operand, missing)
            if not is_plain(operand) or _is_large(operand):
                break
            null = exp.Is(this=exp.Paren(this=operand.copy()), expression=exp.null())
            missing = null if missing is None else _both(missing, null)


def _is_large(node: exp.Expr) -> bool:
    return sum(1 for _ in itertools.islice(node.walk(), _COPIED_MAX)) == _COPIED_MAX


def _filter_within(node: exp.Filter) -> None:
    """Write `sum(x) FILTER (WHERE …)` as a sum of CASE: a condition with a query is not copied."""
    aggregate, condition = node.this, node.expression.this
    part = aggregate.this
    if isinstance(part, exp.Distinct) and len(part.expressions) == 1:
        part = part.expressions[0]
    is_alone = isinstance(aggregate, _WITHOUT_NULLS) and not aggregate.expressions
    if not is_alone or isinstance(part, exp.Star | exp.Order | exp.Distinct):
        return
    if not _may_fail(part):
        return
    branch = exp.If(this=exp.Paren(this=condition.copy()), true=exp.null())
    put(part, exp.Case(ifs=[branch]))
    branch.set("true", part)
    put(node, aggregate)


def _guard_query(query: exp.Select, place: exp.Expr) -> None:
    """Guard a subquery by the conditions under which its place is reached."""
    named = {each.alias_or_name for each in query.find_all(exp.Table, exp.Subquery, exp.Lateral)}
    named |= {each.alias for each in query.find_all(exp.Values, exp.Unnest)}
    conditions = [
        found
        for each in conditions_of(place)
        if (found := from_within(each, place, named)) is not None
    ]
    if not conditions or not is_correlated(query, named):
        return
    guard = reduce(_both, conditions)
    inner = {id(each) for clause in query.find_all(exp.With) for each in clause.walk()}
    for select in [*query.find_all(exp.Select)]:
        group = select.args.get("group")
        if id(select) in inner or (group is not None and _may_fail(group)):
            continue
        parts = [*select.expressions, select.args.get("where"), select.args.get("having")]
        for part in parts:
            if part is not None:
                _guard(part, guard)


def _both(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.And(this=exp.Paren(this=one), expression=exp.Paren(this=other))


def _guard(node: exp.Expr, condition: exp.Expr) -> None:
    """Guard what can fail in an expression, as far outside as possible."""
    if isinstance(node, exp.Query | exp.DataType) or not _may_fail(node):
        return
    if isinstance(node, exp.AggFunc) and condition.find(exp.AggFunc) is not None:
        return  # a condition of groups says nothing about rows
    is_first = node.find(*_COMPUTED_BEFORE) is not None
    if is_first or not _fails(node):
        for part in [*node.iter_expressions()]:
            _guard(part, condition)
    if _fails(node):
        branch = exp.If(this=exp.Paren(this=condition.copy()), true=exp.null())
        guarded = exp.Case(ifs=[branch])
        put(node, guarded)
        branch.set("true", node)


def _may_fail(node: exp.Expr) -> bool:
    """Whether something in an expression can fail."""
    return any(_fails(each) for each in node.walk())


def _fails(node: exp.Expr) -> bool:
    """Whether a node can fail for some values of columns."""
    if isinstance(node, exp.Cast) and (
        node.to.this is exp.DType.TEXT or isinstance(node.this, exp.AggFunc | exp.Filter)
    ):
        return False
    if isinstance(node, exp.Anonymous) and node.name == "pg_sg_error":
        return True
    is_expression = isinstance(node, exp.Func | exp.Binary | exp.Unary | exp.Condition)
    if not is_expression or isinstance(node, _NEVER_FAIL):
        return False
    return node.find(exp.Column, exp.Query) is not None


def _values(tree: exp.Expr) -> list[exp.Expr]:
    """Return the outermost ANDs, ORs and NOTs of a tree that DuckDB does not compute as filters."""
    seen: set[int] = set()
    for clause in tree.find_all(exp.Where, exp.Having, exp.Join, exp.If):
        condition = clause.args.get("on") if isinstance(clause, exp.Join) else clause.this
        if condition is not None and not isinstance(clause.parent, exp.Filter):
            seen.update(id(each) for each in _connected(condition, exp.And, exp.Or, exp.Paren))
    found: list[exp.Expr] = []
    for node in tree.find_all(*_CONNECTORS):
        if id(node) not in seen:
            found.append(node)
            seen.update(id(each) for each in _connected(node, *_CONNECTORS, exp.Paren))
    return found


def _connected(node: exp.Expr, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the nodes of these kinds at the top of an expression, and what they connect."""
    left = [node]  # no recursion: programs write thousands of parts
    while left:
        checkpoint()
        each = left.pop()
        yield each
        if isinstance(each, kinds):
            left += [each.expression, each.this] if isinstance(each, exp.Connector) else [each.this]


def _free_name(tree: exp.Expr) -> str:
    taken = {each.name.lower() for each in tree.find_all(exp.Identifier)}
    return next(name for n in itertools.count() if (name := f"left{n or ''}") not in taken)


def _guard_value(value: exp.Expr, guarded: set[int], name: str) -> None:
    """Guard the parts of an AND or OR that is a value, so that they are computed as in a filter.

    That writes each part twice, so a value that holds a guarded one gets single guards, whose
    conditions are held if they have guards: nested values would double with each level.

    Args:
        value: the AND or OR.
        guarded: the ids of the values that have guards; gets that of this one.
        name: a name that the tree does not have.
    """
    parts = [
        each
        for each in _connected(value, *_CONNECTORS, exp.Paren)
        if not isinstance(each, (*_CONNECTORS, exp.Paren))
    ]
    if not any(map(_may_fail, parts[1:])):
        return
    is_outer = any(id(inner) in guarded for each in parts for inner in each.walk())
    if is_plain(value) and not is_outer:
        met, missed = (_as_filter(value, value=wanted) for wanted in (True, False))
        branches = [
            exp.If(this=met, true=exp.true()),
            exp.If(this=missed, true=exp.false()),
        ]
        guarded.add(id(put(value, exp.Case(ifs=branches))))
        return
    guarded.add(id(value))
    for both in [*_connected(value, *_CONNECTORS, exp.Paren)]:
        is_first = not isinstance(both, exp.And | exp.Or) or not _may_fail(both.expression)
        if is_first or not is_plain(both.this):
            continue
        is_large = any(id(inner) in guarded for inner in both.this.walk())
        if is_large and both.expression.find(exp.Query, exp.AggFunc, exp.Window) is None:
            held(both, both.this, name)
        _guard(both.expression, is_not(both.this, value=isinstance(both, exp.Or)))


def _as_filter(node: exp.Expr, *, value: bool) -> exp.Expr:
    """Return a filter that keeps the rows for which a condition has a value.

    DuckDB computes NOT as a value, so the filter has it at single parts only.
    """
    node = node.unnest()
    if isinstance(node, exp.Not) and isinstance(node.this.unnest(), _CONNECTORS):
        return _as_filter(node.this, value=not value)
    if not isinstance(node, exp.And | exp.Or):
        return exp.Paren(this=node.copy()) if value else exp.Not(this=exp.Paren(this=node.copy()))
    kind = type(node) if value else exp.Or if isinstance(node, exp.And) else exp.And
    filters = [
        _as_filter(each, value=value)
        for each in _connected(node, type(node), exp.Paren)
        if not isinstance(each, (type(node), exp.Paren))
    ]
    joined = reduce(lambda one, other: kind(this=one, expression=other), filters)
    return exp.Paren(this=joined)
