"""Parentheses where the text of a tree would mean another tree.

A statement that is read has its own. A node that is put in the place of another one, or that gets
operands of calls, as the `%` of `mod(a + 1, b)`, may lack them.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.trees.checkpoints import checkpoint

_OR, _AND, _NOT, _IS, _COMPARISON, _RANGE = range(6)
_OTHER, _SUM, _PRODUCT, _POWER, _SUFFIX, _SIGN = range(6, 12)
_RANKS: tuple[tuple[tuple[type[exp.Expr], ...], int], ...] = (
    ((exp.Or, exp.Xor), _OR),
    ((exp.And,), _AND),
    ((exp.Not,), _NOT),
    ((exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ), _IS),
    ((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), _COMPARISON),
    ((exp.Between, exp.In, exp.Like, exp.ILike, exp.SimilarTo, exp.Escape), _RANGE),
    ((exp.Add, exp.Sub), _SUM),
    ((exp.Mul, exp.Div, exp.IntDiv, exp.Mod), _PRODUCT),
    ((exp.Pow,), _POWER),
    ((exp.AtTimeZone, exp.Collate), _SUFFIX),
    ((exp.Neg, exp.BitwiseNot), _SIGN),
)
"""Operators, the loosest first; all other ones with two sides are between ranges and sums."""
_CHAINED = (exp.Connector, exp.DPipe, exp.Add, exp.Sub, exp.Mul)
"""Operators whose left side may be of the same kind."""
_NO_OPERATORS = (exp.Dot, exp.PropertyEQ, exp.Kwarg, exp.Slice)
_SIDES = ("this", "expression", "low", "high", "zone")


def parenthesize(tree: exp.Expr) -> None:
    """Put parentheses around each operand that another operator would otherwise take, in place."""
    found: list[tuple[exp.Expr, int]] = []
    for node in tree.walk():
        checkpoint()
        if isinstance(node, exp.Bracket):
            found.append((node, _SIGN))
        elif (rank := _rank(type(node))) is not None and not isinstance(node, exp.Escape):
            found.append((node, rank))  # `a LIKE b ESCAPE c` has no parentheses
    for node, rank in found:
        checkpoint()
        for side in _SIDES:
            operand = node.args.get(side)
            is_test = isinstance(node, exp.Is) and side != "this"  # `IS NOT NULL`
            if isinstance(operand, exp.Expr) and not is_test and _needs(node, rank, operand, side):
                node.set(side, exp.Paren(this=operand))


def enclosed(node: exp.Expr) -> exp.Expr:
    """Return a node in parentheses if it is an operator, so that any other one can take it."""
    return node if _rank(type(node)) is None else exp.Paren(this=node)


def _needs(node: exp.Expr, rank: int, operand: exp.Expr, side: str) -> bool:
    inner = _rank(type(operand))
    if inner is None:
        return False
    if isinstance(node, _CHAINED) and type(node) is type(operand):
        return side != "this" and not isinstance(node, exp.Connector)
    if rank <= _NOT:
        return inner <= rank
    # Grammars differ in the order of those that are no arithmetic, and in that of powers and signs.
    return inner <= (_SIGN if rank == _POWER else max(rank, _OTHER))


def _rank(kind: type[exp.Expr]) -> int | None:
    """Return the precedence of an operator, from 0 for the loosest; None for other nodes."""
    if kind not in _known:
        _known[kind] = _found_rank(kind)
    return _known[kind]


def _found_rank(kind: type[exp.Expr]) -> int | None:
    for kinds, rank in _RANKS:
        if issubclass(kind, kinds):
            return rank
    return _OTHER if issubclass(kind, exp.Binary) and not issubclass(kind, _NO_OPERATORS) else None


_known: dict[type[exp.Expr], int | None] = {}
