"""Functions that only the catalog has, as its macros and the variables of the session."""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

from planner.pg_catalog.macros import CATALOG_MACROS, MACRO_PREFIX
from planner.values.quoting import quote_text

_USER = "getvariable('session_user')::VARCHAR"


def rewrite_calls(tree: exp.Expr, *, database: str, version: str) -> None:
    """Put what DuckDB runs in the place of the catalog's functions, in a tree that it else runs."""
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
    case = sqlglot.parse_one(
        "(CASE WHEN true THEN ['pg_catalog', 'public'] ELSE ['public'] END)", dialect="duckdb"
    )
    branch = case.find(exp.If)
    assert branch is not None
    branch.set("this", argument.copy())
    return case
