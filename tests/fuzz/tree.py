"""Generated text as a tree, so that a failing statement can be shrunk.

A node knows its sort (`integer`, `clause`, `rows`). Text stays well formed if a node is replaced by
one of the same sort beneath it, or by its simplest form. Nothing here knows SQL: the caller decides
whether a smaller text still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A constant, written in the text or sent as a parameter."""

    text: str
    """Its text as a parameter."""
    sql: str
    """Its text in a statement."""
    type: str
    """SQL type that the parameter is cast to."""


@dataclass(frozen=True, slots=True)
class Node:
    """Text of one sort, made of parts."""

    sort: str
    parts: tuple[Part, ...]
    simplest: str | None = None
    """The simplest replacement: the shortest text of its sort; "" for an optional clause."""


FIXED = "fixed"
"""Sort of a node that is never shrunk inside."""
Part: TypeAlias = str | Literal | Node


def spelled(part: Part) -> str:
    """Return the text with its constants written out."""
    if isinstance(part, str):
        return part
    return part.sql if isinstance(part, Literal) else "".join(map(spelled, part.parts))


def parametrized(part: Part, *, bare: bool = False, before: int = 0) -> tuple[str, tuple[str, ...]]:
    """Return the text with `$1::type` for each constant, and the values of the constants.

    With `bare` it has `$1`, so that the statement must say the type. Numbers begin after those
    `before`.

    A constant that stands in several places is one parameter, because SQL requires the same
    expression in some of them.
    """
    values: list[str] = []
    numbers: dict[int, int] = {}

    def text(each: Part) -> str:
        if isinstance(each, str):
            return each
        if isinstance(each, Literal):
            if id(each) not in numbers:
                values.append(each.text)
                numbers[id(each)] = before + len(values)
            number = numbers[id(each)]
            return f"${number}" if bare else f"${number}::{each.type}"
        return "".join(map(text, each.parts))

    return text(part), tuple(values)


def literals(part: Part) -> Iterator[Literal]:
    """Yield each constant once, in the order of their parameters."""
    seen: set[int] = set()

    def within(each: Part) -> Iterator[Literal]:
        if isinstance(each, Literal) and id(each) not in seen:
            seen.add(id(each))
            yield each
        elif isinstance(each, Node):
            for inner in each.parts:
                yield from within(inner)

    yield from within(part)


def nodes(part: Part) -> Iterator[Node]:
    """Yield all nodes of a tree, the root first."""
    if isinstance(part, Node):
        yield part
        for each in () if part.sort == FIXED else part.parts:
            yield from nodes(each)


def smaller(root: Node) -> Iterator[Node]:
    """Yield trees with one node simplified, those that shrink most first."""
    places = sorted(_places(root), key=lambda place: -len(spelled(place[1])))
    for path, node in places:
        if node.simplest is not None and spelled(node) != node.simplest:
            yield _replaced(root, path, Node(node.sort, (node.simplest,), node.simplest))
        for beneath in nodes(node):
            if beneath is not node and beneath.sort == node.sort:
                yield _replaced(root, path, beneath)


def shrunk(root: Node, fails: Callable[[Node], bool], *, tries_max: int = 400) -> Node:
    """Return a small tree that fails, too.

    Args:
        root: a tree that fails.
        fails: whether a tree fails in the same way.
        tries_max: how many trees to try.
    """
    tries, progress = 0, True
    while progress:
        progress = False
        for candidate in smaller(root):
            if tries == tries_max:
                return root
            tries += 1
            if len(spelled(candidate)) < len(spelled(root)) and fails(candidate):
                root, progress = candidate, True
                break
    return root


def _places(root: Node) -> Iterator[tuple[tuple[int, ...], Node]]:
    stack: list[tuple[tuple[int, ...], Node]] = [((), root)]
    while stack:
        path, node = stack.pop()
        yield path, node
        if node.sort == FIXED:
            continue
        stack += [((*path, i), p) for i, p in enumerate(node.parts) if isinstance(p, Node)]


def _replaced(root: Node, path: tuple[int, ...], node: Node) -> Node:
    if not path:
        return node
    index, *rest = path
    parts = list(root.parts)
    inner = parts[index]
    assert isinstance(inner, Node)
    parts[index] = _replaced(inner, tuple(rest), node)
    return Node(root.sort, tuple(parts), root.simplest)
