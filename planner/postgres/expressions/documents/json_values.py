"""Values of all types as json: in `to_json`, `json_build_object`, `json_agg` and their relatives.

PostgreSQL writes numbers and booleans as they are, and all else as texts. An object that is made of
a row has no blanks, `{"a":1}`. jsonb is read from the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.expressions.printing import printed, row_of
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.result_types import INTEGERS
from stategate.planner.trees.nodes import call, cast, position_of, strip
from stategate.planner.values.documents.json_text import quoted
from stategate.stores.spec.schema import DataType, Kind

_Write = Callable[[exp.Expr, DataType, Types], exp.Expr]
NESTED = frozenset({Kind.ARRAY, Kind.STRUCT, Kind.MAP})
_NULL = exp.Literal.string("null")


def as_json(node: exp.Expr, types: Types) -> exp.Expr:
    """Return the text of a value as json; its own NULL is NULL, and a NULL inside is `null`.

    Raises:
        NotSupportedError: the value's type is not known (0A000).
    """
    row = row_of(node)
    if row is not None:
        members = [(f"f{at}", as_json(each, types)) for at, each in enumerate(row.expressions, 1)]
        return _object(members)
    whole = whole_row(node, types)
    if whole is not None:
        return whole
    found = types.of(node)
    if found is None:
        raise NotSupportedError(
            "a value of this type as json is not supported",
            hint="Cast it to a type of PostgreSQL.",
            position=position_of(node),
        )
    return _written(node.copy(), found, types)


def or_null(written: exp.Expr) -> exp.Expr:
    """Return a value's json, `null` for NULL."""
    return exp.Coalesce(this=written, expressions=[_NULL.copy()])


def is_composite(node: exp.Expr, types: Types) -> bool:
    """Whether a value is a row, written out or that of a FROM item."""
    if row_of(node) is not None or types.kind_of(node) in {Kind.STRUCT, Kind.MAP}:
        return True
    column = _item(node)
    return column is not None and bool(types.columns.members(column))


def _item(node: exp.Expr) -> exp.Column | None:
    """Return the name of a FROM item, `t` or `t.*`, as a column; None for other nodes."""
    bare = strip(node)
    if not isinstance(bare, exp.Column):
        return None
    if not isinstance(bare.this, exp.Star):
        return None if bare.table else bare
    fresh = exp.Column(this=bare.args["table"].copy())
    fresh.parent = bare.parent
    return fresh


def whole_row(node: exp.Expr, types: Types) -> exp.Expr | None:
    """Return the row of a FROM item as json; None if a node is no item's name."""
    column = _item(node)
    members = None if column is None else types.columns.members(column)
    if column is None or not members:
        return None
    fields: list[tuple[str, exp.Expr]] = []
    held: list[exp.Expr] = []
    for item, name, data_type in members:
        member = exp.column(name, table=item or None, quoted=True)
        if data_type is None:
            raise NotSupportedError(
                f'column "{name}" of this row as json is not supported',
                hint="Cast it to a type of PostgreSQL.",
                position=position_of(node),
            )
        types.note(member, data_type)
        held.append(member)
        fields.append((name, _written(member.copy(), data_type, types)))
    # A row that an outer join adds is NULL, and has nothing but NULLs.
    nothing = exp.and_(*(exp.Is(this=each, expression=exp.null()) for each in held))
    row = _object(fields)
    if not types.columns.may_be_missing(column):
        return row
    return exp.Case(ifs=[exp.If(this=nothing, true=exp.null())], default=row)


def _object(members: list[tuple[str, exp.Expr]]) -> exp.Expr:
    parts: list[exp.Expr] = []
    for at, (name, written) in enumerate(members):
        sign = "," if at else "{"
        parts += [exp.Literal.string(f"{sign}{quoted(name)}:"), or_null(written)]
    parts.append(exp.Literal.string("}" if members else "{}"))
    return call("concat", *parts)


def _written(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    write = _WRITTEN.get(data_type.kind)
    if write is not None:
        return write(node, data_type, types)
    types.note(node, data_type)
    text = printed(node, types)
    return call("pg_sg_json_string", cast(node, "TEXT") if text is None else text)


def _plain(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    types.note(node, data_type)
    return printed(node, types, is_cast=True) or cast(node, "TEXT")


def _same(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    return node


def _null(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    return cast(exp.null(), "TEXT")


def _through(*macros: str) -> _Write:
    def write(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
        for macro in macros:
            node = call(macro, node)
        return node

    return write


def _list(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    """Write an array as `[1,2]`."""
    assert data_type.element is not None, "an array has a type of elements"
    # A name differs from those around it, and equal expressions have equal names.
    name = f"element{_height(data_type)}"
    each = or_null(_written(exp.column(name, quoted=True), data_type.element, types))
    elements = exp.Lambda(this=each, expressions=[exp.to_identifier(name, quoted=True)])
    listed = call("list_transform", node, elements)
    return call("pg_sg_json_list", listed, exp.Literal.string(","))


def _height(data_type: DataType) -> int:
    """Return how many types are inside each other, this one included."""
    fields = (each for _, each in data_type.fields)
    inner = fields if data_type.element is None else (*fields, data_type.element)
    return 1 + max(map(_height, inner), default=0)


def _struct(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    fields: list[tuple[str, exp.Expr]] = []
    for place, (name, inner) in enumerate(data_type.fields, 1):  # DuckDB's row may have no names
        member = call("struct_extract_at", node.copy(), exp.Literal.number(place))
        fields.append((name, _written(member, inner, types)))
    missing = exp.If(this=exp.Is(this=node, expression=exp.null()), true=exp.null())
    return exp.Case(ifs=[missing], default=_object(fields))


def _map(node: exp.Expr, data_type: DataType, types: Types) -> exp.Expr:
    return cast(call("to_json", node), "TEXT")


_WRITTEN: Mapping[Kind, _Write] = {
    Kind.NULL: _null,
    **dict.fromkeys((*INTEGERS, Kind.DECIMAL, Kind.BOOLEAN), _plain),
    Kind.REAL: _through("pg_sg_real_text", "pg_sg_json_float"),
    Kind.DOUBLE: _through("pg_sg_float_text", "pg_sg_json_float"),
    **dict.fromkeys(
        (Kind.TIMESTAMP, Kind.TIMESTAMPTZ), _through("pg_sg_moment_text", "pg_sg_json_moment")
    ),
    **dict.fromkeys((Kind.JSON, Kind.JSONB), _same),
    Kind.ARRAY: _list,
    Kind.STRUCT: _struct,
    Kind.MAP: _map,
}
"""How the kinds are written that are not written as their texts in quotes."""
