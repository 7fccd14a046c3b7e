"""Comparisons of rows, written as comparisons of their columns.

In DuckDB's rows NULL equals NULL; in PostgreSQL the comparison is NULL. For a row inside a row,
NULL equals NULL in PostgreSQL, too, so inner rows stay as they are.
"""

from __future__ import annotations

from typing import TypeAlias

from sqlglot import exp

from planner.errors import InvalidSyntaxError, NotSupportedError
from planner.postgres.expressions.volatile import check_copied
from planner.trees.nodes import position_of, strip

WIDTH_MAX = 32
"""Most columns of compared rows; their order is written with the square of it."""
_Comparison: TypeAlias = type[exp.Binary]
COMPARISONS: dict[_Comparison, _Comparison] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.LT,
    exp.LTE: exp.LT,
    exp.GT: exp.GT,
    exp.GTE: exp.GT,
}
"""The comparisons of rows, with the comparison of all columns but the last."""


def as_row(node: exp.Expr) -> exp.Expr:
    """Return `ROW(a, b)` as `(a, b)`, and other nodes without parentheses."""
    bare = strip(node)
    return exp.Tuple(expressions=bare.expressions) if is_row_call(bare) else bare


def is_row_call(node: exp.Expr) -> bool:
    """Whether a node is `ROW(…)`."""
    return isinstance(node, exp.Anonymous) and node.name.upper() == "ROW"


def check_widths(left: exp.Expr, right: exp.Expr, position: int | None) -> None:
    """Refuse rows that cannot be compared.

    Raises:
        InvalidSyntaxError: they differ in their number of columns (42601).
        NotSupportedError: they have no columns, or too many.
    """
    count = len(left.expressions)
    if count != len(right.expressions):
        raise InvalidSyntaxError("unequal number of entries in row expressions", position=position)
    if not count:
        raise NotSupportedError("cannot compare rows of zero length", position=position)
    if count > WIDTH_MAX:
        raise NotSupportedError(f"rows of more than {WIDTH_MAX} columns cannot be compared")


def spelled_comparison(kind: _Comparison, one: exp.Expr, other: exp.Expr) -> exp.Expr | None:
    """Return the comparison of two rows by columns; None if they are not rows.

    Raises:
        QueryError: as `check_widths`; or one is a subquery's, or has a volatile value (0A000).
    """
    left, right = as_row(one), as_row(other)
    _check_subquery(left, right)
    if not isinstance(left, exp.Tuple) or not isinstance(right, exp.Tuple):
        return None
    check_widths(left, right, position_of(one))
    pairs = list(zip(left.expressions, right.expressions, strict=True))
    if kind in {exp.EQ, exp.NEQ}:
        parts = [_compared(kind, *pair) for pair in pairs]
        return exp.Paren(this=exp.and_(*parts) if kind is exp.EQ else exp.or_(*parts))
    check_copied((*left.expressions[:-1], *right.expressions[:-1]))
    alternatives: list[exp.Expr] = []
    for i, pair in enumerate(pairs):
        last = kind if i == len(pairs) - 1 else COMPARISONS[kind]
        before = [_compared(exp.EQ, *each) for each in pairs[:i]]
        alternatives.append(exp.and_(*before, _compared(last, *pair)))
    return exp.Paren(this=exp.or_(*alternatives))


def _compared(kind: _Comparison, one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return kind(this=one.copy(), expression=other.copy())


def _check_subquery(left: exp.Expr, right: exp.Expr) -> None:
    for row, query in ((left, right), (right, left)):
        if isinstance(row, exp.Tuple) and isinstance(query, exp.Subquery):
            raise NotSupportedError(
                "a row cannot be compared with that of a subquery",
                hint="Join the subquery in FROM, and compare the columns one by one.",
                position=position_of(query),
            )
