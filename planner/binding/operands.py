"""Operands of comparisons: literals, parameters, and casts of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, structs
from sqlglot import exp

from stategate.planner.binding.comparisons import Side
from stategate.planner.binding.predicates import Operand
from stategate.planner.errors import MismatchedTypeError
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import parameter_number, parameter_text
from stategate.planner.values.casts import CastDone, applied, cast_done
from stategate.planner.values.comparison_bounds import Fitted, Fitter, fitter
from stategate.planner.values.constants import Constant, constant_of, literal_value
from stategate.planner.values.quoting import quote_text
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import BIGINT, DataType, Kind, Value

ParameterType: TypeAlias = Callable[[int], DataType]

CASTS_MAX = 8
"""Maximum number of casts of one parameter, `$1::int::bigint`."""
_NUMERIC = DataType(kind=Kind.DECIMAL)
_DOUBLE_EXACT = 1 << 53
"""Below this limit, each whole number has its own double."""


def operand_of(node: exp.Expr, side: Side, parameter_type: ParameterType) -> Operand | None:
    """Return a node as the operand of a comparison; None if its value depends on the rows.

    Args:
        node: the other side of the comparison.
        side: the column.
        parameter_type: returns the type of $n.

    Raises:
        QueryError: a text literal is not a value of the side's type (22P02).
    """
    node = known_node(node)
    if isinstance(node, exp.Literal):  # checked first: a list may have thousands
        return _of_constant(node, literal_value(node, side.type), side)
    given = parameter_of(node, parameter_type)
    if given is not None:
        fit = fitter(given.type, side.column_type)
        return None if fit is None else given.operand(side.placed(fit))
    constant = constant_of(node, side.type)
    return None if constant is None else _of_constant(node, constant, side)


class Given(Struct, frozen=True, kw_only=True):
    """A parameter, and the casts that its value goes through."""

    number: int
    type: DataType
    """The type of the value after the casts."""
    text: str
    """The parameter in EXPLAIN."""
    casts: tuple[CastDone, ...] = ()
    """Those that change a value, the first one first."""

    def operand(self, fit: Fitter) -> Operand:
        """Return it as an operand."""
        place = self.number - 1
        if not self.casts:
            return Operand(text=self.text, fit=fit, parameter=place)
        return Operand(
            text=f"{self.text} as {format_type(self.type)}",
            fit=fit,
            parameter=place,
            compute=lambda row: self.value(row[place]),
        )

    def any_of(self, fit: Fitter) -> Operand:
        """Return an array of such values as an operand, for `= ANY($1)`."""
        place = self.number - 1
        text = f"any ({self.text})"
        if not self.casts:
            return Operand(text=text, fit=fit, parameter=place, is_list=True)
        return Operand(
            text=f"{text} as {format_type(self.type)}",
            fit=fit,
            parameter=place,
            is_list=True,
            compute=lambda row: None if row[place] is None else [*map(self.value, row[place])],
        )

    def value(self, value: Value) -> Value:
        """Return a value of the parameter after the casts.

        Raises:
            InvalidValueError: it is out of the range of a cast (22003).
            MismatchedTypeError: it does not have its declared type.
        """
        try:
            for cast in self.casts:
                value = applied(cast, value)
        except (TypeError, ValueError, ArithmeticError) as error:
            message = f"{self.text} is not of the type it is declared as"
            raise MismatchedTypeError(message) from error
        return value


def parameter_of(
    node: exp.Expr, parameter_type: ParameterType, depth: int = CASTS_MAX
) -> Given | None:
    """Return the parameter of an expression that only casts it; None for other expressions."""
    node = known_node(node)
    if isinstance(node, exp.Parameter):
        number = parameter_number(node)
        return Given(number=number, type=parameter_type(number), text=parameter_text(node))
    if not isinstance(node, exp.Cast) or not depth:
        return None
    inner = parameter_of(node.this, parameter_type, depth - 1)
    return None if inner is None else cast_given(inner, node.to)


def cast_given(given: Given, to: exp.DataType) -> Given | None:
    """Return a parameter after one more cast; None if only DuckDB does it."""
    # A numeric has any number of digits, even if its type was taken from a cast to fewer.
    is_numeric = given.type.kind is Kind.DECIMAL
    done = cast_done(_NUMERIC if is_numeric else given.type, to)
    if done is None:
        return None
    casts = given.casts if done.convert is None else (*given.casts, done)
    return structs.replace(given, type=done.type, casts=casts)


def _of_constant(node: exp.Expr, constant: Constant, side: Side) -> Operand | None:
    value, data_type = constant
    if value is None:
        return Operand(text="NULL", fit=Fitted)
    fit = _constant_fitter(value, data_type, side.column_type)
    return (
        None if fit is None else Operand(text=_text_of(node), fit=side.placed(fit), constant=value)
    )


def _constant_fitter(value: Value, source: DataType, column: DataType) -> Fitter | None:
    """Return the fitter of a constant to a column; None if they cannot be compared."""
    if source.kind is Kind.DOUBLE and column.kind is Kind.BIGINT and abs(value) < _DOUBLE_EXACT:
        return fitter(BIGINT, column)  # below the limit, no two bigints share a double
    return fitter(source, column)


def _text_of(node: exp.Expr) -> str:
    """Return a constant as SQL; sqlglot's generator would be slow for thousands of literals."""
    if isinstance(node, exp.Literal):
        return quote_text(node.name) if node.is_string else str(node.name)
    return node.sql(dialect="postgres")
