"""Columns that are named with the schema of their relation: `public.people.name`.

Binding gives relations names of its own, in no schema, so that the schema is checked and taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from planner.errors import NameProblem
from planner.relations import SYSTEM_SCHEMA
from planner.trees import position_of

IsRelation = Callable[[exp.Table], bool]
_SCHEMAS = {"public", SYSTEM_SCHEMA}


def drop_schemas(
    columns: Sequence[exp.Column], scopes: Sequence[Scope], is_relation: IsRelation
) -> None:
    """Take the schemas off columns, in place.

    Args:
        columns: of the statement.
        scopes: of the statement.
        is_relation: whether a table is one, and no function or common table expression.

    Raises:
        NameProblem: no relation of that schema and name is in FROM under its own name (42P01).
    """
    qualified = [column for column in columns if column.args.get("db") is not None]
    if not qualified:
        return
    by_tree = {id(scope.expression): scope for scope in scopes}
    for column in qualified:
        if _is_named(column, by_tree.get(id(column.parent_select)), is_relation):
            column.set("db", None)
            column.set("catalog", None)


def _is_named(column: exp.Column, scope: Scope | None, is_relation: IsRelation) -> bool:
    """Whether it is the column of such a relation, here or around; else it may be a struct's."""
    schema, name = column.db, column.table
    while scope is not None:
        _, source = scope.selected_sources.get(name, (None, None))
        if isinstance(source, exp.Table) and is_relation(source):
            if (source.db.lower() or "public") == schema and not source.alias:
                return True
            raise NameProblem(
                f'invalid reference to FROM-clause entry for table "{name}"',
                hint=f'Call it "{name}".',
                position=position_of(column),
            )
        if schema in scope.selected_sources:
            return False
        scope = scope.parent
    if schema not in _SCHEMAS:
        return False
    raise NameProblem(f'missing FROM-clause entry for table "{name}"', position=position_of(column))
