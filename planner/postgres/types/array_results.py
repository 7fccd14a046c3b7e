"""The types of arrays that `||` joins and `array_fill` makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.result_types import common_type
from stategate.planner.trees.nodes import strip
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.stores.spec.schema import DataType


def joined_type(
    nodes: Sequence[exp.Expr], of: Callable[[exp.Expr], DataType | None]
) -> DataType | None:
    """Return the type of arrays that are joined, or of an array and an element."""
    known = [of(node) for node in nodes if not is_open(node)]
    leaf = common_type([None if each is None else leaf_of(each) for each in known])
    depth = max(map(depth_of, known), default=0)
    return None if leaf is None else array_of(leaf, depth)


def filled_type(
    given: Sequence[exp.Expr], of: Callable[[exp.Expr], DataType | None]
) -> DataType | None:
    """Return the type of `array_fill`, whose second argument has the lengths."""
    if len(given) < 2:
        return None
    found, listed = of(given[0]), strip(given[1])
    while isinstance(listed, exp.Cast):
        listed = strip(listed.this)
    depth = len(listed.expressions) if isinstance(listed, exp.Array) else 1
    return None if found is None else array_of(found, max(depth, 1))
