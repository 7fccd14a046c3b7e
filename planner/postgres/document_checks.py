"""Refuses what compares or orders json, for which PostgreSQL has no operators.

jsonb has them, and its clauses are rewritten in `document_order`. What that cannot write is refused
here, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError, NotSupportedError
from stategate.planner.postgres.document_keys import is_document
from stategate.planner.postgres.expressions.printing import row_of
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types, value_type
from stategate.planner.postgres.types.operands import (
    COMPARED,
    COMPARISONS,
    arguments,
    compared,
    is_open,
)
from stategate.planner.postgres.types.operators import NO_OPERATOR
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import CALLS, Nodes, position_of, strip
from stategate.planner.values.array_types import leaf_of
from stategate.planner.values.catalog_types import is_record
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import DataType, Kind

_SYMBOLS: Mapping[type[exp.Expr], str] = {**COMPARISONS, exp.Between: ">="}
_SETS = (exp.Union, exp.Intersect, exp.Except)
_OF_ARRAYS = frozenset(
    {"array_position", "array_positions", "array_remove", "array_replace", "width_bucket"}
)
"""Functions that compare the elements of arrays."""
_BY_ORDER = frozenset({"mode", "percentile_disc"})
"""Functions that return one of the values that they order."""


def check_documents(nodes: Nodes, types: Types) -> None:
    """Refuse clauses and comparisons for which json has no operator.

    Raises:
        MismatchedTypeError: json is compared, ordered, grouped or made distinct (42883).
        NotSupportedError: a function compares jsonb in a way that is not supported.
    """
    for node in nodes.in_turn(COMPARED):
        checkpoint()
        for group in compared(node):
            _check_compared(node, group, types)
    for node in nodes.of(exp.Ordered):
        _check_order(node, types)
    windows = [node.args.get("partition_by") or () for node in nodes.of(exp.Window)]
    for each in [value for partition in windows for value in partition]:
        _check_equal(each, types.of(each), types)
    for select in nodes.of(exp.Select):
        _check_select(select, types)
    for node in nodes.in_turn(_SETS):
        _check_set(node, types)
    _check_calls(nodes, types)


def check_using(nodes: Nodes, types: Types) -> None:
    """Refuse USING of a json or jsonb.

    Raises:
        MismatchedTypeError: of a json (42883).
        NotSupportedError: of a jsonb.
    """
    for join in nodes.of(exp.Join):
        for name in join.args.get("using") or ():
            select = join.parent
            if not isinstance(select, exp.Select):
                continue
            merged = types.columns.of_merged(select, name.name)
            if any(is_document(each, Kind.JSON) for each in merged):
                raise MismatchedTypeError(
                    "operator does not exist: json = json",
                    hint=NO_OPERATOR,
                    position=position_of(join),
                    sqlstate="42883",
                )
            if any(is_document(each, Kind.JSONB) for each in merged):
                raise NotSupportedError(
                    "USING of a jsonb is not supported",
                    hint="Write ON with a comparison.",
                    position=position_of(join),
                )


def _check_compared(node: exp.Expr, group: list[exp.Expr], types: Types) -> None:
    found = [value_type(strip(side), types) for side in group]
    for side, each in zip(group, found, strict=True):
        _check_row(side, each, types)
    is_plain = any(is_document(each, Kind.JSON) for each in found)
    if not is_plain and not _is_unlike(group, found):
        return
    left, right = (
        "unknown" if is_open(side) or each is None else format_type(each)
        for side, each in list(zip(group, found, strict=True))[:2]
    )
    raise MismatchedTypeError(
        f"operator does not exist: {left} {_SYMBOLS.get(type(node), '=')} {right}",
        hint=NO_OPERATOR,
        position=position_of(group[-1]),
        sqlstate="42883",
    )


def _is_unlike(group: list[exp.Expr], found: list[DataType | None]) -> bool:
    """Whether a jsonb is compared with a value of another type, that is not a literal."""
    kinds = {
        each.kind
        for side, each in zip(group, found, strict=True)
        if each is not None and not is_open(side) and each.kind is not Kind.NULL
    }
    return Kind.JSONB in kinds and len(kinds) > 1


def _check_row(node: exp.Expr, found: DataType | None, types: Types) -> None:
    """Refuse to compare rows of json, which PostgreSQL does not, and rows of jsonb.

    DuckDB would compare the members as texts.
    """
    inner = list(_members(node, found, types))
    if any(is_document(each, Kind.JSON) for each in inner):
        raise MismatchedTypeError(
            "could not identify a comparison function for type json",
            position=position_of(node),
            sqlstate="42883",
        )
    if any(is_document(each, Kind.JSONB) for each in inner):
        raise NotSupportedError(
            "a comparison of rows with a jsonb is not supported",
            hint="Compare, order or group by their columns.",
            position=position_of(node),
        )


def _members(
    node: exp.Expr | None, found: DataType | None, types: Types
) -> Iterator[DataType | None]:
    """Yield the types of the members of a row, also of those of rows within it."""
    row = None if node is None else row_of(node)
    if row is not None:
        for each in row.expressions:
            of = types.of(each)
            yield of
            yield from _members(each, of, types)
    elif found is not None and (is_record(leaf := leaf_of(found))):
        for _, of in leaf.fields:
            yield of
            yield from _members(None, of, types)


def _check_equal(node: exp.Expr, found: DataType | None, types: Types) -> None:
    _check_row(node, found, types)
    if is_document(found, Kind.JSON):
        raise MismatchedTypeError(
            "could not identify an equality operator for type json",
            position=position_of(node),
            sqlstate="42883",
        )


def _check_order(node: exp.Expr, types: Types) -> None:
    meant, found = node.this, types.of(node.this)
    order = node.parent
    select = order.parent if isinstance(order, exp.Order) else None
    if isinstance(select, exp.Select):
        meant, found = term_of(node.this, select, types)
    elif isinstance(select, _SETS):
        found = next((t for _, t in _terms_of_set(node.this, select, types)), None)
    _check_row(meant, found, types)
    if is_document(found, Kind.JSON):
        raise MismatchedTypeError(
            "could not identify an ordering operator for type json",
            hint="Use an explicit ordering operator or modify the query.",
            position=position_of(node),
            sqlstate="42883",
        )


FOLLOWS = "follows"
"""Marks a term of GROUP BY that follows from others, so that no two of a group are compared."""


def term_of(
    term: exp.Expr, select: exp.Select, types: Types, *, is_group: bool = False
) -> tuple[exp.Expr, DataType | None]:
    """Return the expression that a term of ORDER BY, DISTINCT ON or GROUP BY means, and its type.

    A number is the place of a result column, a name is a result column's; GROUP BY takes a column
    of FROM before it.
    """
    bare = strip(term)
    if isinstance(bare, exp.Literal) and bare.name.isdigit() and not bare.is_string:
        columns = types.columns.of_columns(select)
        at = int(bare.name) - 1
        return columns[at] if 0 <= at < len(columns) else (term, None)
    if isinstance(bare, exp.Column) and not bare.table:
        found = types.of(bare) if is_group else None
        named = [item for item in select.expressions if item.alias_or_name == bare.name]
        if found is None and len(named) >= 1 and isinstance(named[0], exp.Alias):
            inner = named[0].this
            return inner, types.of(inner)
    return term, types.of(term)


def _terms_of_set(
    term: exp.Expr, tree: exp.SetOperation, types: Types
) -> Iterator[tuple[str, DataType | None]]:
    bare = strip(term)
    for at, (name, found) in enumerate(types.columns.of_set(tree), 1):
        if bare.name in {name, str(at)}:
            yield name, found


def group_items(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the expressions of GROUP BY, also those within ROLLUP, CUBE and GROUPING SETS."""
    if isinstance(node, exp.Group):
        for name in ("expressions", "rollup", "cube", "grouping_sets"):
            listed = node.args.get(name)
            for each in listed if isinstance(listed, list) else ():
                yield from group_items(each)
    elif isinstance(node, exp.Tuple | exp.Paren | exp.Rollup | exp.Cube | exp.GroupingSets):
        for each in [node.this] if isinstance(node, exp.Paren) else node.expressions:
            yield from group_items(each)
    else:
        yield node


def _check_select(select: exp.Select, types: Types) -> None:
    group, distinct = select.args.get("group"), select.args.get("distinct")
    for each in () if group is None else group_items(group):
        if FOLLOWS not in each.meta:
            _check_equal(*term_of(each, select, types, is_group=True), types)
    if distinct is None:
        return
    on = distinct.args.get("on")
    if on is None:
        for each, found in types.columns.of_columns(select):
            _check_equal(each, found, types)
    else:
        for each in on.expressions if isinstance(on, exp.Tuple) else [on]:
            _check_equal(*term_of(each, select, types), types)


def _check_set(node: exp.Expr, types: Types) -> None:
    assert isinstance(node, exp.SetOperation)
    if not node.args.get("distinct") and isinstance(node, exp.Union):
        return
    for _, found in types.columns.of_set(node):
        _check_equal(node.expression, found, types)


def _check_calls(nodes: Nodes, types: Types) -> None:
    for node in nodes.in_turn((exp.Greatest, exp.Least)):
        if any(is_document(types.of(each), Kind.JSON) for each in arguments(node)):
            raise MismatchedTypeError(
                "could not identify a comparison function for type json",
                position=position_of(node),
                sqlstate="42883",
            )
    distinct = [each for each in nodes.of(exp.Distinct) if not isinstance(each.parent, exp.Select)]
    for each in [value for node in distinct for value in node.expressions]:
        _check_equal(each, types.of(each), types)
    for node in nodes.among(CALLS):
        _check_call(node, types)
    for node in nodes.of(exp.WithinGroup):
        if call_name(node.this) in _BY_ORDER:
            found = [types.of(each.this) for each in node.expression.expressions]
            _refuse(node, f"{call_name(node.this)}() WITHIN GROUP", found)


def _check_call(node: exp.Expr, types: Types) -> None:
    name = call_name(node)
    if name in _OF_ARRAYS:
        found = [types.of(each) for each in arguments(node)]
    elif isinstance(node, exp.ArrayContainsAll | exp.ArrayContainedBy | exp.ArrayOverlaps):
        found = [
            each
            for each in (types.of(node.this), types.of(node.expression))
            if each is not None and each.kind is Kind.ARRAY
        ]
    else:
        return
    _refuse(node, f"{name}()" if name in _OF_ARRAYS else "an operator of arrays", found)


def _refuse(node: exp.Expr, what: str, found: list[DataType | None]) -> None:
    """Refuse what compares jsonb, or arrays of it, as DuckDB compares texts."""
    for kind in (Kind.JSON, Kind.JSONB):
        if any(is_document(each, kind) for each in found):
            raise NotSupportedError(
                f"{what} of {kind.value} values is not supported",
                hint="Compare them one by one: unnest the array.",
                position=position_of(node),
            )
