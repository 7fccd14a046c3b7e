"""The columns of functions in FROM that return rows."""

from __future__ import annotations

from sqlglot import exp

from planner.trees.column_names import column_name

ROW_FUNCTIONS = frozenset(f"json{b}_each{text}" for b in ("", "b") for text in ("", "_text")) | {
    "regexp_matches"
}
"""Functions in FROM that are written as a SELECT."""
_VALUES = {f"json{b}_array_elements{text}" for b in ("", "b") for text in ("", "_text")}
"""Functions whose column is called `value`; for others, it has the name of the FROM item."""


def is_numbered(item: exp.Expr) -> bool:
    """Whether a function in FROM has WITH ORDINALITY, a last column that numbers its rows."""
    return bool(item.args.get("offset") or item.args.get("ordinality"))


def columns_of(item: exp.Expr) -> tuple[str, ...] | None:
    """Return the columns of a function in FROM; None for other items, or if not certain."""
    if isinstance(item, exp.Unnest) and len(item.expressions) == 1:
        # sqlglot keeps a second column name as `offset`.
        name, number = "unnest", item.args.get("offset")
    elif isinstance(item, exp.Table) and isinstance(item.this, exp.Func):
        name, number = column_name(item.this), item.args.get("ordinality")
    else:
        return None
    alias = item.args.get("alias")
    given = [column.name for column in alias.columns] if alias is not None else []
    if isinstance(number, exp.Expr) and number.name != "offset":
        given.append(number.name)
    own = ["value" if name in _VALUES else item.alias or name]
    own += ["ordinality"] if number else []
    return (*given, *own[len(given) :])
