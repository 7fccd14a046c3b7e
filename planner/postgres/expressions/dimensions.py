"""The dimensions of arrays: their elements in one list, their lengths, and each element by itself.

An array of two dimensions is a list of lists. Macros exist for each number of dimensions; the type
of an array says which one it needs.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from stategate.planner.errors import LimitExceededError
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.nodes import call, position_of
from stategate.planner.values.array_text import DIMENSIONS_MAX
from stategate.planner.values.array_types import depth_of
from stategate.stores.spec.schema import Kind


def checked_depth(node: exp.Expr, types: Types) -> int:
    """Return the number of dimensions of an array; 0 if its type is not certain.

    Raises:
        LimitExceededError: it has more than PostgreSQL has (54000).
    """
    depth = depth_of(types.of(node))
    if depth > DIMENSIONS_MAX:
        raise LimitExceededError(
            f"number of array dimensions ({depth}) exceeds the maximum allowed ({DIMENSIONS_MAX})",
            position=position_of(node),
            sqlstate="54000",
        )
    return depth


def of_depth(name: str, node: exp.Expr, types: Types, *others: exp.Expr) -> exp.Expr:
    """Return a call of the macro for the dimensions of an array; other arguments follow it."""
    depth = checked_depth(node, types)
    array = node.copy() if depth else _of_one(node)
    return call(f"{name}{depth or 1}", array, *others)


def flat(node: exp.Expr, types: Types) -> exp.Expr:
    """Return all elements of an array in one list, row by row."""
    depth = checked_depth(node, types)
    if depth == 1 or types.kind_of(node) is Kind.NULL:
        return node.copy()
    return call(f"pg_sg_flat{depth}", node.copy()) if depth else _of_one(node)


def _of_one(node: exp.Expr) -> exp.Expr:
    """Return an array of an unknown type; DuckDB refuses it if it has several dimensions."""
    return call("pg_sg_one_dimension", node.copy())


def shape(node: exp.Expr, types: Types) -> exp.Expr:
    """Return the lengths of an array's dimensions as a list; it is empty for an empty array."""
    return of_depth("pg_sg_shape", node, types)


def each_element(array: exp.Expr, depth: int, make: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Return an array with what `make` returns in place of each element of the last dimension."""
    name = exp.to_identifier(f"element{depth}", quoted=True)
    element = exp.column(name.copy())
    inner = make(element) if depth == 1 else each_element(element, depth - 1, make)
    return call("list_transform", array, exp.Lambda(this=inner, expressions=[name]))
