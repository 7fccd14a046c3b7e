"""The FROM clause of catalog statements: its relations, and its functions as subqueries."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from planner.binding.qualifiers import unqualify_call
from planner.pg_catalog.macros import ROWS_OF
from planner.pg_catalog.relations import INTERNAL, SCHEMA_IN_DUCKDB
from planner.trees.column_names import column_name, folded

_SCHEMAS = frozenset(SCHEMA_IN_DUCKDB)


def is_function(table: exp.Table) -> bool:
    """Whether a FROM item is a call."""
    return isinstance(table.this, (exp.Func, exp.Unnest))


def relation_names(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    """Yield (schema, name) of each relation of a statement; a missing schema is empty."""
    common = frozenset(cte.alias.lower() for cte in tree.find_all(exp.CTE))
    for table in tree.find_all(exp.Table):
        if is_function(table):
            continue
        schema, name = folded(table.args.get("db")), folded(table.this)
        if schema or name not in common:
            yield schema, name


def rewrite_from(tree: exp.Expr) -> None:
    """Replace functions by subqueries: DuckDB has no tables for them.

    Raises:
        UnknownNameError: the schema of a function has no functions (3F000).
        NotSupportedError: a function belongs to another database.
    """
    for column in tree.find_all(exp.Column):
        column.set("db", None)
        column.set("catalog", None)
    for table in [*tree.find_all(exp.Table)]:
        if is_function(table):
            unqualify_call(table, _SCHEMAS)
            _rewrite_call(table)
    for lateral in [*tree.find_all(exp.Lateral)]:
        if isinstance(lateral.this, exp.Unnest):  # DuckDB's unnest is lateral anyway
            unnest = lateral.this.copy()
            unnest.set("alias", lateral.args.get("alias"))
            lateral.replace(unnest)
    for unnest in [*tree.find_all(exp.Unnest)]:
        _name_unnest(unnest)


def _rewrite_call(table: exp.Table) -> None:
    call = table.this
    name = column_name(call)
    ordinality = bool(table.args.get("ordinality"))
    if name in ROWS_OF:
        query = _rows_of(name, ordinality=ordinality)
    else:  # a scalar function gives one row; DuckDB refuses its own table functions here
        rows = _as_rows(call) if name == "generate_series" else call.copy()
        query = exp.select(exp.alias_(rows, _first_column(table, name), quoted=True))
        if ordinality:
            query = query.select("row_number() OVER () AS ordinality", dialect="duckdb")
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    lateral = exp.Lateral(this=exp.Subquery(this=query), alias=alias.copy())
    if isinstance(table.parent, exp.From):
        table.replace(exp.Subquery(this=query, alias=alias.copy(), joins=table.args.get("joins")))
    else:
        table.replace(lateral)


def _as_rows(call: exp.Expr) -> exp.Expr:
    bounds = [call.args[key] for key in ("start", "end", "step") if call.args.get(key)]
    arguments = [bound.copy() for bound in bounds or call.expressions]
    series = exp.Anonymous(this="generate_series", expressions=arguments)
    return exp.Anonymous(this="unnest", expressions=[series])


def _rows_of(name: str, *, ordinality: bool) -> exp.Select:
    query = sqlglot.parse_one(ROWS_OF[name], dialect="postgres")
    assert isinstance(query, exp.Select)
    for table in query.find_all(exp.Table):
        if not table.db:
            table.meta[INTERNAL] = True
    return query.select("1::BIGINT AS ordinality", dialect="duckdb") if ordinality else query


def _first_column(table: exp.Table, name: str) -> str:
    """Return the name of a function's only column: the column alias, alias or function name."""
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
