"""PostgreSQL's functions that DuckDB lacks or computes differently, as macros.

Their names begin with `pg_sg_`. No statement can name them: `stategate.planner.postgres` puts the
calls into trees. DuckDB expands a macro where it is called, so a call costs what the macro's body
costs.

Macros for json and for types that are held as texts are here; those for arrays, series and vectors
of the catalog are in `array_macros`, the others in `scalar_macros`.
"""

from __future__ import annotations

from collections.abc import Iterator

from stategate.planner.composing.functions.array_macros import ARRAY_MACROS, DIMENSION_MACROS
from stategate.planner.composing.functions.scalar_macros import (
    NUMBER_MACROS,
    TEXT_MACROS,
    raising,
)
from stategate.planner.composing.functions.time_macros import TIME_MACROS
from stategate.planner.values.quoting import quote_text
from stategate.planner.values.sqltypes import SPELLED, reading_macro
from stategate.stores.types.kinds import Kind

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
    # json_agg begins a line for each row or array after the first value, but not for NULL.
    """pg_sg_json_lines(l) AS pg_sg_json_list(list_transform(l, lambda e, i:
        CASE WHEN i > 1 AND e <> 'null' THEN chr(10) || ' ' || e ELSE e END), ', ')""",
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
    *DIMENSION_MACROS,
    *JSON_MACROS,
    *READING_MACROS,
)
"""`name(parameters) AS body`, in the order in which they are created: some use those above."""
