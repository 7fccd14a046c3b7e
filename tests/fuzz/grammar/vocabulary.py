"""The vocabulary of generated statements: types, names, functions in FROM, and what may fail."""

from __future__ import annotations

from collections.abc import Mapping

SORTS = (
    """
    integer|bigint|numeric|double precision|text|boolean|date|timestamp|timestamptz|interval|bytea
    |bigint[]|json|jsonb|uuid|smallint|real|time|text[]|bigint[][]
""".replace("\n    ", "")
    .strip()
    .split("|")
)
ORDERABLE = tuple(sort for sort in SORTS if sort != "json")
COUNTED = ("integer", "bigint", "numeric", "smallint")
"""Types whose sums and averages are exact, and therefore independent of the order of rows."""
ALIASES = ("t", "a", "r0", "r1", "r2", "pg_sg_r0", "samples", "select", "Q", "old", "values", "r")
NAMES = ("x", "id", "r0", "count", "order", "Name", "pg_sg_sum", "select", "row", "name", "_x", "y")
KEYS = {
    "samples": ("id",),
    "notes": ("sample", "number"),
    "clicks": ("name", "window_start"),
    "visits": ("name", "window_start", "window_end"),
    "r0": ("id",),
    "words": ("word",),
}
ZONES = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"),
    *("America/St_Johns", "Pacific/Apia"),
)
"""Time zones of sessions; all but one have had daylight saving time."""


_PLAIN = frozenset({"t", "a", "r0", "r1", "r2", "pg_sg_r0", "samples", "old", "r"}) | {
    *("x", "id", "count", "pg_sg_sum", "name", "_x", "y", "notes", "clicks", "visits", "note"),
    *("i", "s", "b", "n", "d", "f", "day", "at", "tz", "u", "j", "sample", "number"),
    *("words", "word", "unit", "pattern", "regex", "template", "form", "flags", "doc", "grid"),
    *("names", "wakes", "span"),
    *("window_start", "window_end", "pg_sg_x"),
}


def quoted(name: str) -> str:
    """Quote a name where it is a word of SQL or has capitals."""
    return name if name in _PLAIN else f'"{name}"'


RISKY_TEXTS: Mapping[str, str] = {
    "integer": """
({integer} / {integer})
({integer} % {integer})
mod({integer}, {integer})
(2147483647 + {integer})
{text}::integer
{numeric}::integer
{double precision}::integer
{bigint}::integer
div({numeric}, {integer})::integer
""",
    "smallint": """
({integer} * 10000)::smallint
({smallint} * 20000::smallint)
""",
    "bigint": """
({bigint} + {bigint})
({bigint} * {bigint})
(- {bigint})
abs({bigint})
{double precision}::bigint
""",
    "numeric": """
({numeric} / {numeric})
({numeric} / {integer})
{text}::numeric
{numeric}::numeric(4,1)
""",
    "double precision": """
({double precision} / {double precision})
({double precision} * {double precision})
({double precision} * 10)
sqrt({double precision})
ln({numeric}::double precision)
{text}::double precision
""",
    "text": """
chr({integer})
repeat({text}, {integer})
format({'template}, {text}, {integer})
substring({text} from {text})
regexp_replace({text}, {text}, {text}, 'g')
split_part({text}, 'b', {integer})
substring({text} from 1 for {integer})
lpad({text}, {integer}, 'x')
""",
    "date": """
{text}::date
{'time}::date
({date} + {integer})
make_date(2021, {integer}, 29)
{timestamp}::date
""",
    "timestamp": """
({timestamp} + interval '1 day')
({timestamp} - interval '1 year')
{text}::timestamp
{'time}::timestamp
""",
    "timestamptz": "({timestamptz} + interval '1 hour')\n{text}::timestamptz\n{'time}::timestamptz",
    "boolean": """
({text} ~ {text})
({text} SIMILAR TO {text})
{text}::boolean
({'small}::text)::boolean
""",
    "uuid": "{text}::uuid",
    "bytea": """
set_byte({bytea}, {'small}, {integer})
decode({text}, {'form})
""",
    "json": "{text}::json",
    "jsonb": "{text}::jsonb\n({jsonb} - 'a')\n({jsonb} #- ARRAY['a', '0'])",
    "bigint[]": "{text}::bigint[]",
    "interval": "{text}::interval\n{'length}::interval",
    "real": "{double precision}::real",
}
"""Forms of `forms` that fail for some rows, by type."""
