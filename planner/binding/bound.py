"""What binding makes of a query."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from sqlglot import exp

from stategate.planner.binding.column_origins import Origins
from stategate.planner.binding.computed_values import ComputedValue
from stategate.planner.binding.plain_joins import PlainJoin
from stategate.planner.binding.predicates import Predicate
from stategate.planner.binding.pushdown import Compared
from stategate.planner.binding.relations import Relation
from stategate.planner.trees.nodes import Nodes
from stategate.stores.spec.schema import DataType


class Source(Struct, frozen=True, kw_only=True):
    """One mention of a relation in FROM."""

    relation: Relation
    name: str
    """Its name in the bound tree: r0, r1, …, or rr0, rr1, … if the statement has a name of that
    form.
    """
    columns: tuple[str, ...]
    """The columns that the statement can need, in schema order; at least one."""
    predicate: Predicate
    """The conditions that its rows must meet; they also stay in the tree."""
    compared: tuple[Compared, ...] = ()
    """The columns of other relations that its own columns are compared with."""
    table: int = 0
    """The id of its table node, by which comparisons refer to it."""


class Translated(Struct, frozen=True, kw_only=True):
    """A query that DuckDB can run."""

    tree: exp.Query
    """The bound tree, or another in its place."""
    types: tuple[DataType | None, ...] | None
    """The result types in Postgres where certain; None where only DuckDB knows their number."""


class Bound(Struct, frozen=True, kw_only=True):
    """A query whose names and parameters are known."""

    tree: exp.Query
    nodes: Nodes
    sources: tuple[Source, ...]
    parameters: tuple[DataType, ...]
    """Those of the client, then those of `values`."""
    values: tuple[ComputedValue, ...]
    """The expressions that are computed once for each run."""
    type_of: Callable[[exp.Expr], DataType | None]
    """Returns the type of an expression; None if it is not known."""
    names: Callable[[], tuple[str, ...] | None]
    """Returns the result columns as Postgres names them; None where only DuckDB knows their number.
    """
    origins: Callable[[], Origins | None]
    """Returns which result columns are columns of a relation. Call both before `translate`."""
    join: Callable[[], PlainJoin | None]
    """Returns the join, if all its conditions are understood. Call it before `translate`, too."""
    translate: Callable[[], Translated]
    """Rewrites the tree for DuckDB. Call it at most once: a plan without DuckDB does not need it.
    """
