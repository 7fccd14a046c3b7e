"""Rules for calls about json. Operators are in `json_operators`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.expressions.printing import row_of
from planner.postgres.expressions.rules import CallRule, copies, renamed
from planner.postgres.types.inference import Types
from planner.postgres.types.literals import check_literal
from planner.trees.nodes import call, cast, outermost, strip, wrapped
from planner.values.text_values import parse_value
from stores.spec.schema import JSON, TEXT, DataType, Kind

JSON_ROWS = {
    "json_array_elements": "pg_sg_json_elements",
    "json_array_elements_text": "pg_sg_json_elements_text",
    "json_object_keys": "pg_sg_json_keys",
}
JSON_ROWS |= {f"jsonb{name.removeprefix('json')}": inner for name, inner in JSON_ROWS.items()}
"""Functions that return a row for each element, with the macros that return a list of them."""


def _json_path(name: str) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return call(name, given[0].copy(), exp.Array(expressions=copies(given[1:])))

    return rule


_WRITTEN: Mapping[Kind, str] = {
    Kind.REAL: "pg_sg_json_real",
    Kind.DOUBLE: "pg_sg_json_number",
    Kind.INTERVAL: "pg_sg_interval_text",
    Kind.BYTEA: "pg_sg_bytea_text",
}
"""Macros for values that DuckDB writes otherwise: NaN is a text in json, a real has few digits."""


def _value(node: exp.Expr, types: Types) -> exp.Expr:
    """Return a copy of a value as json has it, with its ORDER BY in an aggregate."""
    value = node.this if isinstance(node, exp.Order) else node
    row = row_of(value)
    macro = _WRITTEN.get(types.kind_of(value) or Kind.NULL)
    if row is not None:
        written = _row_object(row, types)
    elif macro is not None:
        written = call(macro, value.copy())
    else:
        return node.copy()
    if value is node:
        return written
    fresh = node.copy()
    fresh.set("this", written)
    return fresh


def _row_object(row: exp.Tuple, types: Types) -> exp.Expr:
    """Return a row as a json object. DuckDB writes `[1, 2]`, PostgreSQL `{"f1": 1, "f2": 2}`."""
    fields: list[exp.Expr] = []
    for number, member in enumerate(row.expressions, 1):
        fields += [exp.Literal.string(f"f{number}"), _value(member, types)]
    return call("json_object", *fields)


def _with_values(name: str, *, first: int = 0, step: int = 1) -> CallRule:
    """Return a rule that calls a function whose arguments from `first` in `step`s are values."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        values = range(first, len(given), step)
        return call(
            name, *(_value(g, types) if i in values else g.copy() for i, g in enumerate(given))
        )

    return rule


def _json_agg(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write json_agg as `to_json(array_agg(…))`; FILTER and OVER stay with the aggregate."""
    outer = outermost(node)
    inside = exp.ArrayAgg(this=_value(node.expressions[0], types))
    if outer is node:
        return call("to_json", inside)
    node.replace(inside)
    return wrapped(outer, lambda inner: call("to_json", inner))


def _json_rows(name: str) -> CallRule:
    """Return a rule that writes a function that returns rows as `unnest` of a list."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
        if isinstance(node.parent, exp.Table):
            return None
        return call("unnest", call(name, given[0].copy()))

    return rule


def json_of(node: exp.Expr, types: Types) -> exp.Expr:
    """Return a json argument as its text.

    Raises:
        QueryError: it is a text literal, and not json (22P02).
    """
    bare = strip(node)
    if isinstance(bare, exp.Literal) and bare.is_string:
        check_literal(bare, JSON)
    return cast(node.copy(), "TEXT")


def texts_of(node: exp.Expr) -> exp.Expr:
    """Return a path as an array of texts; a text literal is read as PostgreSQL's form of one.

    Raises:
        QueryError: the literal is malformed (22P02).
    """
    bare = strip(node)
    if isinstance(bare, exp.Literal) and bare.is_string:
        steps = parse_value(bare.name, DataType(kind=Kind.ARRAY, element=TEXT))
        items = [exp.null() if step is None else exp.Literal.string(step) for step in steps]
        return cast(exp.Array(expressions=items), "TEXT[]")
    return cast(node.copy(), "TEXT[]")


def _json_change(name: str, default: bool) -> CallRule:
    """Return a rule for jsonb_set or jsonb_insert."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        flag = given[3].copy() if len(given) > 3 else exp.Boolean(this=default)
        changed = call(
            name,
            json_of(given[0], types),
            texts_of(given[1]),
            json_of(given[2], types),
            cast(flag, "BOOLEAN"),
        )
        return cast(changed, "JSON")

    return rule


CALLS: Mapping[str, CallRule] = {
    "jsonb_set": _json_change("pg_sg_json_set", default=True),
    "jsonb_insert": _json_change("pg_sg_json_insert", default=False),
    **dict.fromkeys(("json_typeof", "jsonb_typeof"), renamed("pg_sg_json_typeof")),
    **dict.fromkeys(
        ("json_array_length", "jsonb_array_length"), renamed("pg_sg_json_array_length")
    ),
    **dict.fromkeys(("json_extract_path", "jsonb_extract_path"), _json_path("pg_sg_json_path")),
    **dict.fromkeys(
        ("json_extract_path_text", "jsonb_extract_path_text"), _json_path("pg_sg_json_path_text")
    ),
    **dict.fromkeys(
        ("json_build_object", "jsonb_build_object"), _with_values("json_object", first=1, step=2)
    ),
    **dict.fromkeys(("json_build_array", "jsonb_build_array"), _with_values("json_array")),
    **dict.fromkeys(("to_json", "to_jsonb", "row_to_json"), _with_values("to_json")),
    "array_to_json": renamed("to_json"),
    **dict.fromkeys(("json_agg", "jsonb_agg"), _json_agg),
    **dict.fromkeys(
        ("json_object_agg", "jsonb_object_agg"), _with_values("json_group_object", first=1)
    ),
    "jsonb_pretty": renamed("json_pretty"),
    **{name: _json_rows(inner) for name, inner in JSON_ROWS.items()},
}
"""The rules, by name of function."""
