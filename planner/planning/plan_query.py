"""Plan a bound query: `RULES` improve a first draft, and DuckDB describes the rest."""

from __future__ import annotations

import difflib
import re

import pyarrow as pa
from sqlglot import exp

from stategate.planner.binding.bound import Bound, Source
from stategate.planner.composing.compose import Composer, to_duckdb
from stategate.planner.errors import UnknownNameError
from stategate.planner.planning.access import Access
from stategate.planner.planning.draft import Draft, Rule, first_draft, single_store
from stategate.planner.planning.merged_groups import MergedGroups, merged_groups
from stategate.planner.planning.plan import Compose, Lookup, Node, QueryPlan, SystemScan
from stategate.planner.planning.row_columns import ReadRelation, RowColumns
from stategate.planner.planning.row_joins import RowJoin, row_join
from stategate.planner.planning.row_path import RowPath
from stategate.planner.planning.row_plan import RowPlan, row_plan
from stategate.planner.planning.rules.count_rows import count_rows
from stategate.planner.planning.rules.link_joins import link_joins
from stategate.planner.planning.rules.look_up_key import look_up_key
from stategate.planner.planning.rules.read_first_rows import read_first_rows
from stategate.planner.planning.rules.read_key_ends import read_key_ends
from stategate.planner.planning.rules.stream_rows import stream_rows
from stategate.planner.syntax.with_clause import Clause
from stategate.planner.trees.nodes import parameter_number, parameter_text
from stategate.planner.trees.outline import outline
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.sqltypes import declared
from stategate.stores.spec.schema import Column, DataType

RULES: tuple[Rule, ...] = (
    look_up_key,
    count_rows,
    read_first_rows,
    stream_rows,
    read_key_ends,
    link_joins,
)
"""The rules in the order in which they are applied, until one makes DuckDB unnecessary."""


def plan_query(
    bound: Bound,
    clause: Clause,
    composer: Composer,
    *,
    version: int,
    is_explained: bool,
    has_nodes: bool,
    cancellation: Cancellation,
) -> QueryPlan:
    """Return the plan with the fewest reads that the rules find.

    Args:
        bound: the query; its tree is translated for DuckDB if DuckDB is needed.
        clause: the statement's WITH clause.
        composer: describes the results that DuckDB composes.
        version: the catalog's version at the time of binding.
        is_explained: whether EXPLAIN shows the plan, which needs conditions as text.
        has_nodes: whether other nodes may have rows.
        cancellation: ends the planning early.

    Raises:
        QueryError: DuckDB refuses the query.
    """
    reads = frozenset(
        [each.relation.name for each in bound.sources if each.relation.store is not None]
    )
    draft = first_draft(bound)
    for rule in RULES:
        draft = rule(draft)
        if draft.node is not None:
            return QueryPlan(
                node=draft.node,
                rows=_row_path(_row_plan(draft, draft.node.access), draft.node, draft.columns),
                columns=draft.columns,
                origins=draft.origins,
                parameters=bound.parameters,
                clause=clause,
                reads=reads,
                catalog_version=version,
            )
    # All of these read the tree before its translation.
    origins, names = bound.origins(), bound.names()
    residual = _residual(bound) if is_explained else None
    of_store = _row_plan(draft, draft.inputs[0][1]) if draft.inputs else None
    join = _row_join(bound)
    of_join = None if join is None else row_plan(bound, join.columns)
    node, columns = _compose(draft, names, composer, cancellation, has_nodes=has_nodes)
    if join is None:
        rows = _row_path(of_store, node, columns)
    else:
        rows = _joined_path(of_join, join, columns)
    return QueryPlan(
        node=node,
        rows=rows,
        join=None if rows is None else join,
        columns=columns,
        origins=origins,
        parameters=bound.parameters,
        clause=clause,
        reads=reads,
        residual=residual,
        catalog_version=version,
    )


def _row_plan(draft: Draft, access: Access | SystemScan) -> RowPlan | None:
    source = single_store(draft.bound)
    if source is None or not isinstance(access, Access) or isinstance(draft.node, Lookup):
        return None
    name = draft.bound.tree.args["from_"].this.alias_or_name
    read = ReadRelation(name=name, relation=source.relation, columns=access.columns)
    return row_plan(draft.bound, RowColumns([read]))


def _row_join(bound: Bound) -> RowJoin | None:
    """Return how the joined rows of a query are read if they are few; None if DuckDB joins them."""
    join = bound.join() if len(bound.sources) > 1 else None
    return None if join is None else row_join(join, bound.sources)


def _joined_path(
    plan: RowPlan | None, join: RowJoin, columns: tuple[Column, ...]
) -> RowPath | None:
    if plan is None or not plan.gives(columns):
        return None
    is_scan = join.steps[0].access.is_scan
    return RowPath(plan, is_scan=is_scan, columns=join.columns.columns)


def _row_path(plan: RowPlan | None, node: Node, columns: tuple[Column, ...]) -> RowPath | None:
    """Return the row path of a query, if it computes values of the result's types."""
    if plan is None or isinstance(node, Lookup) or not plan.gives(columns):
        return None
    access = node.inputs[0][1] if isinstance(node, Compose) else node.access
    assert isinstance(access, Access)
    known = access.schema.column_by_name
    return RowPath(plan, is_scan=access.is_scan, columns=[known[name] for name in access.columns])


def _residual(bound: Bound) -> str | None:
    """Return the WHEREs of a statement as text; None if the accesses apply all of them."""
    if single_store(bound) is not None:
        return None
    wheres = [node.this.copy() for node in bound.nodes.of(exp.Where)]
    for where in wheres:
        for node in [*where.find_all(exp.Parameter)]:
            node.replace(exp.Var(this=parameter_text(node)))
    return "; ".join(where.sql(dialect="postgres") for where in wheres) or None


def _compose(
    draft: Draft,
    names: tuple[str, ...] | None,
    composer: Composer,
    cancellation: Cancellation,
    *,
    has_nodes: bool,
) -> tuple[Compose, tuple[Column, ...]]:
    """Return the node that DuckDB runs, and the columns of its result."""
    bound = draft.bound
    is_decided = single_store(bound) is not None
    translated = bound.translate()
    tree, types = translated.tree, translated.types
    if is_decided:
        # The read returns no other rows, and DuckDB would spend half of its time on a long IN.
        tree.set("where", None)
    shown = outline(tree)
    schemas = {
        source.name: _arrow_schema(source, planned)
        for source, (_, planned) in zip(bound.sources, draft.inputs, strict=True)
    }
    # The translation drops expressions that are not evaluated, such as the argument of pg_typeof.
    numbers = tuple(sorted({parameter_number(n) for n in tree.find_all(exp.Parameter)}))
    groups = _groups(tree, draft) if has_nodes and is_decided else None
    sql = to_duckdb(tree)
    try:
        columns = composer.describe(sql, schemas, numbers, shown, cancellation=cancellation)
    except UnknownNameError as error:
        # DuckDB knows only the columns that are read, so its guess may be wrong.
        if error.sqlstate == "42703":
            error.hint = _nearest_column(error.message, bound)
        raise
    if names is not None and len(names) == len(columns):
        columns = tuple(
            Column(name=name, type=c.type) for name, c in zip(names, columns, strict=True)
        )
    columns = tuple(map(_as_declared, columns, types or (None,) * len(columns)))
    node = Compose(
        sql=sql,
        outline=shown,
        inputs=draft.inputs,
        numbers=numbers,
        links=draft.links,
        groups=groups,
    )
    return node, columns


def _groups(tree: exp.Expr, draft: Draft) -> MergedGroups | None:
    planned = draft.inputs[0][1]
    return merged_groups(tree, planned) if isinstance(planned, Access) else None


def _as_declared(column: Column, wanted: DataType | None) -> Column:
    return Column(name=column.name, type=declared(column.type, wanted))


def _nearest_column(message: str, bound: Bound) -> str | None:
    missing = re.split(r'[". ]+', message.removesuffix(" does not exist").rstrip('"'))[-1]
    known = {name for source in bound.sources for name in source.relation.readable}
    near = difflib.get_close_matches(missing, sorted(known), n=1)
    return f'Perhaps you meant "{near[0]}".' if near else None


def _arrow_schema(source: Source, planned: Access | SystemScan) -> pa.Schema:
    if isinstance(planned, Access):
        return planned.schema.arrow_schema(planned.columns)
    return pa.schema([(c.name, c.type.arrow) for c in source.relation.columns])
