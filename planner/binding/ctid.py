"""Scans by page, as DuckDB asks PostgreSQL for them: `ctid BETWEEN '(0,0)'::tid AND '…'::tid`.

Stores have no pages, and the catalog says so; DuckDB then sends no such clause. If one comes all
the same, a range of all pages means the whole relation. Any other range is refused: a client that
reads one range after another would get all rows for each.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.errors import NotSupportedError
from planner.trees.known_arguments import check_known

_FIRST, _LAST = "(0,0)", "(4294967295,0)"
"""The range of all pages, as DuckDB writes it."""


def drop_page_ranges(betweens: Sequence[exp.Between]) -> bool:
    """Remove conditions over all pages from the tree; return whether there were any.

    Raises:
        NotSupportedError: a clause over some of the pages, or one that says more than is known.
    """
    ranges = [between for between in betweens if _is_page_range(between)]
    for between in ranges:
        check_known(between)
        _check_ends(between)
        _drop(between)
    return bool(ranges)


def _is_page_range(between: exp.Between) -> bool:
    column = between.this
    return isinstance(column, exp.Column) and column.name.lower() == "ctid"


def _check_ends(between: exp.Between) -> None:
    ends = [between.args[side].find(exp.Literal) for side in ("low", "high")]
    if [end.this if end else None for end in ends] != [_FIRST, _LAST]:
        raise NotSupportedError(
            "stores have no pages to be read by ctid",
            hint="Read by key, or read the whole relation at once.",
        )


def _drop(clause: exp.Expr) -> None:
    """Remove a condition from its conjunction."""
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
