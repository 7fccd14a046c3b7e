"""Lifting: which literals of a text can become parameters without changing its meaning.

A literal is lifted if it is compared with a column, alone, in a list or in the arithmetic of a
moment; a typed literal, in any expression. All others are kept: numbers of ORDER BY and LIMIT,
intervals, patterns, arguments of functions. A text literal takes the type of its parameter, as it
would have taken that of the column. `is_same` checks that the reads of the plan depend on each of
the parameters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sqlglot import exp

from stategate.planner.binding.computed_values import is_constant
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import Compose, Node, QueryPlan
from stategate.planner.planning.shapes import Parameterized
from stategate.planner.trees.nodes import kinds
from stategate.planner.values.statement import Statement

_COMPARISONS = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE})
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul)
_IN_MOMENTS = (*_ARITHMETIC, exp.Paren)
_OF_MOMENTS = frozenset({*_IN_MOMENTS, exp.Literal, exp.Cast, exp.DataType, exp.Interval, exp.Var})
"""The nodes of a moment: a time, an interval, or a number of intervals."""
_LISTS = (exp.In, exp.Tuple, exp.Array)
_SUBQUERIES = kinds(exp.Query)
_TYPE = re.compile(
    r"(?<![\w$.\"])(date|timestamptz|timestamp(?:\s+with(?:out)?\s+time\s+zone)?)\s*$",
    re.IGNORECASE,
)
"""The type before a typed literal, as in `date '2020-01-01'`."""


def liftable(tree: exp.Query, found: Parameterized) -> tuple[int, ...]:
    """Return the indices of the literals that may become parameters.

    Args:
        tree: the tree of the text, before it is bound.
        found: the literals of the text.
    """
    where = tree.args.get("where")
    if where is None or any(where.find_all(*_SUBQUERIES)):
        return ()
    operands = [each for each in where.find_all(exp.Literal) if _is_operand(each)]
    # If two nodes had the same position, one parameter would stand in two places.
    starts = Counter(each.meta.get("start") for each in operands)
    return tuple(
        [
            place
            for place, (begin, _) in enumerate(found.spans)
            if starts[begin if found.types[place] is not None else begin - 1] == 1
        ]
    )


def _is_operand(literal: exp.Literal) -> bool:
    """Whether a literal is compared with a column, and can be a parameter there."""
    node = _operand_of(literal)
    parent = None if node is None else node.parent
    if node is None or parent is None:
        return False
    if isinstance(parent, _LISTS):
        return _is_member(parent)
    if isinstance(parent, exp.Between):
        return node is not parent.this and _has_column(parent.this)
    if isinstance(parent, exp.Any):
        return not isinstance(node, exp.Cast) and _is_compared(parent)
    return _is_compared(node)


def _operand_of(literal: exp.Literal) -> exp.Expr | None:
    """Return the literal, the typed literal around it, or the moment that contains it."""
    node: exp.Expr = literal
    if literal.is_string and isinstance(literal.parent, exp.Cast):
        node = literal.parent
        if node.args["to"].expressions:
            return None  # timestamp(3) rounds
    around = _outside(node, exp.Paren)
    if node is not literal:  # a parameter of the same type computes the same
        while around.parent is not None and not isinstance(around.parent, exp.Array):
            if not is_constant(around.parent):
                break
            around = around.parent
        return around
    if not isinstance(around.parent, _ARITHMETIC):
        return around
    if literal.is_string:
        return None  # its type is open
    moment = _outside(around, _IN_MOMENTS)
    types = {type(each) for each in moment.walk()}
    return moment if exp.Interval in types and types <= _OF_MOMENTS else None


def _outside(node: exp.Expr, kind: type[exp.Expr] | tuple[type[exp.Expr], ...]) -> exp.Expr:
    """Return the outermost node of these types that contains a node, or else the node itself."""
    while isinstance(node.parent, kind):
        node = node.parent
    return node


def _is_compared(node: exp.Expr) -> bool:
    parent = node.parent
    if parent is None or type(parent) not in _COMPARISONS:
        return False
    other = parent.expression if parent.this is node else parent.this
    return _has_column(other)


def _has_column(node: exp.Expr) -> bool:
    return node.find(exp.Column) is not None


def _is_member(within: exp.Expr) -> bool:
    """Whether a list is compared with columns, and each place has the type of its column.

    Members of several types have one type in common, which may differ from the column's type.
    """
    rows: Sequence[exp.Expr] = within.expressions
    if isinstance(within, exp.Array):
        outer = _outside(within, exp.Paren)
        return isinstance(outer.parent, exp.Any) and _is_compared(outer.parent) and _are_alike(rows)
    if isinstance(within, exp.In):
        return _has_column(within.this) and _are_alike(rows)
    listed = within.parent
    if not isinstance(listed, exp.In) or within is listed.this:
        return False
    columns = zip(*(each.expressions for each in listed.expressions), strict=False)
    return _has_column(listed.this) and all(map(_are_alike, columns))


def _are_alike(members: Sequence[exp.Expr]) -> bool:
    """Whether all members are numbers, or all are texts without a type."""
    kinds_of = {isinstance(each, exp.Literal) and each.is_string for each in members}
    return len(kinds_of) == 1 and all(isinstance(each, exp.Literal) for each in members)


def lifted_text(sql: str, lifted: Parameterized) -> str:
    """Return a text with $1, $2, … in place of the literals that are lifted."""
    pieces: list[str] = []
    at = 0
    for number, ((begin, end), data_type) in enumerate(
        zip(lifted.spans, lifted.types, strict=True), start=1
    ):
        quote = 1 if data_type is None else 0
        before = sql[at : begin - quote]
        typed = _TYPE.search(before) if quote else None
        if typed is not None:
            before = f"{before[: typed.start()]}${number}::{typed[1]}"
        else:
            before += f"${number}"
        pieces.append(before)
        at = end + quote
    return "".join(pieces) + sql[at:]


def may_share(planned: Statement) -> bool:
    """Whether a statement's plan may serve other texts: it reads few rows, or composes stores."""
    plan = planned.plan
    return planned.look_up is not None or (
        isinstance(plan, QueryPlan)
        and isinstance(plan.node, Compose)
        and any(True for _ in _accesses(plan.node))
    )


def is_same(planned: Statement, own: Statement, lifted: Parameterized) -> bool:
    """Whether a plan with parameters serves a text: its reads depend on each of the parameters.

    DuckDB may compare them once more with the same columns, which changes nothing.

    Args:
        planned: the statement with parameters.
        own: the statement of the text, planned by itself.
        lifted: the literals that became parameters.
    """
    plan = planned.plan
    if not isinstance(plan, QueryPlan) or not may_share(planned):
        return False
    if planned.columns != own.columns or len(plan.taken) != len(lifted.literals):
        return False
    return read_parameters(planned) == set(range(len(plan.taken)))


def read_parameters(planned: Statement) -> frozenset[int]:
    """Return the indices of the parameters on which the reads of a statement depend."""
    plan = planned.plan
    if not isinstance(plan, QueryPlan):
        return frozenset()
    read = frozenset[int]().union(*(a.predicate.parameters for a in _accesses(plan.node)))
    return read if plan.values is None else plan.values.inputs_of(read)


def _accesses(node: Node) -> Iterator[Access]:
    if not isinstance(node, Compose):
        yield node.access
        return
    for _, each in node.inputs:
        if isinstance(each, Access):
            yield each
