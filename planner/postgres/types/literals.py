"""Text literals become values of the types that their contexts need."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from stategate.planner.errors import QueryError
from stategate.planner.postgres.types.array_literals import array_beside
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types, value_type
from stategate.planner.postgres.types.operands import (
    ALTERNATIVES,
    COMPARED,
    alternatives,
    arguments,
    compared,
    is_open,
)
from stategate.planner.postgres.types.result_types import (
    FLOATS,
    INTEGERS,
    NUMERIC,
    TIMES,
    common_type,
)
from stategate.planner.postgres.types.signatures import OPEN, resolve
from stategate.planner.trees.nodes import CALLS, Nodes, call, cast, position_of, put, strip
from stategate.planner.trees.number_text import plain_numeric
from stategate.planner.values.array_types import depth_of
from stategate.planner.values.catalog_types import CatalogType, is_inet
from stategate.planner.values.constants import number_of
from stategate.planner.values.moment_text import time_words
from stategate.planner.values.sqltypes import (
    HELD_AS_TEXT,
    duckdb_type,
)
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.schema import BYTEA, DataType, Kind, Value, decimal_type

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


def read_number(text: exp.Literal, found: DataType | None, types: Types) -> bool:
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
        (ALTERNATIVES, _all_alternatives),
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
            is_changed |= read_number(text, found, types)
    return is_changed


_READ_KINDS = {
    *HELD_AS_TEXT,
    *TIME_KINDS,
    *INTEGERS,
    *FLOATS,
    *(Kind.ARRAY, Kind.DECIMAL, Kind.BOOLEAN),
}
