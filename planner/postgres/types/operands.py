"""The operands of calls, alternatives and comparisons, whatever their types are."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.trees.nodes import strip

COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
"""The comparisons of two values, with their symbols."""
COMPARED: tuple[type[exp.Expr], ...] = (
    *(*COMPARISONS, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.In, exp.Between, exp.Nullif, exp.Case),
)
"""Nodes that compare values."""


def arguments(node: exp.Expr) -> list[exp.Expr]:
    """Return the arguments of a call, in order, without DISTINCT and ORDER BY."""
    found: list[exp.Expr] = []
    for value in node.args.values():
        found += [v for v in (value if isinstance(value, list) else [value]) if v is not None]
    plain = [each for each in found if isinstance(each, exp.Expr)]
    stripped: list[exp.Expr] = []
    for each in plain:
        inner = each
        while isinstance(inner, exp.Order):
            inner = inner.this
        if isinstance(inner, exp.Distinct):
            stripped += inner.expressions
        else:
            stripped.append(inner)
    return stripped


def is_open(node: exp.Expr) -> bool:
    """Whether a node is a bare text or NULL, which takes its type from its context."""
    node = strip(node)
    return isinstance(node, exp.Null) or (isinstance(node, exp.Literal) and bool(node.is_string))


def is_row_value(row: exp.Tuple) -> bool:
    """Whether a row that is written out is a value of a SELECT list or of VALUES, or in a row."""
    parent = row.parent
    if isinstance(parent, exp.Tuple):
        return isinstance(parent.parent, exp.Values) or is_row_value(parent)
    is_in_row = isinstance(parent, exp.Anonymous) and parent.name.lower() == "row"
    return is_in_row or isinstance(parent, exp.Select | exp.Alias)


ALTERNATIVES: dict[type[exp.Expr], str] = {
    exp.Case: "CASE",
    exp.Coalesce: "COALESCE",
    exp.Greatest: "GREATEST",
    exp.Least: "LEAST",
    exp.Array: "ARRAY",
}
"""Nodes whose alternatives or elements have one type, each with PostgreSQL's name for it."""


def alternatives(node: exp.Expr) -> list[exp.Expr]:
    """Return the expressions of which CASE, `coalesce` or the like returns one."""
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        results = [branch.args["true"] for branch in node.args["ifs"]]
        return [*results, *([default] if default is not None else [])]
    if isinstance(node, exp.Nullif):
        return [node.this]
    if isinstance(node, exp.Array):
        return list(node.expressions)
    if isinstance(node, exp.If):
        return [n for n in (node.args.get("true"), node.args.get("false")) if n is not None]
    return [node.this, *node.expressions]


def compared(node: exp.Expr) -> list[list[exp.Expr]]:
    """Return the operands that a node compares, one list for each type that they share."""
    if isinstance(node, exp.NullSafeEQ | exp.NullSafeNEQ) and _has_null(node):
        groups = []  # `IS DISTINCT FROM NULL` takes values of any type
    elif isinstance(node, exp.Case):
        groups = [[node.this, branch.this] for branch in node.args["ifs"] if node.this is not None]
    elif isinstance(node, exp.Between):
        groups = [[node.this, node.args["low"]], [node.this, node.args["high"]]]
    elif isinstance(node, exp.In):
        query = node.args.get("query")
        groups = [[node.this, *node.expressions, *([] if query is None else [query])]]
    else:
        groups = [[node.this, node.expression]]
    return [columns for group in groups for columns in _by_column(group)]


def _has_null(node: exp.Binary) -> bool:
    return any(isinstance(strip(side), exp.Null) for side in (node.this, node.expression))


def _by_column(group: list[exp.Expr]) -> list[list[exp.Expr]]:
    """Return the columns of compared rows; one list of all operands if they are not rows."""
    if members_of(group[0]) is None:
        return [group]  # as in most statements
    rows = [row for each in group if (row := members_of(each)) is not None]
    if len(rows) < len(group):
        return [group]
    return [list(column) for column in zip(*rows, strict=False)]


def members_of(node: exp.Expr) -> list[exp.Expr] | None:
    """Return the members of a row that is written out; None for other nodes."""
    bare = strip(node)
    is_call = isinstance(bare, exp.Anonymous) and bare.name.lower() == "row"
    return bare.expressions if is_call or isinstance(bare, exp.Tuple) else None


def is_recursive(tree: exp.Expr) -> bool:
    """Whether a query reads itself: it is in WITH RECURSIVE, and names itself."""
    cte = tree.parent
    if not isinstance(cte, exp.CTE) or not (cte.parent and cte.parent.args.get("recursive")):
        return False
    return any(table.name == cte.alias and not table.db for table in tree.find_all(exp.Table))
