"""Rules for operators and functions of json and jsonb, also in FROM. `||` is in `concatenation`.

Both are texts in DuckDB, and functions of ours read them: DuckDB's json loses digits and blanks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import InvalidValueError, MismatchedTypeError, NotSupportedError
from stategate.planner.postgres.expressions.documents import json_paths
from stategate.planner.postgres.expressions.documents.json_texts import (
    READ_JSONB,
    text_of_json,
    texts_of,
)
from stategate.planner.postgres.expressions.rules import CallRule, Rule, hold_numbers
from stategate.planner.postgres.types.functions import (
    PAIR_FUNCTIONS,
    ROW_TYPES,
    call_name,
    columns_of_function,
    is_numbered,
)
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.result_types import INTEGERS
from stategate.planner.trees.nodes import call, cast, position_of, put, put_query, strip
from stategate.planner.values.array_types import depth_of
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import JSON, JSONB, TEXT, DataType, Kind

JSON_ROWS = {
    "json_array_elements": "pg_sg_json_elements",
    "json_array_elements_text": "pg_sg_json_element_texts",
    "json_object_keys": "pg_sg_json_keys",
}
_PATH_QUERY = "jsonb_path_query"
JSON_ROWS |= {f"jsonb{name.removeprefix('json')}": inner for name, inner in JSON_ROWS.items()}
JSON_ROWS[_PATH_QUERY] = "pg_sg_jsonb_path_query"
"""Functions that return a row for each element, with the functions that return a list of them."""


def _own(node: exp.Expr, types: Types) -> DataType:
    """Return the type of an operand that is a json or a jsonb."""
    return JSON if types.kind_of(node) in {Kind.JSON, None} and not is_open(node) else JSONB


# --- Operators -----------------------------------------------------------------------------------


def _part(ending: str) -> Rule:
    """Return the rule for `->` or `->>`: a member by its key, or an element by its index."""

    def rule(node: exp.Expr, types: Types) -> exp.Expr:
        own, key = _own(node.this, types), node.expression
        whole = text_of_json(node.this, types, own)
        if types.kind_of(key) in INTEGERS and not is_open(key):
            name = "pg_sg_jsonb_element" if own == JSONB else "pg_sg_json_element"
            fresh = call(f"{name}{ending}", whole, cast(key.copy(), "INTEGER"))
        else:
            fresh = call(f"pg_sg_json_member{ending}", whole, cast(key.copy(), "TEXT"))
        return put(node, fresh)

    return rule


def _by_texts(name: str, wanted: DataType | None = None) -> Rule:
    """Return the rule for an operator of a json and an array of texts."""

    def rule(node: exp.Expr, types: Types) -> exp.Expr:
        whole = text_of_json(node.this, types, wanted or _own(node.this, types))
        return put(node, call(name, whole, texts_of(node.expression)))

    return rule


def _has_key(node: exp.Expr, types: Types) -> exp.Expr:
    whole = text_of_json(node.this, types, JSONB)
    return put(node, call("pg_sg_jsonb_has", whole, cast(node.expression.copy(), "TEXT")))


def _contains(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `@>` and `<@` of jsonb and of arrays as calls."""
    hold_numbers([node.this, node.expression], types)
    sides = [node.this, node.expression]
    if isinstance(node, exp.ArrayContainedBy):
        sides.reverse()
    if any(types.kind_of(side) is Kind.JSONB for side in sides):
        fresh = call("pg_sg_jsonb_contains", *(text_of_json(each, types, JSONB) for each in sides))
    else:
        fresh = call("pg_sg_contains_all", *(side.copy() for side in sides))
    return put(node, fresh)


def json_difference(node: exp.Expr, types: Types) -> exp.Expr | None:
    """Replace `json - 'key'`, `json - keys` and `json - index`; return None for other operands."""
    if types.kind_of(node.this) is not Kind.JSONB:
        return None
    whole, what = text_of_json(node.this, types, JSONB), node.expression
    found = None if is_open(what) else types.of(what)
    if found is not None and found.kind in INTEGERS:
        fresh = call("pg_sg_jsonb_less_at", whole, cast(what.copy(), "INTEGER"))
    elif found is not None and found.kind is Kind.ARRAY:
        fresh = call("pg_sg_jsonb_less", whole, texts_of(what))
    else:
        key = cast(what.copy(), "TEXT")
        known = exp.Not(this=exp.Is(this=key.copy(), expression=exp.null()))
        keys = exp.Case(ifs=[exp.If(this=known, true=exp.Array(expressions=[key]))])
        fresh = call("pg_sg_jsonb_less", whole, keys)
    return put(node, fresh)


def json_subscript(node: exp.Expr, types: Types) -> exp.Expr | None:
    """Replace `jsonb[key]`; return None for a subscript of another type.

    Raises:
        MismatchedTypeError: a subscript is neither an integer nor a text (42804), or a slice.
    """
    if types.kind_of(node.this) is Kind.JSON:
        raise MismatchedTypeError(
            "cannot subscript type json because it does not support subscripting",
            position=position_of(node.this),
        )
    if types.kind_of(node.this) is not Kind.JSONB:
        return None
    for step in node.expressions:
        found = None if isinstance(step, exp.Slice) else types.of(step)
        if isinstance(step, exp.Slice) or (
            found is not None and not is_open(step) and found.kind not in {Kind.TEXT, *INTEGERS}
        ):
            raise MismatchedTypeError(
                "jsonb subscript does not support slices"
                if isinstance(step, exp.Slice)
                else f"subscript type {found} is not supported",
                position=position_of(step),
            )
    steps = exp.Array(expressions=[cast(step.copy(), "TEXT") for step in node.expressions])
    return put(node, call("pg_sg_json_path", text_of_json(node.this, types, JSONB), steps))


# --- Functions -----------------------------------------------------------------------------------


def _of_json(node: exp.Expr) -> DataType:
    """Return the type that a function of json or jsonb takes."""
    return JSONB if call_name(node).startswith("jsonb") else JSON


def _whole(name: str) -> CallRule:
    """Return a rule for a function of one json."""
    return lambda node, given, types: call(name, text_of_json(given[0], types, _of_json(node)))


def _path_call(name: str) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        steps = exp.Array(expressions=[cast(step.copy(), "TEXT") for step in given[1:]])
        return call(name, text_of_json(given[0], types, _of_json(node)), steps)

    return rule


def _listed(function: exp.Expr, types: Types) -> exp.Expr:
    """Return the list of what a function of rows returns."""
    name = call_name(function)
    if name == _PATH_QUERY:
        return json_paths.path_call("pg_sg_jsonb_path_query", function, function.expressions, types)
    inner = JSON_ROWS.get(name, "pg_sg_json_pairs")
    whole = text_of_json(function.expressions[0], types, _of_json(function))
    return call(inner, whole, exp.Literal.string(name))


def _json_rows(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Replace a function that returns rows with `unnest` of a list."""
    return None if isinstance(node.parent, exp.Table) else call("unnest", _listed(node, types))


def _pairs(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if isinstance(node.parent, exp.Table):
        return None
    raise NotSupportedError(
        f"{call_name(node)}() outside of FROM is not supported", position=position_of(node)
    )


def _change(name: str, default: bool) -> CallRule:
    """Return a rule for jsonb_set or jsonb_insert."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        flag = given[3].copy() if len(given) > 3 else exp.Boolean(this=default)
        return call(
            name,
            text_of_json(given[0], types, JSONB),
            texts_of(given[1]),
            text_of_json(given[2], types, JSONB),
            cast(flag, "BOOLEAN"),
        )

    return rule


def _set_lax(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    raise NotSupportedError(
        "jsonb_set_lax() is not supported",
        hint="Write CASE WHEN new IS NULL THEN … ELSE jsonb_set(…) END.",
        position=position_of(node),
    )


def _object(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write json_object of one array or two."""
    if len(given) > 1:
        for each in given:
            if depth_of(types.of(each)) > 1:
                raise _wrong_subscripts(each)
        made = call("pg_sg_json_object_of_both", *(texts_of(each) for each in given))
    else:
        made = _object_of_one(given[0], types)
    return call(READ_JSONB, made) if call_name(node) == "jsonb_object" else made


def _wrong_subscripts(array: exp.Expr) -> InvalidValueError:
    return InvalidValueError(
        "wrong number of array subscripts", position=position_of(array), sqlstate="2202E"
    )


def _object_of_one(given: exp.Expr, types: Types) -> exp.Expr:
    bare = strip(given)
    found = types.of(given)
    is_cube = re.match(r"\s*(?:\{\s*){3}", bare.name) if isinstance(bare, exp.Literal) else None
    if is_cube or depth_of(found) > 2:
        raise _wrong_subscripts(bare)
    if isinstance(bare, exp.Literal) and bare.name.lstrip().startswith("{{"):
        rows = DataType(kind=Kind.ARRAY, element=TEXT)
        try:
            listed = [parse_value(row or "", rows) for row in _rows_of(bare)]
        except InvalidValueError as error:
            error.position = position_of(bare)
            raise
        items: list[exp.Expr] = [
            exp.Array(expressions=[_literal(each) for each in row]) for row in listed
        ]
        return call("pg_sg_json_object_of_rows", cast(exp.Array(expressions=items), "TEXT[][]"))
    if depth_of(found) > 1:
        return call("pg_sg_json_object_of_rows", cast(given.copy(), "TEXT[][]"))
    return call("pg_sg_json_object_of_list", texts_of(given))


def _rows_of(literal: exp.Literal) -> list[str]:
    """Return the texts of the rows in `{{a,1},{b,2}}`.

    Raises:
        InvalidValueError: they are not rows (22P02).
    """
    inner = literal.name.strip()[1:-1]
    rows: list[str] = []
    depth = start = 0
    is_quoted = is_escaped = False
    for at, sign in enumerate(inner):
        if is_escaped or sign == "\\":
            is_escaped = not is_escaped
        elif sign == '"':
            is_quoted = not is_quoted
        elif not is_quoted and sign in "{}":
            depth += 1 if sign == "{" else -1
            if sign == "{" and depth == 1:
                start = at
            if depth == 0:
                rows.append(inner[start : at + 1])
    if depth or is_quoted:
        raise InvalidValueError(f'malformed array literal: "{literal.name}"', sqlstate="22P02")
    return rows


def _literal(text: str | None) -> exp.Expr:
    return exp.null() if text is None else exp.Literal.string(text)


CALLS: Mapping[str, CallRule] = {
    "jsonb_set": _change("pg_sg_jsonb_set", default=True),
    "jsonb_insert": _change("pg_sg_jsonb_insert", default=False),
    "jsonb_set_lax": _set_lax,
    **dict.fromkeys(("json_typeof", "jsonb_typeof"), _whole("pg_sg_json_typeof")),
    **dict.fromkeys(("json_array_length", "jsonb_array_length"), _whole("pg_sg_json_array_length")),
    **dict.fromkeys(("json_extract_path", "jsonb_extract_path"), _path_call("pg_sg_json_path")),
    **dict.fromkeys(
        ("json_extract_path_text", "jsonb_extract_path_text"), _path_call("pg_sg_json_path_text")
    ),
    "json_strip_nulls": _whole("pg_sg_json_without_nulls"),
    "jsonb_strip_nulls": _whole("pg_sg_jsonb_without_nulls"),
    "jsonb_pretty": _whole("pg_sg_jsonb_pretty"),
    **dict.fromkeys(("json_object", "jsonb_object"), _object),
    **dict.fromkeys(JSON_ROWS, _json_rows),
    **dict.fromkeys(PAIR_FUNCTIONS, _pairs),
}
"""The rules, by name of function."""


def _function_in_from(node: exp.Expr, types: Types) -> exp.Expr:
    """Write a function in FROM that returns the elements or members of a json as a SELECT."""
    name = call_name(node.this) if isinstance(node.this, exp.Anonymous) else ""
    if name not in ROW_TYPES or not name.startswith("json"):
        return node
    names = list(columns_of_function(node) or ())
    alias = node.args["alias"]  # `desugar_value_functions` has given it one
    listed = _listed(node.this, types)
    row, number = (exp.column(each, quoted=True) for each in ("row", "number"))
    inner = exp.select(exp.alias_(call("unnest", listed), "row", quoted=True))
    items: list[exp.Expr] = [row]
    if name in PAIR_FUNCTIONS:
        items = [call("list_extract", row.copy(), exp.Literal.number(at)) for at in (1, 2)]
    elif not alias.columns:
        names[0] = _column_of(node, alias.name, names[0])
    if is_numbered(node):
        numbers = call("generate_series", exp.Literal.number(1), call("len", listed.copy()))
        inner = inner.select(exp.alias_(call("unnest", numbers), "number", quoted=True))
        items.append(number)
    columns = [exp.to_identifier(each, quoted=True) for each in names]
    outer = exp.TableAlias(this=alias.this.copy(), columns=columns)
    return put_query(node, exp.select(*items).from_(inner.subquery("rows")), outer)


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
    exp.JSONExtract: _part(""),
    exp.JSONExtractScalar: _part("_text"),
    exp.JSONBExtract: _by_texts("pg_sg_json_path"),
    exp.JSONBExtractScalar: _by_texts("pg_sg_json_path_text"),
    exp.ArrayContainsAll: _contains,
    exp.ArrayContainedBy: _contains,
    **dict.fromkeys((exp.JSONBContains, exp.JSONBContainsTopKey), _has_key),
    exp.JSONBContainsAnyTopKeys: _by_texts("pg_sg_jsonb_has_any", JSONB),
    exp.JSONBContainsAllTopKeys: _by_texts("pg_sg_jsonb_has_all", JSONB),
    exp.JSONBDeleteAtPath: _by_texts("pg_sg_jsonb_less_path", JSONB),
    exp.Table: _function_in_from,
}
"""The rules, by type of node."""
