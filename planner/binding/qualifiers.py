"""Schemas of functions and types, which DuckDB lacks, and names that differ only in case."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence, Set

from sqlglot import exp
from sqlglot.errors import ParseError

from stategate.planner.errors import NotSupportedError, UnknownNameError
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import Nodes, position_of, put
from stategate.planner.values.catalog_types import CATALOG_TYPES


def tell_apart(
    tree: exp.Expr, mentioned: Set[str], relations: Sequence[tuple[exp.Table, Sequence[str]]]
) -> None:
    """Rename columns whose names differ from others only in case, which DuckDB ignores.

    Args:
        tree: a whole statement; its result columns get their names elsewhere.
        mentioned: all names in it.
        relations: each relation of a FROM, with the columns that it has there, mentioned or not.
            Each has a name of its own, which its copies share.

    Raises:
        NotSupportedError: a whole row as a value would have other names (0A000).
    """
    of_relations = {name for _, columns in relations for name in columns}
    if all(name.islower() for name in mentioned | of_relations):
        return
    groups: dict[str, dict[str, list[exp.Identifier]]] = {}
    for name in sorted(of_relations):
        groups.setdefault(name.lower(), {})[name] = []
    for node in tree.find_all(exp.Identifier):
        groups.setdefault(node.name.lower(), {}).setdefault(node.name, []).append(node)
    renamed = _rename(groups, of_relations)
    if renamed:
        _refuse_rows(tree, of_relations, set(renamed.values()))
    columns_of = {table.name: columns for table, columns in relations}
    for table in tree.find_all(exp.Table):  # some of them are copies
        columns, alias = columns_of.get(table.name, ()), table.args.get("alias")
        if not columns or alias is None:
            continue
        given = alias.columns  # of the client, which have been renamed like all others
        if any(name in renamed for name in columns[len(given) :]):
            fresh_names = [renamed.get(name, name) for name in columns[len(given) :]]
            rest = [exp.to_identifier(name, quoted=True) for name in fresh_names]
            alias.set("columns", [*given, *rest])


def _rename(
    groups: dict[str, dict[str, list[exp.Identifier]]], of_relations: Set[str]
) -> dict[str, str]:
    """Rename all names of a group but one, in place; return the new names by the old ones."""
    renamed: dict[str, str] = {}
    for lower, group in [each for each in groups.items() if len(each[1]) > 1]:
        # Relations of the catalog have names in lower case, and cannot have others.
        stays = lower if lower in of_relations else next(iter(group))
        for name, nodes in group.items():
            if name != stays:
                fresh = renamed[name] = _fresh(name, groups)
                groups[fresh.lower()] = {}
                for node in nodes:
                    node.set("this", fresh)
    return renamed


def _refuse_rows(tree: exp.Expr, columns: Set[str], fresh: Set[str]) -> None:
    """Refuse whole rows as values, except where only their number counts, or whether they are NULL.

    A function in FROM is no row: its name is that of its column, too.
    """
    items = {
        each.alias
        for each in tree.find_all(exp.Table, exp.Subquery, exp.CTE)
        if not isinstance(each.this, exp.Func)
    }
    # A name that is a column's anywhere is taken for one.
    named = {each.alias for each in tree.find_all(exp.Alias)}
    for alias in tree.find_all(exp.TableAlias):
        named |= {each.name for each in alias.columns}
    rows = items - named - columns
    shown = [
        column
        for column in tree.find_all(exp.Column)
        if not column.table
        and column.name in rows
        and not isinstance(column.parent, exp.Count | exp.Is)
    ]
    members = [each for each in tree.find_all(exp.PropertyEQ) if each.this.name in fresh]
    for each in (*shown, *members):
        raise NotSupportedError(
            "a whole row as a value is not supported where names differ only in case",
            hint="Name its columns.",
            position=position_of(each.this),
        )


def _fresh(name: str, taken: Container[str]) -> str:
    numbered = (f"{name}#{number}" for number in itertools.count(1))
    return next(each for each in numbered if each.lower() not in taken)


def unqualify(dot: exp.Dot, schemas: frozenset[str]) -> None:
    """Turn `pg_catalog.now()` into `now()`; no other schema has functions."""
    called: exp.Expr = dot.expression
    while isinstance(called, exp.Window | exp.Filter | exp.WithinGroup):
        called = called.this
    if not isinstance(called, exp.Func):
        return
    check_schema(dot.this, called, schemas)
    put(dot, dot.expression)


def unqualify_all(nodes: Nodes, schemas: frozenset[str]) -> bool:
    """Remove the schemas of all calls outside of FROM, in place.

    Returns:
        Whether one was parsed as a column, as `pg_catalog.count(*) FILTER (…)` is.
    """
    filtered = [each for each in nodes.of(exp.Column) if isinstance(each.this, exp.Filter)]
    for dot in nodes.of(exp.Dot):
        unqualify(dot, schemas)
    for column in filtered:
        check_schema(column.args["table"], column.this.this, schemas)
        put(column, column.this)
    return bool(filtered)


def unqualify_call(table: exp.Table, schemas: frozenset[str]) -> None:
    """Remove the schema of a function in FROM.

    Raises:
        QueryError: as `check_schema`.
    """
    schema, database = table.args.get("db"), table.args.get("catalog")
    if database is not None:
        schema = exp.Dot(this=database, expression=schema)
    if schema is not None:
        check_schema(schema, table.this, schemas)
    table.set("db", None)
    table.set("catalog", None)


def check_schema(schema: exp.Expr, called: exp.Expr, schemas: frozenset[str]) -> None:
    """Refuse a schema that has no functions.

    Raises:
        UnknownNameError: the schema does not exist (3F000).
        NotSupportedError: it is in another database (0A000).
    """
    if not isinstance(schema, exp.Identifier):
        raise NotSupportedError(
            "cross-database references are not implemented: "
            f"{schema.sql(dialect='postgres')}.{column_name(called)}",
            position=position_of(called),
        )
    if schema.name not in schemas:
        raise UnknownNameError(
            f'schema "{schema.name}" does not exist',
            position=position_of(called),
            sqlstate="3F000",
        )


def unqualify_type(to: exp.DataType) -> None:
    """Turn `pg_catalog.text` into `text`, and `_text` into its array, for asyncpg."""
    kind = to.args.get("kind")
    if isinstance(kind, exp.Identifier) and kind.name.startswith("_"):
        name = kind.name
    elif isinstance(kind, exp.Dot) and kind.this.name == "pg_catalog":
        name = kind.expression.name
    else:
        return
    if name in CATALOG_TYPES:
        named = exp.DataType(this=exp.DType.USERDEFINED, kind=exp.to_identifier(name, quoted=True))
        put(to, named)
        return
    spelled = f"{name[1:]}[]" if name.startswith("_") else name
    try:
        built = exp.DataType.build(spelled, dialect="postgres")
        if to.expressions and not built.expressions:
            built.set("expressions", to.expressions)
        put(to, built)
    except ParseError:
        return  # a type of the catalog only; the code that reads the cast refuses it
