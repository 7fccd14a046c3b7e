"""The numbers of LIMIT and OFFSET, which may be parameters."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp

from stategate.planner.errors import InvalidValueError
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import parameter_number, parameter_text
from stategate.planner.values.sqltypes import data_type_of
from stategate.stores.spec.schema import DataType, Kind, Row

LIMIT_PUSHED_MAX = 1_000_000
"""A greater LIMIT is not sent to partitions, because it would save nothing."""
_INTEGERS = {Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT}


class Amount(Struct, frozen=True):
    """The number of LIMIT or OFFSET: a constant, or a parameter."""

    constant: int = 0
    parameter: int | None = None
    """The parameter's 0-based index."""
    text: str = ""
    """The parameter in EXPLAIN."""

    def value(self, parameters: Row) -> int | None:
        """Return the number, which may be negative; None for NULL."""
        found: int | None = self.constant if self.parameter is None else parameters[self.parameter]
        return found

    def __str__(self) -> str:
        """Return the text for EXPLAIN."""
        return str(self.constant) if self.parameter is None else self.text


class Limits(Struct, frozen=True):
    """LIMIT and OFFSET; None for one that a statement does not have."""

    rows: Amount | None = None
    offset: Amount | None = None

    @property
    def constant(self) -> int | None:
        """Return the number of rows that are enough; None for all, or if a parameter decides."""
        amounts = self._amounts
        if self.rows is None or any(each.parameter is not None for each in amounts):
            return None
        return sum(each.constant for each in amounts)

    def enough(self, parameters: Row) -> int | None:
        """Return how many rows are enough for the result; None for all, or for very many."""
        rows = None if self.rows is None else self.rows.value(parameters)
        if rows is None:
            return None
        skipped = None if self.offset is None else self.offset.value(parameters)
        found = max(rows, 0) + max(skipped or 0, 0)
        return found if found <= LIMIT_PUSHED_MAX else None

    def window(self, parameters: Row) -> tuple[int, int | None]:
        """Return how many rows to skip, then how many to return; None for all.

        Raises:
            InvalidValueError: a number is negative (2201W, 2201X).
        """
        rows = None if self.rows is None else self.rows.value(parameters)
        skipped = None if self.offset is None else self.offset.value(parameters)
        if skipped is not None and skipped < 0:
            raise InvalidValueError("OFFSET must not be negative", sqlstate="2201X")
        if rows is not None and rows < 0:
            raise InvalidValueError("LIMIT must not be negative", sqlstate="2201W")
        return skipped or 0, rows

    @property
    def enough_text(self) -> str:
        """Return how many rows are enough, for EXPLAIN."""
        known = self.constant
        return " + ".join(map(str, self._amounts)) if known is None else str(known)

    @property
    def _amounts(self) -> list[Amount]:
        return [each for each in (self.rows, self.offset) if each is not None]


NO_LIMITS = Limits()


def limits_of(select: exp.Select, parameters: Sequence[DataType]) -> Limits | None:
    """Return the numbers of a SELECT; None if one is neither a whole number nor a parameter.

    Args:
        select: the query.
        parameters: the types of the parameters.
    """
    found: list[Amount | None] = []
    for node in (select.args.get("limit"), select.args.get("offset")):
        amount = None if node is None else _amount(known_node(node), parameters)
        if node is not None and amount is None:
            return None
        found.append(amount)
    return Limits(*found) if any(found) else NO_LIMITS


def _amount(node: exp.Expr, parameters: Sequence[DataType]) -> Amount | None:
    if not isinstance(node, exp.Limit | exp.Offset):
        return None  # FETCH FIRST … WITH TIES
    number = known_node(node.expression)
    if isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit():
        return Amount(constant=int(number.name))
    cast_to = None
    if isinstance(number, exp.Cast):
        cast_to, number = data_type_of(number.to), known_node(number.this)
        if cast_to is None:
            return None
    if not isinstance(number, exp.Parameter):
        return None
    index = parameter_number(number) - 1
    known = parameters[index]
    is_number = known.kind in _INTEGERS and cast_to in {None, known}
    return Amount(parameter=index, text=parameter_text(number)) if is_number else None
