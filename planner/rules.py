"""From a bound query to a plan: which accesses, what they are told, whether DuckDB is needed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter

import pyarrow as pa
from sqlglot import exp

from planner.access import Access, plan_access
from planner.bind import Bound, Source
from planner.clause import Clause
from planner.compose import Composer, to_duckdb
from planner.errors import NameProblem
from planner.outputs import is_star
from planner.plan import Compose, Lookup, QueryPlan, Stream, SystemScan
from planner.predicates import conjuncts, parameter_number
from stores.query import Order
from stores.schema import Column, Row

_PLAIN_PARTS = {"expressions", "from_", "where", "limit", "offset", "order", "kind", "hint"}
_NOT_BY_ROW = (exp.AggFunc, exp.Window, exp.UDTF, exp.Explode, exp.GenerateSeries, exp.Anonymous)
"""Where one of them is, the first rows of the result need more than the first rows of the store."""
LIMIT_PUSHED_MAX = 1_000_000
"""Above it, a limit per partition saves nothing."""


def plan_query(bound: Bound, clause: Clause, composer: Composer, *, version: int) -> QueryPlan:
    """The plan with the fewest reads that the rules find.

    Raises:
        QueryError: DuckDB refuses the query.
    """
    direct = _plan_direct(bound)
    if direct is not None:
        node, columns = direct
        return QueryPlan(
            node=node,
            columns=columns,
            parameters=bound.parameters,
            clause=clause,
            catalog_version=version,
        )
    inputs = tuple((source.name, _input(source)) for source in bound.sources)
    inputs = _push_top(bound, inputs)
    sql = to_duckdb(bound.tree)
    schemas = {
        source.name: _arrow_schema(source, planned)
        for source, (_, planned) in zip(bound.sources, inputs, strict=True)
    }
    numbers = tuple(sorted({parameter_number(n) for n in bound.nodes.of(exp.Parameter)}))
    try:
        columns = composer.describe(sql, schemas, numbers, bound.tree)
    except NameProblem as error:
        # DuckDB knows only the columns that are read, so that it guesses among too few.
        if error.sqlstate == "42703":
            error.hint = _nearest_column(error.message, bound)
        raise
    if bound.names is not None and len(bound.names) == len(columns):
        columns = tuple(
            Column(name=name, type=c.type) for name, c in zip(bound.names, columns, strict=True)
        )
    return QueryPlan(
        node=Compose(sql=sql, tree=bound.tree, inputs=inputs, numbers=numbers),
        columns=columns,
        parameters=bound.parameters,
        clause=clause,
        residual=_residual(bound, inputs),
        catalog_version=version,
    )


def _nearest_column(message: str, bound: Bound) -> str | None:
    missing = re.split(r'[". ]+', message.removesuffix(" does not exist").rstrip('"'))[-1]
    known = {name for source in bound.sources for name in source.relation.readable}
    near = difflib.get_close_matches(missing, sorted(known), n=1)
    return f'Perhaps you meant "{near[0]}".' if near else None


def _input(source: Source) -> Access | SystemScan:
    store = source.relation.store
    if store is None:
        return SystemScan(name=source.relation.name)
    return plan_access(store, source.conditions, source.columns)


def _arrow_schema(source: Source, planned: Access | SystemScan) -> pa.Schema:
    if isinstance(planned, Access):
        return planned.schema.arrow_schema(planned.columns)
    return pa.schema([(c.name, c.type.arrow) for c in source.relation.columns])


def _only_select(bound: Bound) -> tuple[exp.Select, Source] | None:
    """The query as a SELECT from one store and nothing else, if it is that."""
    tree = bound.tree
    if not isinstance(tree, exp.Select) or len(bound.sources) != 1:
        return None
    source = bound.sources[0]
    if source.relation.store is None or tree.args.get("joins"):
        return None
    if {name for name, value in tree.args.items() if value} - _PLAIN_PARTS:
        return None
    nodes = bound.nodes
    if len(nodes.of(exp.Table)) != 1 or nodes.of(exp.Subquery):
        return None
    alias = nodes.of(exp.Table)[0].args.get("alias")
    return (tree, source) if alias is None or not alias.columns else None


def _plan_direct(bound: Bound) -> tuple[Lookup | Stream, tuple[Column, ...]] | None:
    """The plan without DuckDB, for a projection of columns whose WHERE the access decides."""
    found = _only_select(bound)
    if found is None:
        return None
    select, source = found
    projected = _projection(select, source)
    limits = _limits(select)
    if projected is None or limits is None or select.args.get("order"):
        return None
    access = _input(source)
    assert isinstance(access, Access)
    if not _is_decided(select, source, access):
        return None
    names, aliases = projected
    columns = tuple(
        Column(name=alias, type=source.relation.readable[name].type)
        for name, alias in zip(names, aliases, strict=True)
    )
    lookup = _lookup(access, names) if limits == (None, 0) else None
    if lookup is not None:
        return lookup, columns
    limit, offset = limits
    used = tuple(dict.fromkeys(names)) or access.columns
    pushed = limit + offset if limit is not None and limit + offset <= LIMIT_PUSHED_MAX else None
    access = replace(access, columns=used, limit=pushed)
    projection = tuple(used.index(name) for name in names)
    return Stream(access=access, projection=projection, limit=limit, offset=offset), columns


def _lookup(access: Access, names: tuple[str, ...]) -> Lookup | None:
    operands = access.single_key
    plain = [c.name for c in (*access.schema.key, *access.schema.value)]
    if operands is None or any(name not in plain for name in names):
        return None
    return Lookup(
        access=replace(access, columns=tuple(dict.fromkeys(names))),
        operands=operands,
        project=_projector([plain.index(name) for name in names]),
    )


def _projector(places: list[int]) -> Callable[[Row], Row]:
    """A function that takes these places out of a row; chosen once, called for every lookup."""
    if places == list(range(places[0], places[-1] + 1)):
        return itemgetter(slice(places[0], places[-1] + 1))
    return itemgetter(*places)


def _projection(
    select: exp.Select, source: Source
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Column names and their result names, if the SELECT list is columns only."""
    names: list[str] = []
    aliases: list[str] = []
    table = select.args["from_"].this.alias_or_name
    for node in select.expressions:
        inner = node.unalias()
        if isinstance(inner, exp.Column) and inner.table not in {"", table}:
            return None
        if is_star(inner):
            star = inner.this if isinstance(inner, exp.Column) else inner
            if any(star.args.values()):
                return None  # EXCLUDE, REPLACE
            names += [c.name for c in source.relation.columns]
            aliases += [c.name for c in source.relation.columns]
        elif isinstance(inner, exp.Column) and inner.name in source.relation.readable:
            names.append(inner.name)
            aliases.append(node.alias_or_name)
        else:
            return None
    return (tuple(names), tuple(aliases)) if names else None


def _limits(select: exp.Select) -> tuple[int | None, int] | None:
    """LIMIT and OFFSET, if they are numbers."""
    found: list[int | None] = []
    for part in ("limit", "offset"):
        node = select.args.get(part)
        if node is None:
            found.append(None)
            continue
        literal = node.expression
        if not isinstance(literal, exp.Literal) or not literal.name.isdigit():
            return None
        found.append(int(literal.name))
    return found[0], found[1] or 0


def _is_decided(select: exp.Select, source: Source, access: Access) -> bool:
    where = select.args.get("where")
    if where is None:
        return True
    parts = sum(2 if isinstance(part, exp.Between) else 1 for part in conjuncts(where.this))
    return parts == len(source.conditions) and access.decides(source.conditions)


def _push_top(
    bound: Bound, inputs: tuple[tuple[str, Access | SystemScan], ...]
) -> tuple[tuple[str, Access | SystemScan], ...]:
    """`ORDER BY key LIMIT n` of one store: each partition reads no more than n rows, in order.

    DuckDB still orders and cuts; the rows it gets are enough for that. Only where the key is one
    column: in a composite key NULLs would end up elsewhere than the statement has them.
    """
    found = _only_select(bound)
    if found is None:
        return inputs
    select, source = found
    order, limits = select.args.get("order"), _limits(select)
    access = inputs[0][1]
    if order is None or limits is None or limits[0] is None or not isinstance(access, Access):
        return inputs
    total = limits[0] + limits[1]
    schema = access.schema
    keyed = order.expressions[0]
    is_key = (
        len(schema.key) == 1
        and not schema.time_columns
        and isinstance(keyed.this, exp.Column)
        and keyed.this.name == schema.key[0].name
        and keyed.this.name not in _renamed(select)
    )
    if not is_key or bound.nodes.has(_NOT_BY_ROW) or total > LIMIT_PUSHED_MAX or access.is_lookup:
        return inputs
    if not _is_decided(select, source, access):
        return inputs
    direction = Order.DESCENDING if keyed.args.get("desc") else Order.ASCENDING
    return ((inputs[0][0], replace(access, order=direction, limit=total)),)


def _renamed(select: exp.Select) -> set[str]:
    """Result names that stand for something else than the column of that name."""
    return {
        node.alias
        for node in select.expressions
        if isinstance(node, exp.Alias)
        and not (isinstance(node.this, exp.Column) and node.this.name == node.alias)
    }


def _residual(bound: Bound, inputs: tuple[tuple[str, Access | SystemScan], ...]) -> str | None:
    """The WHEREs of the statement, if an access does not decide them alone."""
    wheres = [node.this for node in bound.nodes.of(exp.Where)]
    found = _only_select(bound)
    if found is not None and wheres:
        select, source = found
        access = inputs[0][1]
        if isinstance(access, Access) and _is_decided(select, source, access):
            return None
    return "; ".join(where.sql(dialect="postgres") for where in wheres) or None
