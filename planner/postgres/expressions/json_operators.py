"""Rules for operators of json, and for its functions in FROM. Other calls are in `json_calls`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.expressions.json_calls import JSON_ROWS, json_of, texts_of
from planner.postgres.expressions.rules import Rule, hold_scale
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.result_types import INTEGERS
from planner.trees.nodes import call, cast, strip
from planner.values.text_values import parse_value
from stores.spec.schema import TEXT, DataType, Kind


def _json_member(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `->` in an argument as a call; DuckDB reads it as a lambda there."""
    del types
    if not isinstance(node.find_ancestor(exp.Func, exp.Query), exp.Func):
        return node
    fresh = call("json_extract", node.this.copy(), node.expression.copy())
    return node.replace(fresh)


def _json_path(node: exp.Expr, types: Types) -> exp.Expr:
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
    """Return the name of the only column of a FROM item: the item's own, if a query uses it so."""
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
    exp.JSONBExtract: _json_path,
    exp.JSONBExtractScalar: _json_path,
    exp.ArrayContainsAll: _contains,
    exp.ArrayContainedBy: _contains,
    exp.JSONBContains: _has_key,
    exp.JSONBDeleteAtPath: _delete_path,
    exp.JSONBContainsTopKey: _has_key,
    exp.Table: _function_in_from,
}
"""The rules, by type of node."""
