"""Array literals, such as `'{a,b}'`: in casts, calls, `||`, ANY, and beside other arrays."""

from __future__ import annotations

import re

from sqlglot import exp

from stategate.planner.errors import QueryError
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import arguments, is_open
from stategate.planner.postgres.types.result_types import (
    NUMERIC,
    common_type,
    numeric_of_text,
)
from stategate.planner.postgres.types.signatures import OPEN, resolve
from stategate.planner.trees.nodes import CALLS, Nodes, cast, position_of, put, strip
from stategate.planner.trees.number_text import plain_numeric
from stategate.planner.values.array_text import depth_of_texts, parse_array
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.planner.values.catalog_types import is_inet
from stategate.planner.values.sqltypes import duckdb_type, parameter_type_of, result_type_of
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import TEXT, DataType, Kind, decimal_type

_QUANTIFIED = (exp.Any, exp.All)


def convert_array_literals(nodes: Nodes, types: Types) -> None:
    """Replace array literals such as `'{a,b}'` with lists of their elements.

    Raises:
        InvalidValueError: a literal is malformed (22P02).
    """
    casts, is_changed = nodes.of(exp.Cast), False
    for within in nodes.in_turn(_QUANTIFIED):
        is_changed |= _convert_quantified(within, types)
    for node in casts:
        is_changed |= _convert_cast(node)
    for both in nodes.of(exp.DPipe):
        for side, other in ((both.this, both.expression), (both.expression, both.this)):
            literal, found = strip(side), types.of(other)
            if found is None or not depth_of(found) or leaf_of(found).fields:
                continue  # PostgreSQL has no arrays of structs and maps
            if _is_text(literal):
                put(literal, array_beside(literal, found))
                is_changed = True
    for called in nodes.among(CALLS):
        is_changed |= _convert_arguments(called, types)
    if is_changed:
        nodes.renew()


def _convert_cast(node: exp.Cast) -> bool:
    to, literal = parameter_type_of(node.to), node.this
    if to is None or not depth_of(to) or not _is_written(literal):
        return False
    array = array_literal(literal, to)
    if is_inet(to):
        node.set("this", array.this)  # no type of DuckDB says that they are addresses
    elif result_type_of(node.to) == to:
        put(node, array)
    else:
        node.set("this", array)  # the cast decides the length of the texts, and cuts them
    return True


def _convert_quantified(within: exp.Expr, types: Types) -> bool:
    """Convert what stands in ANY and ALL; a bare NULL is a NULL array."""
    array = strip(within.this)
    if not _is_text(array) and not isinstance(array, exp.Null):
        return False
    beside = strip(within.parent.this) if isinstance(within.parent, exp.Binary) else None
    element = (None if beside is None else types.of(beside)) or TEXT
    whole = array_of(TEXT if element.kind is Kind.NULL else element, 1)
    if isinstance(array, exp.Null):
        put(array, cast(exp.null(), duckdb_type(whole)))
    else:
        put(array, array_beside(array, whole))
    return True


def _convert_arguments(node: exp.Expr, types: Types) -> bool:
    """Convert the texts among the arguments of a call that must be arrays."""
    given = arguments(node)
    if not any(map(_is_text, given)):
        return False
    known = [OPEN if is_open(each) else types.of(each) for each in given]
    is_changed = False
    for each, asked in zip(given, resolve(call_name(node), known) or (), strict=False):
        if asked is not None and depth_of(asked) and _is_text(each):
            put(each, array_beside(each, asked))
            is_changed = True
    return is_changed


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _is_written(node: exp.Expr) -> bool:
    """Whether a literal is an array in PostgreSQL's form, not in DuckDB's."""
    return _is_text(node) and re.match(r"\s*(\{|\[[^\]]*\]\s*[=\[])", node.name) is not None


def array_literal(literal: exp.Expr, data_type: DataType) -> exp.Expr:
    """Return the array that a text literal writes, of as many dimensions as it has.

    Raises:
        InvalidValueError: it is malformed (22P02); the error points at it.
    """
    leaf = leaf_of(data_type)
    try:
        texts = parse_array(literal.name)
    except QueryError as error:
        error.position = position_of(literal)
        raise

    def listed(text: object) -> exp.Expr:
        if isinstance(text, list):
            return exp.Array(expressions=[listed(each) for each in text])
        value: object = text
        if isinstance(text, str) and is_inet(leaf):
            value = parse_value(text, leaf)
        elif isinstance(text, str) and leaf.kind is Kind.DECIMAL:
            value = plain_numeric(text)
        node: exp.Expr = exp.null() if value is None else exp.Literal.string(str(value))
        if "start" in literal.meta:
            node.meta["start"] = literal.meta["start"]
        return node

    depth = depth_of_texts(texts) or depth_of(data_type)
    made = listed(texts)
    if leaf.kind is Kind.DECIMAL and not leaf.precision:
        digits = [numeric_of_text(each.name) for each in made.find_all(exp.Literal)]
        leaf = common_type([decimal_type(1, 0), *digits]) or NUMERIC
    return cast(made, duckdb_type(array_of(leaf, depth)))


def array_beside(literal: exp.Expr, found: DataType) -> exp.Expr:
    """Return the array that a text literal writes beside an array of this type.

    Numerics keep their own digits. An empty array has the dimensions of the other one.

    Raises:
        InvalidValueError: as `array_literal`.
    """
    is_numeric = leaf_of(found).kind is Kind.DECIMAL
    leaf = DataType(kind=Kind.DECIMAL) if is_numeric else leaf_of(found)
    return array_literal(literal, array_of(leaf, depth_of(found)))
