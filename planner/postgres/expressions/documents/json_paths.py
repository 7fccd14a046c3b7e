"""Rules for functions and operators of jsonpath. A path is a literal, which is checked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError, NotSupportedError, QueryError
from stategate.planner.postgres.expressions.documents.json_texts import text_of_json
from stategate.planner.postgres.expressions.rules import CallRule, Rule
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.trees.nodes import call, position_of, put, strip
from stategate.planner.values.documents.json_path_syntax import parse_path
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import JSONB, Kind


def path_call(name: str, node: exp.Expr, given: Sequence[exp.Expr], types: Types) -> exp.Expr:
    """Return a call of a function of a jsonb and a path.

    Raises:
        QueryError: the path is not one (42601).
        NotSupportedError: it is not a literal, or there are more arguments.
        MismatchedTypeError: the value is not a jsonb (42883).
    """
    value, path = given[:2]
    literal = strip(path)
    found = None if is_open(value) else types.of(value)
    if found is not None and found.kind is not Kind.JSONB:
        raise MismatchedTypeError(
            f"function {call_name(node)}({format_type(found)}, unknown) does not exist",
            position=position_of(node),
            sqlstate="42883",
        )
    if len(given) > 2 or not (isinstance(literal, exp.Literal) and literal.is_string):
        raise NotSupportedError(
            "a jsonpath that is not a literal, or has variables, is not supported",
            hint="Write the path with its values as a literal.",
            position=position_of(node),
        )
    try:
        parse_path(literal.name)
    except QueryError as error:
        error.position = position_of(literal)
        raise
    return call(name, text_of_json(value, types, JSONB), exp.Literal.string(literal.name))


def _rule(name: str) -> CallRule:
    return lambda node, given, types: path_call(name, node, given, types)


def _exists(node: exp.Expr, types: Types) -> exp.Expr:
    sides = (node.this, node.expression)
    return put(node, path_call("pg_sg_jsonb_path_exists_silent", node, sides, types))


def _matches(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `value @@ path`, which the parser reads as MATCH (value) AGAINST (path)."""
    sides = (*node.expressions, node.this)
    if is_open(sides[0]) or types.kind_of(sides[0]) is Kind.TEXT:
        raise NotSupportedError(
            "a search in a text by @@ is not supported",
            hint="Cast a document to jsonb.",
            position=position_of(sides[0]),
        )
    return put(node, path_call("pg_sg_jsonb_path_match_silent", node, sides, types))


CALLS: Mapping[str, CallRule] = {
    name: _rule(f"pg_sg_{name}")
    for name in (
        *("jsonb_path_exists", "jsonb_path_match"),
        *("jsonb_path_query_array", "jsonb_path_query_first"),
    )
}
"""The rules, by name of function; that of jsonb_path_query is in `json_rules`."""
RULES: Mapping[type[exp.Expr], Rule] = {exp.JSONBPathExists: _exists, exp.MatchAgainst: _matches}
"""The rules, by type of node."""
