"""The outline of a statement's tree that its plan keeps: the places of names, and its size.

A tree has thousands of objects in reference cycles. Python's collector would visit them again and
again while no other thread runs. So cached plans keep an outline, not the tree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct
from sqlglot import exp

from stategate.planner.trees.nodes import position_of

_WORD = re.compile(r"\b[a-z_]\w*\b", re.IGNORECASE)
_CALL = re.compile(r"(\w+)\(")
_WRITTEN = {"listagg": "string_agg"}
"""Names that functions have in DuckDB's SQL, whatever calls them."""


class Outline(Struct, frozen=True, kw_only=True):
    """Places in a statement's text, counted from 1, and how many rows it returns."""

    names: Mapping[str, int]
    """The first place of each name and function, in lower case."""
    written: Mapping[str, str]
    """DuckDB's name of each function that the statement calls, and the name that it has there."""
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

    def in_words_of_statement(self, said: str) -> str:
        """Return a message of DuckDB with the names of functions that the statement has."""
        return _WORD.sub(lambda found: self._called(found[0]), said)

    def calls(self, function: str) -> bool:
        """Whether the statement has a call that is one of this function of DuckDB, or an operator.

        Others are made of several calls and operators, so their arguments say little.
        """
        name = function.split("(", maxsplit=1)[0].lower()
        is_operator = _WORD.fullmatch(name) is None
        return is_operator or name in self.names or name in self.written or name in _WRITTEN

    def _called(self, word: str) -> str:
        name = word.lower()
        if name in self.names:
            return word
        return self.written.get(name) or _WRITTEN.get(name) or word.removeprefix("pg_sg_")

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
    written: dict[str, str] = {}
    reads = False
    for node in tree.walk():
        if isinstance(node, exp.Literal):
            literals.setdefault(node.name, position_of(node))
        elif isinstance(node, exp.From):
            reads = True
        if isinstance(node, exp.Func) and not isinstance(node, exp.Anonymous):
            inside = _name_in_duckdb(type(node).__name__)
            called = str(node.meta.get("name", inside)).lower()
            if inside is not None:
                written.setdefault(inside, called)
        if "written" in node.meta:
            written.setdefault(node.name.lower(), str(node.meta["written"]))
        if "start" in node.meta and (name := _name(node)) is not None:
            place = int(node.meta["start"]) + 1
            names[name] = min(place, names.get(name, place))
    is_select = isinstance(tree, exp.Select)
    limit = tree.args.get("limit")
    count = None if limit is None else limit.args.get("expression")
    known = isinstance(count, exp.Literal) and count.name.isdigit()
    return Outline(
        names=names,
        written=written,
        literals=literals,
        reads=reads,
        groups=is_select and tree.args.get("group") is not None,
        aggregates=is_select and any(item.find(exp.AggFunc) for item in tree.expressions),
        limit=int(count.name) if known and count is not None else None,
    )


@cache
def _name_in_duckdb(kind: str) -> str | None:
    """Return the name that sqlglot writes for DuckDB for a kind of call; None if not certain."""
    try:
        found = _CALL.match(getattr(exp, kind)(this=exp.column("a")).sql(dialect="duckdb"))
    except (ValueError, KeyError, AttributeError, TypeError):
        return None  # it has other arguments
    return found[1].lower() if found else None


def _name(node: exp.Expr) -> str | None:
    if isinstance(node, exp.Identifier | exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else None
