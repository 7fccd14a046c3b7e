"""Macros for texts and bytes, and for the texts of values: reading and writing them."""

from __future__ import annotations

from planner.composing.functions.macro_errors import raising
from planner.values.quoting import QUOTED_WORDS, quote_text

LENGTH_MAX = 1 << 26
"""Length of the longest text or list that one call makes: DuckDB's memory limit misses these."""
_TOO_LONG = raising("54000", "'requested length too large'")
_BAD_BOOLEAN = raising("22P02", "'invalid input syntax for type boolean: \"' || t || '\"'")
_BAD_INTEGER = raising("22P02", "'invalid input syntax for type integer: \"' || t || '\"'")
_NO_TEXT = raising("0A000", "'a row, a map or an array of them as a text is not supported'")
_UUID = "[0-9a-fA-F]{4}(-?[0-9a-fA-F]{4}){7}"
_BAD_UUID = raising("22P02", "'invalid input syntax for type uuid: \"' || t || '\"'")
_QUOTED = "'\"' || replace(replace(e, '\\', '\\\\'), '\"', '\\\"') || '\"'"
_NAME = r'(?:"(?:[^"]|"")+"|[A-Za-z_\x{80}-\x{10FFFF}][\w$\x{80}-\x{10FFFF}]*)'
"""A name as `parse_ident` reads it."""

TEXT_MACROS: tuple[str, ...] = (
    """pg_sg_substring(t, f, n) AS CASE WHEN n < 0 AND t IS NOT NULL AND f IS NOT NULL
        THEN """
    + raising("22011", "'negative substring length not allowed'")
    + """
        WHEN f IS NOT NULL AND n IS NOT NULL
        THEN substring(t, greatest(f, 1), greatest(f + n - greatest(f, 1), 0)) END""",
    f"""pg_sg_repeat(t, n) AS CASE WHEN strlen(t)::HUGEINT * n > {LENGTH_MAX} THEN {_TOO_LONG}
        ELSE repeat(t::VARCHAR, n) END""",
    f"""pg_sg_length(n) AS CASE WHEN n > {LENGTH_MAX} THEN {_TOO_LONG}
        WHEN n IS NOT NULL THEN CAST(greatest(n, 0) AS INTEGER) END""",
    "pg_sg_pad_length(t, n) AS CASE WHEN t IS NOT NULL THEN pg_sg_length(n) END",
    "pg_sg_substring_from(t, f) AS CASE WHEN f IS NOT NULL THEN substring(t, greatest(f, 1)) END",
    "pg_sg_to_hex(n) AS lower(to_hex(n))",
    f"""pg_sg_quote_ident(t) AS CASE WHEN regexp_full_match(t, '[a-z_][a-z0-9_]*')
        AND t NOT IN ({", ".join(map(quote_text, sorted(QUOTED_WORDS)))})
        THEN t ELSE '"' || replace(t, '"', '""') || '"' END""",
    """pg_sg_format_ident(t) AS CASE WHEN t IS NULL THEN """
    + raising("22004", "'null values cannot be formatted as an SQL identifier'")
    + " ELSE pg_sg_quote_ident(t) END",
    *(
        f"""pg_sg_{side}ded(t, n) AS {side}(coalesce(t, ''),
            CAST(greatest(n, length(coalesce(t, ''))) AS INTEGER), ' ')"""
        for side in ("lpad", "rpad")
    ),
    rf"""pg_sg_parse_ident(t) AS CASE
        WHEN NOT regexp_full_match(t, '\s*{_NAME}(\s*\.\s*{_NAME})*\s*') THEN """
    + raising("22023", "'string is not a valid identifier: \"' || t || '\"'")
    + r""" ELSE list_transform(regexp_extract_all(t, '"(?:[^"]|"")+"|[^".\s]+'),
        lambda w: CASE WHEN w[1] = '"' THEN replace(w[2:-2], '""', '"') ELSE lower(w) END) END""",
    "pg_sg_quote_literal(t) AS CASE WHEN contains(t, '\\') THEN 'E' ELSE '' END || '''' || "
    "replace(replace(t, '''', ''''''), '\\', '\\\\') || ''''",
    "pg_sg_quote_nullable(t) AS coalesce(pg_sg_quote_literal(t), 'NULL')",
    """pg_sg_split_part(t, d, n) AS CASE WHEN n = 0 AND t IS NOT NULL AND d IS NOT NULL THEN """
    + raising("22023", "'field position must not be zero'")
    + """ WHEN d = '' AND t IS NOT NULL THEN
            CASE WHEN abs(n) = 1 THEN t WHEN n IS NOT NULL THEN '' END
        ELSE split_part(t, d, n) END""",
    """pg_sg_chr(n) AS CASE WHEN n > 0 AND n < 55296 OR n > 57343 AND n < 1114112 THEN chr(n)
        WHEN n < 0 THEN """
    + raising("22023", "'character number must be positive'")
    + " WHEN n = 0 THEN "
    + raising("54000", "'null character not permitted'")
    + " WHEN n IS NOT NULL THEN "
    + raising("54000", "'requested character not valid for encoding: ' || n")
    + " END",
    # DuckDB's upper('ß') is 'ẞ'; PostgreSQL keeps 'ß' in all locales.
    """pg_sg_upper(t) AS CASE WHEN contains(t, 'ß') THEN list_aggregate(list_transform(
        string_split(t, 'ß'), lambda w: upper(w)), 'string_agg', 'ß') ELSE upper(t) END""",
    r"""pg_sg_initcap(t) AS CASE WHEN t = '' THEN t ELSE list_aggregate(list_transform(
        regexp_extract_all(t, '[\pL\pN]+|[^\pL\pN]+'),
        lambda w: pg_sg_upper(left(w, 1)) || lower(substring(w, 2))), 'string_agg', '') END""",
    r"""pg_sg_from_hex(t) AS CASE WHEN regexp_full_match(t, '\s*([0-9A-Fa-f]{2}\s*)*') OR t IS NULL
        THEN unhex(regexp_replace(t, '\s', '', 'g')) ELSE """
    + raising("22023", "'invalid hexadecimal data'")
    + " END",
    r"""pg_sg_from_base64(t) AS CASE WHEN t IS NULL OR regexp_full_match(
        regexp_replace(t, '\s', '', 'g'),
        '([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?')
        THEN from_base64(regexp_replace(t, '\s', '', 'g')) ELSE """
    + raising("22023", "'invalid base64 data'")
    + " END",
    """pg_sg_overlay(t, n, f, l) AS CASE
        WHEN t IS NULL OR n IS NULL OR f IS NULL OR l IS NULL THEN NULL WHEN f < 1 THEN """
    + raising("22011", "'negative substring length not allowed'")
    + " ELSE left(t, f - 1) || n || substring(t, greatest(f + l, 1)) END",
    # `names` and `held` are the names and values of all settings.
    """pg_sg_setting(n, m, names, held) AS CASE
        WHEN n IS NULL OR m IS NULL THEN NULL
        WHEN list_contains(names, lower(n)) THEN held[list_position(names, lower(n))]
        WHEN NOT m THEN """
    + raising("42704", "'unrecognized configuration parameter \"' || n || '\"'")
    + """ END""",
    """pg_sg_bytes_count(b) AS CASE WHEN octet_length(b) = 0 THEN 0
        ELSE CAST(bit_count(CAST(b AS BIT)) AS BIGINT) END""",
    "pg_sg_character(t, i) AS CASE WHEN i >= 0 THEN substring(t, CAST(i AS BIGINT) + 1, 1) END",
    "pg_sg_cut(l, n) AS list_transform(l, lambda e: left(e, n))",
    "pg_sg_regexp_count(t, p) AS CAST(len(regexp_extract_all(t, p)) AS INTEGER)",
    """pg_sg_regexp_group(t, p, g) AS
        regexp_extract_all(t, p, g)[1]""",
    """pg_sg_bytes(t) AS CASE WHEN contains(t, '\\') THEN unhex(pg_sg_digits_of(t))
        ELSE encode(t) END""",
    f"""pg_sg_boolean(t) AS CASE
        WHEN lower(trim(t)) IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1') THEN true
        WHEN lower(trim(t)) IN
            ('f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0') THEN false
        WHEN t IS NULL THEN NULL ELSE {_BAD_BOOLEAN} END""",
    rf"""pg_sg_uuid(t) AS CASE WHEN regexp_full_match(t, '{_UUID}|\{{{_UUID}\}}') OR t IS NULL
        THEN t ELSE {_BAD_UUID} END""",
    rf"""pg_sg_whole(t) AS CASE WHEN regexp_full_match(t, '\s*[+-]?[0-9]+\s*') OR t IS NULL
        THEN t ELSE {_BAD_INTEGER} END""",
    r"""pg_sg_float_text(x) AS CASE WHEN isnan(x) THEN 'NaN' WHEN isinf(x) THEN
        CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END
        WHEN abs(x) >= 1e15 AND abs(x) < 1e16 THEN
            regexp_replace(printf('%.15e', CAST(x AS DOUBLE)), '\.?0*e', 'e')
        ELSE regexp_replace(CAST(x AS VARCHAR), '\.0$', '') END""",
    # DuckDB writes the real 1234567 in full; PostgreSQL writes `1.234567e+06` from seven digits on.
    r"""pg_sg_with_exponent(t) AS regexp_replace(regexp_replace(replace(t, '.', ''),
        '^(-?\d)(\d*?)0*$', '\1.\2'), '\.$', '')
        || 'e+' || lpad(CAST(strlen(ltrim(split_part(t, '.', 1), '-')) - 1 AS VARCHAR), 2, '0')""",
    """pg_sg_real_text(x) AS CASE WHEN abs(x) >= 1e6 AND abs(x) < 1e16
        THEN pg_sg_with_exponent(CAST(CAST(x AS REAL) AS VARCHAR)) ELSE pg_sg_float_text(x) END""",
    "pg_sg_boolean_text(x) AS CASE WHEN x THEN 't' WHEN NOT x THEN 'f' END",
    f"""pg_sg_plain_text(x) AS CASE
        WHEN regexp_matches(typeof(x), '^(STRUCT|TUPLE|MAP|UNION)[(]|]$') THEN {_NO_TEXT}
        ELSE CAST(x AS VARCHAR) END""",
    r"""pg_sg_field_text(e) AS CASE WHEN e IS NULL THEN ''
        WHEN e = '' OR regexp_matches(e, '[\s\x0b(),"\\]')
        THEN '"' || replace(replace(e, '\', '\\'), '"', '""') || '"' ELSE e END""",
    rf"""pg_sg_array_text(l) AS CASE WHEN len(l) = 0 THEN '{{}}' ELSE
        '{{' || list_aggregate(list_transform(
        list_transform(l, lambda v: CAST(v AS VARCHAR)), lambda e: CASE WHEN e IS NULL THEN 'NULL'
        WHEN e = '' OR lower(e) = 'null' OR regexp_matches(e, '[\s\x0b{{}},"\\]')
        THEN {_QUOTED} ELSE e END), 'string_agg', ',') || '}}' END""",
    # DuckDB writes ` (BC)` after the day; PostgreSQL writes ` BC` at the end.
    r"""pg_sg_moment_text(t) AS CASE WHEN contains(CAST(t AS VARCHAR), '(BC)')
        THEN regexp_replace(CAST(t AS VARCHAR), ' \(BC\)(.*)$', '\1 BC')
        ELSE CAST(t AS VARCHAR) END""",
    "pg_sg_bytea_text(b) AS '\\x' || lower(hex(b))",
    *(
        f"pg_sg_{each}_texts(l) AS list_transform(l, lambda v: pg_sg_{each}_text(v))"
        for each in ("boolean", "float", "real", "bytea", "interval", "plain", "moment")
    ),
)
"""`name(parameters) AS body`; a macro may use those above it."""
