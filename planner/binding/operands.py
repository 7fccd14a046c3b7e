"""Operands of comparisons: literals, parameters, and values computed from these alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from planner.binding.comparisons import Side
from planner.binding.moments import moment_of
from planner.binding.predicates import Operand
from planner.errors import QueryError
from planner.postgres.types.result_types import TIMES
from planner.trees.known_arguments import known_node
from planner.trees.nodes import parameter_number
from planner.values.comparison_bounds import Fitted, Fitter, fitter
from planner.values.constants import Constant, constant_of, literal_value
from planner.values.quoting import quote_text
from planner.values.sqltypes import data_type_of
from stores.spec.schema import BIGINT, DataType, Kind, Value

ParameterType: TypeAlias = Callable[[int], DataType]

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
    parameter = parameter_of(node, parameter_type)
    if parameter is not None:
        number, source = parameter
        fit = fitter(source, side.column_type)
        if fit is None:
            return None
        return Operand(text=f"${number}", fit=side.placed(fit), parameter=number - 1)
    constant = constant_of(node, side.type)
    if constant is not None:
        return _of_constant(node, constant, side)
    return _computed(node, side, parameter_type)


def parameter_of(node: exp.Expr, parameter_type: ParameterType) -> tuple[int, DataType] | None:
    """Return the number and type of a parameter, which may be cast to its own type."""
    cast_to = None
    if isinstance(node, exp.Cast) and isinstance(known_node(node.this), exp.Parameter):
        cast_to = data_type_of(node.to)
        if cast_to is None or node.to.expressions:
            return None
        node = known_node(node.this)
    if not isinstance(node, exp.Parameter):
        return None
    number = parameter_number(node)
    data_type = parameter_type(number)
    return (number, data_type) if cast_to in {None, data_type} else None


def _of_constant(node: exp.Expr, constant: Constant, side: Side) -> Operand | None:
    value, data_type = constant
    if value is None:
        return Operand(text="NULL", fit=Fitted)
    fit = _constant_fitter(value, data_type, side.column_type)
    return (
        None if fit is None else Operand(text=_text_of(node), fit=side.placed(fit), constant=value)
    )


def _computed(node: exp.Expr, side: Side, parameter_type: ParameterType) -> Operand | None:
    """Return a computed operand, such as `$1 - interval '1 hour'`."""
    moment = moment_of(node, parameter_type)
    if moment is None or moment.type.kind not in TIMES:
        return None
    fit, compute = fitter(moment.type, side.column_type), moment.compute
    if fit is None:
        return None
    if not moment.parameters:
        try:
            value = compute(())[0]
        except QueryError:
            return None  # DuckDB raises the error, if there are rows
        return Operand(text=_text_of(node), fit=side.placed(fit), constant=value)
    return Operand(
        text=_text_of(node),
        fit=side.placed(fit),
        parameter=moment.parameters[0] - 1,
        others=tuple(number - 1 for number in moment.parameters[1:]),
        compute=lambda row: compute(row)[0],
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
