"""Reads the few rows of a join, one relation after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from stategate.planner.planning.row_joins import READ_ONCE, RowJoin
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.stores.spec.schema import Row

ReadStep: TypeAlias = "Callable[[int, Row, int], tuple[list[Row], int] | None]"
"""Takes the number of a step, the parameters of one of its reads, and how many rows may be read at
most. Returns the rows, and how many were read; None if there are more, or a partition has failed.
The columns of the access come first in a row; others may follow."""


def joined_rows(join: RowJoin, read: ReadStep) -> list[Row] | None:
    """Return the joined rows; None if a relation cannot be read, or there are too many rows."""
    rows: list[Row] | None = None
    left = ROWS_MAX
    for number, step in enumerate(join.steps):
        reads = READ_ONCE if rows is None else step.reads(rows)
        if reads is None:
            return None
        found: list[list[Row]] = []
        width = len(step.access.columns)
        for parameters in reads:
            answer = read(number, parameters, left)
            if answer is None:
                return None
            few, count = answer
            left -= count
            found.append([row[:width] for row in few] if few and len(few[0]) > width else few)
        rows = found[0] if rows is None else step.join(rows, reads, found)
        if not rows:
            return rows
    return rows
