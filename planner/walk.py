"""The nodes of a tree by type: one walk answers all that planning asks of a tree."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlglot import exp

N = TypeVar("N", bound=exp.Expr)


class Nodes:
    """The nodes that a tree had when it was walked, outermost first."""

    __slots__ = ("_by_type",)

    def __init__(self, tree: exp.Expr) -> None:
        self._by_type: dict[type[exp.Expr], list[exp.Expr]] = {}
        found = [tree]
        for node in found:  # it grows: what a node holds comes behind all that is known by then
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

    def has(self, kinds: tuple[type[exp.Expr], ...]) -> bool:
        """Whether there is a node of one of these types, or of a type below them."""
        return any(issubclass(kind, kinds) for kind in self._by_type)
