"""The common type of combined values: in UNION, VALUES, CASE, ARRAY, comparisons and others.

PostgreSQL gives text literals the type of their column in UNION, EXCEPT, INTERSECT and VALUES, and
refuses types that do not match. DuckDB converts such columns to text. Source: select_common_type of
PostgreSQL.

DuckDB has 38 digits for a numeric. If one numeric has many digits before the decimal point and
another many after it, DuckDB rounds to fewer digits after the point; PostgreSQL keeps them all. So
the largest scale is kept here, and a value that does not fit is out of range.

DuckDB compares a real with another number as reals; PostgreSQL compares them as doubles. So both
become doubles here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.postgres.expressions.array_rows import compare_dimensions, stacked
from stategate.planner.postgres.expressions.calls import rewrite_call
from stategate.planner.postgres.expressions.rules import Rule, hold_numbers
from stategate.planner.postgres.types.alternatives import check_alike
from stategate.planner.postgres.types.array_literals import array_beside
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import adopted_type
from stategate.planner.postgres.types.operands import COMPARED, alternatives, compared
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS, common_type
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, call, cast, kinds, put, strip, wrapped
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import DOUBLE, TEXT, DataType, Kind

_Column: TypeAlias = tuple[DataType | None, exp.Expr | None]
"""A column's type, None if it is not certain, and the literal if it is a text without a type."""
_KINDS = (exp.Union, exp.Except, exp.Intersect)
_EITHER = kinds(*_KINDS, exp.Values)
_SERIES = kinds(exp.GenerateSeries)


def match_columns(nodes: Nodes, types: Types) -> None:
    """Give merged columns, and text literals, the types of their columns, in place.

    Raises:
        InvalidValueError: a literal is not a value of that type (22P02).
        MismatchedTypeError: two types of a column do not match (42804).
    """
    _cast_columns(nodes, types)
    for values in nodes.of(exp.Values):
        _match_rows(values, types)
    known: dict[int, Sequence[_Column] | None] = {}
    for kind in _KINDS:
        for node in reversed(nodes.of(kind)):
            _columns(node, types, known)
    if nodes.has(_EITHER):
        nodes.renew()


def _cast_columns(nodes: Nodes, types: Types) -> None:
    """Cast the columns to which DuckDB gives another type than PostgreSQL, in place.

    Half of a 3 that USING has merged with a numeric was 1.
    """
    if not any(join.args.get("using") for join in nodes.of(exp.Join)) and not nodes.has(_SERIES):
        return
    is_changed = False
    for column in nodes.of(exp.Column):
        assert isinstance(column, exp.Column)
        found = types.columns.other_than_duckdb(column)
        if found is None:
            continue
        is_item = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        inner = column.copy()
        types.note(inner, None)
        fresh: exp.Expr = cast(inner, duckdb_type(found))
        types.note(fresh, found)
        if is_item:
            fresh = exp.Alias(this=fresh, alias=exp.to_identifier(column.name, quoted=True))
        put(column, fresh)
        is_changed = True
    if is_changed:
        nodes.renew()


def _match_rows(values: exp.Expr, types: Types) -> None:
    """Match the columns of VALUES; no row has precedence."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    for column in zip(*rows, strict=False):
        cells = [_column(item, types) for item in column]
        literals = [literal for _, literal in cells if literal is not None]
        found = [data_type for data_type, literal in cells if literal is None]
        known = [each for each in found if each is not None and each.kind is not Kind.NULL]
        if None in found or not known:
            continue
        check_alike(known, "VALUES", values)
        for literal in literals:
            _adopt(literal, common_type(known), types)


def _columns(
    query: exp.Expr | None, types: Types, known: dict[int, Sequence[_Column] | None]
) -> Sequence[_Column] | None:
    """Return the columns of a query; None if their number is not certain.

    Args:
        query: the query.
        types: the types of its expressions.
        known: the columns of the set operations that were matched before; gets new ones.
    """
    while isinstance(query, exp.Subquery):
        query = query.this
    if isinstance(query, _KINDS):
        key = id(query)
        if key not in known:
            left, right = (_columns(side, types, known) for side in (query.this, query.expression))
            is_known = left is not None and right is not None
            known[key] = _match_sides(query, left, right, types) if is_known else None
        return known[key]
    if isinstance(query, exp.Select) and query.is_star:
        values = _only_values(query)
        return _columns_of_rows(values, types) if isinstance(values, exp.Values) else None
    if not isinstance(query, exp.Select) or any(item.is_star for item in query.expressions):
        return None
    return [_column(item.unalias(), types) for item in query.expressions]


def _columns_of_rows(values: exp.Values, types: Types) -> Sequence[_Column]:
    """Return the columns of VALUES, where a column of bare texts is of type text."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    columns: list[_Column] = []
    for column in zip(*rows, strict=False):
        cells = [_column(item, types) for item in column]
        known = [found for found, literal in cells if literal is None]
        columns.append((common_type(known) if known else TEXT, None))
    return columns


def _match_sides(
    query: exp.Expr,
    left: Sequence[_Column] | None,
    right: Sequence[_Column] | None,
    types: Types,
) -> Sequence[_Column]:
    pairs = zip(left or (), right or (), strict=False)
    return [_matched(query, one, other, types) for one, other in pairs]


def _column(node: exp.Expr, types: Types) -> _Column:
    bare = strip(node)
    if isinstance(bare, exp.Literal) and bare.is_string:
        return None, bare
    return types.of(node), None


def _matched(query: exp.Expr, one: _Column, other: _Column, types: Types) -> _Column:
    """Return the column that two columns make; two literals without a type make a text."""
    if one[1] is not None and other[1] is not None:
        return TEXT, None
    for (_, literal), (found, _) in ((one, other), (other, one)):
        if literal is not None:
            _adopt(literal, found, types)
            return found, None
    left, right = one[0], other[0]
    if left is None or right is None:
        return None, None
    if Kind.NULL in {left.kind, right.kind}:
        return right if left.kind is Kind.NULL else left, None
    check_alike((left, right), query.key.upper(), query.expression)
    return common_type((left, right)), None


def _adopt(literal: exp.Expr, found: DataType | None, types: Types) -> None:
    assert isinstance(literal, exp.Literal)
    if found is not None and depth_of(found):
        put(literal, array_beside(literal, found))
        return
    adopted = adopted_type(literal, found, types)
    if adopted is None:
        return
    found = adopted
    fresh = cast(literal.copy(), duckdb_type(found))
    put(literal, fresh)
    types.note(fresh, found)


_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL}
_PAIR = 2


def _agree_in_node(node: exp.Expr, types: Types) -> exp.Expr:
    """Give the alternatives of an expression one scale, then apply the rule for its function."""
    hold_numbers(alternatives(node), types)
    fresh = rewrite_call(node, types)
    return (
        _in_pairs(node) if fresh is node and isinstance(node, exp.Greatest | exp.Least) else fresh
    )


def _in_pairs(node: exp.Expr) -> exp.Expr:
    """Write `least(a, b, c)` as `least(least(a, b), c)`.

    When DuckDB copies a query, it reads columns after the first argument as named arguments, and
    fails if a name occurs twice.
    """
    given, name = [each.copy() for each in alternatives(node)], call_name(node)
    if len(given) <= _PAIR:
        return node
    while len(given) > 1:
        pairs = [given[at : at + _PAIR] for at in range(0, len(given), _PAIR)]
        given = [call(name, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
    return put(node, given[0])


def _nullif(node: exp.Expr, types: Types) -> exp.Expr:
    """Cast `nullif` to its type in PostgreSQL; in DuckDB it has the type of its first argument."""
    found, own = types.of(node), types.of(node.this)
    if found is None or own is None or found.kind is own.kind:
        return node
    return wrapped(node, lambda inner: cast(inner, duckdb_type(found)))


def agree_in_sets(node: exp.Expr, types: Types) -> exp.Expr:
    """Give each column of a set operation one scale; the outermost operation does it for all."""
    assert isinstance(node, exp.SetOperation)
    outer = node.parent
    while isinstance(outer, exp.Subquery | exp.Paren):
        outer = outer.parent
    if not isinstance(outer, exp.SetOperation):
        _agree_in_columns(_branches(node), types)
    return node


def _agree_in_values(node: exp.Expr, types: Types) -> exp.Expr:
    if not isinstance(node.parent, exp.SetOperation):
        _agree_in_columns(_branches(node), types)
    return node


def _agree_in_columns(branches: Sequence[Sequence[exp.Expr]], types: Types) -> None:
    if all(branches) and len({len(branch) for branch in branches}) == 1:
        for column in zip(*branches, strict=True):
            hold_numbers([item.unalias() for item in column], types)


def _branches(tree: exp.Expr) -> list[Sequence[exp.Expr]]:
    """Return the SELECT list of each query of a set operation; it is empty if it has a star."""
    found: list[Sequence[exp.Expr]] = []
    left = [tree]
    while left:
        checkpoint()
        part = left.pop()
        if isinstance(part, exp.SetOperation):
            left += (part.expression, part.this)
        elif isinstance(part, exp.Subquery | exp.Paren):
            left.append(part.this)
        elif isinstance(part, exp.Values):
            found += [
                row.expressions if isinstance(row, exp.Tuple) else (row,)
                for row in part.expressions
            ]
        elif isinstance(part, exp.Select) and not part.is_star:
            found.append(part.expressions)
        elif isinstance(part, exp.Select) and isinstance(values := _only_values(part), exp.Values):
            left.append(values)
        else:
            found.append(())
    return found


def _only_values(select: exp.Select) -> exp.Expr | None:
    """Return what a `SELECT *` reads; None if its list has more than the star."""
    from_ = select.args.get("from_")
    return from_.this if from_ is not None and len(select.expressions) == 1 else None


def agree_in_comparisons(nodes: Nodes, types: Types) -> None:
    """Write the operands of comparisons as PostgreSQL compares them, in place.

    Reals become doubles beside other numbers; see `compare_dimensions` for arrays.
    """
    _compare_as_doubles(nodes, types)
    compare_dimensions(nodes, types)


def _compare_as_doubles(nodes: Nodes, types: Types) -> None:
    for kind in COMPARED:
        for node in nodes.of(kind):
            if isinstance(node, exp.In) and len(node.expressions) > 1:
                continue  # PostgreSQL finds one type for the whole list, which is real
            for one, *others in compared(node):
                _widen(node, [one, *(each for side in others for each in _listed(side))], types)


def _listed(side: exp.Expr) -> Sequence[exp.Expr]:
    """Return the elements that `= ANY (…)` compares with; for other sides, the side itself."""
    if not isinstance(side, exp.Any | exp.All):
        return [side]
    inner = strip(side.this)
    return inner.expressions if isinstance(inner, exp.Array) else [inner]


def _widen(node: exp.Expr, sides: Sequence[exp.Expr], types: Types) -> None:
    found = [(each, _element(types.of(each))) for each in sides]
    kinds = {each.kind for _, each in found if each is not None}
    if Kind.REAL not in kinds or not (kinds & _NUMBERS) - {Kind.REAL}:
        return
    whole = types.of(node) if isinstance(node, exp.Nullif) else None  # of its plain operands
    for side, data_type in found:
        is_rows = isinstance(strip(side), exp.Query) or types.kind_of(side) is Kind.ARRAY
        if data_type is None or data_type.kind not in _NUMBERS or is_rows:
            continue
        types.note(wrapped(side, lambda inner: cast(inner, "DOUBLE")), DOUBLE)
        if isinstance(node, exp.Nullif) and side is sides[0]:
            kept = whole or data_type
            types.note(wrapped(node, partial(cast, data_type=duckdb_type(kept))), kept)


def _element(data_type: DataType | None) -> DataType | None:
    return None if data_type is None else leaf_of(data_type)


RULES: Mapping[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.Case, exp.Coalesce, exp.Greatest, exp.Least), _agree_in_node),
    exp.Array: lambda node, types: stacked(_agree_in_node(node, types), types),
    exp.Nullif: _nullif,
    exp.Values: _agree_in_values,
    exp.Except: agree_in_sets,
    exp.Intersect: agree_in_sets,
}
"""The rules, by type of node. The rule of UNION is in `rewrite`."""
