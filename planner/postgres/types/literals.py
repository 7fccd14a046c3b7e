"""Text literals become values of the types that their contexts need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import exp

from planner.errors import MismatchedTypeError, NotSupportedError, QueryError
from planner.postgres.types.array_literals import array_beside
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types, value_type
from planner.postgres.types.operands import COMPARED, alternatives, arguments, compared, is_open
from planner.postgres.types.result_types import (
    FLOATS,
    INTEGERS,
    NUMERIC,
    TIMES,
    common_type,
)
from planner.postgres.types.signatures import OPEN, resolve
from planner.postgres.types.type_choice import mismatch, name_of
from planner.trees.nodes import CALLS, Nodes, call, cast, position_of, put, strip
from planner.trees.number_text import plain_numeric
from planner.values.array_types import depth_of
from planner.values.catalog_types import CatalogType, is_inet, is_record
from planner.values.constants import number_of
from planner.values.moment_text import time_words
from planner.values.sqltypes import (
    HELD_AS_TEXT,
    duckdb_type,
    format_type,
    innermost,
)
from planner.values.text_values import parse_value
from planner.values.times.time_settings import TimeSettings
from stores.spec.schema import BYTEA, DataType, Kind, Value, decimal_type

_ALTERNATIVES: dict[type[exp.Expr], str] = {
    exp.Case: "CASE",
    exp.Coalesce: "COALESCE",
    exp.Greatest: "GREATEST",
    exp.Least: "LEAST",
    exp.Array: "ARRAY",
}
"""Nodes whose alternatives or elements have one type, each with PostgreSQL's name for it."""
_LITERAL_KINDS = {*INTEGERS, *FLOATS, *TIMES, Kind.DECIMAL, Kind.BOOLEAN, *HELD_AS_TEXT}
"""Types that a text literal takes from a value beside it."""
TIME_KINDS = {*TIMES, Kind.TIME, Kind.INTERVAL}
"""Types whose texts DuckDB reads differently from PostgreSQL."""


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


def convert_time_literal(literal: exp.Literal, target: DataType, times: TimeSettings) -> None:
    """Write the literal of a time or interval in a form that DuckDB reads as PostgreSQL does.

    The form means the same in every session, so a literal may be converted again.

    Raises:
        QueryError: it is not a value of the type; the error points at it.
    """
    try:
        literal.set("this", time_words(literal.name, target.kind.value, times))
    except QueryError as error:
        error.position = position_of(literal)
        raise


def adopted_type(literal: exp.Literal, found: DataType | None, types: Types) -> DataType | None:
    """Return the type that a text literal takes from values beside it; None if it stays a text.

    A literal whose value can be written in several ways is rewritten in the form in which values
    are stored.

    Raises:
        QueryError: it is not a value of that type; the error points at it.
    """
    if found is not None and is_inet(found) and not depth_of(found):
        literal.set("this", check_literal(literal, found))
        return found
    if found is None or found.kind not in _LITERAL_KINDS:
        return None
    if found.kind is Kind.DECIMAL:
        found = types.bare_numeric(literal) or found
    if found.kind in TIME_KINDS:
        convert_time_literal(literal, found, types.times.literals)
    elif found.kind in HELD_AS_TEXT:
        literal.set("this", check_literal(literal, found))
    else:
        check_literal(literal, found)
    return found


def check_alternatives(nodes: Nodes, types: Types) -> None:
    """Check the text literals among the alternatives of CASE, COALESCE and similar expressions.

    DuckDB reads a literal when it is the result; PostgreSQL reads all of them first. Those beside
    numerics keep their digits.

    Raises:
        MismatchedTypeError: two of them have no common type (42804, 42846).
        QueryError: a literal does not have the type of the others (22P02).
    """
    is_changed = False
    for kind, word in _ALTERNATIVES.items():
        for node in nodes.of(kind):
            sides = [strip(side) for side in alternatives(node)]
            if kind is exp.Array and _cast_elements(node, types):
                is_changed = True
                continue
            found = [types.of(side) for side in sides if not is_open(side)]
            beside = [each for each in found if each is not None and each.kind is not Kind.NULL]
            check_alike(beside, word, node)
            texts = [each for each in sides if isinstance(each, exp.Literal) and each.is_string]
            if texts and any(map(is_record, beside)):
                raise NotSupportedError(
                    "input of anonymous composite types is not implemented",
                    position=position_of(texts[0]),
                )
            if texts and len(texts) < len(sides):
                known = [types.of(side) for side in sides if not any(side is t for t in texts)]
                common = None if None in known else common_type(known)
                for text in texts:
                    if common is not None and depth_of(common):
                        put(text, array_beside(text, common))
                    elif common is not None and common.kind is Kind.BOOLEAN:
                        put(text, exp.Boolean(this=check_literal(text, common)))
                    else:
                        is_changed |= _read_number(text, common, types)
    if is_changed:
        nodes.renew()


def _cast_elements(array: exp.Expr, types: Types) -> bool:
    """Cast the elements of `ARRAY[1, now()]::text[]` one by one, as PostgreSQL does.

    Returns:
        Whether they are of several types and have a cast; otherwise nothing has changed.
    """
    outer = array.parent
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    if not isinstance(outer, exp.Cast) or outer.to.this is not exp.DType.ARRAY:
        return False
    elements = list(_elements(array))
    found = [types.of(each) for each in elements]
    if len(set(map(str, found))) < 2 or any(map(depth_of, found)):
        return False
    for each in elements:
        holder = exp.Cast(to=innermost(outer.to).copy())
        each.replace(holder)
        holder.set("this", each)
    types.note(array, types.of(outer))
    return True


def _elements(array: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an array and those inside it list, without NULLs."""
    for each in map(strip, array.expressions):
        if isinstance(each, exp.Array):
            yield from _elements(each)
        elif not isinstance(each, exp.Null):
            yield each


def _read_number(text: exp.Literal, found: DataType | None, types: Types) -> bool:
    """Give a text the type of values beside it; write it as a numeric if they are, with its digits.

    DuckDB would round it to theirs.
    """
    adopted = adopted_type(text, found, types)
    if adopted is None or adopted.kind is not Kind.DECIMAL:
        return False
    number = cast(exp.Literal.string(plain_numeric(text.name)), duckdb_type(adopted))
    put(text, number)
    types.note(number, adopted)
    return True


def check_depths(known: Sequence[DataType], node: exp.Expr) -> None:
    """Refuse arrays of different numbers of dimensions, which have one type in PostgreSQL.

    Raises:
        NotSupportedError: two numbers differ (0A000).
    """
    depths = {depth for each in known if (depth := depth_of(each))}
    if len(depths) > 1:
        raise NotSupportedError(
            "arrays of different numbers of dimensions in one column or expression are not "
            "supported",
            position=position_of(node),
        )


def check_alike(known: Sequence[DataType], word: str, node: exp.Expr) -> None:
    """Refuse types that do not match; DuckDB reads true as 1, PostgreSQL does not.

    Raises:
        MismatchedTypeError: two types do not match: their categories differ (42804), or neither
            becomes the other (42846).
        NotSupportedError: as `check_depths`, or they are rows of different types.
    """
    rows = [[kind for _, kind in each.fields] for each in known if is_record(each)]
    if any(not _are_alike(one, other) for one, other in pairwise(rows)):
        raise NotSupportedError(
            "rows of different types in one column or expression are not supported",
            hint="Cast their members to the same types.",
            position=position_of(node),
        )
    if word != _ALTERNATIVES[exp.Array]:  # its own rule counts the dimensions
        check_depths(known, node)
    if (found := mismatch([name_of(each) for each in known])) is None:
        return
    one, other = (format_type(known[at]) for at in (found.one, found.other))
    if found.is_of_categories:
        raise MismatchedTypeError(
            f"{word} types {one} and {other} cannot be matched", position=position_of(node)
        )
    raise MismatchedTypeError(
        f"{word} could not convert type {one} to {other}",
        position=position_of(node),
        sqlstate="42846",
    )


def _are_alike(one: Sequence[DataType], other: Sequence[DataType]) -> bool:
    """Whether members of two rows print alike as what DuckDB makes of both."""
    differing = [{a.kind, b.kind} for a, b in zip(one, other, strict=False) if a != b]
    # A bare NULL of a row is a text.
    is_told = all(Kind.TEXT in kinds or kinds <= INTEGERS.keys() for kinds in differing)
    return len(one) == len(other) and is_told


def typed_literal(literal: exp.Literal, target: DataType, times: TimeSettings) -> exp.Expr:
    """Return a text literal as a cast to the type that its context needs.

    Raises:
        QueryError: it is not a value of that type.
    """
    if target.kind in HELD_AS_TEXT:
        return cast(exp.Literal.string(check_literal(literal, target)), "TEXT")
    if target.kind is Kind.BYTEA:
        return bytes_of(literal)
    if target.kind in TIME_KINDS:
        convert_time_literal(literal, target, times)
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


def convert_byte_literals(nodes: Nodes, types: Types) -> None:
    """Write text literals beside a bytea as bytes; DuckDB reads other escapes in them.

    Raises:
        QueryError: a literal is not the text form of bytes (22P02).
    """
    is_changed = False
    for kinds, groups_of in (
        (COMPARED, compared),
        (_ALTERNATIVES, _all_alternatives),
        ((exp.Values,), _columns_of_values),
    ):
        for kind in kinds:
            for group in (group for node in nodes.of(kind) for group in groups_of(node)):
                is_changed |= _as_bytes([strip(side) for side in group], types)
    if is_changed:
        nodes.renew()


def _all_alternatives(node: exp.Expr) -> list[list[exp.Expr]]:
    return [alternatives(node)]


def _columns_of_values(node: exp.Expr) -> list[list[exp.Expr]]:
    """Return the columns of VALUES, each as its values."""
    rows = [row.expressions for row in node.expressions if isinstance(row, exp.Tuple)]
    return [list(column) for column in zip(*rows, strict=False)]


def _as_bytes(sides: Sequence[exp.Expr], types: Types) -> bool:
    is_changed = False
    if any(types.kind_of(side) is Kind.BYTEA for side in sides):
        for side in sides:
            if isinstance(side, exp.Literal) and side.is_string:
                fresh = bytes_of(side)
                put(side, fresh)
                types.note(fresh, BYTEA)
                is_changed = True
    return is_changed


_OF_NUMBERS = frozenset({"ceil", "ceiling", "floor", "mod", "round", "scale"})
"""Functions of numbers that DuckDB has for a bare text or NULL, too, or does not choose among."""


def convert_number_arguments(nodes: Nodes, types: Types) -> None:
    """Give bare texts and NULLs in calls of functions of numbers the types that these take.

    Raises:
        QueryError: a text is no number (22P02).
    """
    is_changed = False
    for node in nodes.among(CALLS):
        if (name := call_name(node)) not in _OF_NUMBERS:
            continue
        given = arguments(node)
        taken = resolve(name, [OPEN if is_open(each) else types.of(each) for each in given])
        for each, wanted in zip(given, taken or (), strict=False):
            if is_open(each) and wanted is not None:
                fresh = _number_of(strip(each), wanted, types)
                types.note(put(each, fresh[0]), fresh[1])
                is_changed = True
    if is_changed:
        nodes.renew()


def _number_of(node: exp.Expr, wanted: DataType, types: Types) -> tuple[exp.Expr, DataType]:
    """Return a bare text or NULL as a number, and its type."""
    is_numeric = wanted.kind is Kind.DECIMAL
    if isinstance(node, exp.Literal):
        found = (types.bare_numeric(node) if is_numeric else None) or wanted
        return typed_literal(node, found, types.times.literals), found
    found = NUMERIC if is_numeric else wanted
    return cast(exp.null(), duckdb_type(found)), found


_OF_ARRAYS = (exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps)


def convert_compared_literals(nodes: Nodes, types: Types) -> None:
    """Convert texts that are compared with a value of another type to that type.

    Uuids, arrays and times are written as they are stored. DuckDB accepts numbers that Postgres
    refuses, as in `1 = '1.5'`.

    Raises:
        InvalidValueError: a text is not a value of the type (22P02).
    """
    has_text = any(literal.is_string for literal in nodes.of(exp.Literal))
    if not has_text and not nodes.of(exp.Any) and not nodes.of(exp.All):
        return  # as in most lookups, which compare with parameters
    is_changed = False
    for node in nodes.in_turn((*COMPARED, *_OF_ARRAYS)):
        for group in compared(node):
            is_changed |= _read_texts([strip(side) for side in group], types)
    if is_changed:
        nodes.renew()


def _read_texts(sides: Sequence[exp.Expr], types: Types) -> bool:
    """Convert the texts among the operands; return whether one was replaced."""
    texts: list[exp.Literal] = []
    others: list[exp.Expr] = []
    for each in sides:
        if isinstance(each, exp.Literal) and each.is_string:
            texts.append(each)
        elif not is_open(each):
            others.append(each)
    if not texts:
        return False
    # The other operands have one type, unless they are numbers; then one type holds all of them.
    known = [found for each in others if (found := value_type(each, types)) is not None]
    found = common_type(known) if known else None
    is_read = found is not None and found.kind in _READ_KINDS and not isinstance(found, CatalogType)
    if found is None or not (is_read or is_inet(found)):
        return False
    is_changed = False
    for text in texts:
        if depth_of(found):
            put(text, array_beside(text, found))
            is_changed = True
        elif found.kind is Kind.BOOLEAN:
            put(text, exp.Boolean(this=check_literal(text, found)))  # DuckDB does not read 'yes'
            is_changed = True
        else:
            is_changed |= _read_number(text, found, types)
    return is_changed


_READ_KINDS = {
    *HELD_AS_TEXT,
    *TIME_KINDS,
    *INTEGERS,
    *FLOATS,
    *(Kind.ARRAY, Kind.DECIMAL, Kind.BOOLEAN),
}
