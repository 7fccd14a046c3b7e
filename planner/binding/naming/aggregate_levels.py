"""Which query an aggregate belongs to: the innermost one whose columns its arguments read.

So an aggregate in a subquery that reads columns of a query around it alone is one of that query.
Source: PostgreSQL's parse_agg.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from sqlglot import exp

from stategate.planner.binding.naming.namespaces import Item
from stategate.planner.errors import InvalidSyntaxError
from stategate.planner.postgres.places import MAY_AGGREGATE, is_aggregate
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import CALLS, Nodes, position_of, put

ROW_OF = "row_of"
"""Marks a name that stands for a whole row of an item of FROM."""
_OWN_FROM = "FROM clause of their own query level"
_PLACES = {
    "where": "WHERE",
    "group": "GROUP BY",
    "from_": _OWN_FROM,
    "laterals": _OWN_FROM,
    "limit": "LIMIT",
    "offset": "OFFSET",
}
"""The clauses of a query that its own aggregates may not stand in, by their keys in a SELECT."""
_PARTS = (exp.Where, exp.Ordered)
"""What follows the arguments of an aggregate, which DuckDB reads in this order."""


@dataclass(frozen=True, slots=True)
class OwnedAggregate:
    """An aggregate in a subquery of the query that it belongs to.

    Args:
        whole: the aggregate, with FILTER and WITHIN GROUP.
        owner: the query.
    """

    whole: exp.Expr
    owner: exp.Select


class Owners:
    """The queries that columns and aggregates of a statement belong to.

    Args:
        items: the items of all FROMs, each with a name of its own.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._selects = {item.name: item.node.parent_select for item in items}
        self._known: dict[int, exp.Expr | None] = {}
        self._grouped: set[int] = set()

    def of_column(self, column: exp.Column) -> exp.Expr | None:
        """Return the query whose FROM has a column."""
        name = column.table or column.meta.get(ROW_OF)
        found = self._selects.get(name) if name else None
        return found or column.parent_select

    def is_grouped(self, select: exp.Select) -> bool:
        """Whether the rows of a SELECT are groups."""
        return bool(
            id(select) in self._grouped or select.args.get("group") or select.args.get("having")
        )

    def aggregates_of_outer(self, nodes: Nodes) -> list[OwnedAggregate]:
        """Return the aggregates in subqueries of their queries.

        Others that read columns of a query around their own are written so that DuckDB, too, takes
        them for those of their own query.

        Raises:
            InvalidSyntaxError: an aggregate may not stand in its place of its query (42803).
        """
        found: list[OwnedAggregate] = []
        is_changed = False
        for node in nodes.among(CALLS):
            if not is_aggregate(node):
                continue
            own = node.parent_select
            if own is None or own.parent is None:  # there is no query around it
                self._grouped.add(id(own))
                continue
            whole = whole_of(node)
            owner = self._owner(whole)
            self._grouped.add(id(owner))
            if owner is own:
                is_changed |= self._hold(whole, own)
            elif isinstance(owner, exp.Select):
                _check_place(node, whole, owner)
                found.append(OwnedAggregate(whole, owner))
        if is_changed:
            nodes.renew()
        return found

    def _hold(self, whole: exp.Expr, own: exp.Expr) -> bool:
        """Let an aggregate read a column of its query beside that of another one, if need be.

        DuckDB looks for one in the arguments, and then where it has found the column of another
        query, but not in subqueries.

        Returns:
            Whether the aggregate has been changed.
        """
        columns = [*whole.find_all(exp.Column)]
        owners = {id(each): self.of_column(each) for each in columns}
        mine = next((each for each in columns if owners[id(each)] is own), None)
        parts: dict[int, list[exp.Column]] = {}
        for column in columns:
            if column.parent_select is own:
                parts.setdefault(_part_of(column), []).append(column)
        found = (
            (part, column)
            for part, within in sorted(parts.items())
            for column in within
            if owners[id(column)] is not own
        )
        part, outer = next(found, (0, None))
        if mine is None or outer is None:
            return False
        if any(owners[id(each)] is own for each in [*parts.get(0, ()), *parts[part]]):
            return False
        is_missing = exp.Is(this=mine.copy(), expression=exp.null())
        branch = exp.If(this=is_missing, true=outer.copy())
        put(outer, exp.Case(ifs=[branch], default=outer.copy()))
        return True

    def _owner(self, whole: exp.Expr) -> exp.Expr | None:
        """Return the query that an aggregate belongs to.

        Raises:
            InvalidSyntaxError: it has an aggregate of the same query (42803).
        """
        if id(whole) not in self._known:
            self._known[id(whole)] = self._find_owner(whole)
        return self._known[id(whole)]

    def _find_owner(self, whole: exp.Expr) -> exp.Expr | None:
        checkpoint()
        own = whole.parent_select
        around = [*_selects_around(whole)]
        read = {id(owner) for owner in self._read(whole)}
        inner: set[int] = set()
        for each in _aggregates_in(whole):
            owner = self._owner(whole_of(each))
            if owner is not None:
                inner.add(id(owner))
        owner = next((each for each in around if id(each) in read | inner), own)
        if id(owner) in inner:
            raise _nested(whole)
        for column in _direct_columns(whole):
            read_at = self.of_column(column)
            if any(each is read_at for each in takewhile(lambda each: each is not owner, around)):
                raise InvalidSyntaxError(
                    "outer-level aggregate cannot contain a lower-level variable in its direct "
                    "arguments",
                    position=position_of(column),
                    sqlstate="42803",
                )
        return owner

    def _read(self, whole: exp.Expr) -> Iterator[exp.Expr]:
        """Yield the queries whose columns an aggregate reads, but not by direct arguments."""
        direct = set(map(id, _direct_columns(whole)))
        for column in whole.find_all(exp.Column):
            owner = self.of_column(column)
            if owner is not None and id(column) not in direct:
                yield owner


def whole_of(node: exp.Expr) -> exp.Expr:
    """Return an aggregate with its WITHIN GROUP and FILTER."""
    while isinstance(node.parent, exp.Filter | exp.WithinGroup) and node.arg_key == "this":
        node = node.parent
    return node


def _part_of(column: exp.Column) -> int:
    """Return in which part of an aggregate a column stands: 0 for its arguments."""
    around = column.find_ancestor(*_PARTS, exp.Select)
    return next((at for at, kind in enumerate(_PARTS, 1) if isinstance(around, kind)), 0)


def _direct_columns(whole: exp.Expr) -> list[exp.Column]:
    """Return the columns in the arguments before WITHIN GROUP, which are values of a group."""
    inner = whole.this if isinstance(whole, exp.Filter) else whole
    return [*inner.this.find_all(exp.Column)] if isinstance(inner, exp.WithinGroup) else []


def _aggregates_in(whole: exp.Expr) -> list[exp.Expr]:
    """Return the aggregates in the arguments of an aggregate."""
    return [
        each
        for each in whole.find_all(*MAY_AGGREGATE)
        if is_aggregate(each) and whole_of(each) is not whole
    ]


def _selects_around(node: exp.Expr) -> Iterator[exp.Expr]:
    found = node.parent_select
    while found is not None:
        yield found
        found = found.parent_select


def _check_place(node: exp.Expr, whole: exp.Expr, owner: exp.Select) -> None:
    """Check that an aggregate may stand where its query has it.

    Raises:
        InvalidSyntaxError: it may not (42803).
    """
    child: exp.Expr = whole
    while (parent := child.parent) is not None and parent is not owner:
        if parent.parent_select is owner:
            if is_aggregate(parent):
                raise _nested(node)
            if isinstance(parent, exp.Filter) and child is parent.args.get("expression"):
                raise _misplaced(node, "FILTER")
            if isinstance(parent, exp.Join):
                is_condition = child is parent.args.get("on")
                raise _misplaced(node, "JOIN conditions" if is_condition else _OWN_FROM)
        child = parent
    if (place := _PLACES.get(str(child.arg_key))) is not None:
        raise _misplaced(node, place)


def _nested(node: exp.Expr) -> InvalidSyntaxError:
    message = "aggregate function calls cannot be nested"
    return InvalidSyntaxError(message, position=position_of(node), sqlstate="42803")


def _misplaced(node: exp.Expr, place: str) -> InvalidSyntaxError:
    message = f"aggregate functions are not allowed in {place}"
    return InvalidSyntaxError(message, position=position_of(node), sqlstate="42803")
