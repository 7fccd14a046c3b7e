"""Quoting of names and texts in SQL."""

from __future__ import annotations

import re

FUNCTION_WORDS = frozenset(
    [
        *("authorization", "binary", "collation", "concurrently", "cross", "current_schema"),
        *("freeze", "full", "ilike", "inner", "is", "isnull", "join", "left", "like", "natural"),
        *("notnull", "outer", "overlaps", "right", "similar", "tablesample", "verbose"),
    ]
)
"""Reserved words that may name a function or a type, and be the value of a setting."""
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
RESERVED_WORDS = frozenset(
    [
        *("all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric"),
        *("authorization", "binary", "both", "case", "cast", "check", "collate", "collation"),
        *("column", "concurrently", "constraint", "create", "cross", "current_catalog"),
        *("current_date", "current_role", "current_schema", "current_time", "current_timestamp"),
        *("current_user", "default", "deferrable", "desc", "distinct", "do", "else", "end"),
        *("except", "false", "fetch", "for", "foreign", "freeze", "from", "full", "grant", "group"),
        *("having", "ilike", "in", "initially", "inner", "intersect", "into", "is", "isnull"),
        *("join", "lateral", "leading", "left", "like", "limit", "localtime", "localtimestamp"),
        *("natural", "not", "notnull", "null", "offset", "on", "only", "or", "order", "outer"),
        *("overlaps", "placing", "primary", "references", "returning", "right", "select"),
        *("session_user", "similar", "some", "symmetric", "table", "tablesample", "then", "to"),
        *("trailing", "true", "union", "unique", "user", "using", "variadic", "verbose", "when"),
        *("where", "window", "with"),
    ]
)
"""Words that name nothing without quotes, but a column that AS gives."""
QUOTED_WORDS = RESERVED_WORDS | frozenset(
    [
        *("between", "bigint", "bit", "boolean", "char", "character", "coalesce", "dec", "decimal"),
        *("exists", "extract", "float", "greatest", "grouping", "inout", "int", "integer"),
        *("interval", "least", "national", "nchar", "none", "normalize", "nullif", "numeric"),
        *("out", "overlay", "position", "precision", "real", "row", "setof", "smallint"),
        *("substring", "time", "timestamp", "treat", "trim", "values", "varchar", "xmlattributes"),
        *("xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlnamespaces", "xmlparse"),
        *("xmlpi", "xmlroot", "xmlserialize", "xmltable"),
    ]
)
"""The keywords that PostgreSQL's quote_ident quotes."""


def quote_name(name: str) -> str:
    """Return a name as quote_ident writes it: in quotes only if SQL needs them."""
    if _PLAIN.fullmatch(name) and name not in QUOTED_WORDS:
        return name
    return quote_always(name)


def quote_always(name: str) -> str:
    """Return a name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return a text as a literal."""
    return "'" + text.replace("'", "''") + "'"
