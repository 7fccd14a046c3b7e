"""Operands of json, as texts and arrays of texts."""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.postgres.expressions.documents.json_values import as_json
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import check_literal
from stategate.planner.trees.nodes import call, cast, strip
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import TEXT, DataType, Kind

READ_JSONB = "pg_sg_read_jsonb"
"""The function that makes a canonical text of a json."""


def text_of_json(node: exp.Expr, types: Types, wanted: DataType) -> exp.Expr:
    """Return an operand of type json or jsonb as its text.

    Raises:
        QueryError: it is a text literal, and not json (22P02).
    """
    bare = strip(node)
    if isinstance(bare, exp.Literal) and bare.is_string:
        return exp.Literal.string(check_literal(bare, wanted))
    if types.kind_of(node) in {Kind.STRUCT, Kind.MAP}:  # clients see them as jsonb
        return call(READ_JSONB, as_json(node, types))
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
