"""What a jsonb is compared by in DuckDB."""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.nodes import call, position_of
from stategate.stores.spec.schema import BYTEA, DataType, Kind


def is_document(found: DataType | None, kind: Kind) -> bool:
    """Whether a type is json (or jsonb), or an array of it."""
    while found is not None and found.kind is Kind.ARRAY:
        found = found.element
    return found is not None and found.kind is kind


def key_of(node: exp.Expr, found: DataType | None, types: Types) -> exp.Expr:
    """Return what a jsonb, or an array of them, is compared by; other values as they are."""
    if not is_document(found, Kind.JSONB) or found is None:
        return node
    key, key_type = call("pg_sg_jsonb_key", node), BYTEA
    if found.kind is Kind.ARRAY:
        if found.element is not None and found.element.kind is Kind.ARRAY:
            raise refused(node, "a comparison of arrays of arrays of jsonb")
        key, key_type = call("pg_sg_jsonb_keys", node), DataType(kind=Kind.ARRAY, element=BYTEA)
    types.note(key, key_type)
    return key


def refused(node: exp.Expr, what: str) -> NotSupportedError:
    """Return the error for a comparison of jsonb that is not supported."""
    return NotSupportedError(
        f"{what} is not supported",
        hint="Compare the values one by one, or their texts.",
        position=position_of(node),
    )
