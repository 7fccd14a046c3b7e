"""What stands in FROM of a catalog statement, and functions there as subqueries."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from planner.binding.schema_qualifiers import unqualify_call
from planner.pg_catalog.macros import ROWS_OF
from planner.pg_catalog.relations import INTERNAL, SCHEMA_IN_DUCKDB
from planner.trees.column_names import column_name, folded

_SCHEMAS = frozenset(SCHEMA_IN_DUCKDB)


def is_function(table: exp.Table) -> bool:
    """Whether a FROM item is a call."""
    return isinstance(table.this, (exp.Func, exp.Unnest))


def relation_names(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    """(schema, name) of each relation of a statement; the schema is empty where none is given."""
    common = frozenset(cte.alias.lower() for cte in tree.find_all(exp.CTE))
    for table in tree.find_all(exp.Table):
        if is_function(table):
            continue
        schema, name = folded(table.args.get("db")), folded(table.this)
        if schema or name not in common:
            yield schema, name


def rewrite_from(tree: exp.Expr) -> None:
    """Make subqueries of functions: a scalar there is one row, and others have no table in DuckDB.

    Raises:
        UnknownNameError: a function of a schema that has none (3F000).
        NotSupportedError: one of another database.
    """
    for column in tree.find_all(exp.Column):
        column.set("db", None)
        column.set("catalog", None)
    for table in [*tree.find_all(exp.Table)]:
        if is_function(table):
            unqualify_call(table, _SCHEMAS)
            _rewrite_call(table)
    for lateral in [*tree.find_all(exp.Lateral)]:
        if isinstance(lateral.this, exp.Unnest):  # DuckDB's unnest sees what stands before it
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
    else:  # one row of a scalar; a table function of DuckDB's own is none and fails there
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
