"""The nodes of a tree by type: one walk answers all that planning asks of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from sqlglot import exp

N = TypeVar("N", bound=exp.Expr)
Kinds: TypeAlias = frozenset[type[exp.Expr]]
"""Types of nodes, with all that are below them."""


def kinds(*above: type[exp.Expr]) -> Kinds:
    """These types and all below them: made once, so that a tree is asked for them in one step."""
    found: set[type[exp.Expr]] = set()
    left = [*above]
    while left:
        kind = left.pop()
        found.add(kind)
        left += kind.__subclasses__()
    return frozenset(found)


CALLS = kinds(exp.Func)
"""What may be a call of a function."""


class Nodes:
    """The nodes of a tree, outermost first.

    Whoever puts a node in another's place, or a copy beside it, calls `renew`. Else a later step
    would change a node that is no longer in the tree, and miss the one that is.
    """

    __slots__ = ("_by_type", "_tree")

    def __init__(self, tree: exp.Expr) -> None:
        self._tree = tree
        self.renew()

    def renew(self) -> None:
        """Walk the tree again."""
        self._by_type: dict[type[exp.Expr], list[exp.Expr]] = {}
        found = [self._tree]
        for node in found:  # it grows: what a node holds comes after all that is known by then
            self._by_type.setdefault(type(node), []).append(node)
            for value in node.args.values():
                if isinstance(value, exp.Expr):
                    found.append(value)
                elif isinstance(value, list):
                    found += [each for each in value if isinstance(each, exp.Expr)]

    @property
    def types(self) -> tuple[type[exp.Expr], ...]:
        """The types of which there are nodes."""
        return tuple(self._by_type)

    def of(self, kind: type[N]) -> list[N]:
        """The nodes of exactly this type."""
        # Not by typing.cast, which is a call: this is asked forty times for each statement.
        found: list[Any] = self._by_type.get(kind, [])
        return found

    def has(self, asked: Kinds) -> bool:
        """Whether there is a node of one of these types."""
        return not self._by_type.keys().isdisjoint(asked)

    def among(self, asked: Kinds) -> Iterator[exp.Expr]:
        """The nodes of these types, one type after the other."""
        return chain.from_iterable(found for kind, found in self._by_type.items() if kind in asked)
