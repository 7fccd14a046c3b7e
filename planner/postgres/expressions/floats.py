"""Arithmetic of doubles and reals beyond their range, and division of NaN.

DuckDB's result is infinite; PostgreSQL fails (22003).
"""

from __future__ import annotations

from sqlglot import exp

from planner.errors import RAISED
from planner.postgres.expressions.rules import Rule
from planner.postgres.types.inference import Types
from planner.postgres.types.result_types import FLOATS
from planner.trees.nodes import call, signed, wrapped

LEAVES_MAX = 16
"""Most operands of a checked computation: the check writes it twice, and each operand again."""
_STEPS = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_THROUGH = (*_STEPS, exp.Paren, exp.Neg)


def range_checked(rule: Rule) -> Rule:
    """Return a rule of arithmetic that also checks the result, once for a whole computation."""

    def checked(node: exp.Expr, types: Types) -> exp.Expr:
        fresh = rule(node, types)
        is_float = fresh is node and _is_float(node, types)
        return _checked(node, types) if is_float and not _is_operand(node, types) else fresh

    return checked


def _is_operand(node: exp.Expr, types: Types) -> bool:
    """Whether the result is an operand of more arithmetic, which will be checked."""
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Neg):
        parent = parent.parent
    return isinstance(parent, _STEPS) and _is_float(parent, types)


def _is_float(node: exp.Expr, types: Types) -> bool:
    """Whether a node is a real or double; numbers such as `1e3` beside one do not change that."""
    if types.kind_of(node) in FLOATS:
        return True
    sides = (node.this, node.args.get("expression")) if isinstance(node, _THROUGH) else ()
    floats = [side is not None and _is_float(side, types) for side in sides]
    return any(floats) and all(
        is_float or side is None or _is_number(side)
        for side, is_float in zip(sides, floats, strict=True)
    )


def _checked(node: exp.Expr, types: Types) -> exp.Expr:
    leaves = _leaves(node, types)
    if leaves is None:
        return node
    finite = [call("isfinite", leaf.copy()) for leaf in leaves]
    overflows = exp.and_(exp.Not(this=call("isfinite", node.copy())), *finite)
    message = f"{RAISED}22003 value out of range: overflow"
    error = call("pg_sg_error", exp.Literal.string(message))
    fresh = exp.Case(ifs=[exp.If(this=overflows, true=error)], default=node.copy())
    return node.replace(exp.Paren(this=fresh))


def _leaves(node: exp.Expr, types: Types) -> list[exp.Expr] | None:
    """Return the operands that may be infinite; None if they are too many, or have a subquery."""
    if node.find(exp.Query):
        return None
    found: list[exp.Expr] = []
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, exp.Cast) and types.kind_of(each.this) in FLOATS:
            left.append(each.this)
        elif isinstance(each, _THROUGH):
            left += [side for side in (each.this, each.args.get("expression")) if side is not None]
        elif types.kind_of(each) in FLOATS and not _is_number(each):
            found.append(each)
    return found if len(found) <= LEAVES_MAX else None


def _is_number(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Cast) else node
    return isinstance(inner, exp.Literal) and not inner.is_string


def keep_nan(node: exp.Expr, types: Types) -> None:
    """Divide NaN by 0 as PostgreSQL does: the result is NaN; all else by 0 is an error."""
    left, right = node.this, node.expression
    kind = types.of(right)
    number, _ = signed(right)
    is_safe = isinstance(number, exp.Literal) and not number.is_string and float(number.name)
    is_float = types.kind_of(left) in FLOATS and left.find(exp.Div) is None
    if kind is not None and is_float and not is_safe:
        types.note(wrapped(right, lambda inner: call("pg_sg_divides", left.copy(), inner)), kind)


def _power(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    return node.replace(call("pg_sg_power", node.this.copy(), node.expression.copy()))


POWER: Rule = _power
"""The rule of `^` and `power`."""
