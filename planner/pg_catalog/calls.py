"""Calls of PostgreSQL's functions: ours by their qualified name, the session's by its variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import sqlglot
from sqlglot import exp

from planner.errors import NameProblem, ValueProblem
from planner.pg_catalog.macros import CATALOG_MACROS
from planner.pg_catalog.quoting import quote_text
from planner.pg_catalog.relations import SCHEMA_IN_DUCKDB

_SCHEMAS = frozenset({"pg_catalog", "information_schema"})
_RENAMED: Mapping[str, str] = {
    "json_build_object": "json_object",
    "jsonb_build_object": "json_object",
    "json_build_array": "json_array",
    "char_length": "length",
    "character_length": "length",
    "btrim": "trim",
    "bool_and": "bool_and",
    "every": "bool_and",
    "string_to_array": "string_split",
    "regexp_split_to_array": "regexp_split_to_array",
    "clock_timestamp": "now",
    "statement_timestamp": "now",
    "transaction_timestamp": "now",
    "to_json": "to_json",
    "row_to_json": "to_json",
}
"""Functions that DuckDB has under another name."""
_REFUSED = frozenset(
    [
        "getvariable",
        "getenv",
        "query",
        "query_table",
        "which_secret",
        "nextval",
        "currval",
        "pg_sleep",
        "pg_terminate_backend",
        "pg_cancel_backend",
        "pg_read_file",
        "pg_ls_dir",
        "dblink",
        "lo_import",
        "lo_export",
        "parse_duckdb_log_message",
        "write_log",
        "error",
    ]
)
"""DuckDB's functions that see more than the catalog, and PostgreSQL's that act on the server."""

_NOW = "get_current_timestamp()"
_TIMES: Mapping[type[exp.Expr], str] = {
    exp.CurrentTimestamp: _NOW,
    exp.CurrentTime: f"{_NOW}::TIMESTAMP::TIME",
    exp.Localtime: f"{_NOW}::TIMESTAMP::TIME",
    exp.Localtimestamp: f"{_NOW}::TIMESTAMP",
    exp.CurrentDate: f"{_NOW}::TIMESTAMP::DATE",
}
"""Bare words, which DuckDB takes for the column that is named by them."""
_FORMATS: Mapping[str, str] = {"%s": "concat", "%I": "quote_ident", "%L": "quote_nullable"}
"""What a place of format() does with its argument."""

_OPERATORS: Mapping[str, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "~": lambda left, right: exp.RegexpLike(this=left, expression=right),
    "!~": lambda left, right: exp.Not(this=exp.RegexpLike(this=left, expression=right)),
    "~*": lambda left, right: exp.RegexpILike(this=left, expression=right),
    "!~*": lambda left, right: exp.Not(this=exp.RegexpILike(this=left, expression=right)),
    "~~": lambda left, right: exp.Like(this=left, expression=right),
    "!~~": lambda left, right: exp.Not(this=exp.Like(this=left, expression=right)),
    "~~*": lambda left, right: exp.ILike(this=left, expression=right),
    "=": lambda left, right: exp.EQ(this=left, expression=right),
    "<>": lambda left, right: exp.NEQ(this=left, expression=right),
    "!=": lambda left, right: exp.NEQ(this=left, expression=right),
    "<": lambda left, right: exp.LT(this=left, expression=right),
    "<=": lambda left, right: exp.LTE(this=left, expression=right),
    ">": lambda left, right: exp.GT(this=left, expression=right),
    ">=": lambda left, right: exp.GTE(this=left, expression=right),
    "+": lambda left, right: exp.Add(this=left, expression=right),
    "-": lambda left, right: exp.Sub(this=left, expression=right),
    "||": lambda left, right: exp.DPipe(this=left, expression=right),
}
"""`OPERATOR(pg_catalog.…)` as what the operator alone parses to."""


def unwrap_schemas(tree: exp.Expr) -> None:
    """`pg_catalog.f(…)` to `f(…)`."""
    for dot in reversed([*tree.find_all(exp.Dot)]):
        schema, call = dot.this, dot.expression
        if isinstance(schema, exp.Identifier) and isinstance(call, exp.Func):
            if schema.name.lower() not in _SCHEMAS:
                raise NameProblem(f'schema "{schema.name}" does not exist', sqlstate="3F000")
            dot.replace(call.copy())


def rewrite_operators(tree: exp.Expr) -> None:
    """Named operators to plain ones; collations are dropped, for all text compares bytewise."""
    for node in reversed([*tree.find_all(exp.Operator, exp.Collate)]):
        if isinstance(node, exp.Collate):
            node.replace(node.this.copy())
            continue
        sign = str(node.args["operator"]).rpartition(".")[2].strip()
        build = _OPERATORS.get(sign)
        if build is None:
            raise NameProblem(f"operator does not exist: {sign}", sqlstate="42883")
        node.replace(exp.Paren(this=build(node.this.copy(), node.expression.copy())))


def rewrite_texts(tree: exp.Expr) -> None:
    """Escape strings to plain ones; LIKE gets the backslash that PostgreSQL escapes with."""
    for string in [*tree.find_all(exp.ByteString)]:
        string.replace(exp.Literal.string(string.this))
    for like in [*tree.find_all(exp.Like, exp.ILike)]:
        plain = isinstance(like.expression, exp.Literal) and "\\" not in like.expression.this
        if not plain and not isinstance(like.parent, exp.Escape):
            escaped = exp.Escape(this=like.copy(), expression=exp.Literal.string("\\"))
            like.replace(exp.Paren(this=escaped))


def rewrite_calls(tree: exp.Expr, *, database: str, version: str) -> None:
    """Give every function its name in DuckDB.

    Raises:
        NameProblem: a function that a catalog statement may not call (42883).
    """
    constants: dict[type[exp.Expr], str] = {
        exp.CurrentSchema: quote_text("public"),
        exp.CurrentDatabase: quote_text(database),
        exp.CurrentCatalog: quote_text(database),
        exp.CurrentVersion: quote_text(version),
        exp.CurrentUser: "getvariable('session_user')::VARCHAR",
        exp.SessionUser: "getvariable('session_user')::VARCHAR",
        **_TIMES,
    }
    by_name = {
        "version": constants[exp.CurrentVersion],
        "current_schema": constants[exp.CurrentSchema],
        "current_database": constants[exp.CurrentDatabase],
        "current_user": constants[exp.CurrentUser],
        "current_role": constants[exp.CurrentUser],
        "session_user": constants[exp.CurrentUser],
        "user": constants[exp.CurrentUser],
    }
    nodes: list[exp.Expr] = [*tree.find_all(exp.Func, exp.Column)]
    for node in reversed(nodes):
        if isinstance(node, exp.Column):
            if node.name.lower() in {"user", "current_role"} and _is_bare(node):
                node.replace(_parsed(constants[exp.CurrentUser]))
        elif type(node) in constants:
            node.replace(_parsed(constants[type(node)]))
        elif isinstance(node, exp.CurrentSchemas) or _called(node) == "current_schemas":
            node.replace(_current_schemas(node))
        elif isinstance(node, exp.Anonymous):
            _rewrite_anonymous(node, by_name)


def rewrite_formats(tree: exp.Expr) -> None:
    """`format('%I.%s', a, b)` as a concatenation; only a literal format can be read."""
    for node in reversed([*tree.find_all(exp.Anonymous, exp.Format)]):
        if isinstance(node, exp.Format) or node.name.lower() == "format":
            named = isinstance(node, exp.Anonymous)
            pattern, *arguments = node.expressions if named else (node.this, *node.expressions)
            if isinstance(pattern, exp.Literal):
                node.replace(_formatted(pattern.this, arguments))


def _formatted(pattern: str, arguments: list[exp.Expr]) -> exp.Expr:
    remaining = iter(arguments)
    parts: list[exp.Expr] = []
    for piece in re.split(r"(%[sIL%])", pattern):
        if piece == "%%":
            parts.append(exp.Literal.string("%"))
        elif piece in _FORMATS:
            argument = next(remaining, None)
            if argument is None:
                raise ValueProblem("too few arguments for format()")
            call = exp.Anonymous(this=_FORMATS[piece], expressions=[argument.copy()])
            parts.append(call)
        elif piece:
            parts.append(exp.Literal.string(piece))
    whole = parts[0] if parts else exp.Literal.string("")
    for part in parts[1:]:
        whole = exp.DPipe(this=whole, expression=part)
    return exp.Paren(this=whole)


def _is_bare(column: exp.Column) -> bool:
    return not column.table and not column.this.args.get("quoted")


def _parsed(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="duckdb")


def _called(node: exp.Expr) -> str:
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def _current_schemas(node: exp.Expr) -> exp.Expr:
    argument = node.expressions[0] if node.expressions else node.this
    case = _parsed("(CASE WHEN true THEN ['pg_catalog', 'public'] ELSE ['public'] END)")
    branch = case.find(exp.If)
    assert branch is not None
    branch.set("this", argument.copy())
    return case


def _rewrite_anonymous(node: exp.Anonymous, by_name: Mapping[str, str]) -> None:
    name = _called(node)
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
        return  # one of ours, put there by an earlier pass
    if name in _REFUSED:
        raise NameProblem(f"function {name} does not exist", sqlstate="42883")
    if name in by_name and not node.expressions:
        node.replace(_parsed(by_name[name]))
    elif name in CATALOG_MACROS:
        schema = exp.to_identifier(SCHEMA_IN_DUCKDB["pg_catalog"])
        call = exp.Anonymous(this=name, expressions=node.expressions)
        node.replace(exp.Dot(this=schema, expression=call))
    elif name in _RENAMED:
        node.set("this", _RENAMED[name])
