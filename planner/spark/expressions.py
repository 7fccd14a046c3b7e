"""Expressions: operators, conditions, casts and columns. Calls are in `calls`.

Integers overflow with an error on both sides, because the session is in Spark's ANSI mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from sqlglot import exp

from stategate.planner.errors import RAISED
from stategate.planner.postgres.types.operands import COMPARISONS
from stategate.planner.postgres.types.result_types import literal_type
from stategate.planner.spark.conversions import (
    DIGITS_MAX,
    agree,
    as_decimal,
    cast,
    common_type,
    convert,
    is_whole,
    settled,
)
from stategate.planner.spark.refusal import only_filters, refused, words
from stategate.planner.spark.scopes import Scope
from stategate.planner.spark.values import Arguments, Typed, require_computed
from stategate.planner.trees.known_arguments import is_known
from stategate.planner.trees.nodes import parameter_number, signed
from stategate.planner.values.sqltypes import format_type, result_type_of
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import BOOLEAN, DOUBLE, NULL, TEXT, DataType, Kind, decimal_type

Query = Callable[[exp.Query, Scope], tuple[str, tuple[DataType, ...]]]
"""Writes a query inside of an expression, and returns its SQL and the types of its columns."""

_COMPARISONS: Mapping[type[exp.Expr], str] = {
    **COMPARISONS,
    exp.NullSafeEQ: "<=>",
}
_ARITHMETIC: Mapping[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_ALTERNATIVES_MAX = 200
"""Comparisons that are joined by OR in place of an IN."""


@dataclass(slots=True, kw_only=True)
class Expressions:
    """Writes the expressions of one statement.

    Args:
        parameters: the types of the client's parameters.
        query: writes the queries inside of expressions.
        call: writes calls of functions.
    """

    parameters: Sequence[DataType]
    query: Query
    call: Callable[[Expressions, exp.Expr, Scope], Typed]
    arguments: Arguments = field(default_factory=Arguments)

    def write(self, node: exp.Expr, scope: Scope) -> Typed:
        """Return an expression.

        Raises:
            NotSupportedError: Spark does not run it, or gives another value.
            InvalidValueError: a literal is not a value of its type.
        """
        if not is_known(node):
            raise refused(words(node), node)
        rule = _RULES.get(type(node))
        if rule is not None:
            return rule(self, node, scope)
        if isinstance(node, exp.Func | exp.Filter | exp.Window):
            return self.call(self, node, scope)
        raise refused(words(node), node)

    def condition(self, node: exp.Expr, scope: Scope) -> str:
        """Return a condition."""
        found = convert(self.write(node, scope), BOOLEAN, self.arguments)
        return found.sql

    def compared(self, left: Typed, operator: str, right: Typed) -> str:
        """Return a comparison, in the type in which PostgreSQL compares."""
        one, other = agree([left, right], self.arguments)
        for each in (one, other):
            require_computed(each)
        return f"({one.sql} {operator} {other.sql})"

    # Operands

    def _paren(self, node: exp.Expr, scope: Scope) -> Typed:
        return self.write(node.this, scope)

    def _column(self, node: exp.Expr, scope: Scope) -> Typed:
        assert isinstance(node, exp.Column)
        return scope.resolve(node)

    def _literal(self, node: exp.Expr, scope: Scope) -> Typed:
        del scope
        assert isinstance(node, exp.Literal)
        if node.is_string:
            return Typed(sql="", type=TEXT, literal=node.name)
        return self._number(node, is_negative=False)

    def _number(self, node: exp.Literal, *, is_negative: bool) -> Typed:
        data_type = literal_type(node, is_negative=is_negative)
        if data_type is None:
            raise refused(f"the number {node.name}", node)
        sign = "-" if is_negative else ""
        return self.arguments.constant(parse_value(sign + node.name, data_type), data_type)

    def _boolean(self, node: exp.Expr, scope: Scope) -> Typed:
        del scope
        return Typed(sql="TRUE" if node.this else "FALSE", type=BOOLEAN)

    def _null(self, node: exp.Expr, scope: Scope) -> Typed:
        del node, scope
        return Typed(sql="NULL", type=NULL)

    def _parameter(self, node: exp.Expr, scope: Scope) -> Typed:
        del scope
        assert isinstance(node, exp.Parameter)
        number = parameter_number(node)
        return self.arguments.parameter(number, self.parameters[number - 1])

    def _cast(self, node: exp.Expr, scope: Scope) -> Typed:
        assert isinstance(node, exp.Cast)
        to = result_type_of(node.to)
        is_bare = node.to.this is exp.DType.DECIMAL and not node.to.expressions
        if to is None or type(to) is not DataType or is_bare:
            raise refused(f"casts to {node.to.sql('postgres').lower()}", node)
        number, is_negative = signed(node.this)
        if isinstance(number, exp.Literal) and not number.is_string and to == DOUBLE:
            value = float(number.name)
            if isfinite(value):
                return self.arguments.constant(-value if is_negative else value, DOUBLE)
        return cast(self.write(node.this, scope), to, self.arguments)

    # Arithmetic

    def _negated(self, node: exp.Expr, scope: Scope) -> Typed:
        number, is_negative = signed(node)
        if isinstance(number, exp.Literal) and not number.is_string:
            return self._number(number, is_negative=is_negative)
        value = self.write(node.this, scope)
        if not (is_whole(value.type) or value.kind in {Kind.DECIMAL, Kind.DOUBLE}):
            raise refused(f"- {format_type(value.type)}", node)
        return Typed(sql=f"(- {value.sql})", type=value.type)

    def _computed(self, node: exp.Expr, scope: Scope) -> Typed:
        operator = _ARITHMETIC[type(node)]
        sides = [self.write(each, scope) for each in (node.this, node.expression)]
        common = self._number_type(sides, node)
        if common.kind is Kind.DECIMAL:
            return self._decimal(operator, sides)
        one, other = (convert(each, common, self.arguments) for each in sides)
        if common.kind is Kind.DOUBLE:
            return _in_range(f"({_raw(one)} {operator} {_raw(other)})", (one, other))
        return Typed(sql=f"({one.sql} {operator} {other.sql})", type=common)

    def _decimal(self, operator: str, sides: Sequence[Typed]) -> Typed:
        typed = [
            each if each.literal is None and not each.is_null else agree(sides, self.arguments)[at]
            for at, each in enumerate(sides)
        ]
        one, other = (as_decimal(each.type) for each in typed)
        if operator == "*":
            digits, scale = one.precision + other.precision + 1, one.scale + other.scale
        else:
            scale = max(one.scale, other.scale)
            digits = max(one.precision - one.scale, other.precision - other.scale) + scale + 1
        if digits > DIGITS_MAX:
            raise refused(f"{format_type(one)} {operator} {format_type(other)} of so many digits")
        operands = [
            convert(each, to, self.arguments).sql
            for each, to in zip(typed, (one, other), strict=True)
        ]
        return Typed(sql=f"({f' {operator} '.join(operands)})", type=decimal_type(digits, scale))

    def _divided(self, node: exp.Expr, scope: Scope) -> Typed:
        sides = [self.write(each, scope) for each in (node.this, node.expression)]
        common = self._number_type(sides, node)
        if common.kind is Kind.DECIMAL:
            raise refused("division of numerics", node)
        one, other = (convert(each, common, self.arguments) for each in sides)
        if common.kind is Kind.DOUBLE:
            # NaN / 0 is NaN, and any other number an error, as in PostgreSQL.
            is_kept = f"isnan({_raw(one)}) AND {_raw(other)} = 0"
            divisor = f"(CASE WHEN {is_kept} THEN 1 ELSE {_raw(other)} END)"
            return _in_range(f"({_raw(one)} / {divisor})", (one, other))
        found = f"({one.sql} DIV {other.sql})"  # a bigint, whatever the sides are
        return Typed(sql=f"CAST({found} AS {_whole_name(common)})", type=common)

    def _remainder(self, node: exp.Expr, scope: Scope) -> Typed:
        sides = [self.write(each, scope) for each in (node.this, node.expression)]
        common = self._number_type(sides, node)
        if not is_whole(common):
            raise refused(f"% of {format_type(common)}", node)
        one, other = (convert(each, common, self.arguments).sql for each in sides)
        return Typed(sql=f"({one} % {other})", type=common)

    def _number_type(self, sides: Sequence[Typed], node: exp.Expr) -> DataType:
        common = common_type(sides)
        if not (is_whole(common) or common.kind in {Kind.DECIMAL, Kind.DOUBLE}):
            raise refused(f"{words(node)} of {format_type(common)}", node)
        return common

    def _joined(self, node: exp.Expr, scope: Scope) -> Typed:
        sides = [self.write(each, scope) for each in (node.this, node.expression)]
        texts = [convert(each, TEXT, self.arguments) for each in sides]
        if any(each.type != TEXT for each in texts):
            raise refused("|| of other types than text", node)
        return Typed(sql=f"concat({', '.join(each.sql for each in texts)})", type=TEXT)

    # Conditions

    def _comparison(self, node: exp.Expr, scope: Scope) -> Typed:
        sides = [self.write(each, scope) for each in (node.this, node.expression)]
        return Typed(sql=self.compared(sides[0], _COMPARISONS[type(node)], sides[1]), type=BOOLEAN)

    def _distinct(self, node: exp.Expr, scope: Scope) -> Typed:
        sides = [self.write(each, scope) for each in (node.this, node.expression)]
        return Typed(sql=f"(NOT {self.compared(sides[0], '<=>', sides[1])})", type=BOOLEAN)

    def _connected(self, node: exp.Expr, scope: Scope) -> Typed:
        operator = "AND" if isinstance(node, exp.And) else "OR"
        parts: list[str] = []
        left = [node]  # no recursion: programs write thousands of parts
        while left:
            part = left.pop()
            if isinstance(part, type(node)) and is_known(part):
                left += (part.expression, part.this)
            else:
                parts.append(self.condition(part, scope))
        return Typed(sql=f"({f' {operator} '.join(parts)})", type=BOOLEAN)

    def _not(self, node: exp.Expr, scope: Scope) -> Typed:
        return Typed(sql=f"(NOT {self.condition(node.this, scope)})", type=BOOLEAN)

    def _is(self, node: exp.Expr, scope: Scope) -> Typed:
        word = "IS NOT" if node.args.get("negate") else "IS"
        value = self.write(node.this, scope)
        if isinstance(node.expression, exp.Null):
            value = settled(value, self.arguments)
            return Typed(sql=f"({value.sql} {word} NULL)", type=BOOLEAN)
        if isinstance(node.expression, exp.Boolean):
            truth = convert(value, BOOLEAN, self.arguments).sql
            named = "TRUE" if node.expression.this else "FALSE"
            return Typed(sql=f"({truth} {word} {named})", type=BOOLEAN)
        raise refused("IS with this operand", node)

    def _between(self, node: exp.Expr, scope: Scope) -> Typed:
        if node.args.get("symmetric"):
            raise refused("BETWEEN SYMMETRIC", node)
        value, low, high = (self.write(node.args[each], scope) for each in ("this", "low", "high"))
        sql = f"({self.compared(value, '>=', low)} AND {self.compared(value, '<=', high)})"
        return Typed(sql=sql, type=BOOLEAN)

    def _in(self, node: exp.Expr, scope: Scope) -> Typed:
        value = self.write(node.this, scope)
        query = node.args.get("query")
        if query is not None:
            if not only_filters(node):  # Spark has false where it should be NULL
                raise refused("IN with a query as a value", node)
            inner = query.this if isinstance(query, exp.Subquery) else query
            sql, types = self.query(inner, scope)
            if len(types) != 1 or types[0] != value.type or value.literal is not None:
                raise refused("IN with a query of another type", node)
            require_computed(value)
            return Typed(sql=f"({value.sql} IN ({sql}))", type=BOOLEAN)
        listed = [self.write(each, scope) for each in node.expressions]
        found = agree([value, *listed], self.arguments)
        for each in found:
            require_computed(each)
        if found[0].kind is not Kind.DOUBLE:
            values = ", ".join(each.sql for each in found[1:])
            return Typed(sql=f"({found[0].sql} IN ({values}))", type=BOOLEAN)
        if len(listed) > _ALTERNATIVES_MAX:
            raise refused(f"IN with more than {_ALTERNATIVES_MAX} doubles", node)
        # Spark looks long lists up in a set, where 0.0 and -0.0 differ.
        either = " OR ".join(f"{found[0].sql} = {each.sql}" for each in found[1:])
        return Typed(sql=f"({either})", type=BOOLEAN)

    def _exists(self, node: exp.Expr, scope: Scope) -> Typed:
        inner = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        sql, _ = self.query(inner, scope)
        return Typed(sql=f"EXISTS ({sql})", type=BOOLEAN)

    def _subquery(self, node: exp.Expr, scope: Scope) -> Typed:
        if {name for name, value in node.args.items() if value} - {"this"}:
            raise refused("this subquery", node)
        sql, types = self.query(node.this, scope)
        if len(types) != 1:
            raise refused("a subquery of several columns", node)
        return Typed(sql=f"({sql})", type=types[0])

    def _like(self, node: exp.Expr, scope: Scope) -> Typed:
        value, pattern = self.write(node.this, scope), node.expression
        is_plain = isinstance(pattern, exp.Literal) and pattern.is_string
        if value.type != TEXT or not is_plain or "\\" in pattern.name:
            raise refused("LIKE, except of a text with a literal without backslashes", node)
        text = settled(value, self.arguments).sql
        found = self.arguments.constant(pattern.name, TEXT)
        word = "NOT LIKE" if node.args.get("negate") else "LIKE"
        return Typed(sql=f"({text} {word} {found.sql})", type=BOOLEAN)

    # Alternatives

    def _case(self, node: exp.Expr, scope: Scope) -> Typed:
        of = None if node.this is None else self.write(node.this, scope)
        conditions, results = [], []
        for each in node.args["ifs"]:
            if of is None:
                conditions.append(self.condition(each.this, scope))
            else:
                conditions.append(self.compared(of, "=", self.write(each.this, scope)))
            results.append(self.write(each.args["true"], scope))
        default = node.args.get("default")
        results.append(
            Typed(sql="NULL", type=NULL) if default is None else self.write(default, scope)
        )
        *found, last = agree(results, self.arguments)
        whens = " ".join(
            f"WHEN {condition} THEN {result.sql}"
            for condition, result in zip(conditions, found, strict=True)
        )
        return Typed(sql=f"(CASE {whens} ELSE {last.sql} END)", type=last.type)

    def any_of(self, name: str, nodes: Sequence[exp.Expr], scope: Scope) -> Typed:
        """Return a call whose arguments and result have one type."""
        found = agree([self.write(each, scope) for each in nodes], self.arguments)
        if len(found) == 1:
            return found[0]
        return Typed(sql=f"{name}({', '.join(each.sql for each in found)})", type=found[0].type)


def _raw(value: Typed) -> str:
    return value.raw or value.sql


def _in_range(raw: str, operands: Sequence[Typed]) -> Typed:
    """Return arithmetic that fails where the result of finite doubles is not finite.

    The check is written once for a whole computation, because it repeats it.
    """
    leaves = tuple(
        dict.fromkeys(leaf for each in operands for leaf in (each.leaves or (each.sql,)))
    )
    overflows = " AND ".join([*map(finite_sql, leaves), f"NOT {finite_sql(raw)}"])
    error = raised("22003", "value out of range: overflow")
    sql = f"(CASE WHEN {overflows} THEN CAST({error} AS DOUBLE) ELSE {raw} END)"
    return Typed(sql=sql, type=DOUBLE, raw=raw, leaves=leaves)


def raised(sqlstate: str, message: str) -> str:
    """Return SQL that fails with an error of ours."""
    return f"raise_error('{RAISED}{sqlstate} {message}')"


def finite_sql(sql: str) -> str:
    """Return the condition that a double is neither infinite nor NaN."""
    return f"(abs({sql}) < double('Infinity'))"


def _whole_name(data_type: DataType) -> str:
    return {Kind.SMALLINT: "SMALLINT", Kind.INTEGER: "INT"}.get(data_type.kind, "BIGINT")


_RULES: Mapping[type[exp.Expr], Callable[[Expressions, exp.Expr, Scope], Typed]] = {
    exp.Paren: Expressions._paren,
    exp.Column: Expressions._column,
    exp.Literal: Expressions._literal,
    exp.Boolean: Expressions._boolean,
    exp.Null: Expressions._null,
    exp.Parameter: Expressions._parameter,
    exp.Cast: Expressions._cast,
    exp.Neg: Expressions._negated,
    **dict.fromkeys(_ARITHMETIC, Expressions._computed),
    exp.Div: Expressions._divided,
    exp.Mod: Expressions._remainder,
    exp.DPipe: Expressions._joined,
    **dict.fromkeys(_COMPARISONS, Expressions._comparison),
    exp.NullSafeNEQ: Expressions._distinct,
    **dict.fromkeys((exp.And, exp.Or), Expressions._connected),
    exp.Not: Expressions._not,
    exp.Is: Expressions._is,
    exp.Between: Expressions._between,
    exp.In: Expressions._in,
    exp.Exists: Expressions._exists,
    exp.Subquery: Expressions._subquery,
    exp.Like: Expressions._like,
    exp.Case: Expressions._case,
}
"""The expressions that are written, by type of node."""
