"""What PostgreSQL requires of WITH RECURSIVE, before its query runs.

Source: checkWellFormedRecursion of PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, NotSupportedError, QueryError
from stategate.planner.postgres.places import is_aggregate
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, outermost, position_of

_REFUSED = {
    "order": "ORDER BY",
    "offset": "OFFSET",
    "limit": "LIMIT",
    "locks": "FOR UPDATE/SHARE",
}
"""Clauses that a recursive query must not have."""


def check_recursion(nodes: Nodes) -> None:
    """Check the queries of WITH RECURSIVE that read themselves, and let each follow those it reads.

    Raises:
        InvalidSyntaxError: one reads itself where it must not (42P19).
        NotSupportedError: two read each other, or one has ORDER BY, LIMIT or OFFSET (0A000).
    """
    for clause in nodes.of(exp.With):
        if clause.args.get("recursive"):
            _check_clause(clause)


def _check_clause(clause: exp.With) -> None:
    queries = {cte.alias: cte for cte in clause.expressions}
    if len(queries) < len(clause.expressions):
        return  # two have the same name, which is refused where names are resolved
    reads = {
        name: {other for other in queries if any(_references(cte.this, other))}
        for name, cte in queries.items()
    }
    ordered: list[exp.Expr] = []
    left = dict(queries)
    while left:
        ready = next((name for name in left if left.keys() & reads[name] <= {name}), None)
        if ready is None:
            raise NotSupportedError("mutual recursion between WITH items is not implemented")
        ordered.append(left.pop(ready))
    clause.set("expressions", ordered)
    for name, cte in queries.items():
        if name in reads[name]:
            _check_query(name, cte.this)


def _references(tree: exp.Expr, name: str) -> Iterator[exp.Table]:
    """Yield the mentions of a query in a tree, but not those of another one of that name."""
    left = [tree]
    while left:
        checkpoint()
        node = left.pop()
        with_ = node.args.get("with_")
        if with_ is not None and any(cte.alias == name for cte in with_.expressions):
            continue
        is_plain = isinstance(node.this, exp.Identifier) and not node.args.get("db")
        if isinstance(node, exp.Table) and is_plain and node.name == name:
            yield node
        left += node.iter_expressions()


def _check_query(name: str, query: exp.Expr) -> None:
    while isinstance(query, exp.Subquery) and not any(query.args.get(each) for each in _REFUSED):
        query = query.this
    if type(query) is not exp.Union:
        raise _wrong(
            query,
            f'recursive query "{name}" does not have the form '
            "non-recursive-term UNION [ALL] recursive-term",
        )
    for found in _references(query.this, name):
        raise _within(found, name, "its non-recursive term")
    for part, word in _REFUSED.items():
        if query.args.get(part):
            raise NotSupportedError(f"{word} in a recursive query is not implemented")
    mentions = list(_references(query.expression, name))
    for mention in mentions:
        _check_mention(mention, name, query)
    if len(mentions) > 1:
        raise _wrong(
            mentions[1],
            f'recursive reference to query "{name}" must not appear more than once',
        )


def _check_mention(mention: exp.Table, name: str, query: exp.Union) -> None:
    """Check what is around one mention of the query in its recursive term."""
    child: exp.Expr = mention
    parent, own = mention.parent, mention.parent_select
    while parent is not None and parent is not query:
        checkpoint()
        word = _refused_around(parent, child)
        if word is not None:
            raise _within(mention, name, word)
        if isinstance(parent, exp.Select) and parent is own:
            _check_aggregates(parent)
        child, parent = parent, parent.parent


def _refused_around(parent: exp.Expr, child: exp.Expr) -> str | None:
    """Return what a recursive reference must not appear within; None if it may stand there."""
    if isinstance(parent, exp.Intersect):
        return "INTERSECT"
    if isinstance(parent, exp.Except) and child is parent.expression:
        return "EXCEPT"
    if isinstance(parent, exp.Select) and child.arg_key not in _OF_FROM:
        return "a subquery"
    if isinstance(parent, exp.Join) and child.arg_key != "this":
        return "a subquery"
    return "an outer join" if _is_nullable(parent, child) else None


_OF_FROM = {"from_", "joins", "with_"}


def _is_nullable(select: exp.Expr, child: exp.Expr) -> bool:
    """Whether an outer join of a SELECT may replace the rows of an item of its FROM with NULLs."""
    if not isinstance(select, exp.Select) or child.arg_key not in {"from_", "joins"}:
        return False
    joins = select.args.get("joins") or []
    at = -1 if child.arg_key == "from_" else next(i for i, j in enumerate(joins) if j is child)
    sides = [join.side.upper() for join in joins]
    is_right = at >= 0 and sides[at] in {"LEFT", "FULL"}
    return is_right or any(side in {"RIGHT", "FULL"} for side in sides[at + 1 :])


def _check_aggregates(select: exp.Select) -> None:
    for node in select.find_all(exp.Func):
        if is_aggregate(node) and outermost(node).parent_select is select:
            raise InvalidSyntaxError(
                "aggregate functions are not allowed in a recursive query's recursive term",
                position=position_of(node),
                sqlstate="42P19",
            )


def _within(mention: exp.Table, name: str, what: str) -> QueryError:
    return _wrong(mention, f'recursive reference to query "{name}" must not appear within {what}')


def _wrong(node: exp.Expr, message: str) -> QueryError:
    return InvalidSyntaxError(message, position=position_of(node), sqlstate="42P19")
