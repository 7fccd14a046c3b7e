"""Renders the answer of a query by name as JSON: one result for each partition.

`{"store", "type", "position", "partitions": [{store, partition, node, status, reason, message,
epoch, rows, info, position, result}], "elapsed_ms"}`. A result is a cell of its SQL type
(`gateway.http.json_cells`), or `{"columns": [{name, type}], "rows": [[…]]}`.
"""

from __future__ import annotations

from dataclasses import asdict

from gateway.http.json_cells import Cell, batch_cells, cell_of
from planner.engine import DataType, Position
from planner.typed import Rows, TypedAnswer, TypedQuery, TypedResult


def typed_document(query: TypedQuery, answer: TypedAnswer, *, elapsed_ms: float) -> dict[str, Cell]:
    """Return the JSON document of an answer."""
    return {
        "store": query.store,
        "type": query.name,
        "position": _position(answer.position),
        "partitions": [_partition(each, query.result) for each in answer.partitions],
        "elapsed_ms": round(elapsed_ms, 3),
    }


def _partition(result: TypedResult, data_type: DataType | None) -> dict[str, Cell]:
    return {
        **asdict(result.answer),
        "position": _position(result.position),
        "result": _result(result, data_type),
    }


def _result(result: TypedResult, data_type: DataType | None) -> Cell:
    value = result.value
    if isinstance(value, Rows):
        rows = [
            row
            for batch in value.batches
            for row in zip(*batch_cells(batch, value.columns), strict=True)
        ]
        columns = [{"name": each.name, "type": str(each.type)} for each in value.columns]
        return {"columns": columns, "rows": rows}
    if value is None or data_type is None:
        return None
    to_cell = cell_of(data_type)
    return value if to_cell is None else to_cell(value)


def _position(position: Position) -> dict[str, dict[str, int]]:
    return {topic: {str(p): o for p, o in offsets} for topic, offsets in position.components}
