"""Column names as Postgres gives them to expressions without an alias."""

from __future__ import annotations

from sqlglot import exp

UNNAMED = "?column?"

_FUNCTION_NAMES: dict[type[exp.Expr], str] = {
    exp.CurrentTimestamp: "now",
    exp.CurrentDate: "current_date",
    exp.CurrentTime: "current_time",
    exp.CurrentUser: "current_user",
    exp.TimestampTrunc: "date_trunc",
    exp.DateTrunc: "date_trunc",
    exp.Explode: "unnest",
    exp.Rand: "random",
    exp.ArrayAgg: "array_agg",
    exp.GroupConcat: "string_agg",
    exp.TimeToStr: "to_char",
    exp.StrToTime: "to_timestamp",
    exp.StrPosition: "position",
    exp.Substring: "substring",
    exp.ApproxDistinct: "approx_count_distinct",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.Stddev: "stddev",
    exp.StddevPop: "stddev_pop",
    exp.StddevSamp: "stddev_samp",
    exp.Variance: "variance",
    exp.VariancePop: "var_pop",
    exp.Pow: "power",
    exp.Ceil: "ceil",
    exp.RegexpReplace: "regexp_replace",
    exp.ExplodingGenerateSeries: "generate_series",
    exp.GenerateSeries: "generate_series",
}


def column_name(node: exp.Expr) -> str:  # noqa: C901, PLR0911 - one line per family
    """What Postgres calls the result column of an expression.

    A column keeps its name, a cast that of what it casts (or of its type), a function its own;
    anything else is `?column?`. Source: Postgres's `FigureColname`.
    """
    if isinstance(node, exp.Alias | exp.Column):
        return str(node.alias_or_name)
    if isinstance(node, exp.Paren | exp.Filter | exp.Window | exp.Collate | exp.AtTimeZone):
        return column_name(node.this)
    if isinstance(node, exp.Cast):
        inner = column_name(node.this)
        return inner if inner != UNNAMED else _type_name(node)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        return column_name(default) if isinstance(default, exp.Column) else "case"
    if isinstance(node, exp.Subquery):
        selects = node.this.selects if isinstance(node.this, exp.Select) else []
        return column_name(selects[0]) if selects else UNNAMED
    if isinstance(node, exp.Exists):
        return "exists"
    if isinstance(node, exp.Extract):
        return "extract"
    if isinstance(node, exp.Dot):
        return str(node.name)
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return str(node.name).lower()
    if isinstance(node, exp.Boolean):
        return "bool"
    if isinstance(node, exp.And | exp.Or | exp.Binary | exp.Unary) or not isinstance(
        node, exp.Func
    ):
        return UNNAMED
    return _FUNCTION_NAMES.get(type(node)) or node.sql_name().lower()


def _type_name(node: exp.Cast) -> str:
    names = {
        "int": "int4",
        "bigint": "int8",
        "smallint": "int2",
        "float": "float4",
        "double": "float8",
        "decimal": "numeric",
        "boolean": "bool",
        "varbinary": "bytea",
    }
    name = str(node.to.this.value).lower()
    return names.get(name, name)
