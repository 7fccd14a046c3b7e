"""Joins in which each condition concerns one relation or compares two columns.

Such a join needs no database: each relation is read by its own conditions, and rows are joined if
their columns meet the comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlglot import exp

from stategate.planner.binding.derived_tables import Resolver
from stategate.planner.binding.join_parts import accepts_null
from stategate.planner.binding.operands import ParameterType
from stategate.planner.binding.outer_joins import PLAIN_KINDS
from stategate.planner.binding.predicate_reader import PredicateReader, comparisons_in
from stategate.planner.binding.predicates import EVERY_ROW, Predicate, conjunction
from stategate.planner.trees.known_arguments import conjuncts, known_node
from stategate.planner.trees.nodes import Nodes
from stategate.stores.spec.schema import Column

RELATIONS_MAX = 4
_PLAIN_TABLE = {"this", "alias", "db", "only"}


class JoinedRelation(Struct, frozen=True, kw_only=True):
    """One relation of a join."""

    table: int
    """The id of its table node, as in `Source`."""
    name: str
    """Its name in the statement."""
    predicate: Predicate
    """The conditions that its rows must meet, as an exact predicate."""
    is_optional: bool
    """Whether rows of the relations before it are kept without a match, as by LEFT JOIN."""


class ComparedColumns(Struct, frozen=True, kw_only=True):
    """A condition on two columns, each as the index of its relation and its name.

    If one of the relations is optional, the later optional one has the condition in its ON.
    """

    one: tuple[int, str]
    operator: str
    """=, <>, <, <=, > or >=, written between `one` and `other`."""
    other: tuple[int, str]


class PlainJoin(Struct, frozen=True, kw_only=True):
    """A join of relations in the order of FROM."""

    relations: tuple[JoinedRelation, ...]
    comparisons: tuple[ComparedColumns, ...]


class _UnknownError(Exception):
    """The join has a part that is not understood."""


def is_plain_table(node: exp.Expr) -> bool:
    """Whether an item of FROM is a table whose columns keep their names."""
    if not isinstance(node, exp.Table):
        return False
    if {name for name, value in node.args.items() if value} - _PLAIN_TABLE:
        return False
    alias = node.args.get("alias")
    return alias is None or not alias.columns


def plain_join(
    tree: exp.Query, nodes: Nodes, resolve: Resolver, parameter_type: ParameterType
) -> PlainJoin | None:
    """Return the join of a SELECT from two relations or more; None if DuckDB must make it.

    Args:
        tree: the query, before it is translated.
        nodes: the nodes of the tree.
        resolve: returns the table and the column of a column node.
        parameter_type: the types of the parameters.

    Raises:
        QueryError: a text literal is not a value of the type it is compared with (22P02).
    """
    joins = tree.args.get("joins") or []
    from_ = tree.args.get("from_")
    if not isinstance(tree, exp.Select) or from_ is None or not 0 < len(joins) < RELATIONS_MAX:
        return None
    items = [from_.this, *(join.this for join in joins)]
    names = {item.alias_or_name for item in items if is_plain_table(item)}
    # A table beyond these, or a second SELECT, would be in a subquery.
    if not len(names) == len(items) == len(nodes.of(exp.Table)) or len(nodes.of(exp.Select)) > 1:
        return None
    if any(map(_is_unusual, joins)):
        return None
    reader = _Reader(items, joins, resolve, parameter_type)
    try:
        return reader.read(tree.args.get("where"))
    except _UnknownError:
        return None


def _is_unusual(join: exp.Join) -> bool:
    side, kind = join.side.upper(), join.kind.upper()
    if join.method or join.args.get("using") or side not in {"", "LEFT"} or kind not in PLAIN_KINDS:
        return True
    return known_node(join) is not join or (side == "LEFT" and join.args.get("on") is None)


class _Reader:
    """Reads the conditions of one join.

    Args:
        tables: the items of FROM.
        joins: the joins of the second table, the third and so on.
        resolve: returns the table and the column of a column node.
        parameter_type: the types of the parameters.
    """

    def __init__(
        self,
        tables: Sequence[exp.Table],
        joins: Sequence[exp.Join],
        resolve: Resolver,
        parameter_type: ParameterType,
    ) -> None:
        self._tables, self._joins, self._resolve = tables, joins, resolve
        self._numbers: Mapping[int, int] = {id(table): at for at, table in enumerate(tables)}
        self._readers = [self._reader(table, parameter_type) for table in tables]
        self._predicates = [EVERY_ROW] * len(tables)
        self._optional = {at for at, join in enumerate(joins, start=1) if join.side}
        self._comparisons: list[tuple[ComparedColumns, int | None]] = []
        """The comparisons, each with the optional relation whose ON has it."""

    def read(self, where: exp.Where | None) -> PlainJoin:
        clauses: list[tuple[exp.Expr, int | None]] = []
        if where is not None:
            clauses.append((where.this, None))
        for at, join in enumerate(self._joins, start=1):
            if (on := join.args.get("on")) is not None:
                clauses.append((on, at if join.side else None))
        for condition, optional in clauses:
            for part in conjuncts(condition):
                self._read_part(part, optional)
        self._require_matches()
        if not all(predicate.exact for predicate in self._predicates):
            raise _UnknownError  # too many alternatives
        return PlainJoin(
            relations=tuple(
                JoinedRelation(
                    table=id(table),
                    name=table.alias_or_name,
                    predicate=predicate,
                    is_optional=at in self._optional,
                )
                for at, (table, predicate) in enumerate(
                    zip(self._tables, self._predicates, strict=True)
                )
            ),
            comparisons=tuple(comparison for comparison, _ in self._comparisons),
        )

    def _reader(self, table: exp.Table, parameter_type: ParameterType) -> PredicateReader:
        def column_of(column: exp.Column) -> Column | None:
            owned = self._resolve(column)
            return None if owned is None or owned[0] is not table else owned[1]

        return PredicateReader(column_of=column_of, parameter_type=parameter_type)

    def _read_part(self, part: exp.Expr, optional: int | None) -> None:
        """Read one condition of WHERE, or of the ON of an inner join or an optional relation."""
        if isinstance(part, exp.Boolean) and part.this is True:
            return
        owners = {self._place(column)[0] for column in part.find_all(exp.Column)}
        if len(owners) > 1:
            self._read_comparisons(part, optional)
            return
        if not owners:
            raise _UnknownError
        (owner,) = owners
        if optional is not None and owner != optional:
            raise _UnknownError  # the rows so far stay, whether or not they meet it
        found = self._readers[owner].predicate(part)
        if not found.exact:
            raise _UnknownError
        if optional is None and owner in self._optional:
            if accepts_null(found):
                raise _UnknownError  # as in `WHERE b.k IS NULL`
            self._optional.discard(owner)
        self._predicates[owner] = conjunction(self._predicates[owner], found)

    def _read_comparisons(self, part: exp.Expr, optional: int | None) -> None:
        """Record a condition that compares columns of two relations, or of three by BETWEEN."""
        found = comparisons_in(part)
        if not found:
            raise _UnknownError
        for left, operator, right in found:
            one, other = self._place(left), self._place(right)
            if one[0] == other[0] or (optional is not None and max(one[0], other[0]) != optional):
                raise _UnknownError
            compared = ComparedColumns(one=one, operator=operator, other=other)
            self._comparisons.append((compared, optional))

    def _place(self, node: exp.Expr) -> tuple[int, str]:
        owned = self._resolve(node) if isinstance(node, exp.Column) else None
        if owned is None:
            raise _UnknownError
        return self._numbers[id(owned[0])], owned[1].name

    def _require_matches(self) -> None:
        """Make optional relations required if a comparison reads them: NULL meets no comparison."""
        left = list(self._comparisons)
        while left:
            needed = [each for each in left if each[1] is None or each[1] not in self._optional]
            if not needed:
                return
            for each, _ in needed:
                self._optional -= {each.one[0], each.other[0]}
            left = [each for each in left if each not in needed]
