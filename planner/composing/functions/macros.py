"""PostgreSQL's functions that DuckDB lacks or computes differently, as macros.

Their names begin with `pg_sg_`. No statement can name them: `planner.postgres` puts the calls into
trees. DuckDB expands a macro where it is called, so a call costs what the macro's body costs.

Macros for arrays, series, vectors of the catalog, json, and types that are held as texts are here;
the others are in `scalar_macros`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.composing.functions.scalar_macros import (
    NUMBER_MACROS,
    TEXT_MACROS,
    TIME_MACROS,
    raising,
)
from planner.values.quoting import quote_text
from planner.values.sqltypes import SPELLED, reading_macro
from stores.types.kinds import Kind

SERIES_MAX = 1 << 23
"""Maximum elements of a series that is made as a list."""
_TOO_MANY = raising("54000", "'a series of more than 8388608 values must stand in FROM'")

ARRAY_MACROS: tuple[str, ...] = (
    f"""pg_sg_series_end(a, b, s) AS
        CASE WHEN (b::HUGEINT - a) // nullif(s, 0) > {SERIES_MAX} THEN {_TOO_MANY} ELSE b END""",
    f"""pg_sg_moments_end(a, b, s) AS
        CASE WHEN (epoch(b) - epoch(a)) / nullif(epoch(s), 0) > {SERIES_MAX} THEN {_TOO_MANY}
        ELSE b END""",
    "pg_sg_element(l, i) AS CASE WHEN i > 0 THEN l[CAST(i AS BIGINT)] END",
    # NULL equals no element, so an array with a NULL is contained in none.
    """pg_sg_contains_all(l, m) AS CASE WHEN l IS NOT NULL AND m IS NOT NULL
        THEN len(m) = list_count(m) AND list_has_all(l, m) END""",
    """pg_sg_array_cat(l, m) AS CASE WHEN l IS NOT NULL OR m IS NOT NULL
        THEN list_concat(l, m) END""",
    """pg_sg_slice(l, i, j) AS CASE WHEN i IS NOT NULL AND j IS NOT NULL
        THEN list_slice(l, greatest(i, 1), greatest(j, 0)) END""",
    """pg_sg_vector(t) AS list_transform(list_filter(string_split_regex(trim(t), ' +'),
        lambda e: e <> ''), lambda e: CAST(e AS BIGINT))""",
    """pg_sg_vector_lower(l, d) AS CASE WHEN d = 1 AND l IS NOT NULL THEN 0 END""",
    "pg_sg_vector_upper(l, d) AS CASE WHEN d = 1 THEN CAST(len(l) - 1 AS INTEGER) END",
    "pg_sg_vector_dims(l) AS '[0:' || (len(l) - 1) || ']'",
    "pg_sg_subscripts(l, d, f) AS CASE WHEN d = 1 THEN CAST(range(f, f + len(l)) AS INTEGER[]) END",
    """pg_sg_vector_text(l) AS CASE WHEN l IS NOT NULL THEN
        coalesce(array_to_string(l, ' '), '') END""",
    "pg_sg_array_length(l, d) AS CASE WHEN d = 1 THEN CAST(nullif(len(l), 0) AS INTEGER) END",
    "pg_sg_array_lower(l, d) AS CASE WHEN d = 1 AND len(l) > 0 THEN 1 END",
    "pg_sg_array_ndims(l) AS CASE WHEN len(l) > 0 THEN 1 END",
    "pg_sg_array_dims(l) AS CASE WHEN len(l) > 0 THEN '[1:' || len(l) || ']' END",
    """pg_sg_array_positions(l, v, f) AS list_transform(list_filter(range(1, len(l) + 1),
        lambda i: l[i] IS NOT DISTINCT FROM v), lambda i: CAST(i + f - 1 AS INTEGER))""",
    "pg_sg_array_remove(l, v) AS list_filter(l, lambda e: e IS DISTINCT FROM v)",
    """pg_sg_array_replace(l, a, b) AS
        list_transform(l, lambda e: CASE WHEN e IS NOT DISTINCT FROM a THEN b ELSE e END)""",
    """pg_sg_array_position(l, v, s) AS CASE WHEN s IS NULL THEN """
    + raising("22004", "'initial position must not be null'")
    + """ ELSE list_position(list_slice(l, greatest(s, 1), len(l)), v) + greatest(s, 1) - 1 END""",
    """pg_sg_array_fill(v, d) AS CASE WHEN d IS NULL THEN """
    + raising("22004", "'dimension array or low bound array cannot be null'")
    + """ WHEN len(d) > 1 THEN """
    + raising("0A000", "'array_fill() takes several dimensions as ARRAY[…] only'")
    + """ WHEN len(d) = 1 AND d[1] IS NULL THEN """
    + raising("22004", "'dimension values cannot be null'")
    + """ WHEN d[1] < 0 THEN """
    + raising("54000", "'array size exceeds the maximum allowed'")
    + """ ELSE list_transform(range(0, coalesce(pg_sg_length(d[1]), 0)), lambda i: v) END""",
    """pg_sg_trim_array(l, n) AS CASE WHEN n < 0 OR n > len(l) THEN """
    + raising("2202E", "'number of elements to trim must be between 0 and ' || len(l)")
    + " ELSE list_slice(l, 1, len(l) - n) END",
    """pg_sg_array_to_string(l, d, n) AS array_to_string(
        list_transform(l, lambda e: coalesce(CAST(e AS VARCHAR), n)), d)""",
    """pg_sg_joined(l, d) AS CASE WHEN d IS NULL THEN NULL WHEN len(l) = 0 THEN ''
        ELSE list_reduce(l, lambda a, b: a || d || b) END""",
    """pg_sg_whole_pairs_joined(l) AS CASE WHEN len(l) > 0 THEN l[1][1]
        || coalesce(array_to_string(list_transform(
            l[2:], lambda e: coalesce(e[2], '') || e[1]), ''), '') END""",
    # The separator of a value stands before it, but not before the first one.
    """pg_sg_whole_bytes_joined(l) AS CASE WHEN len(l) > 0 THEN list_reduce(list_transform(
        l, lambda e, i: CASE WHEN i = 1 THEN e[1] ELSE coalesce(e[2], ''::BLOB) || e[1] END),
        lambda a, b: a || b) END""",
    "pg_sg_bytes_joined(l) AS pg_sg_whole_bytes_joined(list_filter(l, lambda e: e[1] IS NOT NULL))",
    "pg_sg_set_of_bytes_joined(l) AS pg_sg_bytes_joined(list_sort(l))",
    "pg_sg_pairs_joined(l) AS pg_sg_whole_pairs_joined(list_filter(l, lambda e: e[1] IS NOT NULL))",
    """pg_sg_array_joined(l, d, n) AS pg_sg_joined(list_filter(list_transform(
        l, lambda e: coalesce(CAST(e AS VARCHAR), n)), lambda e: e IS NOT NULL), d)""",
    """pg_sg_string_to_array(t, d, n) AS CASE WHEN t = '' THEN [] ELSE list_transform(
        CASE WHEN d IS NULL THEN string_split(t, '') WHEN d = '' THEN [t]
        ELSE string_split(t, d) END, lambda e: nullif(e, n)) END""",
    # `= ANY` and `= ALL` over a list of booleans; NULL is unknown.
    """pg_sg_any(l) AS CASE WHEN list_contains(l, true) THEN true
        WHEN len(list_filter(l, lambda e: e IS NULL)) > 0 THEN NULL WHEN l IS NOT NULL THEN false
        END""",
    """pg_sg_all(l) AS CASE WHEN list_contains(l, false) THEN false
        WHEN len(list_filter(l, lambda e: e IS NULL)) > 0 THEN NULL WHEN l IS NOT NULL THEN true
        END""",
    "pg_sg_texts(t) AS CAST(CAST(pg_sg_json_of_array(t) AS JSON) AS VARCHAR[])",
    "pg_sg_whole_texts(t) AS list_transform(pg_sg_texts(t), lambda e: pg_sg_whole(e))",
)
"""`name(parameters) AS body`; a macro may use those above it."""


JSON_MACROS: tuple[str, ...] = (
    """pg_sg_json_typeof(j) AS CASE left(ltrim(j, ' ' || chr(9) || chr(10) || chr(13)), 1)
        WHEN '{' THEN 'object' WHEN '[' THEN 'array' WHEN '"' THEN 'string' WHEN 't' THEN 'boolean'
        WHEN 'f' THEN 'boolean' WHEN 'n' THEN 'null' ELSE CASE WHEN j IS NOT NULL THEN 'number' END
        END""",
    # A value as json; its text `t` is not NULL. Most texts have nothing to escape.
    r"""pg_sg_json_string(t) AS CASE WHEN regexp_matches(t, '["\\\x00-\x1f]')
        THEN pg_sg_json_escaped(t) ELSE '"' || t || '"' END""",
    """pg_sg_json_float(t) AS CASE WHEN t IN ('NaN', 'Infinity', '-Infinity')
        THEN '"' || t || '"' ELSE t END""",
    # Times have a T for their blank, and zones have minutes.
    r"""pg_sg_json_moment(t) AS '"' || regexp_replace(replace(regexp_replace(t,
        '([-+]\d\d)( BC)?$', '\1:00\2'), ' ', 'T'), 'TBC$', ' BC') || '"'""",
    # A CASE, not COALESCE: DuckDB computes an error that stands in two of those in advance.
    """pg_sg_json_key(j, m) AS CASE WHEN j IS NULL THEN pg_sg_error(m)
        WHEN left(j, 1) = '"' THEN j ELSE '"' || j || '"' END""",
    """pg_sg_json_list(l, d) AS CASE WHEN l IS NOT NULL THEN
        '[' || coalesce(array_to_string(l, d), '') || ']' END""",
    """pg_sg_json_members(l) AS CASE WHEN l IS NOT NULL THEN
        '{ ' || coalesce(array_to_string(l, ', '), '') || ' }' END""",
    """pg_sg_jsonb_keys(l) AS list_transform(l, lambda e: pg_sg_jsonb_key(e))""",
    """pg_sg_read_jsons(l) AS list_transform(l, lambda e: pg_sg_read_json(e))""",
    """pg_sg_read_jsonbs(l) AS list_transform(l, lambda e: pg_sg_read_jsonb(e))""",
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
    macro for kind in SPELLED for macro in _macros_that_read(kind)
)
"""`name(parameters) AS body`; a macro may use those above it."""


MACROS: tuple[str, ...] = (
    *NUMBER_MACROS,
    *TIME_MACROS,
    *TEXT_MACROS,
    *ARRAY_MACROS,
    *JSON_MACROS,
    *READING_MACROS,
)
"""`name(parameters) AS body`, in the order in which they are created: some use those above."""
