"""Recognition of statements that read only the system catalog, by their relations and calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from stategate.planner.pg_catalog.macros import (
    ACCESS,
    DESCRIPTIONS,
    INFORMATION_FUNCTIONS,
    ROWS_OF,
    SERVER,
    SETTINGS,
    SIZES,
    VISIBILITY,
)
from stategate.planner.pg_catalog.name_macros import NAMES
from stategate.planner.pg_catalog.relations import find_relation
from stategate.planner.pg_catalog.side_effects import SIDE_EFFECT_FUNCTIONS
from stategate.planner.pg_catalog.vocabulary import is_user_keyword
from stategate.planner.postgres.expressions.volatile import VOLATILE
from stategate.planner.postgres.types.functions import FUNCTIONS, call_name
from stategate.planner.trees.column_names import folded, type_name

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
            *INFORMATION_FUNCTIONS,
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
_CONSTANT = (
    *(exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.Paren, exp.Cast, exp.DataType),
    *(exp.DataTypeParam, exp.ObjectIdentifier, exp.Identifier, *SESSION_NODES),
)
"""Nodes of arguments that are the same for all rows."""
_ANY_ARGUMENTS = frozenset({"current_setting"})
"""Functions of the catalog that statements over stores call with any arguments."""
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


def is_catalog_statement(tree: exp.Expr) -> bool:
    """Whether a statement reads only catalog relations, or reads none and calls the catalog.

    A statement without relations that also computes something is planned like one over stores,
    where the meaning of functions is known; `catalog_calls` answers its calls of the catalog. As in
    PostgreSQL, a name without a schema is first that of a relation of pg_catalog, then of a store.
    """
    named = False
    for schema, name in relation_names(tree):
        if find_relation(schema, name) is None:
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
    """Whether all its catalog calls may also stand in statements over stores.

    Those have their values before the statement runs, so they may not depend on its parameters.
    """
    return not any(is_object_cast(node) or not _suits_stores(node) for node in tree.walk())


def _suits_stores(node: exp.Expr) -> bool:
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name not in _CATALOG_FUNCTIONS:
        return True
    if name not in CALLABLE_OVER_STORES:
        return False
    return name in _ANY_ARGUMENTS or has_constant_arguments(node)


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


def has_constant_arguments(node: exp.Expr) -> bool:
    """Whether the arguments of a call depend on no row and no parameter."""
    parts = (each for value in node.args.values() for each in _parts(value))
    return all(
        isinstance(inner, _CONSTANT) or _is_call_of_constants(inner) or _is_computed_once(inner)
        for part in parts
        for inner in part.walk(prune=_is_call_of_constants)
    )


def _is_computed_once(node: exp.Expr) -> bool:
    """Whether a node computes the same value for all rows, if its parts are the same."""
    if isinstance(node, exp.AggFunc | exp.Window | exp.SubqueryPredicate):
        return False
    if isinstance(node, exp.Func):
        return isinstance(node, _SYNTAX) or call_name(node) in _COMPUTING - VOLATILE
    return isinstance(node, exp.Binary | exp.Unary)


def _is_call_of_constants(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Anonymous)
        and node.name.lower() in CALLABLE_OVER_STORES
        and has_constant_arguments(node)
    )


def _parts(value: object) -> Sequence[exp.Expr]:
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, exp.Expr)]
