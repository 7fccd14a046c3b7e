"""Which conditions of a SELECT the rows of each item of its FROM must meet: the laws of joins.

Conditions begin at the top of the tree of joins, as the parts of WHERE, and move down to each item.
A row *counts* if it can be part of a joined row that meets all the parts that have come so far;
other rows can be left out, and the result is the same. At each join:

| join | parts that reach the left side | parts that reach the right side |
|---|---|---|
| inner, comma, CROSS | all, and ON | all, and ON |
| LEFT | all | ON, and the parts on columns of the left side alone |
| RIGHT | ON, and the parts on columns of the right side alone | all |
| FULL | the parts on columns that it merges by USING alone | the same |

- The side that an outer join keeps cannot be chosen by ON: its rows stay without a match.
- The other side may lose a row only if that row matches none that counts. A part on the kept side
  alone is as true of a row without a match as of one with it, so it is as good as ON. Any other
  part may be true of the NULLs that stand in for a match, and dropping the match would add a row.
- If a part cannot be true where all columns of one side are NULL, rows that lack this side do not
  count: LEFT and RIGHT are then inner joins, and FULL is LEFT or RIGHT.
- USING (k) has the equality of both columns as its ON. `k` alone is the left column, for RIGHT the
  right one; for FULL it is either of them.
- NATURAL is USING of the common columns, where they are known; LATERAL is an item like others.
- Parentheses are joins of their own. JOIN binds tighter than a comma.

All parts that reach an item are true of the same joined row. So a column may take the conditions of
another one that a part says is equal, and rows of one item may be looked up by the rows of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Protocol, TypeAlias, TypeVar

from msgspec import Struct
from sqlglot import exp

from stategate.planner.trees.nodes import is_comma

P = TypeVar("P")


class Item(Struct, frozen=True, kw_only=True):
    """An item of FROM that is no join."""

    node: exp.Expr

    @property
    def items(self) -> frozenset[int]:
        """The id of its node."""
        return frozenset((id(self.node),))


class Joined(Struct, frozen=True, kw_only=True):
    """A join of two trees."""

    left: JoinTree
    right: JoinTree
    join: exp.Join | None
    """None for a comma."""
    items: frozenset[int]
    """The ids of the nodes of all items in it."""

    @property
    def side(self) -> str:
        """LEFT, RIGHT, FULL, or nothing for an inner join."""
        return "" if self.join is None else self.join.side.upper()


JoinTree: TypeAlias = "Item | Joined"


def join_tree(select: exp.Expr) -> JoinTree | None:
    """Return the joins of a SELECT as a tree; None without a FROM."""
    from_ = select.args.get("from_")
    return None if from_ is None else _chained(_of_item(from_.this), select.args.get("joins") or ())


def _of_item(node: exp.Expr) -> JoinTree:
    inner = node.this
    if isinstance(node, exp.Subquery) and isinstance(inner, exp.Table | exp.Subquery):
        first = _of_item(inner)  # parentheses
    else:
        first = Item(node=node)
    return _chained(first, node.args.get("joins") or ())


def _chained(first: JoinTree, joins: Sequence[exp.Join]) -> JoinTree:
    groups = [first]
    for join in joins:
        if is_comma(join):
            groups.append(_of_item(join.this))
        else:
            groups[-1] = _joined(groups[-1], _of_item(join.this), join)
    return reduce(_joined, groups)


def _joined(left: JoinTree, right: JoinTree, join: exp.Join | None = None) -> Joined:
    return Joined(left=left, right=right, join=join, items=left.items | right.items)


def path_to(tree: JoinTree | None, item: exp.Expr) -> Iterator[tuple[Joined, bool]]:
    """Yield the joins around an item from the top, each with whether the item is on its left."""
    while isinstance(tree, Joined):
        is_left = id(item) in tree.left.items
        yield tree, is_left
        tree = tree.left if is_left else tree.right


class About(Protocol[P]):
    """What is known of the parts of the conditions of one SELECT."""

    def on(self, join: exp.Join) -> Sequence[P]:
        """Return the parts of the ON of a join, or its USING."""

    def rejects(self, part: P, items: frozenset[int]) -> bool:
        """Whether a part cannot be true if all columns of these items are NULL."""

    def is_of(self, part: P, items: frozenset[int]) -> bool:
        """Whether a part certainly has no columns but those of these items."""

    def is_merged(self, part: P, join: exp.Join) -> bool:
        """Whether a part certainly has no columns but those that a join merges by USING."""


PLAIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER"})
"""The kinds of joins that combine all rows that meet the condition."""


def parts_for(
    tree: JoinTree | None, item: exp.Expr, where: Sequence[P], about: About[P]
) -> Sequence[P]:
    """Return the parts of conditions that the rows of an item must meet to count.

    Args:
        tree: the joins of a SELECT.
        item: an item of its FROM.
        where: the parts that hold of the joined rows.
        about: what is known of the parts.
    """
    if tree is None or id(item) not in tree.items:
        return ()
    parts = where
    for joined, is_left in path_to(tree, item):
        parts = _across(joined, parts, about, is_left=is_left)
    return parts


def _across(joined: Joined, parts: Sequence[P], about: About[P], *, is_left: bool) -> Sequence[P]:
    """Return the parts that reach one side of a join."""
    join, side = joined.join, joined.side
    if join is None:
        return parts
    if join.kind.upper() not in PLAIN_KINDS:
        return ()
    mine, other = joined.left.items, joined.right.items
    keeps_mine, keeps_other = side in {"LEFT", "FULL"}, side in {"RIGHT", "FULL"}
    if not is_left:
        mine, other, keeps_mine, keeps_other = other, mine, keeps_other, keeps_mine
    keeps_mine = keeps_mine and not any(about.rejects(part, other) for part in parts)
    keeps_other = keeps_other and not any(about.rejects(part, mine) for part in parts)
    if not keeps_other:
        return parts if keeps_mine else [*about.on(join), *parts]
    if keeps_mine:
        return [part for part in parts if about.is_merged(part, join)]
    return [*about.on(join), *(part for part in parts if about.is_of(part, other))]


def may_be_missing(select: exp.Expr, item: exp.Expr, but: exp.Join | None) -> bool:
    """Whether an outer join other than `but` can replace rows of an item with NULLs."""
    return any(
        joined.side in {"FULL", "RIGHT" if is_left else "LEFT"}
        for joined, is_left in path_to(join_tree(select), item)
        if joined.join is None or joined.join is not but
    )
