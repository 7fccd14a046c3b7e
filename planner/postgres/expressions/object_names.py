"""Oids that are read and printed as names, such as `regclass`, and the catalog's vectors.

A value is its oid. It becomes a name where PostgreSQL prints it: in a cast to text, in `||`,
`concat` and `format`, and in the result, where the runner of the statement puts the names in. The
macros that look up names read tables of the catalog; only its database has them.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.expressions.catalog_values import oid_of_number
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.result_types import INTEGERS
from stategate.planner.trees.nodes import call, cast, position_of, put, strip
from stategate.planner.values.catalog_types import (
    OBJECTS,
    CatalogType,
    is_vector,
    names_objects,
    postgres_name,
)
from stategate.stores.spec.schema import DataType, Kind

_FUNCTION = "regproc"
"""A regproc is held as a name: few functions that pg_type names have a row in pg_proc."""


def cast_by_name(  # noqa: PLR0911 - one per type
    node: exp.Cast, target: DataType | None, types: Types
) -> exp.Expr | None:
    """Return the replacement of a cast to or from one of these types; None for other casts."""
    source = types.of(node.this)
    if target is None or not (_is_special(source) or _is_special(target)):
        return None
    if is_vector(target):
        return _vector(node.this, source)
    if names_objects(target):
        return oid_of(node.this.copy(), source, target)
    if postgres_name(target) == _FUNCTION:
        return _function_name(node.this, source)
    if postgres_name(source) == _FUNCTION and target.kind in INTEGERS:
        return call("pg_sg_found", exp.Literal.string("regproc"), node.this.copy())
    if target.kind is Kind.TEXT:
        return as_text(node.this, types)
    if target.element is not None and source is not None and source.element is not None:
        return _array(node.this, source.element, target.element)
    return None


def _is_special(data_type: DataType | None) -> bool:
    element = None if data_type is None else data_type.element
    return any(postgres_name(each) in OBJECTS or is_vector(each) for each in (data_type, element))


def as_text(node: exp.Expr, types: Types) -> exp.Expr | None:
    """Return the text that PostgreSQL prints for a value of these types; None for other types."""
    source = types.of(node)
    if is_vector(source):
        return call("pg_sg_vector_text", node.copy())
    if names_objects(source):
        return call("pg_sg_name_of", exp.Literal.string(postgres_name(source)), node.copy())
    element = None if source is None else source.element
    # A column of the catalog that is an array of them holds their names.
    if names_objects(element) and not isinstance(strip(node), exp.Column):
        names = call("pg_sg_names_of", exp.Literal.string(postgres_name(element)), node.copy())
        return call("pg_sg_array_text", names)
    return None


def oid_of(operand: exp.Expr, source: DataType | None, target: DataType) -> exp.Expr:
    """Return the call that looks up the oid of a name; a number stays a number."""
    if source is not None and source.kind in INTEGERS:
        return oid_of_number(operand, source) or cast(operand, "BIGINT")
    kind = postgres_name(target)
    words = (exp.Literal.string(word) for word in (kind, *OBJECTS[kind]))
    return call("pg_sg_oid_of", *words, operand)


def _function_name(operand: exp.Expr, source: DataType | None) -> exp.Expr:
    if postgres_name(source) == _FUNCTION:
        return operand.copy()
    oid = operand.copy()
    if source is None or source.kind not in INTEGERS:
        words = (exp.Literal.string(word) for word in ("regproc", *OBJECTS["regproc"]))
        oid = call("pg_sg_oid_of", *words, oid)
    return call("pg_sg_name_of", exp.Literal.string("regproc"), oid)


def _vector(operand: exp.Expr, source: DataType | None) -> exp.Expr:
    if source is not None and source.kind is Kind.ARRAY:
        return operand.copy()
    return call("pg_sg_vector", cast(operand.copy(), "VARCHAR"))


def _array(operand: exp.Expr, source: DataType, target: DataType) -> exp.Expr | None:
    """Return an array of oids as an array of names, or the reverse."""
    if names_objects(source) and target.kind is Kind.TEXT:
        return call("pg_sg_names_of", exp.Literal.string(postgres_name(source)), operand.copy())
    if names_objects(target) and source.kind in INTEGERS:
        return cast(operand.copy(), "BIGINT[]")
    return _array_of_oids(operand, target) if names_objects(target) else None


def _array_of_oids(operand: exp.Expr, target: DataType) -> exp.Expr:
    """Return the oids of an array of names, such as the text `{int,int8}`."""
    written = strip(operand)
    while isinstance(written, exp.Cast):
        written = strip(written.this)
    if not isinstance(written, exp.Array):
        raise NotSupportedError(
            f"a cast of a computed array to {postgres_name(target)}[] is not supported",
            hint="Cast its elements, and write ARRAY[…] of them.",
            position=position_of(operand),
        )
    oids = [oid_of(each.copy(), None, target) for each in written.expressions]
    return cast(exp.Array(expressions=oids), "BIGINT[]")


def compare_by_oid(node: exp.Expr, types: Types) -> None:
    """Write the other side of a comparison with these types as an oid, in place."""
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        found = types.of(side)
        if not isinstance(found, CatalogType):
            continue
        plain = strip(other)
        is_text = isinstance(plain, exp.Literal) and plain.is_string
        if postgres_name(found) == _FUNCTION:
            _compare_function(side, other, types)
        elif is_text and is_vector(found):
            put(other, call("pg_sg_vector", other.copy()))
        elif is_text and names_objects(found):
            put(other, oid_of(other.copy(), None, found))


def _compare_function(side: exp.Expr, other: exp.Expr, types: Types) -> None:
    """Compare functions by name, where 0 is `-`, or with an oid by their oids."""
    theirs, plain = types.of(other), strip(other)
    if isinstance(plain, exp.Literal) and plain.name == "0":
        put(other, exp.Literal.string("-"))
    elif theirs is not None and theirs.kind in INTEGERS:
        put(side, call("pg_sg_found", exp.Literal.string("regproc"), side.copy()))
