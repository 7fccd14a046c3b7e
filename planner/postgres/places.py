"""Where aggregates, window functions and constants may stand, as PostgreSQL says it.

DuckDB refuses most of the other places, too, but with other codes, and allows some.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, MismatchedTypeError
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.records.duckdb_functions import AGGREGATES_OF_DUCKDB
from stategate.planner.records.functions import OF_MANY_ROWS, OF_WINDOWS
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import CALLS, Nodes, kinds, outermost, position_of, strip

_NOT_INTEGERS = (exp.Null, exp.Boolean)
_CLAUSES: dict[type[exp.Expr], str] = {
    exp.Where: "WHERE",
    exp.Having: "HAVING",
    exp.Group: "GROUP BY",
    exp.Join: "JOIN conditions",
    exp.Limit: "LIMIT",
    exp.Fetch: "LIMIT",
    exp.Offset: "OFFSET",
    exp.Values: "VALUES",
    exp.Table: "functions in FROM",
    exp.Unnest: "functions in FROM",
}
"""Clauses that are computed before, or without, the groups and the windows of their SELECT."""
_AGGREGATES = (OF_MANY_ROWS - OF_WINDOWS) | AGGREGATES_OF_DUCKDB
MAY_AGGREGATE = (exp.AggFunc, exp.Anonymous, exp.List)
"""The nodes that can be aggregates."""
_MAY_BE_WRONG = kinds(*MAY_AGGREGATE, exp.Window)


def check_places(nodes: Nodes) -> None:
    """Refuse aggregates, window functions and constants where they must not stand.

    Raises:
        InvalidSyntaxError: an aggregate (42803) or a window function (42P20) stands in the wrong
            place, or a constant that is no integer in ORDER BY or GROUP BY (42601).
        MismatchedTypeError: a call of no aggregate has DISTINCT, ORDER BY or FILTER (42809).
    """
    for kind, word in _OF_AGGREGATES.items():
        for each in nodes.of(kind):
            _check_clause(each, word)
    _check_terms(nodes)
    if nodes.has(_MAY_BE_WRONG):
        for window in nodes.of(exp.Window):
            _check_window(window)
        for node in nodes.among(CALLS):
            if is_aggregate(node):
                _check_aggregate(node)


def _check_terms(nodes: Nodes) -> None:
    for group in nodes.of(exp.Group):
        _check_constants(_keys_of(group), "GROUP BY")
    for order in nodes.of(exp.Order):
        if isinstance(order.parent, exp.Query):
            _check_constants([term.this for term in order.expressions], "ORDER BY")
    for distinct in nodes.of(exp.Distinct):
        on = distinct.args.get("on")
        if on is not None:
            listed = on.expressions if isinstance(on, exp.Tuple) else [on]
            _check_constants(listed, "DISTINCT ON")


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a call computes one value of the rows of a group, not of a window."""
    return _is_known(node) and not isinstance(outermost(node), exp.Window)


def _is_known(node: exp.Expr) -> bool:
    name = call_name(node)
    return name in _AGGREGATES or (isinstance(node, exp.AggFunc) and name not in OF_WINDOWS)


_OF_AGGREGATES = {exp.Distinct: "DISTINCT", exp.Order: "ORDER BY", exp.Filter: "FILTER"}
"""What only calls of aggregates have."""


def _check_clause(node: exp.Expr, word: str) -> None:
    called = node.this if isinstance(node, exp.Filter) else node.parent
    if isinstance(called, exp.WithinGroup):
        return  # `postgres.arities` checks it
    while isinstance(called, exp.Distinct | exp.IgnoreNulls | exp.RespectNulls):
        called = called.this if isinstance(node, exp.Filter) else called.parent
    name = call_name(called) if called is not None and type(called) in CALLS else ""
    if called is not None and name and name not in OF_WINDOWS and not _is_known(called):
        raise MismatchedTypeError(
            f"{word} specified, but {name} is not an aggregate function",
            position=position_of(called),
            sqlstate="42809",
        )


def _keys_of(group: exp.Expr) -> list[exp.Expr]:
    """Return the keys of GROUP BY, those of its grouping sets, too."""
    found: list[exp.Expr] = []
    left = [each for listed in group.args.values() if isinstance(listed, list) for each in listed]
    while left:
        each = left.pop()
        if isinstance(each, _SETS):
            left += each.expressions
        elif isinstance(each, exp.Expr):
            found.append(each)
    return found


_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)


def _check_constants(terms: list[exp.Expr], clause: str) -> None:
    for term in terms:
        bare = strip(term)
        is_text = isinstance(bare, exp.Literal) and (bare.is_string or not bare.name.isdigit())
        if is_text or isinstance(bare, _NOT_INTEGERS):
            raise InvalidSyntaxError(
                f"non-integer constant in {clause}", position=position_of(bare)
            )


def _around(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield each node around a node with its child, up to the SELECT that computes it."""
    child, parent = node, node.parent
    while parent is not None and not isinstance(child, exp.Query):
        checkpoint()
        yield parent, child
        if isinstance(parent, exp.Query):
            return
        child, parent = parent, parent.parent


def _check_aggregate(node: exp.Expr) -> None:
    aggregate = outermost(node)
    for parent, child in _around(aggregate):
        if isinstance(parent, exp.Filter) and child is parent.args.get("expression"):
            raise _misplaced(node, "aggregate functions are not allowed in FILTER", "42803")
        if is_aggregate(parent):
            raise _misplaced(node, "aggregate function calls cannot be nested", "42803")
        clause = _clause(parent, child)
        if clause is not None and clause != "HAVING":
            raise _misplaced(node, f"aggregate functions are not allowed in {clause}", "42803")


def _check_window(window: exp.Window) -> None:
    is_named = window.arg_key == "windows"
    for parent, child in _around(window):
        if isinstance(parent, exp.Window):
            if is_named:
                continue
            is_argument = child is parent.this and parent.arg_key != "windows"
            raise _misplaced(
                window,
                "window function calls cannot be nested"
                if is_argument
                else "window functions are not allowed in window definitions",
                "42P20",
            )
        if isinstance(parent, exp.Filter) and child is parent.args.get("expression"):
            raise _misplaced(window, "window functions are not allowed in FILTER", "42P20")
        if is_aggregate(parent):
            message = "aggregate function calls cannot contain window function calls"
            raise _misplaced(window, message, "42803")
        clause = _clause(parent, child)
        if clause is not None:
            raise _misplaced(window, f"window functions are not allowed in {clause}", "42P20")


def _clause(parent: exp.Expr, child: exp.Expr) -> str | None:
    """Return the clause in which a child stands; None where all functions may stand."""
    if isinstance(parent, exp.Where) and isinstance(parent.parent, exp.Filter):
        return None
    if isinstance(parent, exp.Join) and child is not parent.args.get("on"):
        return None
    return _CLAUSES.get(type(parent))


def _misplaced(node: exp.Expr, message: str, sqlstate: str) -> InvalidSyntaxError:
    return InvalidSyntaxError(message, position=position_of(node), sqlstate=sqlstate)
