"""PostgreSQL's functions that DuckDB lacks or computes differently, as macros.

Their names begin with `pg_sg_`. No statement can name them: `planner.postgres` puts the calls into
trees. DuckDB expands a macro where it is called, so a call costs what the macro's body costs.

Macros for json and for types that are held as texts are here; those for arrays, series and vectors
of the catalog are in `array_macros`, the others in `scalar_macros`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.composing.functions.array_macros import ARRAY_MACROS, DIMENSION_MACROS
from planner.composing.functions.scalar_macros import (
    NUMBER_MACROS,
    TEXT_MACROS,
    TIME_MACROS,
    raising,
)
from planner.values.quoting import quote_text
from planner.values.sqltypes import CANONICAL_TEXTS, reading_macro
from stores.types.kinds import Kind

JSON_MACROS: tuple[str, ...] = (
    """pg_sg_json_number(x) AS CASE WHEN isfinite(x) OR x IS NULL THEN to_json(x)
        ELSE to_json(pg_sg_float_text(x)) END""",
    "pg_sg_json_real(x) AS pg_sg_json_number(CAST(CAST(x AS VARCHAR) AS DOUBLE))",
    # DuckDB's json reader accepts a trailing comma, NaN and Infinity; PostgreSQL does not.
    r"""pg_sg_json(t) AS CASE WHEN regexp_matches(t, '(?i)nan|inf|,\s*[\]}]')
        THEN pg_sg_checked_json(t) ELSE t END""",
    """pg_sg_json_typeof(j) AS CASE json_type(j) WHEN 'OBJECT' THEN 'object'
        WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean'
        WHEN 'NULL' THEN 'null' ELSE CASE WHEN j IS NOT NULL THEN 'number' END END""",
    """pg_sg_json_pointer(l) AS list_aggregate(list_prepend('', list_transform(l,
        lambda s: replace(replace(s, '~', '~0'), '/', '~1'))), 'string_agg', '/')""",
    """pg_sg_json_array_length(j) AS CASE WHEN json_type(j) <> 'ARRAY' THEN """
    + raising("22023", "'cannot get array length of a non-array'")
    + " ELSE CAST(json_array_length(j) AS INTEGER) END",
    "pg_sg_json_path(j, l) AS json_extract(j, pg_sg_json_pointer(l))",
    """pg_sg_json_path_text(j, l) AS json_extract_string(j, pg_sg_json_pointer(l))""",
    """pg_sg_json_keys(j) AS CASE WHEN json_type(j) = 'OBJECT' OR j IS NULL THEN json_keys(j)
        ELSE """
    + raising("22023", "'cannot call json_object_keys on a non-object'")
    + " END",
    "pg_sg_json_elements(j) AS CAST(json_extract(j, '$[*]') AS JSON[])",
    "pg_sg_json_elements_text(j) AS CAST(json_extract_string(j, '$[*]') AS VARCHAR[])",
    """pg_sg_json_has_key(j, k) AS CASE json_type(j) WHEN 'OBJECT' THEN
        list_contains(json_keys(j), k) WHEN 'ARRAY' THEN
        list_contains(json_extract_string(j, '$[*]'), k)
        ELSE json_extract_string(j, '$') = k END""",
)
"""`name(parameters) AS body`; a macro may use those above it."""


def _macros_that_read(kind: Kind) -> Iterator[str]:
    """Yield macros that read a text as a type such as uuid, the last one each text of a list."""
    record, name = kind.record, reading_macro(kind)
    assert record.spelling is not None, "the type has a spelling"
    found, held = "lower(t)", quote_text(record.spelling.held)
    for pattern, fresh in record.spelling.steps:
        found = f"regexp_replace({found}, {quote_text(pattern)}, {quote_text(fresh)}, 'g')"
    invalid = quote_text(f'invalid input syntax for type {record.spelled}: "')
    error = raising("22P02", f"{invalid} || t || '\"'")
    yield f"""{name}_held(t, s) AS CASE WHEN regexp_full_match(s, {held})
        THEN s WHEN t IS NOT NULL THEN {error} END"""
    yield f"{name}(t) AS {name}_held(t, {found})"
    yield f"{name}s(l) AS list_transform(l, lambda e: {name}(e))"


READING_MACROS: tuple[str, ...] = tuple(
    macro for kind in Kind if kind in CANONICAL_TEXTS for macro in _macros_that_read(kind)
)
"""`name(parameters) AS body`; a macro may use those above it."""


MACROS: tuple[str, ...] = (
    *NUMBER_MACROS,
    *TIME_MACROS,
    *TEXT_MACROS,
    *ARRAY_MACROS,
    *DIMENSION_MACROS,
    *JSON_MACROS,
    *READING_MACROS,
)
"""`name(parameters) AS body`, in the order in which they are created: some use those above."""
