"""PostgreSQL's operators of arithmetic, and their result types.

`RESULTS` lists all operators of times and intervals; others do not exist. `result_types` counts the
digits of numbers. The type of an open operand (a parameter or a bare text) follows from the operand
on the other side.
"""

from __future__ import annotations

from sqlglot import exp

from stores.spec.schema import (
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
)

SYMBOLS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.Pow: "^",
}
"""The signs of the operators of arithmetic."""
OF_TIME = frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL})
"""The kinds of the operands in `RESULTS`."""
_COUNTS = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER)
_NUMBERS = (*_COUNTS, Kind.BIGINT, Kind.DECIMAL, Kind.REAL, Kind.DOUBLE)
_STAMPS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)


def _results() -> dict[tuple[str, Kind, Kind], DataType]:
    found: dict[tuple[str, Kind, Kind], DataType] = {}
    sums = [
        *((Kind.DATE, kind, DATE) for kind in _COUNTS),
        (Kind.DATE, Kind.INTERVAL, TIMESTAMP),
        (Kind.DATE, Kind.TIME, TIMESTAMP),
        (Kind.TIMESTAMP, Kind.INTERVAL, TIMESTAMP),
        (Kind.TIMESTAMPTZ, Kind.INTERVAL, TIMESTAMPTZ),
        (Kind.TIMESTAMP, Kind.TIME, TIMESTAMP),
        (Kind.TIMESTAMPTZ, Kind.TIME, TIMESTAMPTZ),
        (Kind.TIME, Kind.INTERVAL, TIME),
        (Kind.INTERVAL, Kind.INTERVAL, INTERVAL),
    ]
    for left, right, result in sums:
        found["+", left, right] = found["+", right, left] = result
        if left is not right:
            found["-", left, right] = result
    found |= {("-", one, other): INTERVAL for one in _STAMPS for other in _STAMPS}
    found["-", Kind.DATE, Kind.DATE] = INTEGER
    found["-", Kind.TIME, Kind.TIME] = found["-", Kind.INTERVAL, Kind.INTERVAL] = INTERVAL
    found["-", Kind.INTERVAL, Kind.TIME] = INTERVAL
    for length in (Kind.INTERVAL, Kind.TIME):  # PostgreSQL casts a time to an interval here
        found |= {("*", length, number): INTERVAL for number in _NUMBERS}
        found |= {("*", number, length): INTERVAL for number in _NUMBERS}
        found |= {("/", length, number): INTERVAL for number in _NUMBERS}
    return found


RESULTS = _results()
"""The result type of each (operator, left, right) of times and intervals."""
_ASKED: dict[tuple[str, Kind], DataType | None] = {
    ("+", Kind.TIMESTAMP): INTERVAL,
    ("+", Kind.TIMESTAMPTZ): INTERVAL,
    ("+", Kind.TIME): INTERVAL,
    ("+", Kind.DATE): None,
    ("*", Kind.INTERVAL): DOUBLE,
    ("*", Kind.TIME): DOUBLE,
    ("/", Kind.INTERVAL): DOUBLE,
    ("/", Kind.TIME): DOUBLE,
    **dict.fromkeys((("^", kind) for kind in (*_COUNTS, Kind.BIGINT, Kind.REAL)), DOUBLE),
}


def asked_type(symbol: str, other: DataType, *, is_left: bool) -> DataType | None:
    """Return the type of an operand that has none of its own.

    Args:
        symbol: the operator.
        other: the type on its other side.
        is_left: whether the operand is the left one.

    Returns:
        The type; None if no operator fits, or several do and PostgreSQL does not choose.
    """
    if (symbol, other.kind) in _ASKED:
        found = _ASKED[symbol, other.kind]
        return None if symbol == "/" and is_left else found
    if other.kind is Kind.JSON:
        return TEXT if symbol == "-" and not is_left else None
    if other.kind in OF_TIME:
        return other if symbol == "-" or (symbol, other.kind) == ("+", Kind.INTERVAL) else None
    return None if other == TEXT else other
