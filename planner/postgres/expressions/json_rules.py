"""Rules for operators and functions of json, also in FROM. Its `||` is in `concatenation`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.expressions.printing import row_of
from planner.postgres.expressions.rules import CallRule, Rule, copies, hold_scale
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.literals import check_literal
from planner.postgres.types.result_types import INTEGERS
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


def _path_call(name: str) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return call(name, given[0].copy(), exp.Array(expressions=copies(given[1:])))

    return rule


_WRITTEN: Mapping[Kind, str] = {
    Kind.REAL: "pg_sg_json_real",
    Kind.DOUBLE: "pg_sg_json_number",
    Kind.INTERVAL: "pg_sg_interval_text",
    Kind.BYTEA: "pg_sg_bytea_text",
}
"""Macros for values that DuckDB writes differently: NaN is a text in json, a real has few digits.
"""


def _value(node: exp.Expr, types: Types) -> exp.Expr:
    """Return a copy of a value in the form for json, with its ORDER BY in an aggregate."""
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
    """Return a rule for a function that takes values as every `step`-th argument from `first`."""

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
    """Return a rule that replaces a function that returns rows with `unnest` of a list."""

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
    **dict.fromkeys(("json_extract_path", "jsonb_extract_path"), _path_call("pg_sg_json_path")),
    **dict.fromkeys(
        ("json_extract_path_text", "jsonb_extract_path_text"), _path_call("pg_sg_json_path_text")
    ),
    **dict.fromkeys(
        ("json_build_object", "jsonb_build_object"), _with_values("json_object", first=1, step=2)
    ),
    **dict.fromkeys(("json_build_array", "jsonb_build_array"), _with_values("json_array")),
    **dict.fromkeys(("to_json", "to_jsonb", "row_to_json"), _with_values("to_json")),
    **dict.fromkeys(("json_agg", "jsonb_agg"), _json_agg),
    **dict.fromkeys(
        ("json_object_agg", "jsonb_object_agg"), _with_values("json_group_object", first=1)
    ),
    **{name: _json_rows(inner) for name, inner in JSON_ROWS.items()},
}
"""The rules, by name of function."""


def _json_member(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `->` in an argument as a call; DuckDB reads it as a lambda there."""
    del types
    if not isinstance(node.find_ancestor(exp.Func, exp.Query), exp.Func):
        return node
    fresh = call("json_extract", node.this.copy(), node.expression.copy())
    return node.replace(fresh)


def _path_operator(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `#>` and `#>>` as macros."""
    del types
    path = strip(node.expression)
    if isinstance(path, exp.Literal) and path.is_string:
        steps = parse_value(path.name, DataType(kind=Kind.ARRAY, element=TEXT))
        path = exp.Array(expressions=[exp.Literal.string(step) for step in steps])
    is_text = isinstance(node, exp.JSONBExtractScalar)
    name = "pg_sg_json_path_text" if is_text else "pg_sg_json_path"
    fresh = call(name, node.this.copy(), path.copy())
    return node.replace(fresh)


def _contains(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `@>` and `<@` of json and of arrays as calls."""
    hold_scale([node.this, node.expression], types)
    sides = [node.this, node.expression]
    if isinstance(node, exp.ArrayContainedBy):
        sides.reverse()
    if any(types.kind_of(side) is Kind.JSON for side in sides):
        fresh = call("json_contains", *(cast(side.copy(), "JSON") for side in sides))
    else:
        fresh = call("pg_sg_contains_all", *(side.copy() for side in sides))
    return node.replace(fresh)


def json_difference(node: exp.Expr, types: Types) -> exp.Expr | None:
    """Replace `json - 'key'`, `json - keys` and `json - index`; return None for other operands."""
    if types.kind_of(node.this) is not Kind.JSON:
        return None
    whole, what = json_of(node.this, types), node.expression
    found = types.of(what)
    if found is not None and found.kind in INTEGERS:
        fresh = call("pg_sg_json_less_at", whole, cast(what.copy(), "INTEGER"))
    elif found is not None and found.kind is Kind.ARRAY:
        fresh = call("pg_sg_json_less", whole, texts_of(what))
    else:
        key = cast(what.copy(), "TEXT")
        known = exp.Not(this=exp.Is(this=key.copy(), expression=exp.null()))
        keys = exp.Case(ifs=[exp.If(this=known, true=exp.Array(expressions=[key]))])
        fresh = call("pg_sg_json_less", whole, keys)
    return node.replace(cast(fresh, "JSON"))


def _delete_path(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `#-` as a call."""
    fresh = call("pg_sg_json_less_path", json_of(node.this, types), texts_of(node.expression))
    return node.replace(cast(fresh, "JSON"))


def _has_key(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    fresh = call("pg_sg_json_has_key", node.this.copy(), node.expression.copy())
    return node.replace(fresh)


def _function_in_from(node: exp.Expr, types: Types) -> exp.Expr:
    """Write a function in FROM that returns the elements of a json value as `unnest`."""
    del types
    if not isinstance(node.this, exp.Anonymous):
        return node
    name = call_name(node.this)
    inner = JSON_ROWS.get(name)
    if inner is None:
        return node
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    if not alias.columns:
        column = name if name.endswith("_keys") else "value"
        column = _column_of(node, alias.name, column)
        alias.set("columns", [exp.to_identifier(column)])
    node.set("alias", alias)
    node.set("this", call("unnest", call(inner, node.this.expressions[0].copy())))
    return node


def _column_of(node: exp.Expr, relation: str, column: str) -> str:
    """Return the name of a FROM item's only column, which may be the item's own name."""
    select = node.find_ancestor(exp.Select)
    columns = [] if select is None else [*select.find_all(exp.Column)]
    if not any(each.name == relation and not each.table for each in columns):
        return column
    for each in columns:
        if each.table == relation and each.name == column:
            each.set("this", exp.to_identifier(relation))
    return relation


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.JSONExtract: _json_member,
    exp.JSONBExtract: _path_operator,
    exp.JSONBExtractScalar: _path_operator,
    exp.ArrayContainsAll: _contains,
    exp.ArrayContainedBy: _contains,
    exp.JSONBContains: _has_key,
    exp.JSONBDeleteAtPath: _delete_path,
    exp.JSONBContainsTopKey: _has_key,
    exp.Table: _function_in_from,
}
"""The rules, by type of node."""
