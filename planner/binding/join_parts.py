"""The parts of the conditions of one SELECT: WHERE, ON and USING, split at AND.

A part knows which columns it compares, and of which items of FROM it has columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType
from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.binding.derived_tables import Readable, Resolver
from stategate.planner.binding.operands import ParameterType
from stategate.planner.binding.outer_joins import Joined, JoinTree, join_tree
from stategate.planner.binding.predicate_reader import PredicateReader, comparisons_in
from stategate.planner.binding.predicates import Equals, Predicate
from stategate.planner.trees.known_arguments import conjuncts, known_node
from stategate.planner.values.comparison_bounds import INT_BITS
from stategate.stores.spec.schema import Column, DataType

Place: TypeAlias = tuple[exp.Table, str]
"""A table and the name of its column."""

_SCOPES_MAX = 20
"""Maximum number of scopes searched for a column of a correlated subquery."""


class Comparison(Struct, frozen=True, kw_only=True):
    """Two columns that a part compares; it is not true if one of them is NULL."""

    one: Place
    operator: str
    """=, <, <=, > or >=, written between them."""
    other: Place


class Merged(Struct, frozen=True, kw_only=True):
    """A column that USING merges, as it is named without a table."""

    places: tuple[Place, ...]
    """The columns that it is equal to; for FULL, it is the one of them that is not NULL."""
    full: exp.Join | None = None
    """The join, if it is FULL."""


class Part(Struct, kw_only=True):
    """One condition of WHERE or ON, or the equality of columns by USING."""

    node: exp.Expr | None
    comparisons: tuple[Comparison, ...]
    is_where: bool = False
    _required: frozenset[int] | UnsetType = UNSET
    _items: frozenset[int] | UnsetType | None = UNSET


class JoinParts:
    """The parts of the conditions of one SELECT.

    Args:
        scope: its scope.
        readable: the columns of each relation, by the id of its table node.
        resolvers: functions that resolve column nodes, by the id of the scope.
        by_select: the scopes, by the id of the SELECT.
        parameter_type: the types of the parameters.
    """

    def __init__(
        self,
        scope: Scope,
        readable: Mapping[int, Readable],
        resolvers: Mapping[int, Resolver],
        by_select: Mapping[int, Scope],
        parameter_type: ParameterType,
    ) -> None:
        self._scope, self._readable, self._resolvers = scope, readable, resolvers
        self._by_select, self._parameter_type = by_select, parameter_type
        self._resolve = resolvers[id(scope)]
        select = scope.expression
        self.tree = join_tree(select)
        self.tables = [
            source
            for _, source in scope.selected_sources.values()
            if isinstance(source, exp.Table) and id(source) in readable
        ]
        self._names = {name: id(node) for name, (node, _) in scope.selected_sources.items()}
        self._on: dict[int, Sequence[Part]] = {}
        self._merged = self._read_using(self.tree) if select.args.get("joins") else {}
        where = select.args.get("where")
        self.where = [] if where is None else self._parts(where.this, is_where=True)

    # The parts

    def on(self, join: exp.Join) -> Sequence[Part]:
        """Return the parts of the ON of a join, or its USING."""
        found = self._on.get(id(join))
        if found is None:
            on = join.args.get("on")
            found = self._on[id(join)] = [] if on is None else self._parts(on, is_where=False)
        return found

    def rejects(self, part: Part, items: frozenset[int]) -> bool:
        """Whether a part cannot be true if all columns of these items are NULL."""
        if part._required is UNSET:
            part._required = self._required_by(part)
        return not part._required.isdisjoint(items)

    def is_of(self, part: Part, items: frozenset[int]) -> bool:
        """Whether a part certainly has no columns but those of these items."""
        if part._items is UNSET:
            part._items = self._items_of(part)
        return part._items is not None and part._items <= items

    def is_merged(self, part: Part, join: exp.Join) -> bool:
        """Whether a part certainly has no columns but those that a join merges by USING."""
        if part.node is None or not part.is_where or part.node.find(exp.Query):
            return False
        found = [self._merged_by_name(column) for column in part.node.find_all(exp.Column)]
        return all(each is not None and each.full is join for each in found)

    def predicate(
        self, part: Part, table: exp.Table, equal: Mapping[tuple[int, str], Sequence[str]]
    ) -> Predicate:
        """Return the predicate on a table that a part implies.

        Args:
            part: the part.
            table: a table of the SELECT.
            equal: columns of other tables, each with the names of columns that are equal to it.
        """
        by_name = {each.name: each for each in self._readable[id(table)].values()}

        def column_of(column: exp.Column) -> Column | None:
            for place, name in self._places(column, is_merged=part.is_where):
                if place is table:
                    return by_name[name]
                theirs = self._type_of((place, name))
                for ours in equal.get((id(place), name), ()):
                    if by_name[ours].type == theirs:
                        return by_name[ours]
            return None

        reader = PredicateReader(column_of=column_of, parameter_type=self._parameter_type)
        return reader.predicate(part.node)

    def _parts(self, node: exp.Expr, *, is_where: bool) -> list[Part]:
        is_alone = len(self._readable) == 1
        return [
            Part(
                node=part,
                comparisons=() if is_alone else tuple(self._comparisons(part)),
                is_where=is_where,
            )
            for part in conjuncts(node)
        ]

    def _required_by(self, part: Part) -> frozenset[int]:
        """Return the tables of which a part needs a row."""
        found = {id(each.one[0]) for each in part.comparisons}
        found |= {id(each.other[0]) for each in part.comparisons}
        columns = [] if part.node is None else [*part.node.find_all(exp.Column)]
        if any((merged := self._merged_by_name(c)) and merged.full for c in columns):
            return frozenset(found)
        places = [p for c in columns for p in self._places(c, is_merged=part.is_where)]
        for table in {id(table): table for table, _ in places}.values():
            if not accepts_null(self.predicate(part, table, {})):
                found.add(id(table))
        return frozenset(found)

    def _items_of(self, part: Part) -> frozenset[int] | None:
        """Return the items whose columns a part has; None if it may have others."""
        if part.node is None:
            tables = [each for c in part.comparisons for each in (c.one[0], c.other[0])]
            return frozenset(map(id, tables))
        if part.node.find(exp.Query):
            return None
        found: set[int] = set()
        for column in part.node.find_all(exp.Column):
            if column.table:
                item = self._names.get(column.table)
                items = [] if item is None else [item]
            else:
                items = [id(t) for t, _ in self._places(column, is_merged=part.is_where)]
            if not items:
                return None
            found.update(items)
        return frozenset(found)

    # Columns

    def _places(self, column: exp.Column, *, is_merged: bool) -> tuple[Place, ...]:
        """Return the columns of tables that a column is equal to, if any is certain."""
        merged = self._merged_by_name(column) if is_merged else None
        if merged is not None:
            return merged.places
        owned = self._resolve(column)
        return () if owned is None else ((owned[0], owned[1].name),)

    def _merged_by_name(self, column: exp.Column) -> Merged | None:
        return None if column.table else self._merged.get(column.name)

    def _type_of(self, place: Place) -> DataType | None:
        table, name = place
        columns = self._readable[id(table)].values()
        return next((column.type for column in columns if column.name == name), None)

    def _read_using(self, tree: JoinTree | None) -> dict[str, Merged]:
        """Read the USING of the joins of a tree; return the columns that they merge."""
        left_spine: list[Joined] = []
        while isinstance(tree, Joined):
            left_spine.append(tree)
            tree = tree.left
        merged: dict[str, Merged] = {}
        for joined in reversed(left_spine):
            right, using = self._read_using(joined.right), _using(joined)
            after = {**merged, **right}
            after.update(dict.fromkeys(merged.keys() & right.keys(), _UNKNOWN))
            comparisons: list[Comparison] = []
            for name in using:
                ours = self._named(name, joined.left, merged)
                theirs = self._named(name, joined.right, right)
                pairs = itertools.product(theirs, ours)
                comparisons += [Comparison(one=a, operator="=", other=b) for a, b in pairs]
                after[name] = self._merge(joined, merged.get(name), ours, theirs)
            if using:
                assert joined.join is not None
                part = Part(node=None, comparisons=tuple(comparisons))
                self._on[id(joined.join)] = [part]
            merged = after
        return merged

    def _named(self, name: str, tree: JoinTree, merged: Mapping[str, Merged]) -> tuple[Place, ...]:
        """Return the columns that a name of USING is equal to in one side of a join."""
        known = merged.get(name)
        if known is not None:
            return () if known.full is not None else known.places
        found = [
            (table, self._readable[id(table)][name].name)
            for table in self.tables
            if id(table) in tree.items and name in self._readable[id(table)]
        ]
        return tuple(found) if len(found) == 1 else ()

    def _merge(
        self,
        joined: Joined,
        before: Merged | None,
        ours: tuple[Place, ...],
        theirs: tuple[Place, ...],
    ) -> Merged:
        """Return the column that a join merges from columns of its left and right side."""
        if joined.side == "RIGHT":
            return Merged(places=theirs)
        if joined.side == "LEFT":
            return before if before is not None else Merged(places=ours)
        types = {self._type_of(place) for place in (*ours, *theirs)}
        if len(types) > 1 and not all(each and each.kind in INT_BITS for each in types):
            return _UNKNOWN  # of the common type, to which the columns are converted
        if joined.side == "FULL":
            return Merged(places=(*ours, *theirs), full=joined.join) if ours else _UNKNOWN
        return Merged(places=(*ours, *theirs))

    # Comparisons of columns

    def _comparisons(self, part: exp.Expr) -> Iterator[Comparison]:
        for left, operator, right in comparisons_in(part):
            one, other = self._place(left), self._place(right)
            if one is None or other is None or one[0] is other[0] or operator == "<>":
                continue
            yield Comparison(one=one, operator=operator, other=other)
        if isinstance(part, exp.In) and part.args.get("query") is not None:
            yield from self._membership(part)
        elif isinstance(part, exp.Exists) and isinstance(part.this, exp.Select):
            yield from self._exists(part.this)

    def _exists(self, select: exp.Select) -> Iterator[Comparison]:
        """Read `EXISTS (SELECT … WHERE s.x = r.k)`: only rows of r with a match in s count."""
        where = select.args.get("where")
        if where is None or _is_cut(select):
            return
        for part in conjuncts(where.this):
            if not isinstance(part, exp.EQ):
                continue
            for inner, outer in ((part.this, part.expression), (part.expression, part.this)):
                mine, theirs = self._place(outer), self._inner_place(select, inner)
                if mine is not None and theirs is not None:
                    yield Comparison(one=mine, operator="=", other=theirs)

    def _membership(self, part: exp.In) -> Iterator[Comparison]:
        """Read `r.k IN (SELECT s.x …)`; the left side may be a row."""
        query = part.args["query"]
        inner = query.this if isinstance(query, exp.Subquery) else query
        left = known_node(part.this)
        ours = left.expressions if isinstance(left, exp.Tuple) else [left]
        if not isinstance(inner, exp.Select) or len(ours) != len(inner.expressions):
            return
        for one, other in zip(ours, inner.expressions, strict=True):
            mine, theirs = self._place(one), self._inner_place(inner, other.unalias())
            if mine is not None and theirs is not None:
                yield Comparison(one=mine, operator="=", other=theirs)

    def _place(self, node: exp.Expr) -> Place | None:
        """Return the table and name of a column, in this scope or an outer one."""
        node = known_node(node)
        if not isinstance(node, exp.Column):
            return None
        at: Scope | None = self._scope
        for _ in range(_SCOPES_MAX):
            if at is None or id(at) not in self._resolvers:
                return None
            found = self._resolvers[id(at)](node)
            if found is not None:
                return found[0], found[1].name
            if not node.table or node.table in at.selected_sources:
                return None  # it may belong to a source of this scope whose columns are not known
            at = at.parent
        return None

    def _inner_place(self, select: exp.Select, node: exp.Expr) -> Place | None:
        """Return the table and name of a subquery's column, if it is in one of its own tables."""
        node, scope = known_node(node), self._by_select.get(id(select))
        if scope is None or not isinstance(node, exp.Column):
            return None
        found = self._resolvers[id(scope)](node)
        return None if found is None else (found[0], found[1].name)


_UNKNOWN = Merged(places=())


def accepts_null(predicate: Predicate) -> bool:
    """Whether a predicate can be true for a row of NULLs only."""
    return any(
        all(isinstance(condition, Equals) and condition.null for condition in disjunct)
        for disjunct in predicate.disjuncts
    )


def _using(joined: Joined) -> list[str]:
    using = None if joined.join is None else joined.join.args.get("using")
    return [column.name for column in using or ()]


_OF_ROWS = {"expressions", "from_", "joins", "where", "distinct", "order", "limit", "offset"}
"""Clauses that leave a SELECT without rows if no row meets its WHERE; HAVING is not one of them."""


def _is_cut(select: exp.Select) -> bool:
    """Whether a SELECT can return a row although none meets its WHERE, as aggregates do."""
    parts = {name for name, value in select.args.items() if value}
    return bool(parts - _OF_ROWS) or any(node.find(exp.AggFunc) for node in select.expressions)
