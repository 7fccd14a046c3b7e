"""Computed values: expressions without columns that stand where a constant may stand.

`id BETWEEN $1 AND $1 + 99` is a range whatever `$1` is. So each such expression becomes a parameter
behind those of the client, and its value is computed once, at the start of a run. All that reads
conditions sees a parameter. An expression may depend on constants, parameters and the clock; not on
columns, subqueries or chance.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from sqlglot import exp

from stategate.planner.binding.operands import parameter_of
from stategate.planner.binding.parameters import Parameters
from stategate.planner.binding.quick_values import Quick, quick_value
from stategate.planner.errors import QueryError
from stategate.planner.postgres.expressions.volatile import VOLATILE
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.records.functions import OF_MANY_ROWS, RECORDS
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import CALLS, Nodes, kinds, parameter_number, put
from stategate.planner.values.catalog_types import is_of_catalog
from stategate.planner.values.comparison_bounds import INT_BITS
from stategate.planner.values.constants import constant_of
from stategate.stores.spec.schema import BIGINT, DataType, Kind

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
_WITH_TEXT = (exp.Like, exp.StartsWith)
_CONDITIONS = kinds(*_COMPARISONS, *_WITH_TEXT, exp.Between, exp.In)
"""The conditions whose operands bound what is read."""
_CONNECTORS = (exp.And, exp.Or, exp.Not, exp.Paren, exp.Escape)
_BARE = frozenset({exp.Literal, exp.Parameter, exp.Column, exp.Null, exp.Boolean, exp.Interval})
"""Operands that are no expressions."""
_OF_ROWS = kinds(
    *(exp.Column, exp.Query, exp.Star, exp.AggFunc, exp.Window, exp.WithinGroup, exp.Filter),
    *(exp.UDTF, exp.Explode, exp.GenerateSeries, exp.Lambda, exp.Tuple, exp.Placeholder),
)
"""Nodes whose values depend on rows, or that are no single value."""
_CLOCK = {
    *("now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "today"),
    *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
}
"""Functions of the time; all of a statement have the same."""
_VARYING = VOLATILE | OF_MANY_ROWS | {name for name, each in RECORDS.items() if each.returns_rows}
"""Functions of chance or of several rows, and those that return rows."""


class ComputedValue(Struct, frozen=True, kw_only=True):
    """An expression that is computed once for each run."""

    number: int
    """The number of the parameter that stands for it."""
    type: DataType
    node: exp.Expr
    inputs: frozenset[int]
    """The numbers of the parameters in it."""
    quick: Quick | None
    """Computes it here; None if DuckDB must."""
    uses_clock: bool

    @property
    def text(self) -> str:
        """The expression as SQL."""
        return self.node.sql(dialect="postgres")


def extract_values(nodes: Nodes, types: Types, parameters: Parameters) -> tuple[ComputedValue, ...]:
    """Replace the computed values of conditions and limits with parameters, in place.

    Args:
        nodes: the nodes of a tree.
        types: the types of its nodes; those of parameters are known.
        parameters: its parameters; the new ones are added.
    """
    found = _Extraction(types, parameters)
    for where in nodes.of(exp.Where):
        found.read(where.this)
    for join in nodes.of(exp.Join):
        if (on := join.args.get("on")) is not None:
            found.read(on)
    for amount in nodes.in_turn((exp.Limit, exp.Offset)):
        if types.kind_of(amount.args["expression"]) in INT_BITS:
            found.extract(amount.args["expression"])
    if found.values:
        nodes.renew()
    if any(each.uses_clock for each in found.values):
        # A statement has one time: that of the run.
        for node in [each for each in nodes.among(CALLS) if _is_clock(each)]:
            found.extract(node)
        nodes.renew()
    return tuple(found.values)


class _Extraction:
    """Numbers the values of one statement; equal expressions share a parameter."""

    def __init__(self, types: Types, parameters: Parameters) -> None:
        self._types, self._parameters = types, parameters
        self._known: dict[exp.Expr, ComputedValue] = {}

    @property
    def values(self) -> list[ComputedValue]:
        """The values in the order of their numbers."""
        return list(self._known.values())

    def read(self, condition: exp.Expr) -> None:
        """Extract the operands of all comparisons in a condition."""
        left = [condition]
        while left:
            node = left.pop()
            if isinstance(node, _CONNECTORS):
                left += [each for each in (node.args.get("expression"), node.this) if each]
            elif type(node) in _CONDITIONS:
                operands = [*_operands(node)]
                computed = [each for each in operands if self._is_computed(each)]
                if computed and not all(map(is_constant, operands)):
                    for each in computed:
                        self.extract(each)

    def extract(self, node: exp.Expr) -> None:
        """Replace an expression with a parameter, if it is a value that must be computed."""
        node = known_node(node)
        if not self._is_computed(node) and not _is_clock(node):
            return
        data_type = self._types.of(node)
        if data_type is None or not _is_held(data_type):
            return
        value = self._known.get(node) or self._numbered(node, data_type)
        if value is not None:
            fresh = exp.Parameter(this=exp.Literal.number(value.number))
            fresh.meta.update(node.meta, text=value.text)
            self._types.note(fresh, data_type)
            put(node, fresh)

    def _numbered(self, node: exp.Expr, data_type: DataType) -> ComputedValue | None:
        number = self._parameters.add(data_type)
        if number is None:
            return None
        inner = list(node.walk())
        copied = node.copy()
        found = self._known[copied] = ComputedValue(
            number=number,
            type=data_type,
            node=copied,
            inputs=frozenset(parameter_number(n) for n in inner if isinstance(n, exp.Parameter)),
            quick=quick_value(node, self._types),
            uses_clock=any(map(_is_clock, inner)),
        )
        return found

    def _is_computed(self, node: exp.Expr) -> bool:
        """Whether a node is an expression of constants that readers do not understand already."""
        node = known_node(node)
        if type(node) in _BARE or not is_constant(node):
            return False
        if parameter_of(node, self._parameters.type_of) is not None:
            return False
        try:
            return constant_of(node, BIGINT) is None
        except QueryError:
            return False  # whoever reads it raises the error


def is_constant(node: exp.Expr) -> bool:
    """Whether an expression has the same value for all rows of a run."""
    return not any(
        type(each) in _OF_ROWS or (isinstance(each, exp.Func) and _varies(each))
        for each in node.walk()
    )


def _varies(call: exp.Func) -> bool:
    name = call_name(call)
    return name in _VARYING or (isinstance(call, exp.Anonymous) and name not in RECORDS)


def _operands(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the operands of a condition, and the elements of those that are lists."""
    for each in node.iter_expressions():
        inner = known_node(each)
        if isinstance(inner, exp.Any):
            yield from _elements(known_node(inner.this))
        elif isinstance(inner, exp.Tuple):
            yield from inner.expressions
        elif not isinstance(inner, exp.Query):
            yield inner


def _elements(array: exp.Expr) -> list[exp.Expr]:
    """Return the elements of an array that is written, with casts or without; or the array."""
    inner = array
    while isinstance(inner, exp.Cast):
        inner = known_node(inner.this)
    return inner.expressions if isinstance(inner, exp.Array) else [array]


def _is_clock(node: exp.Expr) -> bool:
    return isinstance(node, exp.Func) and call_name(node) in _CLOCK


def _is_held(data_type: DataType) -> bool:
    """Whether a parameter of a type has all values of the expression."""
    if data_type.element is not None:
        return _is_held(data_type.element)
    if data_type.kind is Kind.DECIMAL and not data_type.precision:
        return False
    return not is_of_catalog(data_type) and data_type.kind.record.key is not None
