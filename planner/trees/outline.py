"""The outline of a statement's tree that its plan keeps: the places of names, and its size.

A tree has thousands of objects in reference cycles. Python's collector would visit them again and
again while no other thread runs. So cached plans keep an outline, not the tree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from sqlglot import exp

from planner.trees.nodes import position_of


class Outline(Struct, frozen=True, kw_only=True):
    """Places in a statement's text, counted from 1, and how many rows it returns."""

    names: Mapping[str, int]
    """The first place of each name and function, in lower case."""
    calls: frozenset[str]
    """The functions that it calls, as it names them in lower case."""
    literals: Mapping[str, int | None]
    """The first place of the text of each literal; None if it is not known."""
    reads: bool
    """Whether it has a FROM."""
    groups: bool
    """Whether it has a GROUP BY."""
    aggregates: bool
    """Whether its SELECT list has an aggregate."""
    limit: int | None
    """Its LIMIT, if it is a number."""

    def position(self, name: str) -> int | None:
        """Return where a name, a function or the text of a literal stands."""
        if name in self.literals:
            return self.literals[name]
        wanted = name.split("(", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1].lower()
        return self.names.get(wanted)

    def written(self, called: str) -> str | None:
        """Return a call, such as `f(integer)`, with the name that the statement writes.

        DuckDB may name an alias of the function, or one that a rule of rewriting calls. None if it
        is not certain which call of the statement is meant.
        """
        name, parenthesis, rest = called.removeprefix("pg_sg_").partition("(")
        alias = re.sub("^list_", "array_", name.lower())
        is_known = not self.calls or name.lower() in {*self.names, *self.calls}
        if not name.isidentifier() or is_known:
            return f"{name}{parenthesis}{rest}"
        only = alias if alias in self.calls else next(iter(self.calls), None)
        is_certain = only is not None and (only == alias or len(self.calls) == 1)
        return f"{only}{parenthesis}{rest}" if is_certain else None

    def rows(self, read: float) -> float:
        """Estimate how many rows it returns if it reads a given number."""
        found = read
        if self.groups:
            found = max(1.0, read / 10)
        elif self.aggregates:
            found = 1.0
        return found if self.limit is None else min(found, float(self.limit))


def outline(tree: exp.Expr) -> Outline:
    """Return the outline of a bound tree."""
    names: dict[str, int] = {}
    literals: dict[str, int | None] = {}
    calls: set[str] = set()
    reads = False
    for node in tree.walk():
        if "name" in node.meta or isinstance(node, exp.Anonymous):
            calls.add((_name(node) or "").removeprefix("pg_sg_"))
        if isinstance(node, exp.Literal):
            literals.setdefault(node.name, position_of(node))
        elif isinstance(node, exp.From):
            reads = True
        if "start" in node.meta and (name := _name(node)) is not None:
            place = int(node.meta["start"]) + 1
            names[name] = min(place, names.get(name, place))
    is_select = isinstance(tree, exp.Select)
    limit = tree.args.get("limit")
    count = None if limit is None else limit.args.get("expression")
    known = isinstance(count, exp.Literal) and count.name.isdigit()
    return Outline(
        names=names,
        calls=frozenset(calls),
        literals=literals,
        reads=reads,
        groups=is_select and tree.args.get("group") is not None,
        aggregates=is_select and any(item.find(exp.AggFunc) for item in tree.expressions),
        limit=int(count.name) if known and count is not None else None,
    )


def _name(node: exp.Expr) -> str | None:
    if "name" in node.meta:
        return str(node.meta["name"]).lower()
    if isinstance(node, exp.Identifier | exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else None
