"""PostgreSQL's reserved words."""

from __future__ import annotations

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
FUNCTION_WORDS = frozenset(
    [
        *("authorization", "binary", "collation", "concurrently", "cross", "current_schema"),
        *("freeze", "full", "ilike", "inner", "is", "isnull", "join", "left", "like", "natural"),
        *("notnull", "outer", "overlaps", "right", "similar", "tablesample", "verbose"),
    ]
)
"""Reserved words that may name a function or a type, and be the value of a setting."""
