"""Long filters, which DuckDB must run as they are written.

DuckDB's optimizer compares each part of a filter with the others, to find conditions that follow
from them: its time grows with the square of their number, and so may its memory. So the parts of a
filter with more than PARTS_MAX comparisons become the condition of a CASE. DuckDB does not take
that apart, and stops in it as early as in a filter. Parts that it needs to join tables stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from sqlglot import exp

from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes

PARTS_MAX = 64
"""The most comparisons of a filter that DuckDB takes apart: some milliseconds."""
_CLAUSES = (exp.Where, exp.Having, exp.Join)
_JOINING = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)


def may_be_in(nodes: Nodes) -> bool:
    """Whether a tree has so many connectors that one of its filters may be long."""
    return len(nodes.of(exp.And)) + len(nodes.of(exp.Or)) >= PARTS_MAX


def enclose(nodes: Nodes) -> None:
    """Enclose the parts of long filters in CASE, in place."""
    for kind in _CLAUSES:
        for clause in nodes.of(kind):
            key = "on" if kind is exp.Join else "this"
            condition = clause.args.get(key)
            # The filter of an aggregate is an expression, which is not optimized in this way.
            if condition is None or isinstance(clause.parent, exp.Filter):
                continue
            if sum(1 for _ in compared(condition)) > PARTS_MAX:
                clause.set(key, _enclosed(condition))


def compared(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the comparisons that ANDs, ORs and NOTs connect to a condition."""
    left = [condition]  # no recursion: programs write thousands of parts
    while left:
        checkpoint()
        node = left.pop()
        if isinstance(node, exp.And | exp.Or):
            left += (node.expression, node.this)
        elif isinstance(node, exp.Paren | exp.Not):
            left.append(node.this)
        else:
            yield node


def _enclosed(condition: exp.Expr) -> exp.Expr:
    """Return a condition whose parts are in one CASE for each set of tables.

    DuckDB still filters the rows of one table before it joins them.
    """
    kept: list[exp.Expr] = []
    others: dict[frozenset[str], list[exp.Expr]] = {}
    for part in _parts(condition, exp.And):
        if len(kept) < PARTS_MAX:
            kept += [each for each in _shared(part) if each not in kept]
        tables = frozenset(column.table for column in part.find_all(exp.Column))
        is_joining = isinstance(part, _JOINING) and len(tables) > 1 and len(kept) < PARTS_MAX
        if is_joining or part.find(exp.Query) is not None:
            kept.append(part)
        else:
            others.setdefault(tables, []).append(part)
    kept += [
        exp.Case(ifs=[exp.If(this=_all_of(parts), true=exp.true())]) for parts in others.values()
    ]
    return _all_of(kept)


def _shared(part: exp.Expr) -> list[exp.Expr]:
    """Return the equalities of columns that all alternatives of a part have, to join tables by."""
    alternatives = [_parts(each, exp.And) for each in _parts(part, exp.Or)]
    if len(alternatives) < 2:
        return []
    equal = [each for each in alternatives[0] if _is_of_columns(each)]
    for parts in alternatives[1:]:
        if equal:
            found = {each for each in parts if _is_of_columns(each)}
            equal = [each for each in equal if each in found]
    return [each.copy() for each in equal]


def _is_of_columns(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.EQ)
        and isinstance(node.this, exp.Column)
        and isinstance(node.expression, exp.Column)
        and node.this.table != node.expression.table
    )


def _parts(node: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    """Return what a chain of ANDs or ORs connects, in order."""
    found: list[exp.Expr] = []
    left = [node]
    while left:
        checkpoint()
        part = left.pop()
        bare = part.unnest()
        if isinstance(bare, kind):
            left += (bare.args["expression"], bare.this)
        else:
            found.append(part)
    return found


def _all_of(parts: Iterable[exp.Expr]) -> exp.Expr:
    return reduce(lambda one, other: exp.And(this=one, expression=other), parts)
