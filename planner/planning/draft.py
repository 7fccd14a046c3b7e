"""Drafts: the plan of a bound query while the planning rules improve it.

In the first draft each relation is read by its own conditions and DuckDB does the rest: it can run
every query. Each rule returns the draft that it was given, or one that does less work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from stategate.planner.binding.bound import Bound, Source
from stategate.planner.binding.column_origins import Origins
from stategate.planner.binding.plain_joins import is_plain_table
from stategate.planner.planning.access import Access, plan_access
from stategate.planner.planning.limits import Limits, limits_of
from stategate.planner.planning.plan import Count, Input, Link, Lookup, Stream, SystemScan
from stategate.planner.postgres.types.output_columns import is_star
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import Nodes
from stategate.stores.spec.schema import Column

_PLAIN_PARTS = {"expressions", "from_", "where", "limit", "offset", "order", "hint"}


class Projection(NamedTuple):
    """A SELECT list of columns only."""

    names: tuple[str, ...]
    """The relation's column for each result column."""
    aliases: tuple[str, ...]
    """The name of each result column."""


class PlainSelect(Struct, frozen=True, kw_only=True):
    """A SELECT from one store only, where reading the store applies the whole WHERE."""

    tree: exp.Select
    source: Source
    limits: Limits | None
    """LIMIT and OFFSET; None if one of them is computed."""
    projection: Projection | None
    """The SELECT list; None if it computes something."""

    @property
    def is_whole(self) -> bool:
        """Whether the query has no ORDER BY, LIMIT or OFFSET."""
        return not any(self.tree.args.get(part) for part in ("order", "limit", "offset"))


class Draft(Struct, frozen=True, kw_only=True):
    """A plan in the making."""

    bound: Bound
    inputs: tuple[Input, ...]
    """How each relation is read, in the order of `bound.sources`."""
    plain: PlainSelect | None
    """The query as a SELECT from one store; None for any other query."""
    links: tuple[Link, ...] = ()
    node: Lookup | Stream | Count | None = None
    """The node that runs the query without DuckDB; None if DuckDB composes the inputs."""
    columns: tuple[Column, ...] = ()
    """The result columns, once there is a node; without one, DuckDB describes them."""
    origins: Origins | None = None
    """The relation's column for each result column, once there is a node."""

    @property
    def access(self) -> Access:
        """Return the read of a plain SELECT's store."""
        access = self.inputs[0][1]
        assert isinstance(access, Access)
        return access

    def with_access(self, access: Access) -> Draft:
        """Return the draft with another read of a plain SELECT's store."""
        return replace(self, inputs=((self.inputs[0][0], access),))

    def with_node(self, node: Lookup | Stream, source: Source, projection: Projection) -> Draft:
        """Return the draft of a plain SELECT of columns that a node runs without DuckDB."""
        relation, readable = source.relation, source.relation.readable
        columns = [
            Column(name=alias, type=readable[name].type)
            for name, alias in zip(projection.names, projection.aliases, strict=True)
        ]
        origins = [(relation, name) for name in projection.names]
        return replace(self, node=node, columns=tuple(columns), origins=tuple(origins))


Rule: TypeAlias = Callable[[Draft], Draft]


def first_draft(bound: Bound) -> Draft:
    """Return the draft that composes all of a query in DuckDB."""
    return Draft(
        bound=bound,
        inputs=tuple([(source.name, _input(source)) for source in bound.sources]),
        plain=_plain_select(bound),
    )


def _input(source: Source) -> Access | SystemScan:
    store = source.relation.store
    if store is None:
        return SystemScan(name=source.relation.name)
    return plan_access(store, source.predicate, source.columns)


def single_store(bound: Bound) -> Source | None:
    """Return the only relation of a SELECT, if it is a store whose read applies the whole WHERE."""
    tree = bound.tree
    if not isinstance(tree, exp.Select) or len(bound.sources) != 1:
        return None
    source = bound.sources[0]
    if source.relation.store is None or tree.args.get("joins") or not source.predicate.exact:
        return None
    # Without FROM, the store is in a subquery of the SELECT list.
    if not tree.args.get("from_") or not _is_from_one_table(tree, bound.nodes):
        return None
    return source


def _plain_select(bound: Bound) -> PlainSelect | None:
    tree, source = bound.tree, single_store(bound)
    if source is None or not isinstance(tree, exp.Select):
        return None
    if {name for name, value in tree.args.items() if value} - _PLAIN_PARTS:
        return None
    return PlainSelect(
        tree=tree,
        source=source,
        limits=limits_of(tree, bound.parameters),
        projection=_projection(tree, source),
    )


def _is_from_one_table(tree: exp.Select, nodes: Nodes) -> bool:
    """Whether FROM has the only table of the query, and its columns keep the store's names."""
    tables = nodes.of(exp.Table)
    if len(tables) != 1 or tables[0] is not tree.args["from_"].this or nodes.of(exp.Subquery):
        return False  # FROM can have VALUES or an array, and the store be in an EXISTS
    return is_plain_table(tables[0])


def _projection(select: exp.Select, source: Source) -> Projection | None:
    names: list[str] = []
    aliases: list[str] = []
    table, readable = select.args["from_"].this.alias_or_name, source.relation.readable
    for node in select.expressions:
        inner = known_node(node.unalias())
        is_column = isinstance(inner, exp.Column)
        if is_column and (owner := inner.args.get("table")) and owner.name != table:
            return None
        if is_star(inner):
            star = inner.this if is_column else inner
            if any(star.args.values()):
                return None  # EXCLUDE, REPLACE
            names += [c.name for c in source.relation.columns]
            aliases += [c.name for c in source.relation.columns]
        elif is_column and (name := inner.name) in readable:
            names.append(name)
            aliases.append(name if node is inner else node.alias)
        else:
            return None
    return Projection(names=tuple(names), aliases=tuple(aliases)) if names else None
