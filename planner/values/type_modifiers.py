"""Types with a modifier, `varchar(n)` or `timestamp(3)`, to which casts cut or round values.

A varchar or char is a text with its own type name and a length. A char is not padded: it keeps the
blanks of its text, and they count.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError
from stategate.planner.trees.nodes import built_type, call, position_of
from stategate.planner.values.catalog_types import BPCHAR, VARCHAR, CatalogType, postgres_name
from stategate.stores.spec.schema import TEXT, DataType

LENGTH_MAX = 10_485_760
_CHARACTER_TYPES = {
    exp.DType.VARCHAR: VARCHAR,
    exp.DType.NVARCHAR: VARCHAR,
    exp.DType.CHAR: BPCHAR,
    exp.DType.NCHAR: BPCHAR,
    exp.DType.BPCHAR: BPCHAR,
}


def character_type(node: exp.DataType) -> DataType | None:
    """Return varchar or char, with its length; None if the name means neither."""
    found = _CHARACTER_TYPES.get(node.this)
    length = length_of(node)
    return found if found is None or length is None else replace(found, modifier=length + 4)


def length_of(node: exp.DataType) -> int | None:
    """Return the greatest number of characters; None without a limit, and for other types."""
    if node.this not in _CHARACTER_TYPES:
        return None
    if node.expressions:
        length = node.expressions[0].name
        if not length.isdigit():
            raise InvalidSyntaxError(
                f'syntax error at or near "{length.lower()}"', position=position_of(node)
            )
        return int(length)
    return 1 if node.this in {exp.DType.CHAR, exp.DType.NCHAR} else None


def is_string(data_type: DataType) -> bool:
    """Whether a type is text, varchar or char, which convert to each other implicitly."""
    return data_type == TEXT or postgres_name(data_type) in {"varchar", "bpchar"}


def unsized(data_type: DataType | None) -> DataType | None:
    """Return the type without its length: results of functions have no length."""
    if isinstance(data_type, CatalogType) and data_type.modifier != -1:
        return replace(data_type, modifier=-1)
    return data_type


def as_argument(data_type: DataType | None) -> DataType | None:
    """Return the type as functions take it: those without a form for varchar take text."""
    return TEXT if postgres_name(data_type) == "varchar" else unsized(data_type)


def cut_to_length(cast: exp.Cast) -> None:
    """Cut values that are cast to a length, in the tree; DuckDB ignores the length.

    Raises:
        InvalidValueError: the length is not allowed (22023).
    """
    to = cast.to
    is_array = to.this is exp.DType.ARRAY and len(to.expressions) == 1
    element = to.expressions[0] if is_array else to
    length = length_of(element) if isinstance(element, exp.DataType) else None
    if length is None:
        return
    if not 1 <= length <= LENGTH_MAX:
        name = "varchar" if _CHARACTER_TYPES[element.this] is VARCHAR else "char"
        bound = "must be at least 1" if length < 1 else f"cannot exceed {LENGTH_MAX}"
        raise InvalidValueError(
            f"length for type {name} {bound}", sqlstate="22023", position=position_of(cast)
        )
    inner, number = cast.this, exp.Literal.number(length)
    fresh = call("pg_sg_cut", number) if is_array else exp.Left(expression=number)
    cast.replace(fresh)  # first: the operand may be a cast, too, which must stay the same node
    plain = exp.Cast(this=inner, to=built_type("TEXT[]" if is_array else "TEXT"))
    if is_array:
        fresh.set("expressions", [plain, number])
    else:
        fresh.set("this", plain)


SECOND_DIGITS_MAX = 6
"""PostgreSQL counts microseconds; it reads a larger number of digits as this one."""
_ROUNDING_MACROS = {
    exp.DType.TIME: "pg_sg_rounded_time",
    exp.DType.TIMESTAMP: "pg_sg_rounded_timestamp",
    exp.DType.TIMESTAMPTZ: "pg_sg_rounded_timestamptz",
    exp.DType.TIMESTAMPLTZ: "pg_sg_rounded_timestamptz",
    exp.DType.INTERVAL: "pg_sg_rounded_interval",
}


def second_digits_of(node: exp.DataType) -> int | None:
    """Return the digits of a second of a type; None if it keeps all, or is not a type of times."""
    if node.this not in _ROUNDING_MACROS or not node.expressions:
        return None
    digits = int(node.expressions[0].name)
    return None if digits >= SECOND_DIGITS_MAX else digits


def round_seconds(cast: exp.Cast) -> None:
    """Put a macro that rounds around a cast to fewer digits, in place.

    DuckDB has types for timestamps of 0, 3 and 9 digits, and none for times and intervals.
    """
    to = cast.to
    is_array = to.this is exp.DType.ARRAY and len(to.expressions) == 1
    element = to.expressions[0] if is_array else to
    if not isinstance(element, exp.DataType) or element.this not in _ROUNDING_MACROS:
        return
    digits = second_digits_of(element)
    element.set("expressions", None)
    if digits is None:
        return
    macro = _ROUNDING_MACROS[element.this] + ("s" if is_array else "")
    unit = exp.Literal.number(10 ** (SECOND_DIGITS_MAX - digits))
    fresh = call(macro)
    cast.replace(fresh)
    fresh.set("expressions", [cast, unit])
