"""The types of rules of rewriting, for nodes and for calls, and functions that rules share.

Each module of rules has a table of them. `rewrite` and `calls` join the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.result_types import DIGITS_MAX, as_decimal
from stategate.planner.trees.nodes import call, cast, position_of, strip, wrapped
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import INTEGER, DataType, Kind, decimal_type

Rule: TypeAlias = Callable[[exp.Expr, Types], exp.Expr]
"""Takes a node and the types; returns the node that replaced it, or the same one."""
CallRule: TypeAlias = Callable[[exp.Expr, list[exp.Expr], Types], exp.Expr | None]
"""Takes a call, its arguments and the types; returns a new node made of copies, or None."""


def renamed(name: str) -> CallRule:
    """Return a rule that only changes the name of a function."""
    return lambda node, given, types: call(name, *copies(given))


def copies(nodes: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Return a copy of each node."""
    return [node.copy() for node in nodes]


def text_of(node: exp.Expr) -> str | None:
    """Return the text of a text literal; None for other nodes."""
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def unsupported(node: exp.Expr, message: str, hint: str | None = None) -> NotSupportedError:
    """Return the error for a call that is not supported; it points at the call."""
    return NotSupportedError(message, hint=hint, position=position_of(node))


_SMALL = frozenset({Kind.TINYINT, Kind.SMALLINT})


def hold_numbers(nodes: Sequence[exp.Expr], types: Types) -> None:
    """Give numbers, and arrays of numerics, the type that they agree on; DuckDB may take less.

    Numerics get the largest of their scales, and literals beside smallints are integers.
    """
    kinds = {types.kind_of(node) for node in nodes}
    if Kind.INTEGER in kinds and kinds & _SMALL and kinds <= {Kind.INTEGER, *_SMALL}:
        for node in nodes:
            is_literal = isinstance(strip(node), exp.Literal | exp.Neg)
            if is_literal and types.kind_of(node) is Kind.INTEGER:
                types.note(wrapped(node, lambda inner: cast(inner, "INTEGER")), INTEGER)
        return
    known = [(node, found) for node in nodes if (found := _element(types.of(node))) is not None]
    exact = [(node, as_decimal(found)) for node, found in known if found.kind is not Kind.NULL]
    decimals = [(node, found) for node, found in exact if found is not None]
    if len(known) < len(nodes) or len(decimals) < len(exact) or len(decimals) < 2:
        return
    scale = max(found.scale for _, found in decimals)
    whole = max(found.precision - found.scale for _, found in decimals)
    if whole + scale <= DIGITS_MAX:
        return
    held = decimal_type(DIGITS_MAX, scale)
    for node, found in decimals:
        if found.scale != scale and types.kind_of(node) is Kind.ARRAY:
            name = duckdb_type(array_of(held, depth_of(types.of(node))))
            wrapped(node, partial(cast, data_type=name))
        elif found.scale != scale:
            types.note(wrapped(node, lambda inner: cast(inner, str(held).upper())), held)


def _element(data_type: DataType | None) -> DataType | None:
    return None if data_type is None else leaf_of(data_type)


def null_beside(value: exp.Expr, data_type: str) -> exp.Expr:
    """Return NULL of a type, in an expression that has a value: it may be an aggregate."""
    missing = exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null())
    return exp.Case(ifs=[exp.If(this=missing, true=cast(exp.null(), data_type))])
