"""Macros for json."""

from __future__ import annotations

from planner.composing.functions.macro_errors import raising

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
