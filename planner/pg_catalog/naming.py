"""Result columns named as PostgreSQL names them: `count`, `?column?`, `case`, a cast by its inside.

Clients look results up by these names.
"""

from __future__ import annotations

import re

from sqlglot import exp

UNNAMED = "?column?"

_CALL = re.compile(r"\s*(?:\w+\.)*(\w+)\s*\(")
_SPELLED = {
    exp.CurrentVersion: "version",
    exp.CurrentUser: "current_user",
    exp.SessionUser: "session_user",
    exp.CurrentSchema: "current_schema",
    exp.CurrentSchemas: "current_schemas",
    exp.CurrentDatabase: "current_database",
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentTimestamp: "now",
    exp.CurrentDate: "current_date",
    exp.ExplodingGenerateSeries: "generate_series",
    exp.Explode: "unnest",
    exp.Unnest: "unnest",
    exp.Case: "case",
    exp.Exists: "exists",
    exp.Array: "array",
    exp.Coalesce: "coalesce",
    exp.Trim: "btrim",
}
_TYPE_NAMES = {
    "INT": "int4",
    "SMALLINT": "int2",
    "BIGINT": "int8",
    "BOOLEAN": "bool",
    "VARCHAR": "varchar",
    "CHAR": "bpchar",
    "DOUBLE": "float8",
    "FLOAT": "float4",
    "DECIMAL": "numeric",
}
_TRANSPARENT = (exp.Paren, exp.Bracket, exp.Collate, exp.Filter, exp.Window, exp.WithinGroup)


def column_name(node: exp.Expression) -> str:
    """The name PostgreSQL gives to an item of a select list."""
    if isinstance(node, exp.Alias):
        return node.alias
    return _inner_name(node) or UNNAMED


def type_name(data_type: exp.Expression) -> str:
    """A type of a cast as pg_type names it, without its schema; arrays end in `[]`."""
    if isinstance(data_type, exp.ObjectIdentifier):
        return str(data_type.this).lower()
    assert isinstance(data_type, exp.DataType)
    if data_type.this is exp.DataType.Type.ARRAY:
        return type_name(data_type.expressions[0]) + "[]"
    if data_type.this is exp.DataType.Type.USERDEFINED:
        kind = data_type.args["kind"]
        return str(kind if isinstance(kind, str) else kind.name).lower()
    return _TYPE_NAMES.get(data_type.this.name, data_type.this.name.lower())


def _inner_name(node: exp.Expression) -> str | None:  # noqa: PLR0911 - one line per shape
    if isinstance(node, (exp.Column, exp.Identifier)):
        return node.name
    if isinstance(node, exp.Dot):
        return _inner_name(node.expression)
    if isinstance(node, _TRANSPARENT):
        return _inner_name(node.this)
    if isinstance(node, exp.Cast):
        return _inner_name(node.this) or type_name(node.to).removesuffix("[]")
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        named = _inner_name(default) if default is not None else None
        return named or "case"
    if isinstance(node, exp.Subquery):
        inner = node.this
        first = inner.selects[0] if isinstance(inner, exp.Query) and inner.selects else None
        return column_name(first) if first is not None else None
    if isinstance(node, exp.Func) and not isinstance(node, (exp.Binary, exp.Connector)):
        return _function_name(node)
    return None


def _function_name(node: exp.Func) -> str | None:
    if (spelled := _SPELLED.get(type(node))) is not None:
        return spelled
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    called = _CALL.match(node.sql(dialect="postgres"))
    return called[1].lower() if called else None
