"""From a bound query to a plan: which accesses, what they are told, whether DuckDB is needed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from operator import itemgetter
from typing import TypeAlias

import pyarrow as pa
from msgspec.structs import replace
from sqlglot import exp

from planner.binding.bind import Bound, Source
from planner.binding.column_origins import Origins
from planner.binding.predicates import Disjunct, NotNull, Predicate
from planner.composing.compose import Composer, to_duckdb
from planner.errors import UnknownNameError
from planner.planning.access import Access, Top, plan_access
from planner.planning.lookup_joins import Link, link
from planner.planning.ordering import terms_of, top_of
from planner.planning.plan import Compose, Count, Lookup, QueryPlan, Stream, SystemScan
from planner.postgres.types.output_columns import is_star
from planner.syntax.with_clause import Clause
from planner.trees.known_arguments import seen
from planner.trees.node_index import kinds
from planner.trees.nodes import parameter_number
from planner.trees.outline import outline
from planner.values.cancel import Cancellation
from planner.values.sqltypes import declared
from stores.spec.schema import BIGINT, Column, DataType, Row, StoreKind

_PLAIN_PARTS = {"expressions", "from_", "where", "limit", "offset", "order", "hint"}
_PLAIN_TABLE = {"this", "alias", "db", "only"}
_NOT_BY_ROW = kinds(
    exp.AggFunc, exp.Window, exp.UDTF, exp.Explode, exp.GenerateSeries, exp.Anonymous
)
"""Where one of them is, the first rows of the result need more than the first rows of the store."""
LIMIT_PUSHED_MAX = 1_000_000
"""Above it, a limit per partition saves nothing."""
TOP_ROWS_MAX = 20_000
"""So many ordered rows are merged here; more are sorted by DuckDB, which can do it in parallel."""
_PLAIN_KINDS = {StoreKind.KEYVALUE, StoreKind.GLOBAL}


def plan_query(
    bound: Bound,
    clause: Clause,
    composer: Composer,
    *,
    version: int,
    cancellation: Cancellation,
) -> QueryPlan:
    """The plan with the fewest reads that the rules find.

    Raises:
        QueryError: DuckDB refuses the query.
    """
    direct = _plan_direct(bound)
    if direct is not None:
        node, columns, of_relation = direct
        return QueryPlan(
            node=node,
            columns=columns,
            origins=of_relation,
            parameters=bound.parameters,
            clause=clause,
            catalog_version=version,
        )
    inputs = tuple((source.name, _input(source)) for source in bound.sources)
    inputs = _push_ends(bound, _push_top(bound, inputs))
    origins, residual = bound.origins(), _residual(bound, inputs)
    types = bound.translate()
    sql, shown = to_duckdb(bound.tree), outline(bound.tree)
    schemas = {
        source.name: _arrow_schema(source, planned)
        for source, (_, planned) in zip(bound.sources, inputs, strict=True)
    }
    # Those that are left: what pg_typeof is asked about, say, is not evaluated.
    numbers = tuple(sorted({parameter_number(n) for n in bound.tree.find_all(exp.Parameter)}))
    try:
        columns = composer.describe(sql, schemas, numbers, shown, cancellation=cancellation)
    except UnknownNameError as error:
        # DuckDB knows only the columns that are read, so that it guesses among too few.
        if error.sqlstate == "42703":
            error.hint = _nearest_column(error.message, bound)
        raise
    if bound.names is not None and len(bound.names) == len(columns):
        columns = tuple(
            Column(name=name, type=c.type) for name, c in zip(bound.names, columns, strict=True)
        )
    columns = tuple(map(_as_declared, columns, types or (None,) * len(columns)))
    return QueryPlan(
        node=Compose(
            sql=sql, outline=shown, inputs=inputs, numbers=numbers, links=_links(bound, inputs)
        ),
        columns=columns,
        origins=origins,
        parameters=bound.parameters,
        clause=clause,
        residual=residual,
        catalog_version=version,
    )


def _as_declared(column: Column, wanted: DataType | None) -> Column:
    return Column(name=column.name, type=declared(column.type, wanted))


def _nearest_column(message: str, bound: Bound) -> str | None:
    missing = re.split(r'[". ]+', message.removesuffix(" does not exist").rstrip('"'))[-1]
    known = {name for source in bound.sources for name in source.relation.readable}
    near = difflib.get_close_matches(missing, sorted(known), n=1)
    return f'Perhaps you meant "{near[0]}".' if near else None


def _input(source: Source) -> Access | SystemScan:
    store = source.relation.store
    if store is None:
        return SystemScan(name=source.relation.name)
    return plan_access(store, source.predicate, source.columns)


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
    parts = {name for name, value in tree.args.items() if value}
    if parts - _PLAIN_PARTS or "from_" not in parts:
        return None  # without FROM, the store stands in a subquery of the SELECT list
    nodes = bound.nodes
    tables = nodes.of(exp.Table)
    if len(tables) != 1 or tables[0] is not tree.args["from_"].this or nodes.of(exp.Subquery):
        return None  # or FROM has VALUES or an array, and the store stands in an EXISTS
    table = tables[0].args
    if {name for name, value in table.items() if value} - _PLAIN_TABLE:
        return None
    alias = table.get("alias")
    return (tree, source) if alias is None or not alias.columns else None


_Direct: TypeAlias = tuple[Lookup | Stream | Count, tuple[Column, ...], Origins]
"""A plan without DuckDB, its result columns, and which of the relation's these are."""


def _plan_direct(bound: Bound) -> _Direct | None:
    """The plan without DuckDB, for columns of rows that the access decides, or their number."""
    found = _only_select(bound)
    limits = None if found is None else _limits(found[0])
    if found is None or limits is None or not found[1].predicate.exact:
        return None
    select, source = found
    access = _input(source)
    assert isinstance(access, Access)
    if _is_count(select):
        return (*_plan_count(bound, select, access), (None,))
    projected = _projection(select, source)
    if projected is None:
        return None
    names, aliases = projected
    columns = tuple(
        Column(name=alias, type=source.relation.readable[name].type)
        for name, alias in zip(names, aliases, strict=True)
    )
    origins = tuple((source.relation, name) for name in names)
    if select.args.get("order"):
        ordered = _plan_ordered(select, access, names)
        return None if ordered is None else (ordered, columns, origins)
    lookup = _lookup(access, names) if limits == (None, 0) else None
    if lookup is not None:
        return lookup, columns, origins
    limit, offset = limits
    used = tuple(dict.fromkeys(names)) or access.columns
    pushed = limit + offset if limit is not None and limit + offset <= LIMIT_PUSHED_MAX else None
    access = replace(access, columns=used, limit=pushed)
    projection = tuple(used.index(name) for name in names)
    stream = Stream(access=access, projection=projection, limit=limit, offset=offset)
    return stream, columns, origins


def _plan_ordered(select: exp.Select, access: Access, names: tuple[str, ...]) -> Stream | None:
    """`ORDER BY key LIMIT n`: ordered reads of the partitions, merged until there are n rows."""
    top, limits = _top(select, access), _limits(select)
    if top is None or limits is None:
        return None
    used = tuple(dict.fromkeys((*names, *(name for name, _ in top.columns))))
    access = replace(access, columns=used, top=top)
    projection = tuple(used.index(name) for name in names)
    return Stream(access=access, projection=projection, limit=limits[0], offset=limits[1])


def _is_count(select: exp.Select) -> bool:
    """Whether `count(*)` is all that is selected."""
    inner = seen(select.expressions[0].unalias()) if len(select.expressions) == 1 else None
    plain = isinstance(inner, exp.Count) and isinstance(inner.this, exp.Star)
    return plain and not any(select.args.get(part) for part in ("limit", "offset", "order"))


def _plan_count(
    bound: Bound, select: exp.Select, access: Access
) -> tuple[Count, tuple[Column, ...]]:
    name = select.expressions[0].alias_or_name if bound.names is None else bound.names[0]
    return Count(access=replace(access, columns=("_partition",))), (Column(name=name, type=BIGINT),)


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
    table, readable = select.args["from_"].this.alias_or_name, source.relation.readable
    for node in select.expressions:
        inner = seen(node.unalias())
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


def _top(select: exp.Select, access: Access) -> Top | None:
    """What of an access is enough for the ORDER BY and LIMIT of a SELECT; None if all of it."""
    order, limits = select.args.get("order"), _limits(select)
    if order is None or limits is None or limits[0] is None or access.ends is not None:
        return None
    terms = terms_of(order)
    rows = limits[0] + limits[1]
    if terms is None or rows > TOP_ROWS_MAX:
        return None
    renamed = _renamed(select)
    if any(term.column in renamed for term in terms):
        return None
    return top_of(access.schema, access.predicate, terms, rows)


def _push_top(
    bound: Bound, inputs: tuple[tuple[str, Access | SystemScan], ...]
) -> tuple[tuple[str, Access | SystemScan], ...]:
    """`ORDER BY key LIMIT n` of one store: DuckDB gets the first n rows, and orders them again."""
    found = _only_select(bound)
    access = inputs[0][1] if len(inputs) == 1 else None
    if found is None or not isinstance(access, Access):
        return inputs
    select, source = found
    if not source.predicate.exact or bound.nodes.has(_NOT_BY_ROW):
        return inputs
    top = _top(select, access)
    if top is None or any(name not in access.columns for name, _ in top.columns):
        return inputs
    return ((inputs[0][0], replace(access, top=top)),)


def _push_ends(
    bound: Bound, inputs: tuple[tuple[str, Access | SystemScan], ...]
) -> tuple[tuple[str, Access | SystemScan], ...]:
    """`SELECT min(k), max(k)`: the first and last row of each partition have them."""
    found = _only_select(bound)
    access = inputs[0][1] if len(inputs) == 1 else None
    if found is None or not isinstance(access, Access):
        return inputs
    select, source = found
    key = access.schema.key[0].name
    plain = access.schema.kind in _PLAIN_KINDS and source.predicate.exact
    if not plain or any(select.args.get(p) for p in ("order", "limit", "offset")):
        return inputs
    if not all(_is_end(seen(node.unalias()), key) for node in select.expressions):
        return inputs
    no_null = replace(source.predicate, disjuncts=_without_null(source.predicate, key))
    return ((inputs[0][0], replace(access, predicate=no_null, ends=key)),)


def _is_end(node: exp.Expr, column: str) -> bool:
    """Whether it is the least or the greatest value of a column."""
    if not isinstance(node, exp.Min | exp.Max) or node.expressions:
        return False
    inner = seen(node.this)
    return isinstance(inner, exp.Column) and inner.name == column


def _without_null(predicate: Predicate, column: str) -> tuple[Disjunct, ...]:
    return tuple((*disjunct, NotNull(column=column)) for disjunct in predicate.disjuncts)


def _links(bound: Bound, inputs: tuple[tuple[str, Access | SystemScan], ...]) -> tuple[Link, ...]:
    """Relations that can be read by the keys that another's rows name."""
    accesses = dict(inputs)
    names = {source.table: source.name for source in bound.sources}
    found: list[Link] = []
    for source in bound.sources:
        access = accesses[source.name]
        for equality in source.equalities:
            by = names.get(equality.table)
            other = None if by is None else accesses[by]
            if by is None or not isinstance(access, Access) or not isinstance(other, Access):
                continue
            pairs = [(pair.column, pair.other) for pair in equality.pairs]
            linked = link(source.name, access, (by, other), pairs)
            if linked is not None:
                found.append(linked)
    return tuple(found)


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
    if found is not None and found[1].predicate.exact:
        return None
    return "; ".join(where.sql(dialect="postgres") for where in wheres) or None
