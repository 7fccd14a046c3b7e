"""Queries in brackets: `((SELECT 1)) LIMIT 1` is `SELECT 1 LIMIT 1`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError, NotSupportedError
from stategate.planner.trees.nodes import Nodes, is_comma, position_of, put

_CLAUSES = {"with_": "WITH", "order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}


_BEGIN_JOINS = frozenset(
    {
        *(TokenType.JOIN, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.INNER),
        *(TokenType.CROSS, TokenType.NATURAL),
    }
)


def check_join(item: object, following: Token | None) -> None:
    """Refuse `(unnest(a) JOIN t ON …)`, whose join sqlglot does not read (0A000)."""
    is_unread = isinstance(item, exp.Unnest | exp.Lateral)
    if is_unread and following is not None and following.token_type in _BEGIN_JOINS:
        raise NotSupportedError(
            "a join in parentheses that begins with unnest or LATERAL is not supported",
            hint="Let it begin with another item.",
            position=following.start + 1,
        )


def checked_lateral(lateral: exp.Expr | None) -> exp.Expr | None:
    """Return `LATERAL (…)` if it holds a query, and not a join or an expression.

    Raises:
        InvalidSyntaxError: it does not (42601).
    """
    inner = lateral
    while isinstance(inner, exp.Lateral | exp.Subquery):
        inner = inner.this
    if inner is not None and not isinstance(inner, exp.Query | exp.Values):
        raise InvalidSyntaxError("LATERAL is for functions and subqueries")
    return lateral


def is_joined(node: exp.Expr) -> bool:
    """Whether brackets in FROM hold a join or an item, and not a query."""
    inner = node.this
    if isinstance(inner, exp.Subquery):
        return bool(inner.args.get("alias") or inner.args.get("joins")) or is_joined(inner)
    return isinstance(node, exp.Subquery) and not isinstance(inner, exp.Query | exp.Values)


def without_brackets(tree: exp.Expr) -> exp.Expr:
    """Return the query in brackets, with the clauses that follow them.

    Raises:
        InvalidSyntaxError: a clause stands inside and outside (42601).
    """
    while isinstance(tree, exp.Subquery) and not tree.args.get("alias") and not is_joined(tree):
        inner = tree.this
        for key, words in _CLAUSES.items():
            clause = tree.args.get(key)
            if clause is None:
                continue
            if isinstance(inner, exp.Expr) and inner.args.get(key) is not None:
                raise InvalidSyntaxError(
                    f"multiple {words} clauses not allowed", position=position_of(clause)
                )
            inner.set(key, clause)
        inner.parent = None
        tree = inner
    return tree


def desugar_brackets(nodes: Nodes) -> None:
    """Drop brackets, and write `(a JOIN b) AS j` as a query of all its columns.

    Brackets stay around a query, unless it is the query of a CTE, and around a join that is joined
    with the items before it.

    Raises:
        InvalidSyntaxError: as `without_brackets`, or there is one item in brackets (42601).
    """
    if _end_operands(nodes):
        nodes.renew()
    is_changed = False
    for node in reversed(nodes.of(exp.Subquery)):  # inner ones first
        inner = node.this
        if is_joined(node):
            is_item = isinstance(inner, exp.Table | exp.Subquery | exp.Lateral | exp.Unnest)
            if is_item and not (inner.args.get("joins") or is_joined(inner)):
                raise InvalidSyntaxError('syntax error at or near ")"', position=position_of(inner))
            if node.args.get("alias"):
                joins = inner.args.pop("joins", None)
                from_ = exp.From(this=inner)
                node.set("this", exp.Select(expressions=[exp.Star()], from_=from_, joins=joins))
                is_changed = True
            else:
                is_changed |= _opened(node)
        elif isinstance(node.parent, exp.CTE):
            node.parent.set("this", without_brackets(node))
            is_changed = True
        elif isinstance(inner, exp.Subquery):
            node.set("this", without_brackets(inner))
            is_changed = True
    if is_changed:
        nodes.renew()


def _end_operands(nodes: Nodes) -> bool:
    """Give the clauses of `ARRAY((SELECT …) ORDER BY 1 LIMIT 1)` to the query; tell if there are.

    sqlglot reads them as those of an argument.

    Raises:
        InvalidSyntaxError: the query has one, too (42601).
    """
    found = [
        each
        for each in (*reversed(nodes.of(exp.Limit)), *reversed(nodes.of(exp.Order)))
        if isinstance(each.parent, exp.Array | exp.Exists) and _operand(each) is not None
    ]
    for outer in found:
        whole = exp.Subquery(this=_operand(outer))
        put(outer, whole)
        for each in (outer, outer.this):
            if isinstance(each, exp.Limit):
                whole.set("limit", exp.Limit(expression=each.expression))
            elif isinstance(each, exp.Order):
                whole.set("order", exp.Order(expressions=each.expressions))
        put(whole, without_brackets(whole))
    return bool(found)


def _operand(clause: exp.Expr) -> exp.Expr | None:
    """Return the bracketed query before a clause; None if the clause follows something else."""
    inner = clause.this
    if isinstance(clause, exp.Limit) and isinstance(inner, exp.Order):
        inner = inner.this
    return inner if isinstance(inner, exp.Subquery) else None


def _opened(node: exp.Expr) -> bool:
    """Drop the brackets around the first items of a FROM, or after a comma; tell whether it did."""
    parent, select = node.parent, node.parent_select
    if not isinstance(select, exp.Select) or node.args.get("joins"):
        return False
    joins = select.args.get("joins") or []
    if isinstance(parent, exp.From) and parent.parent is select:
        at = 0
    elif isinstance(parent, exp.Join) and parent.parent is select and is_comma(parent):
        at = next(i for i, join in enumerate(joins) if join is parent) + 1
    else:
        return False
    inner = node.this
    own = inner.args.pop("joins", None) or []
    node.replace(inner)
    select.set("joins", [*joins[:at], *own, *joins[at:]])
    if isinstance(inner, exp.Subquery) and is_joined(inner) and not inner.args.get("alias"):
        _opened(inner)
    return True
