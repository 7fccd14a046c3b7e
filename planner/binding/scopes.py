"""The scopes of a query, as sqlglot finds them: each SELECT with what its FROM names."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.scope import Scope, traverse_scope

from stategate.planner.errors import NotSupportedError
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, kinds

_MORE = kinds(exp.SetOperation, exp.Subquery, exp.UDTF, exp.CTE, exp.Join, exp.Pivot)
"""Nodes that add scopes or sources to those of the SELECT."""


def scopes_of(tree: exp.Query, nodes: Nodes) -> list[Scope]:
    """Return the scopes of a query, inner ones first.

    Args:
        tree: the query.
        nodes: the nodes of its tree.

    Raises:
        NotSupportedError: sqlglot finds no scope for a part of the query.
    """
    tables = nodes.of(exp.Table)
    if (
        type(tree) is exp.Select
        and len(tables) == len(nodes.of(exp.Select)) == 1
        and isinstance(tables[0].parent, exp.From)
        and isinstance(tables[0].this, exp.Identifier)
        and not nodes.has(_MORE)
    ):
        return [_only_scope(tree, tables[0], nodes.of(exp.Column))]
    try:
        scopes = list(traverse_scope(tree))
        for scope in scopes:
            _ = scope.selected_sources  # computed on first use
    except OptimizeError as error:
        said = str(error).split("\n", maxsplit=1)[0]
        raise NotSupportedError(f"not supported: {said[:1].lower()}{said[1:]}") from error
    _complete_recursive(scopes)
    return scopes


def _complete_recursive(scopes: list[Scope]) -> None:
    """Let a recursive query read the scope of its first part, not a copy that has no sources."""
    by_tree = {id(scope.expression): scope for scope in scopes}
    for scope in scopes:
        checkpoint()
        for name, (node, source) in scope.selected_sources.items():
            whole = by_tree.get(id(source.expression)) if isinstance(source, Scope) else None
            if whole is not None and whole is not source:
                scope.selected_sources[name] = node, whole


def _only_scope(select: exp.Select, table: exp.Table, columns: list[exp.Column]) -> Scope:
    """Return the scope of a SELECT from one table, filled in as sqlglot would fill it.

    Most statements are such a SELECT; sqlglot would take a tenth of their planning time.
    """
    name = table.alias_or_name
    scope = Scope(select, {name: table})
    scope._selected_sources = {name: (table, table)}
    scope._columns = columns
    return scope
