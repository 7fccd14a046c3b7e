"""Operators with a schema, `a OPERATOR(pg_catalog.~) b`, as psql and pgcli write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from planner.errors import UnknownNameError
from planner.trees.nodes import position_of

_SCHEMA = "pg_catalog"


def _not(kind: type[exp.Expr]) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    return lambda left, right: exp.Not(this=kind(this=left, expression=right))


def _plain(kind: type[exp.Expr]) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    return lambda left, right: kind(this=left, expression=right)


_OPERATORS: Mapping[str, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "~": _plain(exp.RegexpLike),
    "!~": _not(exp.RegexpLike),
    "~*": _plain(exp.RegexpILike),
    "!~*": _not(exp.RegexpILike),
    "~~": _plain(exp.Like),
    "!~~": _not(exp.Like),
    "~~*": _plain(exp.ILike),
    "!~~*": _not(exp.ILike),
    "=": _plain(exp.EQ),
    "<>": _plain(exp.NEQ),
    "!=": _plain(exp.NEQ),
    "<": _plain(exp.LT),
    "<=": _plain(exp.LTE),
    ">": _plain(exp.GT),
    ">=": _plain(exp.GTE),
    "+": _plain(exp.Add),
    "-": _plain(exp.Sub),
    "*": _plain(exp.Mul),
    "/": _plain(exp.Div),
    "%": _plain(exp.Mod),
    "||": _plain(exp.DPipe),
    "@>": _plain(exp.ArrayContainsAll),
    "<@": _plain(exp.ArrayContainedBy),
    "&&": _plain(exp.ArrayOverlaps),
}
"""The node of each operator."""


def spell_operators(nodes: Sequence[exp.Operator]) -> bool:
    """Replace them all by plain operators, in place; whether there were any.

    Raises:
        UnknownNameError: as `_plain_operator`.
    """
    for node in reversed(nodes):
        node.replace(_plain_operator(node))
    return bool(nodes)


def _plain_operator(node: exp.Operator) -> exp.Expr:
    """Return the node of an operator without its schema.

    Raises:
        UnknownNameError: the operator (42883) or its schema (3F000) does not exist.
    """
    schema, _, sign = str(node.args["operator"]).rpartition(".")
    if schema and schema.strip().strip('"').lower() != _SCHEMA:
        raise UnknownNameError(
            f'schema "{schema.strip()}" does not exist',
            position=position_of(node),
            sqlstate="3F000",
        )
    build = _OPERATORS.get(sign.strip())
    if build is None:
        raise UnknownNameError(
            f"operator does not exist: {sign.strip()}",
            position=position_of(node),
            sqlstate="42883",
        )
    return exp.Paren(this=build(node.this.copy(), node.expression.copy()))
