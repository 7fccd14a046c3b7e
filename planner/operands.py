"""What calls and alternatives are made of, whatever their types are."""

from __future__ import annotations

from sqlglot import exp


def arguments(node: exp.Expr) -> list[exp.Expr]:
    """The arguments of a call, in order, without DISTINCT and ORDER BY."""
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
    """Whether it is a bare text, or NULL, whose type its place says."""
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, exp.Null) or (isinstance(node, exp.Literal) and bool(node.is_string))


def alternatives(node: exp.Expr) -> list[exp.Expr]:
    """What a CASE, `coalesce` or the like gives one of."""
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        results = [branch.args["true"] for branch in node.args["ifs"]]
        return [*results, *([default] if default is not None else [])]
    if isinstance(node, exp.Nullif):
        return [node.this]
    if isinstance(node, exp.If):
        return [n for n in (node.args.get("true"), node.args.get("false")) if n is not None]
    return [node.this, *node.expressions]


def is_recursive(tree: exp.Expr) -> bool:
    """Whether it is a query that may read itself."""
    cte = tree.parent
    return isinstance(cte, exp.CTE) and bool(cte.parent and cte.parent.args.get("recursive"))
