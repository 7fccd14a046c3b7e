"""Casts between numbers, texts, and the catalog's `oid` and `"char"`.

An oid has 32 bits without a sign, and a negative integer is the oid with the same bits. A "char" is
a byte: DuckDB's texts hold those below 128 only.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.trees.nodes import call, cast, strip
from stategate.planner.values.catalog_types import CHAR, OID, is_of_catalog, names_objects
from stategate.stores.spec.schema import DataType, Kind

_OIDS = 1 << 32
_SMALL = {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER}


def cast_of_catalog(
    operand: exp.Expr, source: DataType | None, target: DataType | None
) -> exp.Expr | None:
    """Return the replacement of a cast to or from one of these types; None for other casts."""
    if source is None or target is None or source == target:
        return None
    if target == OID:
        return oid_of_number(operand, source)
    if target == CHAR:
        return _as_char(operand, source)
    if target.kind is Kind.INTEGER:
        return _as_integer(operand, source)
    return None


def oid_of_number(operand: exp.Expr, source: DataType) -> exp.Expr | None:
    """Return a number or a text as an oid; None if the source is an oid, or of another type."""
    plain = strip(operand)
    if isinstance(plain, exp.Literal) and plain.name.isdigit() and int(plain.name) < _OIDS:
        return cast(operand.copy(), "BIGINT")
    if source == OID or names_objects(source):
        return None
    if source.kind in _SMALL:
        return call("pg_sg_oid_of_integer", operand.copy())
    if source.kind is Kind.BIGINT:
        return call("pg_sg_oid_of_bigint", operand.copy())
    return call("pg_sg_oid_of_text", operand.copy()) if source.kind is Kind.TEXT else None


def _as_char(operand: exp.Expr, source: DataType) -> exp.Expr | None:
    if source.kind is Kind.INTEGER:
        return call("pg_sg_char_of_number", operand.copy())
    is_text = source.kind is Kind.TEXT
    return call("pg_sg_char_of_text", cast(operand.copy(), "TEXT")) if is_text else None


def _as_integer(operand: exp.Expr, source: DataType) -> exp.Expr | None:
    if is_of_catalog(source) and source == CHAR:
        return call("pg_sg_number_of_char", operand.copy())
    return call("pg_sg_integer_of_oid", operand.copy()) if source == OID else None
