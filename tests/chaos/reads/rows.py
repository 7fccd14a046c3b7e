"""Reads the rows of answers: what each is of, and whether its further columns are right."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from tests.chaos.ledger import Id, Row
from tests.chaos.shapes import Shape

WRONG = -1
"""Stands for the amount of a row whose further columns are not their function of it."""


class TwiceError(Exception):
    """A key is there twice."""


def rows_of(rows: Sequence[Sequence[Any]], *, windowed: bool = False) -> dict[Id, Row]:
    """Return the rows of an answer by key, or by key and window.

    Args:
        rows: each has the key, the begin of the window if it has one, count or number, sum or
            amount, and further columns: their sum, NULL, or whether those of its rows are right.
        windowed: whether each row is of a window.

    Raises:
        TwiceError: a key is there twice.
    """
    found: dict[Id, Row] = {}
    for row in rows:
        of: Id = (str(row[0]), int(row[1])) if windowed else str(row[0])
        n, amount, *extras = row[1 + windowed :]
        if of in found:
            raise TwiceError(f"{of} is there twice: {rows}")
        found[of] = checked(int(n), int(amount), extras)
    return found


def checked(n: int, amount: int, extras: Sequence[Any]) -> Row:
    """Return a row, with a wrong sum if further columns are wrong."""
    is_right = all(each is None or each is True or each == n + amount for each in extras)
    return n, amount if is_right else WRONG


def named_row(row: Mapping[str, Any]) -> Row:
    """Return a row of any columns by their names."""
    shape = Shape.of(row)
    extras = [row[name] for name in shape.extras]
    return checked(int(row[shape.n]), int(row[shape.amount]), extras)


def milliseconds(time: str | int) -> int:
    """Return the begin of a window as JSON has it, in milliseconds."""
    if isinstance(time, int):
        return time
    return round(dt.datetime.fromisoformat(time).timestamp() * 1_000)
