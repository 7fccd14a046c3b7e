"""The vocabulary of generated statements: types, names, and functions in FROM."""

from __future__ import annotations

SORTS = (
    """
    integer|bigint|numeric|double precision|text|boolean|date|timestamp|timestamptz|interval|bytea
    |bigint[]|json|jsonb|uuid|smallint|real
""".replace("\n    ", "")
    .strip()
    .split("|")
)
ORDERABLE = tuple(sort for sort in SORTS if sort != "json")
COUNTED = ("integer", "bigint", "numeric", "smallint")
"""Types whose sums and averages are exact, and therefore independent of the order of rows."""
ALIASES = ("t", "a", "r0", "r1", "r2", "pg_sg_r0", "samples", "select", "Q", "old", "values", "r")
NAMES = ("x", "id", "r0", "count", "order", "Name", "pg_sg_sum", "select", "row", "name", "_x", "y")
SERIES = (
    ("generate_series(0::bigint, 3)", "bigint"),
    ("unnest('{1,NULL,2}'::bigint[])", "bigint"),
    ("string_to_table('a,b', ',')", "text"),
    ("regexp_split_to_table('a1b2', '\\d')", "text"),
    ("json_array_elements('[1, {\"a\": 2}]'::json)", "json"),
    ('jsonb_array_elements(\'[1.50, 1.5, {"b": 1, "a": 2}, null]\'::jsonb)', "jsonb"),
    ("json_array_elements_text('[\"abc\", null]'::json)", "text"),
    ('json_object_keys(\'{"a": 1, "abc": 2}\'::json)', "text"),
)
"""Functions in FROM, and the types of their rows."""
KEYS = {
    "samples": ("id",),
    "notes": ("sample", "number"),
    "clicks": ("name", "window_start"),
    "visits": ("name", "window_start", "window_end"),
    "r0": ("id",),
}


_PLAIN = frozenset({"t", "a", "r0", "r1", "r2", "pg_sg_r0", "samples", "old", "r"}) | {
    *("x", "id", "count", "pg_sg_sum", "name", "_x", "y", "notes", "clicks", "visits", "note"),
    *("i", "s", "b", "n", "d", "f", "day", "at", "tz", "u", "j", "sample", "number"),
    *("window_start", "window_end", "pg_sg_x"),
}


def quoted(name: str) -> str:
    """Quote a name where it is a word of SQL or has capitals."""
    return name if name in _PLAIN else f'"{name}"'
