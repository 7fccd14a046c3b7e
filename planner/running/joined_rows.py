"""Reads the few rows of a join, one relation after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from planner.planning.row_joins import RowJoin
from planner.planning.row_path import ROWS_MAX
from stores.spec.schema import Row

ReadStep: TypeAlias = "Callable[[int, tuple[Any, ...], int], tuple[list[Row], int] | None]"
"""Takes the number of a step, the values of its key columns, and how many rows may be read at most.
Returns the rows that have one of the values, and how many were read; None if there are more, or a
partition has failed. The columns of the access come first in a row; others may follow."""


def joined_rows(join: RowJoin, read: ReadStep) -> list[Row] | None:
    """Return the joined rows; None if a relation cannot be read, or there are too many rows."""
    rows: list[Row] | None = None
    left = ROWS_MAX
    for number, step in enumerate(join.steps):
        values = () if rows is None else step.values_of(rows)
        found = None if values is None else read(number, values, left)
        if found is None:
            return None
        few, count = found
        left -= count
        width = len(step.access.columns)
        if few and len(few[0]) > width:
            few = [row[:width] for row in few]
        rows = few if rows is None else step.join(rows, few)
        if not rows:
            return rows
    return rows
