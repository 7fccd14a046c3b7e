"""Refuses what orders addresses, or computes with them: their texts have another order."""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.document_checks import term_of
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import alternatives, arguments, compared
from stategate.planner.postgres.types.signatures import SIGNATURES
from stategate.planner.trees.nodes import CALLS, Nodes, position_of
from stategate.planner.values.catalog_types import is_inet

_ORDERING = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_COMPUTING = (
    *(exp.Add, exp.Sub, exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot),
    *(exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.ArrayOverlaps),
)
_COMPARING = frozenset({"max", "min", "mode", "percentile_disc", "string_agg"})
"""Aggregates that order values or join texts, and whose signatures do not say so."""


def check_addresses(nodes: Nodes, types: Types) -> None:
    """Refuse what orders addresses, or computes with them.

    Raises:
        NotSupportedError: an operator, an ORDER BY or a function does (0A000).
    """
    for node in nodes.in_turn(_ORDERING):
        for group in compared(node):
            _check(node, group, types)
    for node in nodes.in_turn((exp.Greatest, exp.Least)):
        _check(node, alternatives(node), types)
    for ordered in nodes.of(exp.Ordered):
        select = None if ordered.parent is None else ordered.parent.parent
        meant = ordered.this
        if isinstance(select, exp.Select):
            meant, _ = term_of(meant, select, types)
        _check(ordered, [meant], types)
    for node in nodes.in_turn(_COMPUTING):
        if any(
            is_inet(types.of(side)) for side in (node.this, node.args.get("expression")) if side
        ):
            raise _refused(node, "an operator")
    for each in nodes.among(CALLS):
        _check_call(each, types)


def _check_call(node: exp.Expr, types: Types) -> None:
    """Refuse a call whose parameters, in the place of an address, have no pseudo type."""
    name, given = call_name(node), arguments(node)
    if name in _COMPARING and any(is_inet(types.of(each)) for each in given):
        raise _refused(node, f"{name}()")
    forms = SIGNATURES.get(name, ())
    for at, each in enumerate(given if forms else ()):
        wanted = [form[at] for form in forms if len(form) > at]
        is_known = not any(isinstance(one, str) for one in wanted)
        if wanted and is_known and is_inet(types.of(each)):
            raise _refused(node, f"{name}()")


def _check(node: exp.Expr, sides: list[exp.Expr], types: Types) -> None:
    if any(isinstance(side, exp.Expr) and is_inet(types.of(side)) for side in sides):
        raise _refused(node, "the order")


def _refused(node: exp.Expr, what: str) -> NotSupportedError:
    return NotSupportedError(
        f"{what} of inet values is not supported",
        hint="Cast them to text.",
        position=position_of(node),
    )
