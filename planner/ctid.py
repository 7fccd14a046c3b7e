"""Scans by page, as DuckDB asks PostgreSQL for them: `ctid BETWEEN '(0,0)'::tid AND '…'::tid`.

Stores have no pages, and the catalog says so; then DuckDB sends no such clause. Should one come
all the same, the one over all pages means the whole relation. Any other must be refused: a client
that reads page range by page range would get all rows with each.
"""

from __future__ import annotations

from sqlglot import exp

from planner.errors import NotSupported

_FIRST, _LAST = "(0,0)", "(4294967295,0)"
"""The ends of all pages, as DuckDB writes them."""


def without_page_ranges(tree: exp.Query) -> exp.Query:
    """The query without a clause over all pages; the tree itself if it has none.

    Raises:
        NotSupported: a clause over some of the pages.
    """
    if not any(map(_is_page_range, tree.find_all(exp.Between))):
        return tree
    copied = tree.copy()
    for between in [*copied.find_all(exp.Between)]:
        if _is_page_range(between):
            _check_ends(between)
            _drop(between)
    return copied


def _is_page_range(between: exp.Between) -> bool:
    column = between.this
    return isinstance(column, exp.Column) and column.name.lower() == "ctid"


def _check_ends(between: exp.Between) -> None:
    ends = [between.args[side].find(exp.Literal) for side in ("low", "high")]
    if [end.this if end else None for end in ends] != [_FIRST, _LAST]:
        raise NotSupported(
            "stores have no pages to be read by ctid",
            hint="Read by key, or read the whole relation at once.",
        )


def _drop(clause: exp.Expr) -> None:
    """Take a condition out of the conjunction that it stands in."""
    while isinstance(clause.parent, exp.Paren):
        clause = clause.parent
    parent = clause.parent
    if isinstance(parent, exp.Where):
        parent.pop()
    elif isinstance(parent, exp.And):
        other = parent.expression if parent.this is clause else parent.this
        parent.replace(other)
    else:
        clause.replace(exp.true())
