"""The rule for `||` of arrays, json and values beside texts."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.postgres.expressions import object_names
from stategate.planner.postgres.expressions.array_rows import joined
from stategate.planner.postgres.expressions.documents.json_texts import text_of_json
from stategate.planner.postgres.expressions.printing import is_document, printed
from stategate.planner.postgres.expressions.rules import Rule
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import bytes_of
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.trees.nodes import call, cast, put, wrapped
from stategate.planner.values.catalog_types import is_inet
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import BYTEA, JSONB, TEXT, Kind


def _concatenate(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `||` as DuckDB's functions; it has no `array || element` and no `json || json`."""
    _print_objects(node, types)
    left, right = types.of(node.this), types.of(node.expression)
    if left is None or right is None or is_document(left) or is_document(right):
        _print_sides(node, types)
        return node
    if Kind.ARRAY in {left.kind, right.kind}:
        fresh = joined(node.this, node.expression, types)
    elif Kind.BOOLEAN in {left.kind, right.kind}:
        for side in (node.this, node.expression):
            if types.kind_of(side) is Kind.BOOLEAN:
                types.note(wrapped(side, lambda inner: cast(inner, "TEXT")), TEXT)
        return node
    elif _are_jsonb(node, types):
        sides = [text_of_json(side, types, JSONB) for side in (node.this, node.expression)]
        fresh = call("pg_sg_jsonb_concat", *sides)
    else:
        _print_sides(node, types)
        return node
    return put(node, fresh)


def _are_jsonb(node: exp.Expr, types: Types) -> bool:
    """Whether `||` joins two jsonb; a bare text beside one is a jsonb, any other text is not."""
    sides = (node.this, node.expression)
    kinds = {None if is_open(side) else types.kind_of(side) for side in sides}
    return Kind.JSONB in kinds and Kind.TEXT not in kinds


def _print_sides(node: exp.Expr, types: Types) -> None:
    """Print the value beside a text as PostgreSQL does; a bare text or NULL beside bytes is one."""
    sides = (node.this, node.expression)
    for side, other in (sides, sides[::-1]):
        if types.kind_of(side) is Kind.BYTEA and isinstance(other, exp.Null):
            types.note(put(other, cast(exp.null(), duckdb_type(BYTEA))), BYTEA)
        if types.kind_of(other) is not Kind.TEXT:
            continue
        if types.kind_of(side) is Kind.BYTEA and isinstance(other, exp.Literal):
            fresh = bytes_of(other)
            put(other, fresh)
            types.note(fresh, BYTEA)
        else:
            text = printed(side, types, is_cast=is_inet(types.of(side)))
            if text is not None:
                types.note(put(side, text), TEXT)


def _print_objects(node: exp.Expr, types: Types) -> None:
    for side in (node.this, node.expression):
        text = object_names.as_text(side, types)
        if text is not None:
            put(side, text)
            types.note(text, TEXT)


RULES: Mapping[type[exp.Expr], Rule] = {exp.DPipe: _concatenate}
"""The rules, by type of node."""
