"""Rules for comparisons, IN, IS NULL, and the operands of AND, OR, NOT, WHERE and HAVING.

Comparisons of rows are written as comparisons of their columns. In DuckDB's rows NULL equals NULL;
in PostgreSQL the comparison is NULL. For a row inside a row, NULL equals NULL in PostgreSQL, too,
so inner rows stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, MismatchedTypeError, NotSupportedError
from stategate.planner.postgres.expressions import object_names
from stategate.planner.postgres.expressions.rules import Rule, hold_numbers
from stategate.planner.postgres.expressions.volatile import check_copied
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.trees.dialect import IS_UNKNOWN
from stategate.planner.trees.nodes import call, cast, position_of, put, strip
from stategate.planner.trees.parentheses import enclosed
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import BOOLEAN, Kind

LISTED_ROWS_MAX = 16
"""Maximum rows of IN that are compared one by one; longer lists become a subquery."""
COMPARED_MAX = 100
"""Maximum elements of `ANY (ARRAY[…])` that are compared one by one."""
_NESTED = {Kind.ARRAY, Kind.STRUCT, Kind.MAP}


def _compare(node: exp.Expr, types: Types) -> exp.Expr:
    object_names.compare_by_oid(node, types)
    _hold_scale(node, types)
    return _compare_many(node, types)


def _compare_many(node: exp.Expr, types: Types) -> exp.Expr:
    """Let `x = ANY (array)` and the like be NULL for an array that is NULL.

    DuckDB makes a subquery of the array, which has no rows then, and would answer as for an empty
    array. That of a single NULL is NULL in each comparison.
    """
    many = node.expression
    array = strip(many.this) if isinstance(many, exp.Any | exp.All) else None
    if array is None or isinstance(array, exp.Query):
        return node
    inner = array
    while isinstance(inner, exp.Cast):
        inner = strip(inner.this)
    if isinstance(inner, exp.Array):
        return _compare_each(node, inner, types) if inner is array else node
    found = types.of(array)
    known = exp.Coalesce(this=array.copy(), expressions=[exp.Array(expressions=[exp.null()])])
    many.set("this", exp.Paren(this=known))
    if found is not None:
        types.note(known, found)
    return node


def _compare_each(node: exp.Expr, array: exp.Array, types: Types) -> exp.Expr:
    """Write `x = ANY (ARRAY[y, z])` as two comparisons, if y or z has a column.

    DuckDB makes a subquery of the array for each row, and keeps all rows in memory meanwhile.
    """
    many, compared, items = node.expression, strip(node.this), array.expressions
    is_constant = array.find(exp.Column) is None
    if is_constant or len(items) > COMPARED_MAX or array.find(exp.Query) is not None:
        return node
    alike = types.of(compared) if isinstance(compared, exp.Column) else None
    if alike is None or alike.kind in _NESTED or any(types.of(item) != alike for item in items):
        return node
    parts = [type(node)(this=compared.copy(), expression=item.copy()) for item in items]
    for part in parts:
        types.note(part, BOOLEAN)
    joined = (exp.or_ if isinstance(many, exp.Any) else exp.and_)(*parts, copy=False)
    return put(node, exp.Paren(this=joined))


def _hold_scale(node: exp.Expr, types: Types) -> None:
    """Compare a numeric with those of an array or a subquery without rounding.

    DuckDB casts both sides to one type, which can have fewer digits after the decimal point than
    either side.
    """
    other = node.args.get("query") or node.expression
    is_many = isinstance(other, exp.Any | exp.All)
    other = strip(other.this if is_many else other)
    while isinstance(other, exp.Subquery):
        other = other.this
    if isinstance(other, exp.Select) and len(other.selects) == 1:
        other = other.selects[0].unalias()
    elif not is_many and types.kind_of(other) is not Kind.ARRAY:
        return  # DuckDB compares two values, and the members of a list, without rounding
    if not isinstance(other, exp.Query | exp.Star):
        hold_numbers([node.this, other], types)


def _compare_arrays(node: exp.Expr, types: Types) -> exp.Expr:
    hold_numbers([node.this, node.expression], types)
    return node


def _compare_in(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `(a, b) IN ((1, 2), …)` as comparisons of columns.

    In DuckDB's rows NULL equals NULL; in PostgreSQL the comparison is NULL. DuckDB takes minutes
    for thousands of comparisons. So a long list becomes a subquery, in which DuckDB compares rows
    as PostgreSQL does.
    """
    if node.args.get("query") is not None:
        _hold_scale(node, types)
    row = as_row(node.this)
    members = [as_row(member) for member in node.expressions]
    if not isinstance(row, exp.Tuple) or not all(isinstance(m, exp.Tuple) for m in members):
        return node
    if not members:
        return node
    is_constant = not any(member.find(exp.Column, exp.Query) for member in members)
    if len(members) > LISTED_ROWS_MAX and is_constant:
        listed = [_typed(row, member, types) for member in members]
        values = exp.Values(expressions=listed, alias=exp.TableAlias(this=exp.to_identifier("v")))
        query = exp.Subquery(this=exp.select("*").from_(values))
        return put(node, exp.In(this=row.copy(), query=query))
    if len(members) > 1:
        check_copied(row.expressions)
    spelled = (compare_rows(exp.EQ, row, member) for member in members)
    each = [condition for condition in spelled if condition is not None]
    return put(node, exp.Paren(this=exp.or_(*each)))


def _typed(row: exp.Expr, member: exp.Expr, types: Types) -> exp.Expr:
    """Return a row of a list, its text literals cast to the types of the compared columns."""
    values: list[exp.Expr] = []
    for column, value in zip(row.expressions, member.expressions, strict=True):
        found = types.of(column)
        is_text = isinstance(value, exp.Literal) and value.is_string
        plain = value.copy()
        values.append(cast(plain, duckdb_type(found)) if is_text and found is not None else plain)
    return exp.Tuple(expressions=values)


def _row_is_null(node: exp.Expr, types: Types) -> exp.Expr:
    """Write IS NULL of a row as IS NULL of each value.

    A row IS NULL if all its values are NULL, and IS NOT NULL if no value is. Both can be false.
    """
    row = as_row(node.this)
    if not isinstance(strip(node.expression), exp.Null):
        return node
    places = types.columns.of_row(row) if isinstance(row, exp.Column) else None
    if places:
        # `n` is a FROM item. A row of NULLs is not NULL in DuckDB, but is in PostgreSQL.
        columns = [exp.column(name, table=item, quoted=True) for item, name in places]
        row = exp.Tuple(expressions=columns)
    elif not isinstance(row, exp.Tuple) and (found := types.of(node.this)) is not None:
        width = len(found.fields) if found.kind is Kind.STRUCT else 0
        members = [
            call("struct_extract_at", row.copy(), exp.Literal.number(at + 1)) for at in range(width)
        ]
        row = exp.Tuple(expressions=members) if members else row
    if not isinstance(row, exp.Tuple):
        return node
    negate = node.args.get("negate")
    each = [
        exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null(), negate=negate)
        for value in row.expressions
    ]
    return put(node, exp.Paren(this=exp.and_(*each)) if each else exp.true())


def _compare_order(node: exp.Expr, types: Types) -> exp.Expr:
    """Check and rewrite `<`, `<=`, `>` and `>=`."""
    _check_subquery(node)
    _hold_scale(node, types)
    compared = _compare_many(node, types)
    return _order_nested(node, types) if compared is node else compared


def _check_subquery(node: exp.Expr) -> None:
    """Refuse `(a, b) < ANY (SELECT …)`; DuckDB compares such rows by `=` only."""
    row = as_row(node.this)
    if isinstance(row, exp.Tuple) and isinstance(node.expression, exp.Any | exp.All):
        raise NotSupportedError(
            "a row cannot be ordered relative to the rows of a subquery",
            hint="Compare the columns one by one.",
            position=position_of(node),
        )


def _order_nested(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `a >= b` of arrays, structs and maps as `coalesce(a >= b, NULL)`.

    DuckDB makes a BETWEEN of two such conditions on one column, and cannot run it for these types.
    """
    other = node.args["low"] if isinstance(node, exp.Between) else node.expression
    if not {types.kind_of(node.this), types.kind_of(other)} & _NESTED:
        return node
    return put(node, exp.Coalesce(this=node.copy(), expressions=[exp.null()]))


def _check_booleans(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse operands of AND, OR, NOT, WHERE and HAVING that are not booleans."""
    sides = [node.this, node.expression] if isinstance(node, exp.And | exp.Or) else [node.this]
    for side in sides:
        _check_boolean(side, node.key.upper(), types)
    return node


def _check_boolean(side: exp.Expr, clause: str, types: Types) -> None:
    found = types.of(side)
    if found is not None and not is_open(side) and found.kind not in {Kind.BOOLEAN, Kind.NULL}:
        raise MismatchedTypeError(
            f"argument of {clause} must be type boolean, not type {found}",
            position=position_of(side),
        )


def _check_branch(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse a condition of CASE that is not a boolean; with an operand, CASE compares."""
    case = node.parent
    if isinstance(case, exp.Case) and case.this is None:
        _check_boolean(node.this, "CASE/WHEN", types)
    return node


def _check_join(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse a condition of JOIN that is not a boolean."""
    if (condition := node.args.get("on")) is not None:
        _check_boolean(condition, "JOIN/ON", types)
    return node


def _is(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse IS TRUE, FALSE and UNKNOWN of what is no boolean; compare rows with NULL."""
    if node.expression.meta.get(IS_UNKNOWN):
        _check_boolean(node.this, "IS UNKNOWN", types)
    elif isinstance(node.expression, exp.Boolean):
        _check_boolean(node.this, f"IS {str(node.expression.this).upper()}", types)
    return _row_is_null(node, types)


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.EQ: _compare,
    exp.NEQ: _compare,
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE), _compare_order),
    exp.Between: _order_nested,
    exp.In: _compare_in,
    exp.Is: _is,
    exp.ArrayOverlaps: _compare_arrays,
    exp.And: _check_booleans,
    exp.Or: _check_booleans,
    exp.Not: _check_booleans,
    exp.Where: _check_booleans,
    exp.Having: _check_booleans,
    exp.If: _check_branch,
    exp.Join: _check_join,
}
"""The rules, by type of node."""


WIDTH_MAX = 32
"""Maximum columns of compared rows; the text of their order grows with its square."""
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


def compare_rows(kind: _Comparison, one: exp.Expr, other: exp.Expr) -> exp.Expr | None:
    """Return the comparison of two rows by columns; None if they are not rows.

    Raises:
        QueryError: as `check_widths`; or one row is that of a subquery, or has a volatile value
        (0A000).
    """
    left, right = as_row(one), as_row(other)
    _refuse_subquery(left, right)
    if not isinstance(left, exp.Tuple) or not isinstance(right, exp.Tuple):
        return None
    check_widths(left, right, position_of(one))
    pairs = list(zip(left.expressions, right.expressions, strict=True))
    if kind in {exp.EQ, exp.NEQ}:
        parts = [_compare_columns(kind, *pair) for pair in pairs]
        return exp.Paren(this=exp.and_(*parts) if kind is exp.EQ else exp.or_(*parts))
    check_copied((*left.expressions[:-1], *right.expressions[:-1]))
    alternatives: list[exp.Expr] = []
    for i, pair in enumerate(pairs):
        last = kind if i == len(pairs) - 1 else COMPARISONS[kind]
        before = [_compare_columns(exp.EQ, *each) for each in pairs[:i]]
        alternatives.append(exp.and_(*before, _compare_columns(last, *pair)))
    return exp.Paren(this=exp.or_(*alternatives))


def _compare_columns(kind: _Comparison, one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return kind(this=enclosed(one.copy()), expression=enclosed(other.copy()))


def _refuse_subquery(left: exp.Expr, right: exp.Expr) -> None:
    for row, query in ((left, right), (right, left)):
        if isinstance(row, exp.Tuple) and isinstance(query, exp.Subquery):
            raise NotSupportedError(
                "a row cannot be compared with the row of a subquery",
                hint="Join the subquery in FROM, and compare the columns one by one.",
                position=position_of(query),
            )
