"""Text literals that are compared with values of another type, converted to that type."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.binding.parameters import value_type
from planner.errors import InvalidValueError
from planner.postgres.types.inference import Types
from planner.postgres.types.literals import TIME_KINDS, adopt, check_literal
from planner.postgres.types.operands import COMPARED, compared, is_open
from planner.postgres.types.result_types import FLOATS, INTEGERS, common_type
from planner.trees.node_index import Nodes
from planner.trees.nodes import cast, position_of, strip
from planner.values.array_text import parse_array
from planner.values.catalog_types import CatalogType
from planner.values.sqltypes import (
    CANONICAL_TEXTS,
    duckdb_type,
    parameter_type_of,
    result_type_of,
)
from planner.values.text_values import parse_value
from stores.spec.schema import TEXT, DataType, Kind

_OF_ARRAYS = (exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps)


def spell_arrays(nodes: Nodes, types: Types) -> None:
    """Replace array literals such as `'{a,b}'` by lists of their elements.

    Raises:
        InvalidValueError: a literal is malformed (22P02).
    """
    is_changed, casts = False, nodes.of(exp.Cast)
    for within in (*nodes.of(exp.Any), *nodes.of(exp.All)):
        array = strip(within.this)
        beside = strip(within.parent.this) if isinstance(within.parent, exp.Binary) else None
        known = None if beside is None else types.of(beside)
        if isinstance(array, exp.Literal) and array.is_string:
            array.replace(_array_of(array, known or TEXT))
            is_changed = True
    for node in casts:
        to, literal = parameter_type_of(node.to), node.this
        element = None if to is None else to.element
        is_postgres = isinstance(literal, exp.Literal) and literal.name.strip()[:1] == "{"
        if element is not None and is_postgres:
            is_changed, array = True, _array_of(literal, element)
            if result_type_of(node.to) == to:
                node.replace(array)
            else:
                node.set("this", array)  # the cast decides the length of the texts, and cuts them
    if is_changed:
        nodes.renew()


def spell_compared(nodes: Nodes, types: Types) -> None:
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
    for kind in (*COMPARED, *_OF_ARRAYS):
        for node in nodes.of(kind):
            for group in compared(node):
                is_changed |= _read_texts([strip(side) for side in group], types)
    if is_changed:
        nodes.renew()


def _read_texts(sides: Sequence[exp.Expr], types: Types) -> bool:
    """Convert the texts among the operands; return whether one was replaced."""
    texts = [each for each in sides if isinstance(each, exp.Literal) and each.is_string]
    if not texts:
        return False
    # The other operands have one type, unless they are numbers, of which one type holds all.
    known = [t for s in sides if not is_open(s) and (t := value_type(s, types)) is not None]
    found = common_type(known) if known else None
    if found is None or isinstance(found, CatalogType) or found.kind not in _READ_KINDS:
        return False
    is_changed = False
    for text in texts:
        if found.element is not None:
            text.replace(_array_of(text, found.element))
            is_changed = True
        elif found.kind in CANONICAL_TEXTS:
            text.replace(_canonical(text, found))
            is_changed = True
        elif found.kind is Kind.BOOLEAN:
            text.replace(exp.Boolean(this=check_literal(text, found)))  # DuckDB does not read 'yes'
            is_changed = True
        else:
            adopt(text, found, types)
    return is_changed


_READ_KINDS = {
    *CANONICAL_TEXTS,
    *TIME_KINDS,
    *INTEGERS,
    *FLOATS,
    *(Kind.ARRAY, Kind.DECIMAL, Kind.BOOLEAN),
}


def _canonical(literal: exp.Literal, data_type: DataType) -> exp.Literal:
    """A text in the one spelling that its value has in the type."""
    try:
        fresh = exp.Literal.string(parse_value(literal.name, data_type))
    except InvalidValueError as error:
        error.position = position_of(literal)
        raise
    fresh.meta.update(literal.meta)
    return fresh


def _array_of(literal: exp.Literal, element: DataType) -> exp.Expr:
    try:
        texts = parse_array(literal.name)
    except InvalidValueError as error:
        error.position = position_of(literal)
        raise
    listed: list[exp.Expr] = []
    for text in texts:
        node: exp.Expr = exp.null() if text is None else exp.Literal.string(text)
        if "start" in literal.meta:
            node.meta["start"] = literal.meta["start"]
        listed.append(node)
    return cast(exp.Array(expressions=listed), f"{duckdb_type(element)}[]")
