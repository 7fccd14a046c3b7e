"""Rules for `a[i]`, `a[i:j]` and chains of both, and for `unnest`.

DuckDB counts negative subscripts from an array's end; PostgreSQL has no elements there. Names and
the vectors of the catalog (`pg_index.indkey`) begin at 0, and so do arrays cast from vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError
from stategate.planner.postgres.expressions.dimensions import checked_depth, flat, of_depth
from stategate.planner.postgres.expressions.documents.json_rules import json_subscript
from stategate.planner.postgres.expressions.printing import row_of
from stategate.planner.postgres.expressions.rules import Rule
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import check_literal
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS
from stategate.planner.trees.nodes import call, cast, position_of, put, strip
from stategate.planner.trees.subscripts import chain_of, is_chained, subscript
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import NAME, first_subscript, is_record
from stategate.planner.values.sqltypes import duckdb_type, format_type
from stategate.stores.spec.schema import INTEGER, Kind


def _subscript(node: exp.Expr, types: Types) -> exp.Expr:  # noqa: C901, PLR0911 - one per kind
    """Write a chain of subscripts and slices, which PostgreSQL reads as one."""
    held, places = chain_of(node)
    owner = types.of(held)
    if owner is not None and owner.kind is Kind.JSONB:  # its subscripts are read one by one
        _check_json_place(node.expressions[0], types)
        return json_subscript(node, types) or node
    if is_chained(node):
        return node
    if owner == NAME and len(places) == 1:
        return put(node, call("pg_sg_character", held.copy(), places[0].copy()))
    if isinstance(strip(held), exp.Null):
        raise _without_parts("unknown", node)
    if row_of(held) is not None or is_record(owner):
        raise _without_parts("record", node)
    if owner is None or not places or owner.kind in _SUBSCRIPTED_ELSEWHERE:
        return node
    if not depth_of(owner):
        raise _without_parts(format_type(owner), node)
    first = first_subscript(owner)
    if any(isinstance(place, exp.Slice) for place in places):
        return put(node, _slice(held, places, types))
    counted = [_place(place, first, types) for place in places]
    if len(places) != depth_of(owner):
        nothing = cast(exp.null(), duckdb_type(leaf_of(owner)))
        each = exp.Lambda(this=nothing, expressions=[exp.to_identifier("whole", quoted=True)])
        # The array is computed, though, and may fail.
        whole = exp.Array(expressions=[held.copy()])
        return put(node, subscript(call("list_transform", whole, each), _number(1)))
    found = held.copy()
    for place in counted:
        found = _element(found, place, is_plain=first == 1)
    return put(node, found)


def _without_parts(shown: str, node: exp.Expr) -> MismatchedTypeError:
    return MismatchedTypeError(
        f"cannot subscript type {shown} because it does not support subscripting",
        position=position_of(node),
    )


_JSON_PLACES = {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.TEXT, Kind.NULL}


def _check_json_place(place: exp.Expr, types: Types) -> None:
    """Refuse a subscript of a jsonb that is neither an integer nor a text."""
    found = types.of(place)
    is_unknown = found is None and not isinstance(place, exp.Literal)
    if not is_unknown and (found is None or found.kind not in _JSON_PLACES):
        shown = "numeric" if found is None else format_type(found)
        raise MismatchedTypeError(
            f"subscript type {shown} is not supported",
            hint="jsonb subscript must be coercible to either integer or text.",
            position=position_of(place),
        )


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


_SUBSCRIPTED_ELSEWHERE = {Kind.JSONB, Kind.STRUCT, Kind.MAP, Kind.NULL}
_UPPER_MAX = (1 << 31) - 1


def _element(array: exp.Expr, place: exp.Expr, *, is_plain: bool) -> exp.Expr:
    if is_plain and isinstance(place, exp.Literal) and place.name.lstrip("0").isdigit():
        return subscript(array, place)
    return call("pg_sg_element", array, place)


def _slice(held: exp.Expr, places: list[exp.Expr], types: Types) -> exp.Expr:
    """Return a slice; beside one, a subscript n is the slice from 1 to n."""
    owner, depth = types.of(held), depth_of(types.of(held))
    first = first_subscript(owner)
    bounds: list[exp.Expr] = []
    for place in places:
        is_slice = isinstance(place, exp.Slice)
        lower = place.this if is_slice else None
        upper = place.expression if is_slice else place
        least, most = _number(1), _number(_UPPER_MAX)
        bounds.append(least if lower is None else _place(lower, first, types))
        bounds.append(most if upper is None else _place(upper, first, types))
    if len(places) > depth:
        none = [_number(at) for at in (1, 0)] * depth
        nulls = [exp.Is(this=each, expression=exp.null()) for each in bounds]
        missing = exp.If(this=exp.or_(*nulls), true=exp.null())
        return exp.Case(ifs=[missing], default=of_depth("pg_sg_slice", held, types, *none))
    for _ in range(depth - len(places)):
        bounds += [_number(1), _number(_UPPER_MAX)]
    return of_depth("pg_sg_slice", held, types, *bounds)


def _place(node: exp.Expr, first: int, types: Types) -> exp.Expr:
    """Return a subscript counted from 1.

    Raises:
        MismatchedTypeError: it is not a number (42804).
    """
    plain, found = strip(node), types.of(node)
    if isinstance(plain, exp.Literal):
        number = check_literal(plain, INTEGER) if plain.is_string else None
        whole = plain.name if number is None else str(number)
        if whole.isdigit() or number is not None:
            plain = _number(check_literal(exp.Literal.string(whole), INTEGER))
    elif found is not None and found.kind not in _COUNTS:
        raise MismatchedTypeError(
            "array subscript must have type integer", position=position_of(node)
        )
    if first == 1:
        return plain.copy()
    shift = _number(1 - first)
    return exp.Add(this=exp.Paren(this=plain.copy()), expression=shift)


_COUNTS = {*INTEGERS, *FLOATS, Kind.DECIMAL, Kind.NULL}


def _unnest(node: exp.Expr, types: Types) -> exp.Expr:
    """Return the elements of all dimensions."""
    array = node.this if isinstance(node, exp.Explode) else node.expressions[0]
    if checked_depth(array, types) != 1:
        put(array, flat(array, types))
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Bracket: _subscript,
    **dict.fromkeys((exp.Explode, exp.Unnest), _unnest),
}
"""The rules, by type of node."""
