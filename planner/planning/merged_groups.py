"""Groups that DuckDB merges: a statement about the rows of a store, as one about their states.

A row plan knows columns and aggregates of columns. DuckDB computes the rest, such as HAVING or a
quotient of two sums, and needs no rows for it either: here the aggregates of a translated statement
become those that merge states, so that `sum(x)` is the sum of sums. The keys of the states are all
columns outside of aggregates. Their groups may be smaller than those of the statement, whose GROUP
BY stays.

Only known nodes are rewritten: any other aggregate would take a state for a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from sqlglot import exp

from stategate.planner.composing.compose import to_duckdb
from stategate.planner.planning.access import Access
from stategate.planner.planning.column_path import GROUPED
from stategate.planner.planning.groupings import GroupStates, State, is_mergeable
from stategate.planner.planning.row_plan import WHOLE, Aggregate
from stategate.planner.postgres.types.result_types import DIGITS_MAX
from stategate.planner.trees.known_arguments import is_known
from stategate.planner.trees.nodes import cast, parameter_number
from stategate.stores.spec.schema import Column, Kind

_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Min: "min",
    exp.Max: "max",
    exp.LogicalAnd: "min",
    exp.LogicalOr: "max",
}
_CLAUSES = (
    *(exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Group, exp.Having),
    *(exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Alias),
)
_VALUES = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Parameter, exp.Var),
    *(exp.Cast, exp.DataType, exp.DataTypeParam, exp.Paren, exp.Collate),
    *(exp.Not, exp.And, exp.Or, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is),
    *(exp.Between, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Abs, exp.Round, exp.Floor, exp.Ceil),
    *(exp.Upper, exp.Lower, exp.Length, exp.DPipe, exp.In, exp.Like, exp.ILike, exp.Interval),
)
_CALLS = frozenset({"nullif", "replace", "isfinite", "isnan", "date_trunc", "date_part"})
"""Functions that are called by name and are no aggregates, beside our macros."""
_KNOWN = frozenset((*_CLAUSES, *_VALUES, *_AGGREGATES))
_STATE = "zz_state_"
"""How the names of states begin."""


class MergedGroups(GroupStates):
    """A statement about states.

    Args:
        sql: the statement, for DuckDB.
        numbers: the parameters in it.
        schema: the columns of the states, after those of the keys.
        keys: the places of the keys among the columns that are read.
        states: what is needed of each group.
    """

    __slots__ = ("numbers", "schema", "sql")

    def __init__(
        self,
        sql: str,
        numbers: tuple[int, ...],
        *,
        schema: pa.Schema,
        keys: tuple[int, ...],
        states: tuple[State, ...],
    ) -> None:
        super().__init__(keys, states)
        self.sql, self.numbers, self.schema = sql, numbers, schema

    def batches(self, tables: Sequence[pa.Table]) -> list[pa.RecordBatch]:
        """Return tables of states as the rows of the relation in the statement."""
        names = self.schema.names
        found = [each.rename_columns(names).cast(self.schema) for each in tables]
        return [batch for each in found for batch in each.to_batches()]


def merged_groups(tree: exp.Expr, access: Access) -> MergedGroups | None:
    """Return the statement about states that gives the rows of another; None if DuckDB needs rows.

    Args:
        tree: a translated SELECT from one store, whose read applies the WHERE.
        access: that read.
    """
    is_cut = access.limit or access.top or access.by_time or access.ends
    if is_cut or not access.columns or not isinstance(tree, exp.Select):
        return None
    nodes = list(tree.walk())
    if not all(map(_is_known, nodes)) or sum(isinstance(each, exp.Select) for each in nodes) > 1:
        return None
    return _Rewriting(tree.copy(), access).merged()


def _is_known(node: exp.Expr) -> bool:
    """Whether a node may stand beside states."""
    if isinstance(node, exp.Star):
        return isinstance(node.parent, exp.Count) and not any(node.args.values())
    if isinstance(node, exp.Identifier) and node.name.startswith(_STATE):
        return False
    if isinstance(node, exp.Anonymous):  # none of our macros is an aggregate
        return node.name.startswith("pg_sg_") or node.name in _CALLS
    return type(node) in _KNOWN and is_known(node)


class _Rewriting:
    """Rewrites a copy of one statement."""

    def __init__(self, tree: exp.Select, access: Access) -> None:
        self._tree = tree
        self._columns = [access.schema.column_by_name[name] for name in access.columns]
        self._places = {name: at for at, name in enumerate(access.columns)}
        self._states: dict[State, str] = {}

    def merged(self) -> MergedGroups | None:
        tree = self._tree
        for node in list(tree.find_all(*_AGGREGATES)):
            state = self._state(node)
            if state is None:
                return None
            name = self._states.setdefault(state, f"{_STATE}{len(self._states)}")
            node.replace(self._merging(node, state, name))
        found = {each.name for each in tree.find_all(exp.Column)}
        keys = tuple([at for name, at in self._places.items() if name in found])
        columns = [self._columns[at] for at in keys]
        # Without a key, a node without rows has a group, too: that of a statement without GROUP BY.
        if bool(keys) is not bool(tree.args.get("group")) or not (keys or self._states):
            return None
        if any(each.type.kind not in GROUPED for each in columns):
            return None
        numbers = {parameter_number(each) for each in tree.find_all(exp.Parameter)}
        return MergedGroups(
            to_duckdb(tree),
            tuple(sorted(numbers)),
            schema=self._schema(columns),
            keys=keys,
            states=tuple(self._states),
        )

    def _state(self, node: exp.Expr) -> State | None:
        """Return the state that an aggregate needs; None if there is none."""
        inner, function = node.this, _AGGREGATES[type(node)]
        if isinstance(inner, exp.Star):
            return None, "count_all"
        if node.expressions or not isinstance(inner, exp.Column) or inner.name not in self._places:
            return None
        at = self._places[inner.name]
        of = self._columns[at].type
        is_boolean = isinstance(node, exp.LogicalAnd | exp.LogicalOr)
        if is_boolean and of.kind is Kind.BOOLEAN:
            return at, function
        is_usual = not is_boolean and is_mergeable(Aggregate(function, at, of))
        return (at, function) if is_usual else None

    def _merging(self, node: exp.Expr, state: State, name: str) -> exp.Expr:
        """Return the aggregate of states, which has the type of that of rows."""
        column = exp.Column(this=exp.to_identifier(name, quoted=True))
        at, function = state
        if isinstance(node, exp.Count):
            return cast(exp.Sum(this=column), "BIGINT")
        if function == "sum" and at is not None and self._columns[at].type.kind in WHOLE:
            return cast(exp.Sum(this=column), "HUGEINT")
        return type(node)(this=column)

    def _schema(self, keys: Sequence[Column]) -> pa.Schema:
        fields = [(each.name, each.type.arrow) for each in keys]
        for (at, function), name in self._states.items():
            of = pa.int64() if at is None else self._columns[at].type.arrow
            if function == "count":
                of = pa.int64()
            elif function == "sum" and at is not None:
                of = pa.decimal128(DIGITS_MAX, self._columns[at].type.scale)
            fields.append((name, of))
        return pa.schema(fields)
