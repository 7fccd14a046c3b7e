"""Nodes of trees: small steps of reading and building them, and an index of them by type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from sqlglot import exp

from stategate.planner.trees.checkpoints import checkpoint

TYPES_MAX = 1_000
"""Maximum number of type names that are kept parsed; decimals of all sizes are about 700."""

_AROUND = (exp.Paren, exp.Collate)
_BYTEWISE = {"C", "POSIX", "DEFAULT", "UCS_BASIC"}
"""Collations that compare texts as DuckDB does, byte by byte."""


def call(name: str, *given: exp.Expr) -> exp.Expr:
    """Return a call of a function of the composing database."""
    return exp.Anonymous(this=name, expressions=list(given))


SEES_LEFT = "sees left"
"""A key of `meta`: a subquery in FROM sees the items left of it without LATERAL."""


def put_query(item: exp.Expr, query: exp.Select, alias: exp.TableAlias) -> exp.Expr:
    """Put a query in the place of an item of FROM, whose joins stay; return its new item.

    The query sees the items left of it, as a function in FROM does.
    """
    subquery = exp.Subquery(this=query)
    if isinstance(item.parent, exp.Join) and item.find(exp.Column) is not None:
        return put(item, exp.Lateral(this=subquery, alias=alias))
    # DuckDB lets each subquery see the items left of it, but has no joins after LATERAL.
    subquery.meta[SEES_LEFT] = True
    subquery.set("alias", alias)
    subquery.set("joins", item.args.get("joins"))
    return put(item, subquery)


def aggregate_call(name: str, *given: exp.Expr) -> exp.Expr:
    """Return a call of an aggregate of the composing database."""
    return exp.AnonymousAggFunc(this=name, expressions=list(given))


def cast(node: exp.Expr, data_type: str) -> exp.Expr:
    """Return a cast to the type with this DuckDB name."""
    return exp.Cast(this=node, to=built_type(data_type))


def built_type(name: str) -> exp.DataType:
    """Return the type with this DuckDB name."""
    return _built_type(name).copy()


@lru_cache(maxsize=TYPES_MAX)
def _built_type(name: str) -> exp.DataType:
    if name.endswith("[]"):
        return exp.DataType(this=exp.DType.ARRAY, expressions=[_built_type(name[:-2])], nested=True)
    return exp.DataType.build(name, dialect="duckdb", udt=True)


N = TypeVar("N", bound=exp.Expr)


def put(node: exp.Expr, fresh: N) -> N:
    """Replace a node with another one, and return that.

    Unlike `replace` of sqlglot, it does not walk the list that the node is in: lists are long.
    """
    parent, key, index = node.parent, node.arg_key, node.index
    if parent is None or parent is fresh or key is None or index is None:
        return node.replace(fresh)
    if parent._hash is not None:  # kept since it was compared, and no longer right
        return node.replace(fresh)
    parent.args[key][index] = fresh
    fresh.parent, fresh.arg_key, fresh.index = parent, key, index
    if fresh is not node:
        node.parent, node.arg_key, node.index = None, None, None
    return fresh


def wrapped(node: exp.Expr, make: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Replace a node with the one that `make` builds around it, and return the new one."""
    holder = exp.Paren(this=exp.null())
    put(node, holder)
    fresh = make(node)
    put(holder, fresh)
    return fresh


def outermost(node: exp.Expr) -> exp.Expr:
    """Return an aggregate with its FILTER and OVER."""
    found = node
    while isinstance(found.parent, exp.Filter | exp.Window) and found.arg_key == "this":
        found = found.parent
    return found


def position_of(node: exp.Expr) -> int | None:
    """Return where a node stands in the text, counted from 1; None if it is not known."""
    found = (n.meta["start"] for n in node.walk() if "start" in n.meta)
    start = next(found, None)
    return None if start is None else int(start) + 1


def is_comma(join: exp.Join) -> bool:
    """Whether a join is a comma of FROM, which binds less tightly than a written JOIN."""
    return not any(join.args.get(each) for each in ("method", "side", "kind", "on", "using"))


def signed(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """Return a node without the minuses before it, and whether their number is odd."""
    is_negative = False
    while isinstance(node, exp.Neg | exp.Paren):
        is_negative ^= isinstance(node, exp.Neg)
        node = node.this
    return node, is_negative


def parameter_number(node: exp.Parameter) -> int:
    """Return the n of $n."""
    return int(node.name)


def parameter_text(node: exp.Parameter) -> str:
    """Return `$n`, or the expression whose value the parameter has."""
    return str(node.meta.get("text") or f"${node.name}")


def strip(node: exp.Expr) -> exp.Expr:
    """Return a node without the parentheses and bytewise collations around it."""
    while isinstance(node, _AROUND):
        if isinstance(node, exp.Collate) and node.expression.name.upper() not in _BYTEWISE:
            return node
        node = node.this
    return node


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


_LEAVES = frozenset({exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Var})
"""Types of nodes that contain no other nodes."""

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

    def renew(self, tree: exp.Expr | None = None) -> None:
        """Walk the tree again, or the one that has taken its place."""
        checkpoint()
        self._tree = tree or self._tree
        by_type: dict[type[exp.Expr], list[exp.Expr]] = {}
        any_node, found = exp.Expr, [self._tree]
        for node in found:  # the list grows: the children of a node go to its end
            kind = type(node)
            if kind in by_type:
                by_type[kind].append(node)
            else:
                by_type[kind] = [node]
            if kind not in _LEAVES:
                for value in node.args.values():
                    if isinstance(value, any_node):
                        found.append(value)
                    elif isinstance(value, list):
                        found += [each for each in value if isinstance(each, any_node)]
        self._by_type = by_type

    @property
    def types(self) -> tuple[type[exp.Expr], ...]:
        """The types of the nodes."""
        return tuple(self._by_type)

    def of(self, kind: type[N]) -> list[N]:
        """Return the nodes of exactly this type."""
        # Without typing.cast, which is a call: this runs forty times for each statement.
        found: list[Any] = self._by_type.get(kind, [])
        return found

    def in_turn(self, asked: Iterable[type[exp.Expr]]) -> Iterator[exp.Expr]:
        """Yield the nodes of exactly these types, in the order of the types."""
        by_type = self._by_type
        for kind in asked:
            if kind in by_type:
                yield from by_type[kind]

    def has(self, asked: Kinds) -> bool:
        """Whether there is a node of one of these types."""
        return not self._by_type.keys().isdisjoint(asked)

    def among(self, asked: Kinds) -> Iterator[exp.Expr]:
        """Yield the nodes of these types, one type after the other."""
        return chain.from_iterable(found for kind, found in self._by_type.items() if kind in asked)


def is_same_value(one: exp.Expr, other: exp.Expr) -> bool:
    """Whether two expressions are the same; a column may have its table's name or not."""
    if isinstance(one, exp.Paren) or isinstance(other, exp.Paren):
        return False
    if type(one) is not type(other):
        return False
    if isinstance(one, exp.Column) and isinstance(other, exp.Column):
        return one.name == other.name and (
            one.table == other.table or not (one.table and other.table)
        )
    return _plain(one) == _plain(other)


def _plain(node: exp.Expr) -> exp.Expr:
    fresh = node.copy()
    for column in fresh.find_all(exp.Column):
        column.set("table", None)
    for name in fresh.find_all(exp.Identifier):
        name.set("quoted", False)
    return fresh
