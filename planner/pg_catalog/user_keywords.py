"""`user` and `current_role`, which sqlglot parses as columns but which are calls in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from planner.trees.column_names import folded
from stores.spec.store import Store

USER_KEYWORDS = frozenset({"user", "current_role"})


def is_user_keyword(node: exp.Expr) -> bool:
    """Whether a node is one of these keywords, without quotes and without a table."""
    if not isinstance(node, exp.Column) or node.table or not isinstance(node.this, exp.Identifier):
        return False
    return not node.this.args.get("quoted") and node.name.lower() in USER_KEYWORDS


def resolve_user_keywords(tree: exp.Query, stores: Mapping[str, Store]) -> None:
    """Replace the keywords by `current_user`, in place, unless FROM has a column of that name.

    PostgreSQL means the column only in quotes. But events often have a column `user`, and a query
    that names it means the column.
    """
    words = [column for column in tree.find_all(exp.Column) if is_user_keyword(column)]
    common = {cte.alias_or_name: cte for cte in tree.find_all(exp.CTE)} if words else {}
    for column in words:
        if not _is_column(column, common, stores):
            is_item = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
            call: exp.Expr = exp.CurrentUser()
            column.replace(exp.alias_(call, column.name.lower(), quoted=True) if is_item else call)


def _is_column(
    column: exp.Expr, common: Mapping[str, exp.Expr], stores: Mapping[str, Store]
) -> bool:
    name, select = column.name.lower(), column.parent_select
    while select is not None:
        for item in _from_items(select):
            reads_common = any(table.name in common for table in item.find_all(exp.Table))
            parts = [item, *(common.values() if reads_common else ())]
            if any(_gives(part, name, stores) for part in parts):
                return True
        select = select.parent_select
    return False


def _from_items(select: exp.Expr) -> Iterator[exp.Expr]:
    from_ = select.args.get("from_")
    if from_ is not None:
        yield from_.this
    for join in select.args.get("joins") or ():
        yield join.this
    yield from select.args.get("laterals") or ()


def _gives(part: exp.Expr, name: str, stores: Mapping[str, Store]) -> bool:
    """Whether a part of FROM may have a column: of a store, an alias or a SELECT list."""
    for table in part.find_all(exp.Table):
        store = stores.get(folded(table.this)) if isinstance(table.this, exp.Identifier) else None
        if store is not None and name in store.schema.column_by_name:
            return True
    given = [column for alias in part.find_all(exp.TableAlias) for column in alias.columns]
    given += [
        item.args["alias"]
        for select in part.find_all(exp.Select)
        for item in select.expressions
        if isinstance(item, exp.Alias)
    ]
    return any(folded(each) == name for each in given)
