"""The names that a statement gives to the columns of a table: `FROM people AS p (a, b)`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.binding.relations import Relation
from stategate.stores.spec.schema import Column


def alias_columns(table: exp.Table) -> list[str]:
    """Return the names that `AS t (a, b)` gives to the first columns of a relation."""
    alias = table.args.get("alias")
    return [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []


def readable_columns(table: exp.Table, relation: Relation) -> Mapping[str, Column]:
    """Return the columns that a statement can read of a table, by their names there.

    `naming` has refused more names than there are columns.
    """
    renamed = alias_columns(table)
    if not renamed:
        return relation.readable
    replaced = {column.name for column in relation.columns[: len(renamed)]}
    kept = {name: c for name, c in relation.readable.items() if name not in replaced}
    return {**kept, **dict(zip(renamed, relation.columns, strict=False))}
