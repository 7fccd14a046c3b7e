"""Text literals as values of the types that their places need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot import exp

from planner.errors import MismatchedTypeError, QueryError
from planner.postgres.types.inference import Types
from planner.postgres.types.operands import COMPARED, alternatives, compared, is_open
from planner.postgres.types.result_types import FLOATS, INTEGERS, TIMES, common_type
from planner.trees.node_index import Nodes
from planner.trees.nodes import call, cast, position_of, strip
from planner.values.constants import number_of
from planner.values.moment_text import time_words
from planner.values.sqltypes import HELD_AS_TEXT, duckdb_type, spelled_type
from planner.values.text_values import parse_value
from stores.spec.schema import BYTEA, DataType, Kind, Value, decimal_type

_ALTERNATIVES: dict[type[exp.Expr], str] = {
    exp.Case: "CASE",
    exp.Coalesce: "COALESCE",
    exp.Greatest: "GREATEST",
    exp.Least: "LEAST",
    exp.Array: "ARRAY",
}
"""Nodes whose alternatives or elements have one type, with PostgreSQL's names of them."""
_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL}
_LITERAL_KINDS = {*INTEGERS, *FLOATS, *TIMES, Kind.DECIMAL, Kind.BOOLEAN, *HELD_AS_TEXT}
"""Types that a text literal takes from a value beside it."""
TIME_KINDS = {*TIMES, Kind.INTERVAL}
"""Types whose texts DuckDB reads otherwise than PostgreSQL."""


def check_literal(literal: exp.Literal, target: DataType) -> Value:
    """Return the value of a text literal.

    Raises:
        QueryError: it is not a value of the type; the error points at it.
    """
    try:
        return parse_value(literal.name, target)
    except QueryError as error:
        error.position = position_of(literal)
        raise


def spell_time(literal: exp.Literal, target: DataType) -> None:
    """Write the literal of a time or interval in a form that DuckDB reads as PostgreSQL does.

    Raises:
        QueryError: it is not a value of the type; the error points at it.
    """
    try:
        literal.set("this", time_words(literal.name, target.kind.value))
    except QueryError as error:
        error.position = position_of(literal)
        raise


def adopt(literal: exp.Literal, found: DataType | None, types: Types) -> DataType | None:
    """Return the type that a text literal takes from values beside it; None if it stays a text.

    Raises:
        QueryError: it is not a value of that type; the error points at it.
    """
    if found is None or found.kind not in _LITERAL_KINDS:
        return None
    if found.kind is Kind.DECIMAL:
        found = types.bare_numeric(literal) or found
    if found.kind in TIME_KINDS:
        spell_time(literal, found)
    else:
        check_literal(literal, found)
    return found


def check_alternatives(nodes: Nodes, types: Types) -> None:
    """Check the text literals among the alternatives of CASE, COALESCE and their kin.

    DuckDB reads a literal when it is the result; PostgreSQL reads all of them first.

    Raises:
        MismatchedTypeError: a boolean stands beside another type (42804).
        QueryError: a literal does not have the type of the others (22P02).
    """
    for kind, word in _ALTERNATIVES.items():
        for node in nodes.of(kind):
            sides = [strip(side) for side in alternatives(node)]
            found = [types.of(side) for side in sides if not is_open(side)]
            beside = [each for each in found if each is not None and each.kind is not Kind.NULL]
            if Kind.BOOLEAN in {each.kind for each in beside}:
                check_alike(beside, word, node)
            texts = [each for each in sides if isinstance(each, exp.Literal) and each.is_string]
            if texts and len(texts) < len(sides):
                known = [types.of(side) for side in sides if not any(side is t for t in texts)]
                common = None if None in known else common_type(known)
                for text in texts:
                    adopt(text, common, types)


def check_alike(known: Sequence[DataType], word: str, node: exp.Expr) -> None:
    """Refuse types that do not match; DuckDB reads true as 1, PostgreSQL does not.

    Raises:
        MismatchedTypeError: two types do not match (42804).
    """
    for one, other in pairwise(known):
        found = {one.kind, other.kind}
        if len(found) > 1 and not found <= _NUMBERS and not found <= TIMES:
            raise MismatchedTypeError(
                f"{word} types {spelled_type(one)} and {spelled_type(other)} cannot be matched",
                position=position_of(node),
            )


def typed_literal(literal: exp.Literal, target: DataType) -> exp.Expr:
    """Return a text literal as a cast to the type that its place needs.

    Raises:
        QueryError: it is not a value of that type.
    """
    if target.kind in TIME_KINDS:
        spell_time(literal, target)
    else:
        check_literal(literal, target)
    if target.kind is Kind.DECIMAL and not target.precision:
        number = number_of(literal.name.strip().lstrip("+-"))
        target = number[1] if number[1].kind is Kind.DECIMAL else decimal_type(38, 0)
    return cast(exp.Literal.string(literal.name), duckdb_type(target))


def bytes_of(node: exp.Expr) -> exp.Expr:
    """Return an argument that must be bytea; a text literal is read as the text form of bytes.

    Raises:
        QueryError: the literal is not such a text (22P02).
    """
    if not isinstance(node, exp.Literal) or not node.is_string:
        return node.copy()
    value = check_literal(node, BYTEA)
    assert isinstance(value, bytes), "a bytea is bytes"
    return call("unhex", exp.Literal.string(value.hex()))


def spell_bytes(nodes: Nodes, types: Types) -> None:
    """Write text literals beside a bytea as bytes; DuckDB reads other escapes in them.

    Raises:
        QueryError: a literal is not the text form of bytes (22P02).
    """
    is_changed = False
    for kinds, groups_of in ((COMPARED, compared), (_ALTERNATIVES, _all_alternatives)):
        for kind in kinds:
            for group in (group for node in nodes.of(kind) for group in groups_of(node)):
                is_changed |= _spell_bytes([strip(side) for side in group], types)
    if is_changed:
        nodes.renew()


def _all_alternatives(node: exp.Expr) -> list[list[exp.Expr]]:
    return [alternatives(node)]


def _spell_bytes(sides: Sequence[exp.Expr], types: Types) -> bool:
    is_changed = False
    if any(types.kind_of(side) is Kind.BYTEA for side in sides):
        for side in sides:
            if isinstance(side, exp.Literal) and side.is_string:
                fresh = bytes_of(side)
                side.replace(fresh)
                types.note(fresh, BYTEA)
                is_changed = True
    return is_changed
