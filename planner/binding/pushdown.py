"""Push conditions down to the relations of a statement, and find the links between relations.

A condition is pushed down to a relation if rows that do not meet it cannot change the result. Those
are conditions in WHERE, in ON of an inner join, and in ON of an outer join for the side that may be
missing. A condition on a column also holds for columns that must be equal to it. A relation whose
key is equal to columns of another is *linked* to it: few rows there mean few lookups here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct, field
from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from planner.binding.derived_tables import DerivedTables, Resolver
from planner.binding.operands import ParameterType
from planner.binding.outer_joins import is_in, may_be_missing, may_filter
from planner.binding.predicate_reader import MIRRORED, PredicateReader, comparisons_in
from planner.binding.predicates import EVERY_ROW, Equals, Predicate, conjunction
from planner.trees.known_arguments import conjuncts, known_node
from planner.trees.nodes import is_comma
from stores.spec.schema import Column

Readable: TypeAlias = Mapping[str, Column]
_Place: TypeAlias = tuple[int, str]
"""A column of a table: the id of the table node, and the name."""

_SCOPES_MAX = 20
"""Maximum number of scopes searched for a column of a correlated subquery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A column of a relation, and the column of another relation that it is compared with."""

    column: str
    operator: str = "="
    """=, <, <=, > or >=, written between the column and the other."""
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The columns of a relation that are compared with columns of one other relation."""

    table: int
    """The id of the other table node."""
    pairs: tuple[Pair, ...]
    """The equal columns, then those that are less or greater."""


class PushedConditions(Struct, kw_only=True):
    """The conditions on one relation."""

    predicate: Predicate = EVERY_ROW
    equal: dict[_Place, list[str]] = field(default_factory=dict)
    """Columns of other relations, each with the names of our columns that must be equal to it."""
    ordered: dict[int, list[Pair]] = field(default_factory=dict)
    """Our columns that must be less or greater than columns of another table, by that table."""

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The comparisons, grouped by the other relation."""
        if not (self.equal or self.ordered):
            return ()
        pairs: dict[int, list[Pair]] = {}
        for (table, other), names in self.equal.items():
            for name in names:
                pairs.setdefault(table, []).append(Pair(column=name, other=other))
        for table, ordered in self.ordered.items():
            pairs.setdefault(table, []).extend(ordered)
        return tuple(Compared(table=table, pairs=tuple(found)) for table, found in pairs.items())


class _Clause(Struct, frozen=True, kw_only=True):
    """A condition, and the join whose ON has it; no join for WHERE."""

    condition: exp.Expr
    join: exp.Join | None = None


class Pushdown:
    """The conditions of one statement, by relation.

    Args:
        scopes: inner ones first.
        readable: the columns of each relation, by the id of its table node.
        resolvers: functions that resolve column nodes, by the id of the scope.
        parameter_type: the types of the parameters.
        derived: the derived tables.
    """

    def __init__(
        self,
        scopes: Sequence[Scope],
        readable: Mapping[int, Readable],
        resolvers: Mapping[int, Resolver],
        parameter_type: ParameterType,
        derived: DerivedTables,
    ) -> None:
        self._readable, self._resolvers = readable, resolvers
        self._parameter_type = parameter_type
        self._pushed: dict[int, PushedConditions] = {}
        self._merged: set[tuple[int, int, str]] = set()
        """The scopes, tables and columns of USING: a column without a table is any of them."""
        self._by_select = {id(scope.expression): scope for scope in scopes}
        clauses = [
            (scope, _clauses(scope.expression))
            for scope in scopes
            if isinstance(scope.expression, exp.Select)
        ]
        for scope, found in clauses:
            if len(readable) > 1:
                self._read_comparisons(scope, found)
            self._read_using(scope)
        for scope, found in clauses:
            if found:
                self._read_predicates(scope, found)
                if len(scopes) > 1:
                    self._read_beneath(scope, found, derived)

    def of(self, table: exp.Table) -> PushedConditions:
        """Return the conditions on a relation."""
        return self._pushed.setdefault(id(table), PushedConditions())

    def _tables(self, scope: Scope) -> dict[str, exp.Table]:
        return {
            name: source
            for name, (_, source) in scope.selected_sources.items()
            if isinstance(source, exp.Table) and id(source) in self._readable
        }

    # Comparisons of columns

    def _read_comparisons(self, scope: Scope, clauses: Sequence[_Clause]) -> None:
        for clause in clauses:
            for part in conjuncts(clause.condition):
                self._read_comparison(scope, clause, part)

    def _read_using(self, scope: Scope) -> None:
        """Read `USING (k)`: the column of the right side is equal to that of the left side.

        The left side may have merged it before. Then it is equal to the columns of those relations
        of which none can be missing where it is not.
        """
        select, tables = scope.expression, self._tables(scope).values()
        if not _using(select):
            return
        before: list[exp.Expr] = [select.args["from_"].this]
        merged: dict[str, list[tuple[exp.Table, str]]] = {}
        for join in select.args["joins"]:
            if is_comma(join):
                before, merged = [], {}  # JOIN binds tighter
            for name in (column.name for column in join.args.get("using") or ()):
                places = [(t, self._readable[id(t)].get(name)) for t in tables]
                known = [(t, column.name) for t, column in places if column is not None]
                left = merged.get(name)
                if left is None:
                    left = [each for each in known if is_in(each[0], before)]
                    left = left if len(left) == 1 else []
                right = [each for each in known if each[0] is join.this]
                self._merged.update((id(scope), id(t), name) for t, _ in (*left, *right))
                for mine, theirs in itertools.product(right, left):
                    self._add(scope, join, mine, theirs)
                kept = {"": [*left, *right], "LEFT": left, "RIGHT": right}
                merged[name] = kept.get(join.side.upper(), [])
            before.append(join.this)

    def _read_comparison(self, scope: Scope, clause: _Clause, part: exp.Expr) -> None:
        for left, operator, right in comparisons_in(part):
            one, other = self._place(scope, left), self._place(scope, right)
            if one is None or other is None or one[0] is other[0]:
                continue
            if operator != "<>":
                self._add(scope, clause.join, one, other, operator)
        if isinstance(part, exp.In) and part.args.get("query") is not None:
            self._read_membership(scope, clause, part)
        elif isinstance(part, exp.Exists) and isinstance(part.this, exp.Select):
            self._read_exists(scope, clause, part.this)

    def _read_exists(self, scope: Scope, clause: _Clause, select: exp.Select) -> None:
        """Read `EXISTS (SELECT … WHERE s.x = r.k)`: only rows of r with a match in s count."""
        where = select.args.get("where")
        if where is None or _is_cut(select):
            return
        for part in conjuncts(where.this):
            if not isinstance(part, exp.EQ):
                continue
            for inner, outer in ((part.this, part.expression), (part.expression, part.this)):
                mine = self._place(scope, outer)
                theirs = self._inner_place(select, inner)
                if mine is not None and theirs is not None:
                    self._add_to(scope, clause.join, mine, theirs)

    def _read_membership(self, scope: Scope, clause: _Clause, part: exp.In) -> None:
        """Read `r.k IN (SELECT s.x …)`; the left side may be a row."""
        query = part.args["query"]
        inner = query.this if isinstance(query, exp.Subquery) else query
        left = known_node(part.this)
        ours = left.expressions if isinstance(left, exp.Tuple) else [left]
        if not isinstance(inner, exp.Select) or len(ours) != len(inner.expressions):
            return
        for one, other in zip(ours, inner.expressions, strict=True):
            mine, theirs = self._place(scope, one), self._inner_place(inner, other.unalias())
            if mine is not None and theirs is not None:
                self._add_to(scope, clause.join, mine, theirs)

    def _place(self, scope: Scope, node: exp.Expr) -> tuple[exp.Table, str] | None:
        """Return the table and name of a column, in this scope or an outer one."""
        node = known_node(node)
        if not isinstance(node, exp.Column):
            return None
        at: Scope | None = scope
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

    def _inner_place(self, select: exp.Select, node: exp.Expr) -> tuple[exp.Table, str] | None:
        """Return the table and name of a subquery's column, if it is in one of its own tables."""
        node, scope = known_node(node), self._by_select.get(id(select))
        if scope is None or not isinstance(node, exp.Column):
            return None
        found = self._resolvers[id(scope)](node)
        return None if found is None else (found[0], found[1].name)

    def _add(
        self,
        scope: Scope,
        join: exp.Join | None,
        one: tuple[exp.Table, str],
        other: tuple[exp.Table, str],
        operator: str = "=",
    ) -> None:
        self._add_to(scope, join, one, other, operator)
        self._add_to(scope, join, other, one, MIRRORED[operator])

    def _add_to(
        self,
        scope: Scope,
        join: exp.Join | None,
        mine: tuple[exp.Table, str],
        theirs: tuple[exp.Table, str],
        operator: str = "=",
    ) -> None:
        """Record how a column of this scope compares with another, if the condition drops rows."""
        table, name = mine
        if not any(table is known for known in self._tables(scope).values()):
            return
        if join is not None and not may_filter(scope.expression, join, table):
            return
        if operator != "=":
            pair = Pair(column=name, operator=operator, other=theirs[1])
            self.of(table).ordered.setdefault(id(theirs[0]), []).append(pair)
            return
        names = self.of(table).equal.setdefault((id(theirs[0]), theirs[1]), [])
        if name not in names:
            names.append(name)

    # Predicates

    def _read_predicates(self, scope: Scope, clauses: Sequence[_Clause]) -> None:
        select = scope.expression
        for table in self._tables(scope).values():
            reader = self._reader(scope, table)
            pushed = self.of(table)
            for clause in clauses:
                if clause.join is not None and not may_filter(select, clause.join, table):
                    continue
                found = reader.predicate(clause.condition)
                if accepts_null(found) and may_be_missing(select, table, clause.join):
                    continue  # a dropped row would be replaced by NULLs, which meet the condition
                pushed.predicate = conjunction(pushed.predicate, found)

    def _read_beneath(
        self, scope: Scope, clauses: Sequence[_Clause], derived: DerivedTables
    ) -> None:
        """Read the predicates on relations behind the derived tables of a scope."""
        select = scope.expression
        for each in derived.beneath(scope):
            if id(each.table) not in self._readable:
                continue
            reader = PredicateReader(column_of=each.column_of, parameter_type=self._parameter_type)
            (_, item), *inner = each.items
            pushed = self.of(each.table)
            for clause in clauses:
                if clause.join is not None and not may_filter(select, clause.join, item):
                    continue
                found = reader.predicate(clause.condition)
                if accepts_null(found) and (
                    may_be_missing(select, item, clause.join)
                    or any(may_be_missing(within, part, None) for within, part in inner)
                ):
                    continue
                pushed.predicate = conjunction(pushed.predicate, found)

    def _reader(self, scope: Scope, table: exp.Table) -> PredicateReader:
        readable, equal = self._readable[id(table)], self.of(table).equal
        resolve = self._resolvers[id(scope)]

        def column_of(column: exp.Column) -> Column | None:
            if not column.table and (id(scope), id(table), column.name) in self._merged:
                return readable[column.name]
            owned = resolve(column)
            if owned is None:
                return None
            if owned[0] is table:
                return owned[1]
            shared = equal.get((id(owned[0]), owned[1].name))
            if shared is None:
                return None
            by_name = {each.name: each for each in readable.values()}
            return next((by_name[n] for n in shared if by_name[n].type == owned[1].type), None)

        return PredicateReader(column_of=column_of, parameter_type=self._parameter_type)


def accepts_null(predicate: Predicate) -> bool:
    """Whether a predicate can be true for a row of NULLs only."""
    return any(
        all(isinstance(condition, Equals) and condition.null for condition in disjunct)
        for disjunct in predicate.disjuncts
    )


def _clauses(select: exp.Expr) -> list[_Clause]:
    where = select.args.get("where")
    found = [] if where is None else [_Clause(condition=where.this)]
    for join in select.args.get("joins") or ():
        on = join.args.get("on")
        if on is not None:
            found.append(_Clause(condition=on, join=join))
    return found


def _using(select: exp.Expr) -> list[exp.Join]:
    return [join for join in select.args.get("joins") or () if join.args.get("using")]


_OF_ROWS = {"expressions", "from_", "joins", "where", "distinct", "order", "limit", "offset"}
"""Clauses that leave a SELECT without rows if no row meets its WHERE; HAVING is not one of them."""


def _is_cut(select: exp.Select) -> bool:
    """Whether a SELECT can return a row although none meets its WHERE, as aggregates do."""
    parts = {name for name, value in select.args.items() if value}
    return bool(parts - _OF_ROWS) or any(node.find(exp.AggFunc) for node in select.expressions)
