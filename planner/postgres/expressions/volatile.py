"""Volatile values, such as `random()`, where DuckDB would compute them several times.

DuckDB writes a macro's argument wherever the macro reads it, and the operand that CASE, IN and
`nullif` compare once for each comparison. PostgreSQL computes it once. So the value becomes the
only element of a list, and a lambda reads it. DuckDB takes no subquery in a lambda, so a subquery
next to the value goes into the list, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Iterator

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.records.duckdb_functions import VOLATILE_OF_DUCKDB
from stategate.planner.records.functions import RECORDS
from stategate.planner.trees.nodes import Nodes, call, kinds, position_of, put, wrapped

VOLATILE = VOLATILE_OF_DUCKDB | {name for name, each in RECORDS.items() if each.is_volatile}
"""Functions that return another value in each call."""
_CALLS = kinds(exp.Rand, exp.Uuid, exp.Anonymous)
_COMPARED = (exp.Case, exp.In, exp.Nullif)
"""Nodes whose first operand DuckDB computes once for each comparison."""


def compute_once(nodes: Nodes, taken: Container[str]) -> None:
    """Hold volatile values that DuckDB would compute again, in place.

    Args:
        nodes: the nodes of a tree that DuckDB can run.
        taken: the names in the statement.
    """
    names = (name for n in itertools.count() if (name := f"once{n}") not in taken)
    for node, name in zip(volatile_calls(nodes), names, strict=False):
        child = node
        while (parent := child.parent) is not None and not isinstance(parent, exp.Query):
            child = held(parent, child, name) if _repeats(parent, child) else parent


def is_volatile(node: exp.Expr) -> bool:
    """Whether an expression can have another value each time that it is computed."""
    return any(call_name(each) in VOLATILE for each in node.find_all(*_CALLS))


def check_copied(row: Iterable[exp.Expr]) -> None:
    """Refuse volatile values in a row that is written several times.

    Raises:
        NotSupportedError: the row has one (0A000).
    """
    for value in row:
        if is_volatile(value):
            raise NotSupportedError(
                "a volatile value is not supported in such a comparison of rows",
                hint="Compute it in a subquery in FROM.",
                position=position_of(value),
            )


def volatile_calls(nodes: Nodes) -> Iterator[exp.Expr]:
    """Yield the calls of volatile functions."""
    if nodes.has(_CALLS):
        yield from [node for node in nodes.among(_CALLS) if call_name(node) in VOLATILE]


def _repeats(parent: exp.Expr, child: exp.Expr) -> bool:
    """Whether a child may be computed several times, and can be held."""
    if isinstance(parent, exp.Anonymous):
        return parent.name.startswith("pg_sg_") or parent.name == "round_even"
    is_compared = isinstance(parent, _COMPARED) and parent.args.get("this") is child
    return is_compared and parent.args.get("query") is None


def held(parent: exp.Expr, child: exp.Expr, name: str, whole: exp.Expr | None = None) -> exp.Expr:
    """Return an expression in which an operand is computed once, in the place of the former one.

    Args:
        parent: the node that reads the operand.
        child: the operand.
        name: a free name for its value.
        whole: what is already around the parent for another of its operands; None for nothing.
    """
    values = [child, *_queries(parent, child)]
    for place, value in enumerate(values, 1):
        column: exp.Expr = exp.column(name, quoted=True)
        if len(values) > 1:
            column = call("struct_extract", column, exp.Literal.number(place))
        put(value, column)
    listed = exp.Array(expressions=[child if len(values) == 1 else call("row", *values)])

    def hold(inner: exp.Expr) -> exp.Expr:
        each = exp.Lambda(this=inner, expressions=[exp.to_identifier(name, quoted=True)])
        return call("list_extract", call("list_transform", listed, each), exp.Literal.number(1))

    return wrapped(whole or parent, hold)


def _queries(parent: exp.Expr, child: exp.Expr) -> list[exp.Expr]:
    """Return the subqueries beside a value, without those inside other subqueries.

    Raises:
        NotSupportedError: one returns rows, which cannot be held (0A000).
    """
    found: list[exp.Expr] = []
    left = [each for each in parent.iter_expressions() if each is not child]
    while left:
        node = left.pop()
        if isinstance(node, exp.Exists | exp.Subquery):
            found.append(node)
        elif isinstance(node, exp.In | exp.Any | exp.All) and node.find(exp.Query):
            raise NotSupportedError(
                "a subquery of rows beside a volatile value is not supported",
                hint="Compute that value in a subquery in FROM.",
                position=position_of(node),
            )
        else:
            left += node.iter_expressions()
    return found
