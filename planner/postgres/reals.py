"""Reals compared with other numbers: as doubles, as in Postgres. DuckDB makes reals of both."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sqlglot import exp

from planner.postgres.types.inference import Types
from planner.postgres.types.operands import COMPARED, compared
from planner.postgres.types.result_types import FLOATS, INTEGERS
from planner.trees.node_index import Nodes
from planner.trees.nodes import cast, strip, wrapped
from planner.values.sqltypes import duckdb_type
from stores.spec.schema import DOUBLE, DataType, Kind

_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL}


def compare_as_doubles(nodes: Nodes, types: Types) -> None:
    """Write reals that are compared with other numbers as doubles, in place."""
    for kind in COMPARED:
        for node in nodes.of(kind):
            if isinstance(node, exp.In) and len(node.expressions) > 1:
                continue  # one type for all of a list, which is real
            for one, *others in compared(node):
                _widen(node, [one, *(each for side in others for each in _listed(side))], types)


def _listed(side: exp.Expr) -> Sequence[exp.Expr]:
    """What `= ANY (…)` compares with; all else is itself."""
    if not isinstance(side, exp.Any | exp.All):
        return [side]
    inner = strip(side.this)
    return inner.expressions if isinstance(inner, exp.Array) else [inner]


def _widen(node: exp.Expr, sides: Sequence[exp.Expr], types: Types) -> None:
    found = [(each, _element(types.of(each))) for each in sides]
    kinds = {each.kind for _, each in found if each is not None}
    if Kind.REAL not in kinds or not (kinds & _NUMBERS) - {Kind.REAL}:
        return
    for side, data_type in found:
        is_rows = isinstance(strip(side), exp.Query) or types.kind_of(side) is Kind.ARRAY
        if data_type is None or data_type.kind not in _NUMBERS or is_rows:
            continue
        types.note(wrapped(side, lambda inner: cast(inner, "DOUBLE")), DOUBLE)
        if isinstance(node, exp.Nullif) and side is sides[0]:
            held = duckdb_type(data_type)
            types.note(wrapped(node, partial(cast, data_type=held)), data_type)


def _element(data_type: DataType | None) -> DataType | None:
    is_array = data_type is not None and data_type.kind is Kind.ARRAY
    return data_type.element if data_type is not None and is_array else data_type
