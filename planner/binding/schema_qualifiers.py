"""Schemas of functions and types: checked, and removed, since DuckDB has none of them."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ParseError

from planner.errors import NotSupportedError, UnknownNameError
from planner.trees.column_names import column_name
from planner.trees.nodes import position_of
from planner.values.catalog_types import CATALOG_TYPES


def unqualify(dot: exp.Dot, schemas: frozenset[str]) -> None:
    """Turn `pg_catalog.now()` into `now()`; no other schema has functions."""
    if not isinstance(dot.expression, exp.Func):
        return
    check_schema(dot.this, dot.expression, schemas)
    dot.replace(dot.expression)


def unqualify_call(table: exp.Table, schemas: frozenset[str]) -> None:
    """Take the schema off a function in FROM.

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
    """Turn `pg_catalog.text` into `text`, and `pg_catalog._text` into its array, for asyncpg."""
    kind = to.args.get("kind")
    if not isinstance(kind, exp.Dot) or kind.this.name != "pg_catalog":
        return
    name = kind.expression.name
    if name in CATALOG_TYPES:
        named = exp.DataType(this=exp.DType.USERDEFINED, kind=exp.to_identifier(name, quoted=True))
        to.replace(named)
        return
    spelled = f"{name[1:]}[]" if name.startswith("_") else name
    try:
        built = exp.DataType.build(spelled, dialect="postgres")
        if to.expressions and not built.expressions:
            built.set("expressions", to.expressions)
        to.replace(built)
    except ParseError:
        return  # a type of the catalog only; the code that reads the cast refuses it
