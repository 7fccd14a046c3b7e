"""Values that are new each time they are computed, where DuckDB would compute one several times.

A macro is expanded where it is called, with its argument wherever it reads it; DuckDB does the same
with what CASE, IN and `nullif` compare. So `substring(t, random()…)` began at one place and ended
at another. Such an argument is held as the only element of a list.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from sqlglot import exp

from planner.functions import call_name
from planner.trees import call, wrapped
from planner.walk import Nodes, kinds

VOLATILE = frozenset({"random", "gen_random_uuid", "uuid", "uuidv4", "uuidv7"})
"""Functions that give another value each time."""
_CALLS = kinds(exp.Rand, exp.Uuid, exp.Anonymous)
_COMPARED = (exp.Case, exp.In, exp.Nullif)
"""What DuckDB computes the first argument of as often as it compares it."""


def compute_once(nodes: Nodes, taken: Container[str]) -> None:
    """Hold such values where they would be computed again, in place.

    Args:
        nodes: of a tree that DuckDB can run.
        taken: names that the statement has.
    """
    for number, node in enumerate(_volatile(nodes)):
        name = f"once{number}"
        while name in taken:
            name += "_"
        child = node
        while (parent := child.parent) is not None and not isinstance(parent, exp.Query):
            child = _held(parent, child, name) if _repeats(parent, child) else parent


def _volatile(nodes: Nodes) -> Iterator[exp.Expr]:
    if nodes.has(_CALLS):
        yield from [node for node in nodes.among(_CALLS) if call_name(node) in VOLATILE]


def _repeats(parent: exp.Expr, child: exp.Expr) -> bool:
    """Whether a child may be computed several times, and can be held."""
    if isinstance(parent, exp.Anonymous):
        found = parent.name.startswith("pg_sg_") or parent.name == "round_even"
    else:
        found = isinstance(parent, _COMPARED) and parent.args.get("this") is child
    # DuckDB takes no subquery within a lambda.
    others = (each for each in parent.iter_expressions() if each is not child)
    return found and not any(each.find(exp.Query) for each in others)


def _held(parent: exp.Expr, child: exp.Expr, name: str) -> exp.Expr:
    child.replace(exp.column(name, quoted=True))
    listed = exp.Array(expressions=[child])

    def hold(inner: exp.Expr) -> exp.Expr:
        each = exp.Lambda(this=inner, expressions=[exp.to_identifier(name, quoted=True)])
        return call("list_extract", call("list_transform", listed, each), exp.Literal.number(1))

    return wrapped(parent, hold)
