"""Recognition of statements that read only the system catalog, by their relations and calls."""

from __future__ import annotations

from collections.abc import Container, Iterator

from sqlglot import exp

from planner.pg_catalog.macros import (
    ACCESS,
    DESCRIPTIONS,
    NAMES,
    ROWS_OF,
    SERVER,
    SETTINGS,
    SIZES,
    VISIBILITY,
)
from planner.pg_catalog.relations import find_relation
from planner.pg_catalog.side_effects import SIDE_EFFECT_FUNCTIONS
from planner.pg_catalog.vocabulary import is_user_keyword
from planner.postgres.types.functions import FUNCTIONS, call_name
from planner.trees.column_names import folded, type_name

SESSION_NODES = (
    exp.CurrentSchema,
    exp.CurrentSchemas,
    exp.CurrentDatabase,
    exp.CurrentCatalog,
    exp.CurrentVersion,
    exp.CurrentUser,
    exp.SessionUser,
)
"""Calls about the session that have their own syntax."""
_CATALOG_FUNCTIONS = frozenset(
    (
        *(
            *ACCESS,
            *DESCRIPTIONS,
            *NAMES,
            *SERVER,
            *SETTINGS,
            *SIDE_EFFECT_FUNCTIONS,
            *SIZES,
            *ROWS_OF,
            *VISIBILITY,
        ),
        *("version", "current_schema", "current_schemas", "current_database", "current_user"),
        *("session_user", "current_role", "current_catalog"),
    )
) - {"age"}
"""Functions that only the catalog can answer; the other macros are plain SQL."""
CALLABLE_OVER_STORES = _CATALOG_FUNCTIONS - {*ROWS_OF, *SIDE_EFFECT_FUNCTIONS}
"""Functions that a statement over stores may call, too; see `catalog_calls`."""
_SYNTAX = (exp.Cast, exp.Case, exp.If, exp.Coalesce, exp.Connector, exp.Array)
"""Nodes that sqlglot derives from functions, but which mean the same everywhere."""
_COMPUTING = FUNCTIONS - CALLABLE_OVER_STORES
OBJECT_TYPES = frozenset(
    ("regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole")
)
"""Types whose values only the catalog can read and print."""


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


def is_catalog_statement(tree: exp.Expr, stores: Container[str]) -> bool:
    """Whether a statement reads only catalog relations, or reads none and calls the catalog.

    A statement without relations that also computes something is planned like one over stores,
    where the meaning of functions is known; `catalog_calls` answers its calls of the catalog.
    """
    named = False
    for schema, name in relation_names(tree):
        if find_relation(schema, name) is None or (not schema and name in stores):
            return False
        named = True
    return named or (_calls_catalog(tree) and not (_computes(tree) and _calls_suit_stores(tree)))


def _computes(tree: exp.Expr) -> bool:
    """Whether a statement calls functions that do not belong to the catalog."""
    return any(
        isinstance(node, exp.Func)
        and not isinstance(node, (*SESSION_NODES, *_SYNTAX))
        and call_name(node) in _COMPUTING
        for node in tree.walk()
    )


def _calls_suit_stores(tree: exp.Expr) -> bool:
    """Whether all its catalog calls may also stand in statements over stores."""
    return not any(
        is_object_cast(node)
        or (
            isinstance(node, exp.Anonymous)
            and node.name.lower() in _CATALOG_FUNCTIONS - CALLABLE_OVER_STORES
        )
        for node in tree.walk()
    )


def is_object_cast(node: exp.Expr) -> bool:
    """Whether a node is a cast to an object type or an array of one."""
    return isinstance(node, exp.Cast) and (type_name(node.to).removesuffix("[]") in OBJECT_TYPES)


def _calls_catalog(tree: exp.Expr) -> bool:
    for node in tree.walk():
        if isinstance(node, SESSION_NODES) or is_user_keyword(node):
            return True
        if isinstance(node, exp.Anonymous) and node.name.lower() in _CATALOG_FUNCTIONS:
            return True
        if is_object_cast(node):
            return True
    return False
