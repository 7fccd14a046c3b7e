"""What is kept of a statement's tree once it is planned: the places of its names, and its size.

A tree is made of cycles, thousands of objects for each statement. Plans are cached without them, or
Python's collector would look at all of them again and again, while no other thread runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from sqlglot import exp

from planner.trees.nodes import position_of


class Outline(Struct, frozen=True, kw_only=True):
    """Places in a statement's text, counted from 1, and what it makes of the rows that it reads."""

    names: Mapping[str, int]
    """Of each name and function, in lower case, where it first stands."""
    literals: Mapping[str, int | None]
    """The same of the texts of literals; None of one whose place is not known."""
    reads: bool
    """Whether it has a FROM."""
    groups: bool
    """Whether it has a GROUP BY."""
    aggregates: bool
    """Whether its result is computed from all rows."""
    limit: int | None
    """Its LIMIT, where that is a number."""

    def position(self, name: str) -> int | None:
        """Where a name, a function or the text of a literal stands."""
        if name in self.literals:
            return self.literals[name]
        wanted = name.split("(", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1].lower()
        return self.names.get(wanted)

    def rows(self, read: float) -> float:
        """About how many rows it gives, of so many that it reads."""
        found = read
        if self.groups:
            found = max(1.0, read / 10)
        elif self.aggregates:
            found = 1.0
        return found if self.limit is None else min(found, float(self.limit))


def outline(tree: exp.Expr) -> Outline:
    """The outline of a bound tree."""
    names: dict[str, int] = {}
    literals: dict[str, int | None] = {}
    reads = False
    for node in tree.walk():
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
        literals=literals,
        reads=reads,
        groups=is_select and tree.args.get("group") is not None,
        aggregates=is_select and any(item.find(exp.AggFunc) for item in tree.expressions),
        limit=int(count.name) if known and count is not None else None,
    )


def _name(node: exp.Expr) -> str | None:
    if isinstance(node, exp.Identifier | exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else None
