"""varchar and char: texts with a name and a length of their own, to which casts cut them.

A char is not padded: it has the blanks that its text has, and they count.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from planner.errors import InvalidValueError
from planner.trees.nodes import built_type, call, position_of
from planner.values.catalog_types import BPCHAR, VARCHAR, CatalogType, postgres_name
from stores.spec.schema import TEXT, DataType

LENGTH_MAX = 10_485_760
_TYPES = {
    exp.DType.VARCHAR: VARCHAR,
    exp.DType.NVARCHAR: VARCHAR,
    exp.DType.CHAR: BPCHAR,
    exp.DType.NCHAR: BPCHAR,
    exp.DType.BPCHAR: BPCHAR,
}


def named(node: exp.DataType) -> DataType | None:
    """Return varchar or char, with its length; None if the name means neither."""
    found = _TYPES.get(node.this)
    length = length_of(node)
    return found if found is None or length is None else replace(found, modifier=length + 4)


def length_of(node: exp.DataType) -> int | None:
    """Return the greatest number of characters; None without a limit, and for other types."""
    if node.this not in _TYPES:
        return None
    if node.expressions:
        return int(node.expressions[0].name)
    return 1 if node.this in {exp.DType.CHAR, exp.DType.NCHAR} else None


def is_string(data_type: DataType) -> bool:
    """Whether a type is text, varchar or char, which convert to each other implicitly."""
    return data_type == TEXT or postgres_name(data_type) in {"varchar", "bpchar"}


def unsized(data_type: DataType | None) -> DataType | None:
    """Return the type without its length, as results of functions have none."""
    if isinstance(data_type, CatalogType) and data_type.modifier != -1:
        return replace(data_type, modifier=-1)
    return data_type


def as_argument(data_type: DataType | None) -> DataType | None:
    """Return the type as functions take it: those without a form for varchar take text."""
    return TEXT if postgres_name(data_type) == "varchar" else unsized(data_type)


def cut(cast: exp.Cast) -> None:
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
        name = "varchar" if _TYPES[element.this] is VARCHAR else "char"
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
