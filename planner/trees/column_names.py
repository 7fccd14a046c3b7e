"""The names of result columns, as in PostgreSQL: `count`, `?column?`, `case`.

Clients look up columns by these names. A cast has the name of its operand.
"""

from __future__ import annotations

import re

from sqlglot import exp

UNNAMED = "?column?"
ONLY_COLUMN = "only column"
"""A key of `meta`: the name of the column of a subquery that is a value, which may be a star."""
OF_STAR = "*"
"""The name of a subquery that is a star, before the names of the statement are resolved."""

_CALL = re.compile(r"\s*(?:\w+\.)*(\w+)\s*\(")
_SPELLED = {
    exp.CurrentVersion: "version",
    exp.CurrentUser: "current_user",
    exp.SessionUser: "session_user",
    exp.CurrentSchema: "current_schema",
    exp.CurrentSchemas: "current_schemas",
    exp.CurrentDatabase: "current_database",
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentDate: "current_date",
    exp.CurrentTime: "current_time",
    exp.CurrentTimestamp: "current_timestamp",
    exp.Localtime: "localtime",
    exp.Localtimestamp: "localtimestamp",
    exp.TimestampTrunc: "date_trunc",
    exp.DateTrunc: "date_trunc",
    exp.Rand: "random",
    exp.GroupConcat: "string_agg",
    exp.TimeToStr: "to_char",
    exp.StrToTime: "to_timestamp",
    exp.StrPosition: "position",
    exp.ApproxDistinct: "approx_count_distinct",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.Stddev: "stddev",
    exp.Variance: "variance",
    exp.VariancePop: "var_pop",
    exp.Pow: "power",
    exp.GenerateSeries: "generate_series",
    exp.ExplodingGenerateSeries: "generate_series",
    exp.Explode: "unnest",
    exp.Unnest: "unnest",
    exp.Case: "case",
    exp.Exists: "exists",
    exp.Array: "array",
    exp.Coalesce: "coalesce",
    exp.MatchAgainst: UNNAMED,  # the operator @@
}
_TYPE_NAMES = {
    "INT": "int4",
    "SMALLINT": "int2",
    "BIGINT": "int8",
    "BOOLEAN": "bool",
    "VARCHAR": "varchar",
    "CHAR": "bpchar",
    "NCHAR": "bpchar",
    "DOUBLE": "float8",
    "FLOAT": "float4",
    "DECIMAL": "numeric",
    "VARBINARY": "bytea",
}
_TRANSPARENT = (exp.Paren, exp.Bracket, exp.Collate, exp.Filter, exp.Window, exp.WithinGroup)


def column_name(node: exp.Expr) -> str:
    """Return PostgreSQL's name of an item of a SELECT list."""
    if isinstance(node, exp.Alias):
        return folded(node.args["alias"])
    return _named(node)[0] or UNNAMED


def folded(identifier: exp.Expr | None) -> str:
    """Return a name as PostgreSQL folds it: in lower case unless it is quoted."""
    if identifier is None:
        return ""
    quoted = bool(identifier.args.get("quoted"))
    return str(identifier.name) if quoted else str(identifier.name).lower()


def type_name(data_type: exp.Expr) -> str:
    """Return a type of a cast as pg_type names it, without its schema; arrays end in `[]`."""
    if isinstance(data_type, exp.ObjectIdentifier):
        return str(data_type.this).lower()
    assert isinstance(data_type, exp.DataType)
    if data_type.this is exp.DataType.Type.ARRAY:
        return type_name(data_type.expressions[0]) + "[]"
    if data_type.this is exp.DataType.Type.USERDEFINED:
        kind = data_type.args["kind"]
        return kind.lower() if isinstance(kind, str) else folded(kind)
    if isinstance(data_type.this, exp.Interval):
        return "interval"
    name = str(data_type.this.name)
    return _TYPE_NAMES.get(name, name.lower())


_Named = tuple[str | None, bool]
"""A name, and whether it is strong; a weak name yields to that of the surrounding expression."""

_NOTHING: _Named = (None, False)


def _named(node: exp.Expr) -> _Named:  # noqa: C901, PLR0911 - one line per shape
    """Source: PostgreSQL's FigureColnameInternal."""
    if "operator" in node.meta:
        return _NOTHING
    if isinstance(node, exp.Column):
        return folded(node.this), True
    if isinstance(node, exp.Identifier):
        return folded(node), True
    if isinstance(node, exp.Dot):
        return _named(node.expression)
    if isinstance(node, _TRANSPARENT):
        return _named(node.this)
    if isinstance(node, exp.Cast) and "name" in node.meta:
        return str(node.meta["name"]).lower(), True
    if isinstance(node, (exp.Cast, exp.Case, exp.Subquery)):
        return _named_by_inside(node)
    if isinstance(node, exp.Interval):
        return "interval", False
    if isinstance(node, exp.AtTimeZone):
        return "timezone", True
    if isinstance(node, exp.Tuple):
        return "row", True
    if isinstance(node, exp.Overlaps):
        return "overlaps", True
    is_operator = (
        isinstance(node, (exp.Binary, exp.Connector, exp.StartsWith)) and "name" not in node.meta
    )
    if isinstance(node, exp.Func) and not is_operator:
        return _function_name(node), True
    return _NOTHING


def _named_by_inside(node: exp.Expr) -> _Named:
    if isinstance(node, exp.Cast):
        inner = _named(node.this)
        return inner if inner[1] else (type_name(node.to).rstrip("[]"), False)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        inner = _named(default) if default is not None else _NOTHING
        return inner if inner[1] else ("case", False)
    query = node.this
    first = query.selects[0] if isinstance(query, exp.Query) and query.selects else None
    if first is None:
        return _NOTHING
    is_star = isinstance(first, exp.Star) or isinstance(first.this, exp.Star)
    return node.meta.get(ONLY_COLUMN) or (OF_STAR if is_star else column_name(first)), True


def _function_name(node: exp.Func) -> str | None:
    if written := node.meta.get("name"):
        return str(written).lower()
    if (spelled := _SPELLED.get(type(node))) is not None:
        return spelled
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Trim):
        return {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(node.text("position"), "btrim")
    called = _CALL.match(node.sql(dialect="postgres"))
    return called[1].lower() if called else None
