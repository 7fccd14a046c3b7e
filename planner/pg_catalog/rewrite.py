"""A catalog statement as clients write it to one that DuckDB runs over our tables.

The passes run in the order below; each leaves a tree that the next can read. Names and parameter
types are taken from the tree as the client wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from planner.names import column_name
from planner.pg_catalog.arrays import rewrite_concatenations, rewrite_quantified, rewrite_vectors
from planner.pg_catalog.calls import (
    rewrite_calls,
    rewrite_formats,
    rewrite_operators,
    rewrite_texts,
    unwrap_schemas,
)
from planner.pg_catalog.casts import rewrite_casts, rewrite_function_oids
from planner.pg_catalog.from_items import rewrite_from
from planner.pg_catalog.parameters import bind_parameters, infer_parameters
from stores.schema import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What DuckDB runs, and what the client is told about it."""

    sql: str
    names: tuple[str, ...] | None
    """Result columns as PostgreSQL names them; None where `*` leaves that to DuckDB."""
    parameters: tuple[DataType, ...]
    bound: frozenset[str]
    """The parameters that DuckDB is given, by name; a pass may have dropped others."""


def rewrite(
    tree: exp.Expr,
    *,
    parameter_types: Sequence[DataType | None],
    database: str,
    version: str,
) -> Rewritten:
    """Rewrite a statement; the tree given is left as it is.

    Raises:
        NameProblem: it names what the catalog does not have.
        NotSupported: it asks for what is not run here.
        ValueProblem: an array literal in it is malformed.
        LimitExceeded: it has too many parameters.
    """
    working = tree.copy()
    unwrap_schemas(working)
    names = _result_names(working)
    parameters = infer_parameters(working, parameter_types)
    _name_outputs(working)
    _complete_groups(working)
    rewrite_from(working)
    rewrite_operators(working)
    rewrite_texts(working)
    rewrite_formats(working)
    rewrite_vectors(working)
    rewrite_quantified(working)
    rewrite_concatenations(working)
    rewrite_function_oids(working)
    rewrite_casts(working)
    rewrite_calls(working, database=database, version=version)
    bind_parameters(working, parameters)
    return Rewritten(
        sql=working.sql(dialect="duckdb"),
        names=names,
        parameters=parameters,
        bound=frozenset(str(each.this) for each in working.find_all(exp.Placeholder)),
    )


def _complete_groups(tree: exp.Expr) -> None:
    """GROUP BY the primary key of a relation groups by all its columns, as PostgreSQL has it."""
    for select in tree.find_all(exp.Select):
        group = select.args.get("group") or exp.Group()
        keys = group.expressions
        tables = {key.table for key in keys if isinstance(key, exp.Column) and key.name == "oid"}
        for column in [*select.find_all(exp.Column)] if tables else []:
            plain = column.parent_select is select and not column.find_ancestor(exp.AggFunc)
            if plain and column.table in tables and column not in group.expressions:
                group.append("expressions", column.copy())


def _result_names(tree: exp.Expr) -> tuple[str, ...] | None:
    items = tree.selects if isinstance(tree, exp.Query) else []
    if not items or any(item.is_star for item in items):
        return None
    return tuple(column_name(item) for item in items)


def _name_outputs(tree: exp.Expr) -> None:
    """Alias what has no name in a select list, so that outer queries find PostgreSQL's name."""
    for select in tree.find_all(exp.Select):
        if not select.expressions:  # EXISTS (SELECT FROM …)
            select.set("expressions", [exp.Literal.number(1)])
        for item in select.expressions:
            if isinstance(item, (exp.Alias, exp.Column, exp.Star)) or item.is_star:
                continue
            item.replace(exp.alias_(item.copy(), column_name(item), quoted=True))
    if isinstance(tree, exp.Select):
        for item in tree.expressions:
            if isinstance(item.unalias(), exp.Null):
                typed = exp.Cast(this=exp.null(), to=exp.DataType.build("TEXT"))
                item.replace(exp.alias_(typed, item.alias_or_name, quoted=True))
