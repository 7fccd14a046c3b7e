"""Quoting of names and texts in SQL."""

from __future__ import annotations

import re

from stategate.planner.trees.reserved_words import RESERVED_WORDS

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
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
