"""The texts of values, as PostgreSQL writes them: in casts, `||`, `concat`, rows and arrays."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.expressions import object_names
from stategate.planner.postgres.expressions.dimensions import checked_depth, each_element
from stategate.planner.postgres.expressions.zone_forms import in_zone
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.nodes import call, cast, position_of, strip
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import has_any_scale, is_record, postgres_name
from stategate.stores.spec.schema import DataType, Kind

_PRINTED: Mapping[Kind, str] = {
    Kind.REAL: "pg_sg_real_text",
    Kind.DOUBLE: "pg_sg_float_text",
    Kind.BYTEA: "pg_sg_bytea_text",
    Kind.INTERVAL: "pg_sg_interval_text",
    **dict.fromkeys((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ), "pg_sg_moment_text"),
}
"""Macros that write values whose text differs in DuckDB."""
_DOCUMENTS = {Kind.STRUCT, Kind.MAP}


def printed(  # noqa: PLR0911 - one per family
    node: exp.Expr, types: Types, *, is_cast: bool = False
) -> exp.Expr | None:
    """Return the text of a value; None where DuckDB writes the same.

    Args:
        node: the value.
        types: the types of the statement.
        is_cast: whether a boolean is printed as `true`, as in a cast, and not as `t`.

    Raises:
        NotSupportedError: it is a struct, a map or a row that is not written out. Clients see such
            values as jsonb, and PostgreSQL's text of a row would be another value.
    """
    text = object_names.as_text(node, types)
    if text is not None:
        return text
    row = row_of(node)
    if row is not None:
        return _row_text(row, types)
    found = types.of(node)
    if found is not None and is_record(found):
        return _record_text(node, found, types)
    if is_document(found) or _is_item(node, types):
        raise _no_text(node)
    if found is None:
        return None if is_plain(node) else call("pg_sg_plain_text", node.copy())
    # The cast around a parameter says its type.
    if is_cast and postgres_name(found) == "inet" and not isinstance(node, exp.Parameter):
        return call("pg_sg_inet_text", node.copy())
    if found.kind is Kind.BOOLEAN and not is_cast:
        return call("pg_sg_boolean_text", node.copy())
    if found.kind is Kind.TIMESTAMPTZ and not types.times.zone.is_never_ahead:
        return in_zone("pg_sg_zoned_text", node, "TEXT", types.times)
    if found.kind is Kind.ARRAY:
        texts = printed_elements(node, types) or node.copy()
        return _array_text(texts, checked_depth(node, types))
    macro = _macro_of(found)
    return None if macro is None else call(macro, node.copy())


def _macro_of(found: DataType) -> str | None:
    """Return the macro that writes a value of a type; None where DuckDB writes the same."""
    if has_any_scale(found):
        return "pg_sg_numeric_text"
    if found.kind is Kind.DECIMAL and found.precision and found.precision == found.scale:
        return "pg_sg_fraction_text"
    return _PRINTED.get(found.kind)


def printed_elements(node: exp.Expr, types: Types, *, is_cast: bool = False) -> exp.Expr | None:
    """Return an array as an array of texts; None where DuckDB writes the same.

    Raises:
        NotSupportedError: as `printed`.
    """
    found = types.of(node)
    if is_document(found):
        raise _no_text(node)
    if found is None:
        return None if is_plain(node) else _each(node, 1, "pg_sg_plain_text")
    leaf = leaf_of(found)
    if is_record(leaf):
        return each_element(
            node.copy(), depth_of(found), lambda element: _record_text(element, leaf, types)
        )
    if leaf.kind is Kind.BOOLEAN:
        return None if is_cast else _each(node, depth_of(found), "pg_sg_boolean_text")
    if leaf.kind is Kind.TIMESTAMPTZ and not types.times.zone.is_never_ahead:
        return each_element(
            node.copy(),
            depth_of(found),
            lambda element: in_zone("pg_sg_zoned_text", element, "TEXT", types.times),
        )
    macro = _macro_of(leaf)
    return None if macro is None else _each(node, depth_of(found), macro)


def _each(array: exp.Expr, depth: int, macro: str) -> exp.Expr:
    return each_element(array.copy(), depth, lambda element: call(macro, element))


def _array_text(array: exp.Expr, depth: int) -> exp.Expr:
    """Return the text of an array, whose elements have their texts."""
    if depth == 1:
        return call("pg_sg_array_text", array)
    name = exp.to_identifier(f"row{depth}", quoted=True)
    row = _array_text(exp.column(name.copy()), depth - 1)
    rows = call("list_transform", array, exp.Lambda(this=row, expressions=[name]))
    return call("pg_sg_rows_text", rows)


def row_of(node: exp.Expr) -> exp.Tuple | None:
    """Return a row that is written out, with or without the word ROW; None for other nodes."""
    bare = strip(node)
    if isinstance(bare, exp.Anonymous) and bare.name.lower() == "row":
        return exp.Tuple(expressions=bare.expressions)
    return bare if isinstance(bare, exp.Tuple) else None


def is_document(data_type: DataType | None) -> bool:
    """Whether values are structs or maps, or arrays of them."""
    leaf = None if data_type is None else leaf_of(data_type)
    return leaf is not None and leaf.kind in _DOCUMENTS and not is_record(leaf)


def is_plain(node: exp.Expr) -> bool:
    """Whether an expression of an unknown type is certainly not a row."""
    return isinstance(strip(node), exp.Literal | exp.Parameter | exp.Null)


def _is_item(node: exp.Expr, types: Types) -> bool:
    """Whether a node is the name of a FROM item, which stands for its rows."""
    bare = strip(node)
    return isinstance(bare, exp.Column) and bool(types.columns.of_row(bare))


def _row_text(row: exp.Tuple, types: Types) -> exp.Expr:
    pieces: list[exp.Expr] = []
    for member in row.expressions:
        text = printed(member, types) or cast(member.copy(), "TEXT")
        pieces += [exp.Literal.string("," if pieces else "("), call("pg_sg_field_text", text)]
    return call("concat", *(pieces or [exp.Literal.string("(")]), exp.Literal.string(")"))


def _record_text(node: exp.Expr, found: DataType, types: Types) -> exp.Expr:
    """Return the text of a row that is computed, or that a FROM item has."""
    bare = strip(node)
    places = types.columns.of_row(bare) if isinstance(bare, exp.Column) else None
    members: list[exp.Expr] = []
    for at, (name, field) in enumerate(found.fields):
        if places:
            members.append(exp.column(name, table=places[at][0], quoted=True))
        else:
            place = exp.Literal.number(at + 1)  # DuckDB's row may have no names
            members.append(call("struct_extract_at", node.copy(), place))
        types.note(members[-1], None if field.kind is Kind.NULL else field)
    text = _row_text(exp.Tuple(expressions=members), types)
    if places:
        return text
    missing = exp.If(this=exp.Is(this=node.copy(), expression=exp.null()), true=exp.null())
    return exp.Case(ifs=[missing], default=text)


def _no_text(node: exp.Expr) -> NotSupportedError:
    return NotSupportedError(
        "a row or a map as a text is not supported",
        hint="Write ROW(a, b)::text of its columns, or to_json(…)::text.",
        position=position_of(node),
    )
