"""From a WHERE to conditions on columns: which values, or which interval, each column can have.

Only conjuncts that hold for no NULL are taken, and only those whose other side is a constant or a
parameter. What is taken stays in the composed SQL too, so that a condition may promise more rows
than match but never fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from planner.errors import QueryError, TypeProblem
from planner.fit import Fitted, Fitter, Outside, fitter
from planner.sqltypes import data_type_of
from planner.values import parse_value
from stores.schema import BIGINT, BOOLEAN, DOUBLE, TEXT, DataType, Kind, Row, Value, decimal_type

ColumnOf: TypeAlias = Callable[[exp.Column], str | None]
"""The name of a column of the relation at hand; None for a column of another."""
TypeOf: TypeAlias = Callable[[str], DataType]
ParameterType: TypeAlias = Callable[[int], DataType]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """The side of a comparison that is known once the parameters are."""

    text: str
    fit: Fitter
    constant: Value = None
    parameter: int | None = None
    """0-based index of the parameter; None for a constant."""
    is_list: bool = False
    """Whether the parameter is an array of which the column is one: `= ANY($1)`."""

    def values(self, parameters: Row) -> Sequence[Value]:
        """Every value that it stands for."""
        value = self.value(parameters)
        return (value,) if not self.is_list else value or ()

    def value(self, parameters: Row) -> Value:
        """The value, not yet fitted; None is NULL."""
        return self.constant if self.parameter is None else parameters[self.parameter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equals:
    """The column is one of these values."""

    column: str
    operands: tuple[Operand, ...]

    @property
    def is_single(self) -> bool:
        """Whether it is one value and no more, whatever the parameters are."""
        return len(self.operands) == 1 and not self.operands[0].is_list


@dataclass(frozen=True, slots=True, kw_only=True)
class Compares:
    """The column lies on one side of a value; `operator` is one of <, <=, >, >=."""

    column: str
    operator: str
    operand: Operand


Condition: TypeAlias = Equals | Compares

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DOUBLE_EXACT = 1 << 53
"""Below it, every whole number is a double of its own."""
IN_LIST_MAX = 10_000
"""Longest list of values that becomes lookups; a longer one is a scan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads conditions on one relation."""

    column_of: ColumnOf
    type_of: TypeOf
    parameter_type: ParameterType

    def conditions(self, predicate: exp.Expr | None) -> list[Condition]:
        """What the conjuncts of a predicate say of the relation's columns."""
        if predicate is None:
            return []
        found: list[Condition] = []
        for conjunct in conjuncts(predicate):
            found.extend(self._read(conjunct))
        return found

    def _read(self, node: exp.Expr) -> Iterable[Condition]:
        operator = _OPERATORS.get(type(node))
        if operator == "=" and isinstance(strip(node.expression), exp.Any):
            return self._any(node.this, strip(strip(node.expression).this))
        if operator is not None:
            return self._comparison(node.this, operator, node.expression)
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            low = self._comparison(node.this, ">=", node.args["low"])
            return [*low, *self._comparison(node.this, "<=", node.args["high"])]
        if isinstance(node, exp.In) and node.expressions:
            return self._membership(node.this, node.expressions)
        if isinstance(node, exp.Or):
            return self._alternatives(node)
        return []

    def _comparison(self, left: exp.Expr, operator: str, right: exp.Expr) -> list[Condition]:
        column = self._column(left)
        if column is None:
            left, right, operator = right, left, _MIRRORED[operator]
            column = self._column(left)
        if column is None:
            return []
        operand = self.operand(right, column)
        if operand is None:
            return []
        if operator == "=":
            return [Equals(column=column, operands=(operand,))]
        return [Compares(column=column, operator=operator, operand=operand)]

    def _membership(self, left: exp.Expr, members: list[exp.Expr]) -> list[Condition]:
        column = self._column(left)
        if column is None or len(members) > IN_LIST_MAX:
            return []
        operands = [self.operand(member, column) for member in members]
        if any(operand is None for operand in operands):
            return []
        return [Equals(column=column, operands=tuple(o for o in operands if o is not None))]

    def _any(self, left: exp.Expr, array: exp.Expr) -> list[Condition]:
        """`k = ANY(…)` of a parameter, or of an array that is written out."""
        column = self._column(left)
        if column is None:
            return []
        wanted = self.type_of(column)
        if isinstance(array, exp.Parameter):
            number = parameter_number(array)
            element = self.parameter_type(number).element
            fit = None if element is None else fitter(element, wanted)
            if fit is None:
                return []
            text = f"any (${number})"
            operand = Operand(text=text, fit=fit, parameter=number - 1, is_list=True)
            return [Equals(column=column, operands=(operand,))]
        if isinstance(array, exp.Cast):
            to = data_type_of(array.to)
            if to is None or to.element != wanted:
                return []
            array = strip(array.this)
        return self._membership(left, array.expressions) if isinstance(array, exp.Array) else []

    def _alternatives(self, node: exp.Or) -> list[Condition]:
        """`k = 1 OR k = 2 OR k IN (3, 4)` of one column."""
        operands: list[Operand] = []
        column: str | None = None
        for side in disjuncts(node):
            read = list(self._read(side))
            if len(read) != 1 or not isinstance(read[0], Equals):
                return []
            if column not in {None, read[0].column}:
                return []
            column = read[0].column
            operands.extend(read[0].operands)
        if column is None or len(operands) > IN_LIST_MAX:
            return []
        return [Equals(column=column, operands=tuple(operands))]

    def _column(self, node: exp.Expr) -> str | None:
        node = strip(node)
        return self.column_of(node) if isinstance(node, exp.Column) else None

    def operand(self, node: exp.Expr, column: str) -> Operand | None:
        """The operand that a node is for a column; None if it is not known before the rows are.

        Raises:
            QueryError: a text literal is no value of the column's type (22P02).
        """
        node = strip(node)
        type_of_column = self.type_of(column)
        if isinstance(node, exp.Parameter):
            number = parameter_number(node)
            fit = fitter(self.parameter_type(number), type_of_column)
            if fit is None:
                return None
            return Operand(text=f"${number}", fit=fit, parameter=number - 1)
        constant = constant_of(node, type_of_column)
        if constant is None:
            return None
        value, data_type = constant
        if data_type.kind is Kind.NULL:
            return Operand(text="NULL", fit=Fitted)
        fit = _constant_fitter(value, data_type, type_of_column)
        if fit is None:
            return None
        return Operand(text=node.sql(dialect="postgres"), fit=fit, constant=value)


def _constant_fitter(value: Value, source: DataType, column: DataType) -> Fitter | None:
    if source.kind is Kind.DOUBLE and column.kind is Kind.BIGINT and abs(value) < _DOUBLE_EXACT:
        return fitter(BIGINT, column)  # so small a number has no other bigint at its double
    return fitter(source, column)


def parameter_number(node: exp.Parameter) -> int:
    """The n of $n."""
    return int(node.name)


def strip(node: exp.Expr) -> exp.Expr:
    """A node without the parentheses around it."""
    while isinstance(node, exp.Paren | exp.Collate):
        if isinstance(node, exp.Collate) and node.expression.name.upper() not in {"C", "POSIX"}:
            return node
        node = node.this
    return node


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The parts of an AND, however nested."""
    return _parts(node, exp.And)


def disjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The parts of an OR, however nested."""
    return _parts(node, exp.Or)


def _parts(node: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    left = [node]  # not by recursion: programs write thousands of parts
    while left:
        part = strip(left.pop())
        if isinstance(part, kind):
            left += (part.expression, part.this)
        else:
            found.append(part)
    return found


def constant_of(node: exp.Expr, wanted: DataType) -> tuple[Value, DataType] | None:
    """The value and type of a constant; None if the node is not one that is read here.

    A bare text literal takes the wanted type, as in Postgres.
    """
    node = strip(node)
    if isinstance(node, exp.Null):
        return None, DataType(kind=Kind.NULL)
    if isinstance(node, exp.Boolean):
        return bool(node.this), BOOLEAN
    if isinstance(node, exp.Neg):
        inner = constant_of(node.this, wanted)
        negatable = inner is not None and isinstance(inner[0], int | float | Decimal)
        return (-inner[0], inner[1]) if inner is not None and negatable else None
    if isinstance(node, exp.Literal):
        return _literal(node, wanted)
    if isinstance(node, exp.Cast) and isinstance(strip(node.this), exp.Literal):
        return _cast_literal(node)
    return None


def _literal(node: exp.Literal, wanted: DataType) -> tuple[Value, DataType]:
    if node.is_string:
        try:
            return parse_value(node.name, wanted), wanted
        except QueryError as error:
            error.position = node.meta.get("start", -1) + 1 or None
            raise
    return number_of(node.name)


def number_of(text: str) -> tuple[Value, DataType]:
    """A numeric literal: bigint if whole and small enough, decimal if plain, else double."""
    if text.isdigit() and int(text) < 1 << 63:
        return int(text), DataType(kind=Kind.BIGINT)
    if "e" in text.lower():
        return float(text), DOUBLE
    value = Decimal(text)
    digits = len(value.as_tuple().digits)
    scale = max(0, -int(value.as_tuple().exponent))
    if max(digits, scale) > 38:
        return float(text), DOUBLE
    return value, decimal_type(max(digits, scale, 1), scale)


def _cast_literal(node: exp.Cast) -> tuple[Value, DataType] | None:
    data_type = data_type_of(node.to)
    literal = strip(node.this)
    if data_type is None or not literal.is_string or data_type.kind in {Kind.JSON, Kind.UUID}:
        return None
    if data_type == TEXT and node.to.expressions:
        return None  # varchar(3) cuts
    return parse_value(literal.name, data_type), data_type


def fitted(operand: Operand, parameters: Row) -> Fitted | Outside | None:
    """The operand's value as the column can have it; None if it is NULL, which matches nothing.

    Raises:
        TypeProblem: the parameter's value is not of the type that was agreed on.
    """
    return fitted_value(operand, operand.value(parameters))


def fitted_value(operand: Operand, value: Value) -> Fitted | Outside | None:
    """One value of an operand as the column can have it; None if it is NULL.

    Raises:
        TypeProblem: it is not of the type that was agreed on.
    """
    if value is None:
        return None
    try:
        return operand.fit(value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise TypeProblem(f"{operand.text} is not of the type it is compared as") from error
