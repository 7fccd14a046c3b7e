"""Small steps of rewriting a tree: calls, casts, putting one node around another."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sqlglot import exp

TYPES_MAX = 1_000
"""So many names of types are kept parsed; decimals of every size are some 700."""

_AROUND = (exp.Paren, exp.Collate)
_BYTEWISE = {"C", "POSIX", "DEFAULT", "UCS_BASIC"}
"""Collations by which texts compare as they do here."""


def call(name: str, *given: exp.Expr) -> exp.Expr:
    """A call of a function of the composing database."""
    return exp.Anonymous(this=name, expressions=list(given))


def cast(node: exp.Expr, data_type: str) -> exp.Expr:
    """A cast, by DuckDB's name of the type."""
    return exp.Cast(this=node, to=built_type(data_type))


def built_type(name: str) -> exp.DataType:
    """A type by DuckDB's name of it."""
    return _built_type(name).copy()


@lru_cache(maxsize=TYPES_MAX)
def _built_type(name: str) -> exp.DataType:
    return exp.DataType.build(name, dialect="duckdb")


def wrapped(node: exp.Expr, make: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Put what `make` builds around a node in the node's place."""
    holder = exp.Paren(this=exp.null())
    node.replace(holder)
    fresh = make(node)
    holder.replace(fresh)
    return fresh


def outermost(node: exp.Expr) -> exp.Expr:
    """An aggregate with its FILTER and OVER."""
    found = node
    while isinstance(found.parent, exp.Filter | exp.Window) and found.arg_key == "this":
        found = found.parent
    return found


def position_of(node: exp.Expr) -> int | None:
    """Where a node stands in the text, counted from 1; None if neither it nor its parts know."""
    found = (n.meta["start"] for n in node.walk() if "start" in n.meta)
    start = next(found, None)
    return None if start is None else int(start) + 1


def is_comma(join: exp.Join) -> bool:
    """Whether it is a comma of FROM, which binds less than what is written as a JOIN."""
    return not any(join.args.get(each) for each in ("method", "side", "kind", "on", "using"))


def signed(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """What all the minuses stand before, and whether there is an odd number of them."""
    is_negative = False
    while isinstance(node, exp.Neg | exp.Paren):
        is_negative ^= isinstance(node, exp.Neg)
        node = node.this
    return node, is_negative


def parameter_number(node: exp.Parameter) -> int:
    """The n of $n."""
    return int(node.name)


def strip(node: exp.Expr) -> exp.Expr:
    """A node without the parentheses around it."""
    while isinstance(node, _AROUND):
        if isinstance(node, exp.Collate) and node.expression.name.upper() not in _BYTEWISE:
            return node
        node = node.this
    return node
