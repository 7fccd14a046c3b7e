"""Casts to PostgreSQL's types, above all to `regclass` and its kin.

A `regclass` is an oid that reads and prints as a name. Here it is whichever of the two its
surroundings need: a name in a select list or under a cast to text, else an oid.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.names import type_name
from planner.pg_catalog.arrays import is_array, is_vector, list_of, lookup
from planner.pg_catalog.relations import column_types, duckdb_type, type_of_postgres

_OBJECTS: Mapping[str, tuple[str, str]] = {
    "regclass": ("relation", "42P01"),
    "regtype": ("type", "42704"),
    "regproc": ("function", "42883"),
    "regprocedure": ("function", "42883"),
    "regnamespace": ("schema", "3F000"),
    "regrole": ("role", "42704"),
    "regcollation": ("collation", "42704"),
    "regoper": ("operator", "42883"),
    "regoperator": ("operator", "42883"),
}
"""Type → what its names are called, and the error for one that does not exist."""

_TEXTS = frozenset(
    [
        "text",
        "name",
        "char",
        "bpchar",
        "varchar",
        "unknown",
        "cstring",
        "tid",
        "aclitem",
        "pg_node_tree",
        "sql_identifier",
        "character_data",
        "yes_or_no",
        "inet",
        "xid8",
        "pg_lsn",
        "int2vector",
        "oidvector",
    ]
)
_OIDS = frozenset(("oid", "xid", "cid"))
_OTHERS: Mapping[str, str] = {
    "jsonb": "JSON",
    "json": "JSON",
    "timestamptz": "TIMESTAMPTZ",
    "timestamp": "TIMESTAMP",
    "date": "DATE",
    "time": "TIME",
    "interval": "INTERVAL",
    "numeric": "DECIMAL(38,9)",
    "uuid": "UUID",
    "bytea": "BLOB",
}
_TEXT_CALLS = frozenset(
    [
        "concat",
        "format",
        "quote_ident",
        "quote_literal",
        "pg_get_serial_sequence",
        "format_type",
        "replace",
        "lower",
        "upper",
        "trim",
        "substring",
        "array_to_string",
        "concat_ws",
    ]
)


def rewrite_casts(tree: exp.Expr) -> None:
    """Give every cast a type that DuckDB has, and objects' names and oids their meaning."""
    for cast in reversed([*tree.find_all(exp.Cast)]):  # inner ones first
        name = type_name(cast.to)
        element = name.removesuffix("[]")
        if element in _OBJECTS and name != element:
            _rewrite_object_array(cast, element)
        elif name in _OBJECTS:
            _rewrite_object(cast, name)
        elif name != element:
            _rewrite_array(cast, element)
        else:
            _rewrite_scalar(cast, name)


def _rewrite_scalar(cast: exp.Cast, name: str) -> None:
    if name in _TEXTS and is_array(cast.this):
        cast.replace(lookup("array_text", cast.this.copy()))
        return
    spelled = _duckdb_name(name)
    if spelled is not None:
        cast.set("to", exp.DataType.build(spelled, dialect="duckdb"))


def _duckdb_name(name: str) -> str | None:
    """DuckDB's name of a scalar type; None leaves the cast as it is."""
    if name in _TEXTS:
        return "VARCHAR"
    if name in _OIDS:
        return "BIGINT"
    if name in _OTHERS:
        return _OTHERS[name]
    held = type_of_postgres(name)
    return duckdb_type(held) if duckdb_type(held) != "VARCHAR" else None


def _rewrite_array(cast: exp.Cast, element: str) -> None:
    spelled = _duckdb_name(element) or "VARCHAR"
    operand = cast.this.unnest()
    if isinstance(operand, exp.Literal) and operand.is_string:
        numeric = spelled not in {"VARCHAR", "BOOLEAN"}
        cast.set("this", list_of(operand.this, numeric=numeric))
    elif is_vector(operand):
        cast.set("this", lookup("vector", operand.copy()))
    cast.set("to", exp.DataType.build(spelled + "[]", dialect="duckdb"))


def _rewrite_object_array(cast: exp.Cast, element: str) -> None:
    """Names of oids; arrays of them are only ever shown."""
    operand = lookup("vector", cast.this.copy()) if is_vector(cast.this) else cast.this.copy()
    cast.replace(lookup("names_of", exp.Literal.string(element), operand))


def _rewrite_object(cast: exp.Cast, kind: str) -> None:
    family = "regproc" if kind == "regprocedure" else kind
    operand = cast.this.copy()
    if not shows_text(cast):
        cast.replace(oid_of(operand, family) if is_text(operand) else _bigint(operand))
        return
    if isinstance(operand, exp.Column) and _postgres_type(operand) == "regproc":
        cast.replace(operand)
        return
    oid = oid_of(operand, family) if is_text(operand) else operand
    cast.replace(lookup("name_of", exp.Literal.string(family), oid))


def oid_of(operand: exp.Expr, kind: str) -> exp.Expr:
    """The oid of a name; an error if there is none, a number stays what it is."""
    noun, code = _OBJECTS[kind]
    words = (exp.Literal.string(word) for word in (kind, noun, code))
    return lookup("oid_of", *words, operand)


def _bigint(operand: exp.Expr) -> exp.Expr:
    return exp.Cast(this=operand, to=exp.DataType.build("BIGINT"))


def is_text(node: exp.Expr) -> bool:
    """Whether a node is a text, as far as its shape and names tell; numbers pass as texts too."""
    bare = node.unnest()
    if isinstance(bare, exp.Literal):
        return bool(bare.is_string)
    if isinstance(bare, exp.Cast):
        return type_name(bare.to) in _TEXTS
    if isinstance(bare, exp.Dot):
        bare = bare.expression
    if isinstance(bare, exp.Anonymous):
        return bare.name.lower() in _TEXT_CALLS
    if isinstance(bare, exp.Column):
        return _postgres_type(bare) in {"text", "name"}
    return isinstance(bare, (exp.Parameter, exp.DPipe, exp.Concat, exp.Lower, exp.Upper))


def shows_text(node: exp.Expr) -> bool:
    """Whether a node's value is shown: in a select list, under a cast to text, in a text call."""
    parent = node.parent
    if isinstance(parent, (exp.Paren, exp.Coalesce, exp.Case, exp.Alias)):
        return shows_text(parent)
    if isinstance(parent, exp.If):
        return node is not parent.this and shows_text(parent)
    if isinstance(parent, exp.Cast):
        return type_name(parent.to) in _TEXTS
    if isinstance(parent, exp.Anonymous):
        return parent.name.lower() in _TEXT_CALLS
    if isinstance(parent, exp.Select):
        return node.arg_key == "expressions"
    return isinstance(parent, (exp.DPipe, exp.Concat, exp.Replace, exp.Lower, exp.GroupConcat))


def _postgres_type(column: exp.Column) -> str:
    return column_types().get(column.name.lower(), "")


def rewrite_function_oids(tree: exp.Expr) -> None:
    """Columns of type regproc hold names: compare them as names, 0 being `-`."""
    for comparison in [*tree.find_all(exp.EQ, exp.NEQ)]:
        for side, other in (("this", "expression"), ("expression", "this")):
            column, value = comparison.args[side], comparison.args[other]
            if not isinstance(column, exp.Column) or _postgres_type(column) != "regproc":
                continue
            if isinstance(value, exp.Literal) and value.this == "0":
                comparison.set(other, exp.Literal.string("-"))
            elif isinstance(value, exp.Column) and value.name.lower() == "oid":
                comparison.set(side, lookup("found", exp.Literal.string("regproc"), column.copy()))
            elif isinstance(value, exp.Cast) and type_name(value.to) in {"regproc", "oid"}:
                comparison.set(other, exp.Cast(this=value.this, to=exp.DataType.build("VARCHAR")))
