"""Arrays made of arrays: constructors, aggregates, `||`, and comparisons of all dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError, NotSupportedError
from stategate.planner.postgres.expressions.dimensions import checked_depth
from stategate.planner.postgres.expressions.rules import Rule
from stategate.planner.postgres.types.alternatives import check_depths
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import COMPARED, alternatives, compared, is_open
from stategate.planner.postgres.types.result_types import common_type
from stategate.planner.trees.nodes import (
    Nodes,
    call,
    cast,
    outermost,
    position_of,
    put,
    strip,
    wrapped,
)
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.planner.values.catalog_types import is_record
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import DataType

_DIFFERENT = "multidimensional arrays must have array expressions with matching dimensions"


def stacked(node: exp.Expr, types: Types) -> exp.Expr:
    """Check that the rows of an array of arrays have one shape, when it is computed.

    Raises:
        MismatchedTypeError: rows that are written out have different shapes (2202E).
        NotSupportedError: rows have different numbers of dimensions; they may be empty.
    """
    rows = node.expressions
    if types.of(node) is None:
        depths = {depth_of(found) for each in rows if (found := types.of(each))}
        if len(depths) > 1 and all(map(_shape_written, rows)):
            raise MismatchedTypeError(_DIFFERENT, position=position_of(node), sqlstate="2202E")
        check_depths([found for each in rows if (found := types.of(each))], node)
    depth = checked_depth(node, types)
    shape = _shape_written(node)
    if depth < 2 or (shape is not None and len(shape) == depth):
        return node
    is_query = isinstance(node.expressions[0], exp.Query)
    name = "pg_sg_gathered" if is_query else "pg_sg_stacked"
    return _checked(node, f"{name}{depth}", types)


def gathered(node: exp.Expr, types: Types) -> exp.Expr:
    """Check that the arrays that `array_agg` gathers have one shape, when it is computed."""
    depth = checked_depth(node, types)
    return node if depth < 2 else _checked(outermost(node), f"pg_sg_gathered{depth}", types)


def _checked(node: exp.Expr, macro: str, types: Types) -> exp.Expr:
    known = types.of(node)
    fresh = wrapped(node, lambda inner: call(macro, inner))
    types.note(fresh, known)
    return fresh


def _shape_written(node: exp.Expr) -> list[int] | None:
    """Return the lengths of an array whose rows are all written out; None for other arrays."""
    if not isinstance(node, exp.Array) or not node.expressions:
        return None
    rows = [_shape_written(each) for each in node.expressions if isinstance(each, exp.Array)]
    if not rows:
        is_plain = not any(isinstance(each, exp.Query) for each in node.expressions)
        return [len(node.expressions)] if is_plain else None
    first = rows[0]
    if first is None or len(rows) < len(node.expressions) or any(row != first for row in rows):
        return None
    return [len(rows), *first]


def joined(
    left: exp.Expr,
    right: exp.Expr,
    types: Types,
    *,
    is_element: tuple[bool, bool] = (False, False),
) -> exp.Expr:
    """Return the array that `||` makes of two arrays, or of an array and an element.

    Args:
        left: the left side.
        right: the right side.
        types: the types of both.
        is_element: which side is one element, even if it is NULL.
    """
    sides = [left, right]
    known = [types.of(side) for side in sides]
    depths = [depth_of(found) for found in known]
    whole = [is_open(side) and not single for side, single in zip(sides, is_element, strict=True)]
    held = [None if is_open(side) else found for side, found in zip(sides, known, strict=True)]
    left, right = _of_one_type(sides, held, depths)
    depth = max(depths)
    if depth == 0 or depths[0] == depths[1] or any(whole):
        # PostgreSQL reads a NULL array as an empty one.
        return call("pg_sg_array_cat" if depth < 2 else f"pg_sg_joined{depth}", left, right)
    at = depths.index(min(depths))
    if depths[at] == 0 and depth == 1:
        return call("list_prepend" if at == 0 else "list_append", left, right)
    larger, smaller = (right, left) if at == 0 else (left, right)
    if depths[at] == 0:
        return call(f"pg_sg_no_element{depth}", larger)
    if depths[at] == depth - 1:
        return call(f"pg_sg_row_{'before' if at == 0 else 'after'}{depth}", larger, smaller)
    return call(f"pg_sg_unlike{depth}", larger, smaller)


def _of_one_type(
    sides: list[exp.Expr], held: list[DataType | None], depths: list[int]
) -> list[exp.Expr]:
    """Return copies of both sides whose elements have one type."""
    leaves = [None if found is None else leaf_of(found) for found in held]
    common = common_type(leaves) if None not in leaves else None
    found: list[exp.Expr] = []
    for side, leaf, depth in zip(sides, leaves, depths, strict=True):
        fresh = side.copy()
        if common is not None and leaf != common:
            fresh = cast(fresh, duckdb_type(array_of(common, depth)))
        found.append(fresh)
    return found


_EQUALITY = (
    *(exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.In, exp.Case, exp.Nullif),
)
_OF_SETS = (exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps)


def compare_dimensions(nodes: Nodes, types: Types) -> None:
    """Write operands with several dimensions as PostgreSQL compares them, in place.

    ANY, ALL, `@>` and the like look at the elements of all dimensions. Comparisons look at them
    first, and then at the dimensions; where those are as many, DuckDB finds the same arrays equal.

    Raises:
        NotSupportedError: such an array is compared in another way.
    """
    for many in nodes.in_turn((exp.Any, exp.All)):
        if not isinstance(strip(many.this), exp.Query):
            _flatten(strip(many.this), types)
    for node in nodes.in_turn(_OF_SETS):
        _flatten(node.this, types)
        _flatten(node.expression, types)
    for node in nodes.in_turn(COMPARED):
        for group in compared(node):
            depths = {depth_of(types.of(each)) for each in group if not is_open(each)}
            is_quantified = any(isinstance(each, exp.Any | exp.All) for each in group)
            is_whole = max(depths, default=0) > 1 and not is_quantified
            if is_whole and (len(depths) > 1 or not isinstance(node, _EQUALITY)):
                _compare(node, group, types)
    for node in nodes.in_turn((exp.Greatest, exp.Least)):
        if any(depth_of(types.of(each)) > 1 for each in alternatives(node)):
            raise _not_compared(node)
    for ordered in nodes.of(exp.Ordered):
        _order(ordered, types)


def _flatten(array: exp.Expr, types: Types) -> None:
    found = types.of(array)
    if depth_of(found) > 1 and found is not None:
        depth = checked_depth(array, types)
        fresh = wrapped(array, lambda inner: call(f"pg_sg_flat{depth}", inner))
        types.note(fresh, array_of(leaf_of(found), 1))


def _compare(node: exp.Expr, group: Sequence[exp.Expr], types: Types) -> None:
    if isinstance(node, exp.Nullif) or any(isinstance(strip(each), exp.Query) for each in group):
        raise _not_compared(node)
    for each in group:
        found, depth = types.of(each), checked_depth(each, types)
        if isinstance(each.parent, exp.Anonymous) and each.parent.name == f"pg_sg_order{depth}":
            continue  # BETWEEN compares one operand twice
        if depth:
            _hold_order(each, depth, found, types)
        elif not isinstance(strip(each), exp.Null):
            raise _not_compared(node)


def _hold_order(array: exp.Expr, depth: int, found: DataType | None, types: Types) -> None:
    types.note(wrapped(array, lambda inner: call(f"pg_sg_order{depth}", inner)), found)


def _order(ordered: exp.Expr, types: Types) -> None:
    """Order by the elements and then by the dimensions; a name or a number may mean a result."""
    value, select = ordered.this, ordered.parent.parent if ordered.parent is not None else None
    query = select if isinstance(select, exp.Query) else None
    item: exp.Expr | None = None
    if query is not None and isinstance(value, exp.Literal) and value.name.isdigit():
        at = int(value.name) - 1
        item = query.selects[at] if at < len(query.selects) else None
    elif query is not None and isinstance(value, exp.Column) and not value.table:
        item = next((each for each in query.selects if each.alias_or_name == value.name), None)
    shown = value if item is None else item.unalias()
    found = types.of(shown)
    if depth_of(found) < 2:
        return
    if item is not None:
        if not isinstance(select, exp.Select) or select.args.get("distinct") is not None:
            raise _not_compared(ordered)
        put(value, _copied(shown, types))
        types.note(ordered.this, found)
    _hold_order(ordered.this, checked_depth(shown, types), found, types)


def _copied(node: exp.Expr, types: Types) -> exp.Expr:
    """Return a copy of an expression; no scope has the queries and columns in it."""
    fresh = node.copy()
    for old, new in zip(node.walk(), fresh.walk(), strict=True):
        if isinstance(old, exp.Column | exp.Query):
            types.note(new, types.of(old))
    return fresh


def _not_compared(node: exp.Expr) -> NotSupportedError:
    return NotSupportedError(
        "an array of several dimensions is not supported in this comparison",
        hint="Compare unnest(a), or the elements one by one.",
        position=position_of(node),
    )


def extreme(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse `max` and `min` of rows, and of arrays of several dimensions.

    Raises:
        NotSupportedError: it is such a call.
    """
    if depth_of(types.of(node)) > 1 or is_record(types.of(node)):
        raise NotSupportedError(
            "max and min of rows and of arrays of several dimensions are not supported",
            hint="Order by them, and take the first row.",
            position=position_of(node),
        )
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.ArrayAgg: gathered,
    **dict.fromkeys((exp.Max, exp.Min), extreme),
}
"""The rules, by type of node. The rule of array constructors is in `common_types`."""
