"""Rules for functions that make a json or jsonb of values of any type."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import (
    RAISED,
    InvalidValueError,
    MismatchedTypeError,
    NotSupportedError,
)
from stategate.planner.postgres.expressions.documents.json_values import (
    NESTED,
    as_json,
    is_composite,
    or_null,
)
from stategate.planner.postgres.expressions.rules import CallRule
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.operators import DOCUMENTS
from stategate.planner.trees.nodes import call, outermost, position_of, put, strip, wrapped
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import TEXT, DataType, Kind

_READ_JSONB = "pg_sg_read_jsonb"
_Text = exp.Literal.string


def _as_own(node: exp.Expr, made: exp.Expr) -> exp.Expr:
    """Return a json as the result of a function, a jsonb if it is one of jsonb."""
    is_jsonb = call_name(node).startswith("jsonb") or call_name(node) == "to_jsonb"
    return call(_READ_JSONB, made) if is_jsonb else made


def _to_json(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write to_json, to_jsonb, row_to_json and array_to_json."""
    name = call_name(node)
    if name.startswith("to_"):
        _check_typed(given[0])
    if name == "row_to_json" and not is_composite(given[0], types):
        found = types.of(given[0])
        shown = "unknown" if found is None or is_open(given[0]) else format_type(found)
        raise MismatchedTypeError(
            f"function row_to_json({shown}) does not exist",
            position=position_of(node),
            sqlstate="42883",
        )
    if len(given) > 1 and strip(given[1]) != exp.false():
        raise NotSupportedError(
            f"{name}() with line feeds is not supported",
            hint="Leave the second argument out, or write jsonb_pretty(to_jsonb(…)).",
            position=position_of(given[1]),
        )
    return _as_own(node, as_json(given[0], types))


def _check_typed(node: exp.Expr) -> None:
    """Refuse a bare text or NULL.

    Raises:
        MismatchedTypeError: it is one (42804).
    """
    if is_open(node):
        raise MismatchedTypeError(
            "could not determine polymorphic type because input has type unknown",
            position=position_of(node),
        )


def _value(node: exp.Expr, types: Types) -> exp.Expr:
    """Return an argument's json, `null` for NULL; a bare text is a text."""
    if is_open(node) and isinstance(node, exp.Literal):
        types.note(node, TEXT)
    return or_null(as_json(node, types))


def _key(node: exp.Expr, message: str, types: Types) -> exp.Expr:
    """Return an argument's text as the key of an object.

    Raises:
        InvalidValueError: its type has no such text (22023).
    """
    found = types.of(node)
    kind = None if found is None else found.kind
    if kind in NESTED or kind in DOCUMENTS or is_composite(node, types):
        raise InvalidValueError(
            "key value must be scalar, not array, composite, or json", position=position_of(node)
        )
    return call("pg_sg_json_key", as_json(node, types), _Text(f"{RAISED}22023 {message}"))


def _build_object(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    name = call_name(node)
    if len(given) % 2:
        raise InvalidValueError(
            "argument list must have even number of elements",
            hint=f"The arguments of {name}() must consist of alternating keys and values.",
            position=position_of(node),
        )
    parts: list[exp.Expr] = []
    for at in range(0, len(given), 2):
        key = _key(given[at], f"argument {at + 1} cannot be null", types)
        parts += [_Text(", " if at else "{"), key, _Text(" : "), _value(given[at + 1], types)]
    return _as_own(node, call("concat", *parts, _Text("}" if parts else "{}")))


def _build_array(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    parts: list[exp.Expr] = []
    for at, each in enumerate(given):
        parts += [_Text(", " if at else "["), _value(each, types)]
    return _as_own(node, call("concat", *parts, _Text("]" if parts else "[]")))


def _aggregated(node: exp.Expr, item: exp.Expr) -> exp.Expr:
    """Return `array_agg(item)`, with the ORDER BY of an aggregate."""
    order = node.expressions[-1]
    if isinstance(order, exp.Order):
        item = exp.Order(this=item, expressions=[each.copy() for each in order.expressions])
    return exp.ArrayAgg(this=item)


def _replaced(node: exp.Expr, aggregate: exp.Expr, joined: str, separator: str) -> exp.Expr:
    """Put an aggregate in a node's place, with its FILTER and OVER, and join its list."""

    def made(inner: exp.Expr) -> exp.Expr:
        listed = call(joined, inner, _Text(separator)) if separator else call(joined, inner)
        return _as_own(node, listed)

    outer = outermost(node)
    if outer is node:
        return made(aggregate)
    put(node, aggregate)
    return wrapped(outer, made)


def _json_agg(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write json_agg as a list of texts that are joined; each row or array has its own line."""
    value = given[0]
    _check_typed(value)
    found = types.of(value)
    is_nested = is_composite(value, types) or (found is not None and found.kind is Kind.ARRAY)
    separator = "" if is_nested else ", "
    inside = node.expressions[0]
    inside = inside.this if isinstance(inside, exp.Order) else inside
    if not isinstance(inside, exp.Distinct):
        return _replaced(
            node,
            _aggregated(node, _value(value, types)),
            "pg_sg_json_lines" if is_nested else "pg_sg_json_list",
            separator,
        )
    if found is None or is_nested:
        raise NotSupportedError(
            f"{call_name(node)}(DISTINCT …) of such values is not supported",
            hint="Take the DISTINCT values in a subquery in FROM.",
            position=position_of(node),
        )
    return _distinct_agg(node, inside, found, types)


def _distinct_agg(node: exp.Expr, inside: exp.Distinct, found: DataType, types: Types) -> exp.Expr:
    """Write the values that differ as json after the aggregate has found them."""
    each = exp.column("each", quoted=True)
    types.note(each, found)
    written = exp.Lambda(
        this=or_null(as_json(each, types)), expressions=[exp.to_identifier("each", quoted=True)]
    )
    if found.kind is Kind.JSONB:
        aggregate = _aggregated(node, inside.expressions[0].copy())
        change = "pg_sg_jsonb_distinct"
    else:
        aggregate = _aggregated(node, inside.copy())
        change = ""

    def made(inner: exp.Expr) -> exp.Expr:
        listed = call(change, inner) if change else inner
        texts = call("list_transform", listed, written)
        return _as_own(node, call("pg_sg_json_list", texts, _Text(", ")))

    outer = outermost(node)
    if outer is node:
        return made(aggregate)
    put(node, aggregate)
    return wrapped(outer, made)


def _object_agg(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write json_object_agg as a list of members that are joined."""
    if isinstance(node.expressions[0], exp.Distinct):
        raise NotSupportedError(
            f"{call_name(node)}(DISTINCT …) is not supported",
            hint="Take the DISTINCT values in a subquery in FROM.",
            position=position_of(node),
        )
    key = _key(given[0], "field name must not be null", types)
    member = call("concat", key, _Text(" : "), _value(given[1], types))
    return _replaced(node, _aggregated(node, member), "pg_sg_json_members", "")


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("to_json", "to_jsonb", "row_to_json", "array_to_json"), _to_json),
    **dict.fromkeys(("json_build_object", "jsonb_build_object"), _build_object),
    **dict.fromkeys(("json_build_array", "jsonb_build_array"), _build_array),
    **dict.fromkeys(("json_agg", "jsonb_agg"), _json_agg),
    **dict.fromkeys(("json_object_agg", "jsonb_object_agg"), _object_agg),
}
"""The rules, by name of function."""
