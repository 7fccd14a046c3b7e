"""Rules for `+`, `-`, `*`, `/`, `%`, `^` and operators of bits.

Arithmetic of doubles and reals beyond their range is checked: DuckDB's result is infinite;
PostgreSQL fails (22003). Numerics are divided by `number_calls`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sqlglot import exp

from stategate.planner.errors import RAISED, MismatchedTypeError
from stategate.planner.postgres.expressions.documents.json_rules import json_difference
from stategate.planner.postgres.expressions.interval_calls import interval_quotient
from stategate.planner.postgres.expressions.number_calls import quotient
from stategate.planner.postgres.expressions.rules import CallRule, Rule, hold_numbers
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import check_literal, typed_literal
from stategate.planner.postgres.types.operators import NO_OPERATOR
from stategate.planner.postgres.types.result_types import (
    FLOATS,
    INTEGERS,
    OF_TIME,
    OPERATOR_RESULTS,
    SYMBOLS,
    as_decimal,
    open_operand_type,
)
from stategate.planner.trees.nodes import call, cast, position_of, put, signed, strip, wrapped
from stategate.planner.trees.number_text import plain_numeric
from stategate.planner.values.sqltypes import duckdb_type, format_type
from stategate.stores.spec.schema import DOUBLE, INTEGER, INTERVAL, TIMESTAMP, DataType, Kind

LEAVES_MAX = 16
"""Maximum operands of a checked computation: the check writes it twice, and each operand again."""
_STEPS = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_THROUGH = (*_STEPS, exp.Paren, exp.Neg)


def range_checked(rule: Rule) -> Rule:
    """Return a rule of arithmetic that also checks the result, once for a whole computation."""

    def checked(node: exp.Expr, types: Types) -> exp.Expr:
        fresh = rule(node, types)
        is_float = fresh is node and _is_float(node, types)
        return _checked(node, types) if is_float and not _is_operand(node, types) else fresh

    return checked


def _is_operand(node: exp.Expr, types: Types) -> bool:
    """Whether the result is an operand of more arithmetic, which will be checked."""
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Neg):
        parent = parent.parent
    return isinstance(parent, _STEPS) and _is_float(parent, types)


def _is_float(node: exp.Expr, types: Types) -> bool:
    """Whether a node is a real or double; numbers such as `1e3` beside one do not change that."""
    if types.kind_of(node) in FLOATS:
        return True
    sides = (node.this, node.args.get("expression")) if isinstance(node, _THROUGH) else ()
    floats = [side is not None and _is_float(side, types) for side in sides]
    return any(floats) and all(
        is_float or side is None or _is_literal_number(side)
        for side, is_float in zip(sides, floats, strict=True)
    )


def _checked(node: exp.Expr, types: Types) -> exp.Expr:
    leaves = _leaves(node, types)
    if leaves is None:
        return node
    finite = [call("isfinite", leaf.copy()) for leaf in leaves]
    overflows = exp.and_(exp.Not(this=call("isfinite", node.copy())), *finite)
    message = f"{RAISED}22003 value out of range: overflow"
    error = call("pg_sg_error", exp.Literal.string(message))
    fresh = exp.Case(ifs=[exp.If(this=overflows, true=error)], default=node.copy())
    return put(node, exp.Paren(this=fresh))


def _leaves(node: exp.Expr, types: Types) -> list[exp.Expr] | None:
    """Return the operands that may be infinite; None if they are too many, or have a subquery."""
    if node.find(exp.Query):
        return None
    found: list[exp.Expr] = []
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, exp.Cast) and types.kind_of(each.this) in FLOATS:
            left.append(each.this)
        elif isinstance(each, _THROUGH):
            left += [side for side in (each.this, each.args.get("expression")) if side is not None]
        elif types.kind_of(each) in FLOATS and not _is_literal_number(each):
            found.append(each)
    return found if len(found) <= LEAVES_MAX else None


def _is_literal_number(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Cast) else node
    return isinstance(inner, exp.Literal) and not inner.is_string


def keep_nan(node: exp.Expr, types: Types) -> None:
    """Divide NaN by 0 as PostgreSQL does: the result is NaN; any other number by 0 is an error."""
    left, right = node.this, node.expression
    kind = types.of(right)
    number, _ = signed(right)
    is_safe = isinstance(number, exp.Literal) and not number.is_string and float(number.name)
    is_float = types.kind_of(left) in FLOATS and left.find(exp.Div) is None
    if kind is not None and is_float and not is_safe:
        types.note(wrapped(right, lambda inner: call("pg_sg_divides", left.copy(), inner)), kind)


def _power(node: exp.Expr, types: Types) -> exp.Expr:
    for side in (node.this, node.expression):
        if isinstance(side, exp.Literal) and side.is_string:
            put(side, typed_literal(side, DOUBLE, types.times.literals))
    return put(node, call("pg_sg_power", node.this.copy(), node.expression.copy()))


_SHORT, SMALLINT = {Kind.TINYINT, Kind.SMALLINT}, DataType(kind=Kind.SMALLINT)


def _divide(node: exp.Expr, types: Types) -> exp.Expr:
    """Divide numerics to 16 digits after the decimal point; DuckDB divides them as doubles."""
    _adopt_literals(node, types)
    _check_times(node, types)
    left, right = types.of(node.this), types.of(node.expression)
    if left is not None and left.kind is Kind.INTERVAL:
        return put(node, interval_quotient(node.this, node.expression))
    exact = as_decimal(left), as_decimal(right)
    are_whole = left is not None and right is not None and {left.kind, right.kind} <= set(INTEGERS)
    if None in exact or are_whole:
        fresh = _compute(node, types)
        if fresh is node:
            keep_nan(node, types)
        return fresh
    assert exact[0] is not None
    assert exact[1] is not None
    fresh = quotient(node.this, node.expression, exact[0], exact[1])
    return put(node, fresh)


def _compute(node: exp.Expr, types: Types) -> exp.Expr:
    """Compute in PostgreSQL's types.

    A real with another number gives a double, and the difference of dates is an integer.
    """
    if isinstance(node, exp.Sub) and (fresh := json_difference(node, types)) is not None:
        return fresh
    _adopt_literals(node, types)
    _check_times(node, types)
    _widen(node, types)
    left, right = types.of(node.this), types.of(node.expression)
    if left is None or right is None:
        return node
    if isinstance(node, exp.Mul) and Kind.INTERVAL in {left.kind, right.kind}:
        length, number = node.this, node.expression
        if left.kind is not Kind.INTERVAL:
            length, number = number, length
        return put(node, _interval_times(length, number))
    if Kind.INTERVAL in {left.kind, right.kind} and Kind.TIMESTAMPTZ in {left.kind, right.kind}:
        return _moved(node, types)
    if isinstance(node, exp.Sub) and left.kind is right.kind is Kind.DATE:
        return wrapped(node, lambda inner: cast(inner, "INTEGER"))
    if Kind.REAL in {left.kind, right.kind} and left.kind is not right.kind:
        for side in (node.this, node.expression):
            if types.kind_of(side) is Kind.REAL:
                types.note(wrapped(side, lambda inner: cast(inner, "DOUBLE")), DOUBLE)
    return node


def _interval_times(length: exp.Expr, number: exp.Expr) -> exp.Expr:
    return call("pg_sg_interval_times", length.copy(), cast(number.copy(), "DOUBLE"))


def _moved(node: exp.Expr, types: Types) -> exp.Expr:
    """Move a moment as its local time in UTC: DuckDB adds the hours to a moment before the months.

    In other zones, `local_times` has written it in another form.
    """
    for side in (node.this, node.expression):
        if types.kind_of(side) is Kind.TIMESTAMPTZ:
            types.note(wrapped(side, lambda inner: cast(inner, "TIMESTAMP")), TIMESTAMP)
    return wrapped(node, lambda inner: cast(exp.Paren(this=inner), "TIMESTAMPTZ"))


def _modulo(node: exp.Expr, types: Types) -> exp.Expr:
    """Keep the remainder of numerics exact; DuckDB makes doubles where digits may not suffice."""
    fresh = _compute(node, types)
    hold_numbers([node.this, node.expression], types)
    divisor = types.of(node.expression)
    is_number = isinstance(strip(node.expression), exp.Literal)
    if divisor is not None and divisor.kind in INTEGERS and not is_number:
        wrapped(node.expression, lambda inner: call("pg_sg_divisor", inner))
    return fresh


def _mod(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write `mod` as `%`, whose rule keeps numerics exact."""
    rest = exp.Mod(this=given[0].copy(), expression=given[1].copy())
    for side, of in zip((rest.this, rest.expression), given, strict=False):
        types.note(side, types.of(of))
    holder = exp.Paren(this=rest)
    _modulo(rest, types)
    return holder


def _negate(node: exp.Expr, types: Types) -> exp.Expr:
    """Negate within the type.

    DuckDB negates a constant least integer into a wider type; PostgreSQL fails. So it becomes
    `0 - x`. DuckDB turns `-d >= x` into `d <= -x`, which is false for NaN; in PostgreSQL, NaN is
    the greatest double. So `-d` becomes `d * -1`. Some versions of DuckDB take -2147483648 for a
    bigint, because the number without its sign is one.
    """
    if _is_number(node) and types.of(node) == INTEGER and types.of(node.this) != INTEGER:
        return put(node, cast(node.copy(), duckdb_type(INTEGER)))
    found = types.of(node.this)
    if found is not None and found.kind in FLOATS and node.find(exp.Column):
        minus = cast(exp.Literal.number(-1), duckdb_type(found))
        return put(node, exp.Paren(this=exp.Mul(this=node.this.copy(), expression=minus)))
    if found is None or found.kind not in INTEGERS or _is_number(node) or node.find(exp.Column):
        return node
    zero = cast(exp.Literal.number(0), duckdb_type(found))
    return put(node, exp.Paren(this=exp.Sub(this=zero, expression=node.this.copy())))


def _check_times(node: exp.Expr, types: Types) -> None:
    """Refuse operators that PostgreSQL lacks, and cast times of day where it needs intervals."""
    left, right = types.of(node.this), types.of(node.expression)
    if left is None or right is None or not {left.kind, right.kind} & OF_TIME:
        return
    if Kind.NULL in {left.kind, right.kind}:
        return
    symbol = SYMBOLS[type(node)]
    if (symbol, left.kind, right.kind) not in OPERATOR_RESULTS:
        raise no_operator(symbol, left, right, position_of(node))
    others = {left.kind, right.kind} - {Kind.TIME}
    if symbol == "+" and others <= {Kind.DATE, Kind.INTERVAL}:
        return
    if symbol == "-" and others == {Kind.INTERVAL} and left.kind is Kind.TIME:
        return
    for side, kind in ((node.this, left.kind), (node.expression, right.kind)):
        if kind is Kind.TIME:
            fresh = wrapped(side, lambda inner: call("pg_sg_time_length", inner))
            types.note(fresh, INTERVAL)


def no_operator(
    symbol: str, left: DataType, right: DataType, position: int | None
) -> MismatchedTypeError:
    """Return the error for an operator that does not exist for these types."""
    return MismatchedTypeError(
        f"operator does not exist: {format_type(left)} {symbol} {format_type(right)}",
        hint=NO_OPERATOR,
        position=position,
        sqlstate="42883",
    )


def _widen(node: exp.Expr, types: Types) -> None:
    """Widen small integers as PostgreSQL does.

    DuckDB gives the number 1 the type of a smallint beside it; in PostgreSQL it is an integer.
    PostgreSQL has no tinyint: two of them make a smallint.
    """
    kinds = types.kind_of(node.this), types.kind_of(node.expression)
    for side, kind, other in ((node.this, *kinds), (node.expression, *kinds[::-1])):
        wider = None
        if kind is Kind.INTEGER and other in _SHORT and _is_number(side):
            wider = INTEGER
        elif kind is other is Kind.TINYINT:
            wider = SMALLINT
        if wider is not None:
            types.note(wrapped(side, partial(cast, data_type=str(wider).upper())), wider)


def _is_number(node: exp.Expr) -> bool:
    return isinstance(signed(node)[0], exp.Literal)


def _compute_bits(node: exp.Expr, types: Types) -> exp.Expr:
    """Cast `&`, `|`, `#` and `~` of integers to the wider type of both."""
    found = types.of(node)
    if found is None or found.kind not in INTEGERS:
        return node
    return wrapped(node, lambda inner: cast(exp.Paren(this=inner), duckdb_type(found)))


_ADOPTED = frozenset({Kind.DECIMAL, Kind.REAL, *OF_TIME})
"""Types of which NULL takes one beside a value."""


def _adopt_literals(node: exp.Expr, types: Types) -> None:
    """Give a text literal beside a number or a time the type that the operator needs; NULL, too."""
    for literal, other in ((node.this, node.expression), (node.expression, node.this)):
        kind = types.of(other)
        if isinstance(strip(literal), exp.Null) and kind is not None and kind.kind in _ADOPTED:
            # DuckDB's result would have no type, or another one.
            asked = _asked_type(node, literal, kind)
            types.note(put(literal, cast(exp.null(), duckdb_type(asked))), asked)
            continue
        if not (isinstance(literal, exp.Literal) and literal.is_string) or kind is None:
            continue
        if kind.kind in OF_TIME:
            _adopt_time(node, literal, kind, types)
            continue
        if kind.kind in INTEGERS or kind.kind in {Kind.DECIMAL, *FLOATS}:
            if kind.kind is Kind.DECIMAL:
                kind = types.bare_numeric(literal) or kind
            check_literal(literal, kind)
            is_numeric = kind.kind is Kind.DECIMAL
            text = plain_numeric(literal.name) if is_numeric else literal.name
            fresh = cast(exp.Literal.string(text), str(kind).upper())
            put(literal, fresh)
            types.note(fresh, kind)


def _adopt_time(node: exp.Expr, literal: exp.Literal, other: DataType, types: Types) -> None:
    """Give a text literal beside a time the type that the operator needs."""
    asked = _asked_type(node, literal, other)
    fresh = typed_literal(literal, asked, types.times.literals)
    put(literal, fresh)
    types.note(fresh, asked)


def _asked_type(node: exp.Expr, open_side: exp.Expr, other: DataType) -> DataType:
    """Return the type that an operator needs of a bare text or NULL beside a value.

    Raises:
        MismatchedTypeError: no operator takes it (42883), or several do (42725).
    """
    symbol = SYMBOLS[type(node)]
    asked = open_operand_type(symbol, other, is_left=open_side is node.this)
    if asked is None:
        is_open = symbol == "+" and other.kind is Kind.DATE
        raise MismatchedTypeError(
            f"operator is not unique: {format_type(other)} {symbol} unknown"
            if is_open
            else f"operator does not exist: {format_type(other)} {symbol} unknown",
            hint="Add an explicit type cast.",
            position=position_of(open_side),
            sqlstate="42725" if is_open else "42883",
        )
    return asked


_SHIFTED = {
    Kind.TINYINT: ("SMALLINT", 16),
    Kind.SMALLINT: ("SMALLINT", 16),
    Kind.INTEGER: ("INTEGER", 32),
    Kind.BIGINT: ("BIGINT", 64),
}
"""The type of a shifted number, and its bits."""


def _shift(node: exp.Expr, types: Types) -> exp.Expr:
    """Shift by the distance modulo the type's bits; DuckDB fails for longer distances."""
    number = strip(node.this)
    if isinstance(number, exp.Literal) and number.is_string:
        # PostgreSQL takes it for a number of the type of the distance.
        fresh = typed_literal(number, INTEGER, types.times.literals)
        types.note(put(node.this, fresh), INTEGER)
    kind = types.kind_of(node.this)
    if kind not in _SHIFTED:
        return node
    name, bits = _SHIFTED[kind]
    # PostgreSQL takes the distance of a smallint modulo 32, too.
    mask = exp.Literal.number(max(bits, 32) - 1)
    given = [node.this.copy(), node.expression.copy(), mask]
    if isinstance(node, exp.BitwiseLeftShift):
        shifted = call("pg_sg_shifted_left", *given, exp.Literal.number(1 << (bits - 1)))
    else:
        shifted = call("pg_sg_shifted_right", *given)
    return put(node, cast(shifted, name))


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Div: range_checked(_divide),
    exp.Add: range_checked(_compute),
    exp.Sub: range_checked(_compute),
    exp.Mul: range_checked(_compute),
    exp.Pow: _power,
    exp.Mod: _modulo,
    exp.Neg: _negate,
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot), _compute_bits),
    exp.BitwiseLeftShift: _shift,
    exp.BitwiseRightShift: _shift,
}
"""The rules, by type of node."""
CALLS: Mapping[str, CallRule] = {"mod": _mod}
"""The rules, by name of function."""
