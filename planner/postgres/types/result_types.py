"""PostgreSQL's operators, and the result types of operators, number functions and alternatives.

`OPERATOR_RESULTS` lists all operators of times and intervals; others do not exist. For numbers, the
digits are counted. The type of an open operand (a parameter or a bare text) follows from the
operand on the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from stategate.planner.postgres.types.operands import arguments, is_open
from stategate.planner.postgres.types.signatures import OPEN
from stategate.planner.trees.nodes import strip
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.planner.values.catalog_types import (
    NAME,
    CatalogType,
    has_any_scale,
    is_of_catalog,
    is_record,
    of_any_scale,
    record_type,
)
from stategate.planner.values.type_modifiers import is_string, unsized
from stategate.stores.spec.schema import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    JSONB,
    NULL,
    REAL,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
    decimal_type,
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
"""The kinds of the operands in `OPERATOR_RESULTS`."""
_COUNTS = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER)
_FACTORS = (*_COUNTS, Kind.BIGINT, Kind.DECIMAL, Kind.REAL, Kind.DOUBLE)
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
        found |= {("*", length, number): INTERVAL for number in _FACTORS}
        found |= {("*", number, length): INTERVAL for number in _FACTORS}
        found |= {("/", length, number): INTERVAL for number in _FACTORS}
    return found


OPERATOR_RESULTS = _results()
"""The result type of each (operator, left, right) of times and intervals."""
_OPEN_OPERANDS: dict[tuple[str, Kind], DataType | None] = {
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


def open_operand_type(symbol: str, other: DataType, *, is_left: bool) -> DataType | None:
    """Return the type of an operand that has no type of its own.

    Args:
        symbol: the operator.
        other: the type on its other side.
        is_left: whether the operand is the left one.

    Returns:
        The type; None if no operator fits, or several do and PostgreSQL does not choose.
    """
    if (symbol, other.kind) in _OPEN_OPERANDS:
        found = _OPEN_OPERANDS[symbol, other.kind]
        return None if symbol == "/" and is_left else found
    if other.kind is Kind.JSONB:
        return TEXT if symbol == "-" and not is_left else None
    if other.kind in OF_TIME:
        return other if symbol == "-" or (symbol, other.kind) == ("+", Kind.INTERVAL) else None
    return None if other == TEXT else other


NUMERIC = decimal_type(38, 16)
"""The type of numerics without known digits, such as those of division, avg and bare casts."""
ANY_NUMERIC = of_any_scale(38, 16)
"""The type of numbers, texts and parameters as numerics, which have as many places as they need."""
DIGITS_MAX = 38
INTEGERS = {Kind.TINYINT: 5, Kind.SMALLINT: 5, Kind.INTEGER: 10, Kind.BIGINT: 19}
"""The kinds of integers, narrowest first, with their digits."""
TIMES = {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
FLOATS = {Kind.REAL, Kind.DOUBLE}


def numeric_of(one: DataType, other: DataType, precision: int, scale: int) -> DataType:
    """Return the type of a numeric computed from two; its scale varies if that of one does."""
    varies = has_any_scale(one) or has_any_scale(other)
    made = of_any_scale if varies else decimal_type
    return made(min(DIGITS_MAX, precision), min(DIGITS_MAX, scale))


def as_decimal(data_type: DataType | None) -> DataType | None:
    """Return the decimal type that holds all values of an integer or decimal type."""
    if data_type is None:
        return None
    if data_type.kind is Kind.DECIMAL:
        return data_type if data_type.precision else ANY_NUMERIC  # a parameter has no digits
    digits = INTEGERS.get(data_type.kind)
    return None if digits is None else decimal_type(digits, 0)


def common_type(found: Sequence[DataType | None]) -> DataType | None:
    """Return the type that alternatives agree on; NULLs do not count."""
    kinds = [each for each in found if each is None or each.kind is not Kind.NULL]
    if not kinds:
        return TEXT if found else None
    first = kinds[0]
    for other in kinds[1:]:
        first = _wider(first, other)
    return first if len(kinds) == len(found) else unsized(first)


def _wider(  # noqa: PLR0911 - one per family
    one: DataType | None, other: DataType | None
) -> DataType | None:
    if one is None or other is None or one == other:
        return one if one == other else None
    if depth_of(one) and depth_of(one) == depth_of(other):
        leaf = _wider(leaf_of(one), leaf_of(other))
        return None if leaf is None else array_of(leaf, depth_of(one))
    if is_record(one) and is_record(other) and len(one.fields) == len(other.fields):
        sides = zip(one.fields, other.fields, strict=True)
        return record_type([(n, common_type((a, b)) or NULL) for (n, a), (_, b) in sides])
    if one.kind is other.kind is Kind.TEXT:
        # The first one wins; a name wins over varchar and char.
        if not all(each == NAME or is_string(each) for each in (one, other)):
            return TEXT
        return unsized(other if other == NAME and one != TEXT else one)
    for kinds in ([Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ], list(INTEGERS)):
        if one.kind in kinds and other.kind in kinds:
            # Integers become oids, and oids no integers.
            return max(one, other, key=lambda each: (kinds.index(each.kind), is_of_catalog(each)))
    if one.kind in FLOATS or other.kind in FLOATS:
        numbers = {*FLOATS, *INTEGERS, Kind.DECIMAL}
        found = DOUBLE if Kind.DOUBLE in {one.kind, other.kind} else REAL
        return found if {one.kind, other.kind} <= numbers else None
    left, right = as_decimal(one), as_decimal(other)
    if left is None or right is None:
        return None
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    return numeric_of(left, right, whole + scale, scale)


def arithmetic_type(  # noqa: PLR0911 - one per family
    node: exp.Expr, left: DataType | None, right: DataType | None
) -> DataType | None:
    """Return the type of `left + right` and other operators of arithmetic."""
    if left is not None and left.kind is Kind.JSONB and isinstance(node, exp.Sub):
        return JSONB
    if left is None or right is None:
        return None
    if left.kind in OF_TIME or right.kind in OF_TIME:
        return OPERATOR_RESULTS.get((SYMBOLS[type(node)], left.kind, right.kind))
    if left.kind is Kind.TEXT or right.kind is Kind.TEXT:
        other = right if left.kind is Kind.TEXT else left
        return other if other.kind is not Kind.TEXT else None
    if left.kind in INTEGERS and right.kind in INTEGERS:
        return plain_type(_wider(left, right))
    if left.kind in FLOATS or right.kind in FLOATS:
        return left if left.kind is Kind.REAL and right.kind is Kind.REAL else DOUBLE
    one, other_decimal = as_decimal(left), as_decimal(right)
    if one is None or other_decimal is None:
        return None
    if isinstance(node, exp.Div):
        return NUMERIC
    if isinstance(node, exp.Mul):
        digits = one.precision + other_decimal.precision
        return numeric_of(one, other_decimal, digits, one.scale + other_decimal.scale)
    return _wider(one, other_decimal)


def bits_type(node: exp.Expr, type_of: Callable[[exp.Expr], DataType | None]) -> DataType | None:
    """Return the type of an operation on bits; a shift has the type of its left side."""
    sides = [node.this]
    if isinstance(node, exp.BitwiseAnd | exp.BitwiseOr | exp.BitwiseXor):
        sides.append(node.expression)
        sides = [side for side in sides if not is_open(side)]
    of = [type_of(side) for side in sides]
    if not of or any(each is None or each.kind not in INTEGERS for each in of):
        return None
    return plain_type(common_type(of))


def plain_type(data_type: DataType | None) -> DataType | None:
    """Return the type that holds the values of a catalog type; other types as they are."""
    if not isinstance(data_type, CatalogType) or has_any_scale(data_type):
        return data_type
    return DataType(kind=data_type.kind, element=data_type.element)


def aggregate_type(name: str, of: DataType | None, node: exp.Func) -> DataType | None:  # noqa: PLR0911 - one per family
    """Return the type of sum, avg, round and similar functions for an argument of a type."""
    if of is None:
        return None
    if name == "array_agg":
        return DataType(kind=Kind.ARRAY, element=unsized(of))
    if of.kind in {Kind.INTERVAL, Kind.TIME}:
        return INTERVAL if name in {"sum", "avg"} else None
    if of.kind is Kind.REAL and name == "sum":
        return of
    if of.kind in FLOATS:
        return DOUBLE
    if name == "sum":
        return sum_type(of)
    if name == "avg":
        return NUMERIC if as_decimal(of) is not None else None
    decimal = as_decimal(of)
    if of.kind in INTEGERS and len(arguments(node)) == 1:
        return DOUBLE
    if decimal is None:
        return None
    return _to_places(decimal, next((n for n in arguments(node)[1:]), None))


def _to_places(decimal: DataType, places: exp.Expr | None) -> DataType | None:
    """Return a numeric type with this number of places; negative places are tens and hundreds."""
    if places is None or isinstance(places, exp.Neg):
        return decimal_type(decimal.precision, 0)
    if isinstance(places, exp.Literal) and places.name.isdigit():
        scale, whole = int(places.name), decimal.precision - decimal.scale
        if scale <= decimal.scale or whole + scale > DIGITS_MAX:
            return decimal_type(decimal.precision, min(scale, decimal.scale))
        return decimal_type(whole + scale, scale)
    return of_any_scale(min(DIGITS_MAX, decimal.precision + 1), decimal.scale)


def number_type(
    name: str, given: Sequence[DataType | None], taken: Sequence[DataType | None]
) -> DataType | None:
    """Return the type of a function that exists for doubles and for numerics.

    Args:
        name: the function.
        given: the types of its arguments.
        taken: the types of its parameters.
    """
    kinds = {each.kind for each in taken if each is not None}
    if name == "mod":
        sides = (t if g == OPEN else g for g, t in zip(given, taken, strict=True))
        return arithmetic_type(exp.Mod(), *sides)
    if kinds <= FLOATS:
        return DOUBLE
    if Kind.DECIMAL in kinds and name == "sign":
        return decimal_type(1, 0)
    if name == "div":
        return decimal_type(19 if all(g and g.kind in INTEGERS for g in given) else DIGITS_MAX, 0)
    return None


def sum_type(of: DataType) -> DataType | None:
    """Return the type of the sum of integers or decimals; None for other types."""
    if of.kind in {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER}:
        return BIGINT
    if of.kind is Kind.BIGINT:
        return decimal_type(DIGITS_MAX, 0)
    return numeric_of(of, of, DIGITS_MAX, of.scale) if of.kind is Kind.DECIMAL else None


def agreed_type(nodes: Sequence[exp.Expr], found: Sequence[DataType | None]) -> DataType | None:
    """Return the type that expressions agree on; text literals take that of the others.

    Args:
        nodes: the expressions.
        found: their types.
    """
    plain = [
        kind
        for kind, node in zip(found, map(strip, nodes), strict=True)
        if not (isinstance(node, exp.Literal) and node.is_string)
        and not (kind is None and isinstance(node, exp.Parameter))
    ]
    found_type = common_type(plain) if plain else TEXT
    return found_type if len(plain) == len(nodes) else unsized(found_type)


def numeric_of_text(text: str) -> DataType:
    """Return the numeric type that holds the digits of a text."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return NUMERIC
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        return NUMERIC  # NaN and infinities, which are refused
    scale = max(0, -exponent)
    precision = max(value.adjusted() + 1, 0) + scale
    return NUMERIC if precision > DIGITS_MAX else decimal_type(max(precision, 1), scale)


def literal_type(node: exp.Literal, *, is_negative: bool = False) -> DataType | None:
    """Return the type of a literal.

    Args:
        node: the literal.
        is_negative: whether a minus precedes it: -2147483648 is an integer, 2147483648 is not.
    """
    if node.is_string:
        return TEXT
    text = node.name
    if text.isdigit():
        value = int(text) - is_negative
        if value < 1 << 63:
            return INTEGER if value < 1 << 31 else BIGINT
        return decimal_type(len(text), 0) if len(text) <= DIGITS_MAX else None
    whole, point, fraction = text.partition(".")
    digits = whole.lstrip("0") + fraction
    if not point or not (whole + fraction).isdigit() or len(digits) > DIGITS_MAX:
        return None
    return decimal_type(max(len(digits), len(fraction), 1), len(fraction))
