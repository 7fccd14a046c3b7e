"""What stands in FROM: catalog relations under DuckDB's names for them, functions as subqueries."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from planner.errors import NameProblem
from planner.names import column_name, folded
from planner.pg_catalog.macros import TABLE_FUNCTIONS
from planner.pg_catalog.relations import (
    LOOKUP_SCHEMA,
    SCHEMA_IN_DUCKDB,
    CatalogRelation,
    catalog_relations,
)

_SYSTEM_COLUMNS = frozenset({"xmin", "xmax", "ctid", "tableoid", "cmin", "cmax"})


def is_function(table: exp.Table) -> bool:
    """Whether a FROM item is a call."""
    return isinstance(table.this, (exp.Func, exp.Unnest))


def common_names(tree: exp.Expr) -> frozenset[str]:
    """The names that WITH gives; a bare relation name may mean one of them."""
    return frozenset(cte.alias.lower() for cte in tree.find_all(exp.CTE))


def relation_names(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    """(schema, name) of each relation of a statement; the schema is empty where none is given."""
    common = common_names(tree)
    for table in tree.find_all(exp.Table):
        if is_function(table):
            continue
        schema, name = folded(table.args.get("db")), folded(table.this)
        if schema or name not in common:
            yield schema, name


def find_relation(schema: str, name: str) -> CatalogRelation | None:
    """A built-in relation; without a schema those of pg_catalog are seen."""
    return catalog_relations().get((schema or "pg_catalog", name))


def rewrite_from(tree: exp.Expr) -> None:
    """Rename relations, and make subqueries of functions that DuckDB has no table for.

    Raises:
        NameProblem: a relation that is not in the catalog (42P01).
    """
    common = common_names(tree)
    wants_system = any(
        column.name.lower() in _SYSTEM_COLUMNS for column in tree.find_all(exp.Column)
    )
    for column in tree.find_all(exp.Column):
        column.set("db", None)
        column.set("catalog", None)
    for table in [*tree.find_all(exp.Table)]:
        if is_function(table):
            _rewrite_call(table)
        elif table.args.get("db") is not None or folded(table.this) not in common:
            _rewrite_relation(table, wants_system=wants_system)
    for lateral in [*tree.find_all(exp.Lateral)]:
        if isinstance(lateral.this, exp.Unnest):  # DuckDB's unnest sees what stands before it
            unnest = lateral.this.copy()
            unnest.set("alias", lateral.args.get("alias"))
            lateral.replace(unnest)
    for unnest in [*tree.find_all(exp.Unnest)]:
        _name_unnest(unnest)


def _rewrite_relation(table: exp.Table, *, wants_system: bool) -> None:
    schema, name = folded(table.args.get("db")), folded(table.this)
    relation = find_relation(schema, name)
    if relation is None:
        shown = f"{schema}.{name}" if schema else name
        raise NameProblem(f'relation "{shown}" does not exist')
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    table.set("this", exp.to_identifier(name, quoted=True))
    table.set("db", exp.to_identifier(SCHEMA_IN_DUCKDB[relation.schema]))
    table.set("catalog", None)
    table.set("only", None)
    if wants_system:
        table.replace(_with_system_columns(table, relation))


def _with_system_columns(table: exp.Table, relation: CatalogRelation) -> exp.Subquery:
    has_oid = any(column.name == "oid" for column in relation.columns)
    xmin = f"{LOOKUP_SCHEMA}.xmin_of(zz_r.oid)" if has_oid else "2::BIGINT"
    query = sqlglot.parse_one(
        f"SELECT zz_r.*, {xmin} AS xmin, 0::BIGINT AS xmax, '(0,1)' AS ctid,"
        f" {relation.oid}::BIGINT AS tableoid FROM {relation.in_duckdb} AS zz_r",
        dialect="duckdb",
    )
    alias = table.args["alias"].copy()
    return exp.Subquery(this=query, alias=alias, joins=table.args.get("joins"))


def _rewrite_call(table: exp.Table) -> None:
    call = table.this
    name = column_name(call)
    ordinality = bool(table.args.get("ordinality"))
    if name in TABLE_FUNCTIONS:
        query = _table_function(name, ordinality=ordinality)
    elif name in {"generate_series", "generate_subscripts", "unnest", "regexp_split_to_table"}:
        query = exp.select(
            exp.alias_(_as_rows(call, name), _first_column(table, name), quoted=True)
        )
        if ordinality:
            query = query.select("row_number() OVER () AS ordinality", dialect="duckdb")
    else:  # one row of a scalar; a table function of DuckDB's own is none and fails there
        query = exp.select(exp.alias_(call.copy(), _first_column(table, name), quoted=True))
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    lateral = exp.Lateral(this=exp.Subquery(this=query), alias=alias.copy())
    if isinstance(table.parent, exp.From):
        table.replace(exp.Subquery(this=query, alias=alias.copy(), joins=table.args.get("joins")))
    else:
        table.replace(lateral)


def _as_rows(call: exp.Expr, name: str) -> exp.Expr:
    if name == "generate_series":
        bounds = [call.args[key] for key in ("start", "end", "step") if call.args.get(key)]
        arguments = [bound.copy() for bound in bounds or call.expressions]
        series = exp.Anonymous(this="generate_series", expressions=arguments)
        return exp.Anonymous(this="unnest", expressions=[series])
    return call.copy()


def _table_function(name: str, *, ordinality: bool) -> exp.Select:
    text = TABLE_FUNCTIONS[name].format(cat=SCHEMA_IN_DUCKDB["pg_catalog"], look=LOOKUP_SCHEMA)
    query = sqlglot.parse_one(text, dialect="duckdb")
    assert isinstance(query, exp.Select)
    return query.select("1::BIGINT AS ordinality", dialect="duckdb") if ordinality else query


def _first_column(table: exp.Table, name: str) -> str:
    """A function's only column is named by the column alias, else the alias, else the function."""
    columns = table.alias_column_names
    if columns:
        return str(columns[0])
    return table.alias or name


def _name_unnest(unnest: exp.Unnest) -> None:
    if not isinstance(unnest.parent, (exp.From, exp.Join, exp.Lateral)):
        return
    alias = unnest.args.get("alias")
    if alias is None:
        identifier = exp.to_identifier("unnest")
        unnest.set("alias", exp.TableAlias(this=identifier, columns=[identifier.copy()]))
    elif not alias.args.get("columns"):
        alias.set("columns", [alias.this.copy()])
