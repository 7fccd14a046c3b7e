"""An index of a tree's nodes by type, built in one walk."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from sqlglot import exp

N = TypeVar("N", bound=exp.Expr)
Kinds: TypeAlias = frozenset[type[exp.Expr]]
"""Types of nodes, with all their subclasses."""


def kinds(*above: type[exp.Expr]) -> Kinds:
    """Return these types and all their subclasses; a module calls it once, when it is imported."""
    found: set[type[exp.Expr]] = set()
    left = [*above]
    while left:
        kind = left.pop()
        found.add(kind)
        left += kind.__subclasses__()
    return frozenset(found)


CALLS = kinds(exp.Func)
"""The nodes that can be calls of functions."""


class Nodes:
    """The nodes of a tree, outermost first.

    Code that replaces or copies nodes calls `renew` afterwards. Otherwise a later step changes a
    node that has left the tree, and misses the new one.
    """

    __slots__ = ("_by_type", "_tree")

    def __init__(self, tree: exp.Expr) -> None:
        self._tree = tree
        self.renew()

    def renew(self) -> None:
        """Walk the tree again."""
        self._by_type: dict[type[exp.Expr], list[exp.Expr]] = {}
        found = [self._tree]
        for node in found:  # the list grows: the children of a node go to its end
            self._by_type.setdefault(type(node), []).append(node)
            for value in node.args.values():
                if isinstance(value, exp.Expr):
                    found.append(value)
                elif isinstance(value, list):
                    found += [each for each in value if isinstance(each, exp.Expr)]

    @property
    def types(self) -> tuple[type[exp.Expr], ...]:
        """The types of the nodes."""
        return tuple(self._by_type)

    def of(self, kind: type[N]) -> list[N]:
        """The nodes of exactly this type."""
        # Without typing.cast, which is a call: this runs forty times for each statement.
        found: list[Any] = self._by_type.get(kind, [])
        return found

    def has(self, asked: Kinds) -> bool:
        """Whether there is a node of one of these types."""
        return not self._by_type.keys().isdisjoint(asked)

    def among(self, asked: Kinds) -> Iterator[exp.Expr]:
        """Yield the nodes of these types, one type after the other."""
        return chain.from_iterable(found for kind, found in self._by_type.items() if kind in asked)
