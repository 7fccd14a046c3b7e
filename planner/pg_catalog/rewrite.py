"""A client's catalog statement rewritten for DuckDB.

Names, types and parameters are bound as in statements over stores; this module adds what only the
catalog needs, such as functions in FROM, which become subqueries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from stategate.planner.binding.bind import bind
from stategate.planner.binding.column_origins import Origins
from stategate.planner.binding.qualifiers import unqualify, unqualify_call
from stategate.planner.composing.compose import to_duckdb
from stategate.planner.pg_catalog.macros import CATALOG_MACROS, MACRO_PREFIX, ROWS_OF
from stategate.planner.pg_catalog.recognise import is_function
from stategate.planner.pg_catalog.relations import INTERNAL, SCHEMA_IN_DUCKDB, SYSTEM_COLUMNS
from stategate.planner.pg_catalog.side_effects import SideEffect, check_given, extract_side_effects
from stategate.planner.pg_catalog.vocabulary import catalog_vocabulary, resolve_user_keywords
from stategate.planner.postgres.refused import unknown_function
from stategate.planner.postgres.types.functions import PAIR_FUNCTIONS
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.dialect import DIALECT
from stategate.planner.trees.nodes import parameter_number, put_query
from stategate.planner.trees.outline import Outline, outline
from stategate.planner.values.quoting import quote_text
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.schema import DataType

_USER = "getvariable('session_user')::VARCHAR"
"""The user of the session, as DuckDB reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A statement for DuckDB and its description for the client."""

    sql: str
    outline: Outline
    """Outline of the client's statement, for the position of errors."""
    names: tuple[str, ...] | None
    """PostgreSQL's names of the columns; None if only DuckDB knows how many there are."""
    types: tuple[DataType | None, ...] | None
    """The types of the columns, as far as they are certain."""
    parameters: tuple[DataType, ...]
    numbers: tuple[int, ...]
    """The numbers of the parameters in DuckDB's statement."""
    origins: Origins | None
    """Which columns are columns of a relation."""
    effects: tuple[SideEffect, ...]
    """Calls with side effects, whose arguments DuckDB computes."""


def rewrite(
    tree: exp.Query,
    *,
    parameter_types: Sequence[DataType | None],
    database: str,
    version: str,
    times: TimeSettings,
) -> Rewritten:
    """Rewrite a statement; the given tree is not changed.

    Raises:
        QueryError: as `bind`.
    """
    working = tree.copy()
    for dot in reversed([*working.find_all(exp.Dot)]):
        unqualify(dot, frozenset(SCHEMA_IN_DUCKDB))
    effects, given = extract_side_effects(working)
    _complete_groups(working)
    rewrite_from(working)
    resolve_user_keywords(working, {})
    wants_system = any(
        column.name.lower() in SYSTEM_COLUMNS for column in working.find_all(exp.Column)
    )
    vocabulary = catalog_vocabulary(reads_system_columns=wants_system)
    bound = bind(working, NO_CLAUSE, vocabulary, parameter_types, times)
    check_given(given, bound.type_of)
    origins, names = bound.origins(), bound.names()
    translated = bound.translate()
    _rewrite_calls(translated.tree, database=database, version=version)
    numbers = {parameter_number(node) for node in translated.tree.find_all(exp.Parameter)}
    shown = outline(translated.tree)
    return Rewritten(
        sql=to_duckdb(translated.tree),
        outline=shown,
        names=names,
        types=translated.types,
        parameters=bound.parameters,
        numbers=tuple(sorted(numbers)),
        effects=effects,
        origins=origins,
    )


def _complete_groups(tree: exp.Expr) -> None:
    """Add the columns of a relation to a GROUP BY of its primary key, as PostgreSQL allows it."""
    for select in tree.find_all(exp.Select):
        group = select.args.get("group") or exp.Group()
        keys = group.expressions
        tables = {key.table for key in keys if isinstance(key, exp.Column) and key.name == "oid"}
        for column in [*select.find_all(exp.Column)] if tables else []:
            plain = column.parent_select is select and not column.find_ancestor(exp.AggFunc)
            if plain and column.table in tables and column not in group.expressions:
                group.append("expressions", column.copy())


def _rewrite_calls(tree: exp.Expr, *, database: str, version: str) -> None:
    """Replace the catalog's functions with macros, and those of the session with variables."""
    constants: Mapping[str, str] = {
        "version": quote_text(version),
        "current_schema": quote_text("public"),
        **dict.fromkeys(("current_database", "current_catalog"), quote_text(database)),
        **dict.fromkeys(("current_user", "current_role", "session_user", "user"), _USER),
    }
    by_syntax: Mapping[type[exp.Expr], str] = {
        exp.CurrentVersion: "version",
        exp.CurrentSchema: "current_schema",
        exp.CurrentDatabase: "current_database",
        exp.CurrentCatalog: "current_catalog",
        exp.CurrentUser: "current_user",
        exp.SessionUser: "session_user",
    }
    for node in reversed([*tree.find_all(exp.Func)]):
        name = node.name.lower() if isinstance(node, exp.Anonymous) else by_syntax.get(type(node))
        if isinstance(node, exp.CurrentSchemas) or name == "current_schemas":
            node.replace(_current_schemas(node))
        elif name is not None and name in constants and not node.expressions:
            node.replace(sqlglot.parse_one(constants[name], dialect="duckdb"))
        elif name in CATALOG_MACROS:
            node.set("this", MACRO_PREFIX + name)


def _current_schemas(node: exp.Expr) -> exp.Expr:
    argument = node.expressions[0] if node.expressions else node.this
    if not isinstance(argument, exp.Expr):
        raise unknown_function(node, "current_schemas")
    case = sqlglot.parse_one(
        "(CASE WHEN true THEN ['pg_catalog', 'public'] ELSE ['public'] END)", dialect="duckdb"
    )
    branch = case.find(exp.If)
    assert branch is not None
    branch.set("this", argument.copy())
    return case


_SCHEMAS = frozenset(SCHEMA_IN_DUCKDB)


def rewrite_from(tree: exp.Expr) -> None:
    """Replace functions with subqueries: DuckDB has no tables for them.

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
            if column_name(table.this) not in PAIR_FUNCTIONS:  # they have a rule for all statements
                _rewrite_from_call(table)
    for unnest in [*tree.find_all(exp.Unnest)]:
        _name_unnest(unnest)


def _rewrite_from_call(table: exp.Table) -> None:
    call = table.this
    name = column_name(call)
    ordinality = bool(table.args.get("ordinality"))
    if name in ROWS_OF:
        query = _rows_of(call, name, ordinality=ordinality)
    else:  # a scalar function gives one row; DuckDB refuses its own table functions here
        column = _first_column(table, name)
        query = exp.select(exp.alias_(call.copy(), column, quoted=True))
        if ordinality:  # above the rows, which DuckDB makes after it has numbered the one
            above = exp.select(exp.column(column, quoted=True)).from_(query.subquery("rows"))
            query = above.select("row_number() OVER () AS ordinality", dialect="duckdb")
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    put_query(table, query, alias.copy())


def _rows_of(call: exp.Expr, name: str, *, ordinality: bool) -> exp.Select:
    query = sqlglot.parse_one(ROWS_OF[name], dialect=DIALECT)
    assert isinstance(query, exp.Select)
    for argument in [*query.find_all(exp.Parameter)]:
        if not call.expressions:
            raise unknown_function(call, name)
        argument.replace(call.expressions[0].copy())
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
    if not isinstance(unnest.parent, (exp.From, exp.Join)):
        return
    alias = unnest.args.get("alias")
    if alias is None:
        identifier = exp.to_identifier("unnest")
        unnest.set("alias", exp.TableAlias(this=identifier, columns=[identifier.copy()]))
    elif not alias.args.get("columns"):
        alias.set("columns", [alias.this.copy()])
