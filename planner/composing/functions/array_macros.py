"""Macros for arrays of one and of several dimensions, for series, and for vectors of the catalog.

An array of two dimensions is a list of lists here. DuckDB's lists can have rows of different
lengths, which PostgreSQL's arrays cannot; macros that look at the rows refuse them.
"""

from __future__ import annotations

from collections.abc import Iterator

from stategate.planner.composing.functions.scalar_macros import raising
from stategate.planner.values.array_text import DIMENSIONS_MAX

SERIES_MAX = 1 << 23
"""Maximum elements of a series that is made as a list."""
_TOO_MANY = raising("54000", "'a series of more than 8388608 values must stand in FROM'")

ARRAY_MACROS: tuple[str, ...] = (
    f"""pg_sg_series_end(a, b, s) AS
        CASE WHEN (b::HUGEINT - a) // nullif(s, 0) > {SERIES_MAX} THEN {_TOO_MANY} ELSE b END""",
    f"""pg_sg_moments_end(a, b, s) AS
        CASE WHEN (epoch(b) - epoch(a)) / nullif(epoch(s), 0) > {SERIES_MAX} THEN {_TOO_MANY}
        ELSE b END""",
    "pg_sg_element(l, i) AS CASE WHEN CAST(i AS INTEGER) > 0 THEN l[CAST(i AS INTEGER)] END",
    # NULL equals no element, so an array with a NULL is contained in none.
    """pg_sg_contains_all(l, m) AS CASE WHEN l IS NOT NULL AND m IS NOT NULL
        THEN len(m) = list_count(m) AND list_has_all(l, m) END""",
    """pg_sg_array_cat(l, m) AS CASE WHEN l IS NOT NULL OR m IS NOT NULL
        THEN list_concat(l, m) END""",
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
    """pg_sg_array_positions(l, v, f) AS list_transform([{'l': l, 'v': v}], lambda g:
        list_transform(list_filter(range(1, len(g['l']) + 1),
            lambda i: g['l'][i] IS NOT DISTINCT FROM g['v']),
        lambda i: CAST(i + f - 1 AS INTEGER)))[1]""",
    """pg_sg_array_remove(l, v) AS list_transform([{'l': l, 'v': v}],
        lambda g: list_filter(g['l'], lambda e: e IS DISTINCT FROM g['v']))[1]""",
    """pg_sg_array_position(l, v, s) AS CASE WHEN len(l) > 0 AND s IS NULL THEN """
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
    # DuckDB joins no elements, or NULLs alone, to NULL.
    """pg_sg_listed(l, d) AS CASE WHEN l IS NOT NULL AND d IS NOT NULL
        THEN coalesce(array_to_string(l, d), '') END""",
    """pg_sg_array_to_string(l, d, n) AS pg_sg_listed(
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
    """pg_sg_thresholds(x, l) AS CASE WHEN len(l) > list_count(l) AND x IS NOT NULL THEN """
    + raising("22004", "'thresholds array must not contain NULLs'")
    + """ WHEN x IS NOT NULL THEN CAST(len(list_filter(l, lambda e: e <= x)) AS INTEGER) END""",
    # `= ANY` and `= ALL` over a list of booleans; NULL is unknown.
    """pg_sg_any(l) AS CASE WHEN list_contains(l, true) THEN true
        WHEN len(list_filter(l, lambda e: e IS NULL)) > 0 THEN NULL WHEN l IS NOT NULL THEN false
        END""",
    """pg_sg_all(l) AS CASE WHEN list_contains(l, false) THEN false
        WHEN len(list_filter(l, lambda e: e IS NULL)) > 0 THEN NULL WHEN l IS NOT NULL THEN true
        END""",
)
"""`name(parameters) AS body`; a macro may use those above it."""


def _once(name: str, found: str) -> str:
    """Return an expression of `v` with a value in its place, which is computed once."""
    return f"list_transform([{name}], lambda v: {found})[1]"


_DIFFERENT = raising(
    "2202E", "'multidimensional arrays must have array expressions with matching dimensions'"
)
_NO_JOIN = raising("2202E", "'cannot concatenate incompatible arrays'")
_NO_ELEMENT = raising("22000", "'argument must be empty or one-dimensional array'")
_NEW_DEPTH = raising("0A000", "'an array that changes its number of dimensions is not supported'")
_OF_GATHERED = "'cannot accumulate arrays of different dimensionality'"


def _of_depth(n: int) -> Iterator[str]:
    """Yield the macros for arrays of a number of dimensions; some use those for one less."""
    rows = f"pg_sg_flat{n - 1}(flatten(pg_sg_rows(l)))" if n > 1 else "l"
    yield f"pg_sg_flat{n}(l) AS {rows}"
    lengths = ", ".join("len(v" + "[1]" * at + ")" for at in range(n))
    shape = f"CASE WHEN len(pg_sg_flat{n}(v)) > 0 THEN [{lengths}] WHEN v IS NOT NULL THEN [] END"
    yield f"pg_sg_shape{n}(l) AS {_once('l', shape)}"
    # PostgreSQL compares the elements of all rows first, then the number and the lengths of the
    # dimensions.
    key = f"""{{'elements': pg_sg_flat{n}(v), 'lengths':
        list_prepend(len(pg_sg_shape{n}(v)), pg_sg_shape{n}(v))}}"""
    yield f"pg_sg_order{n}(l) AS {_once('l', f'CASE WHEN v IS NOT NULL THEN {key} END')}"
    texts = "VARCHAR" + "[]" * n
    yield f"pg_sg_texts{n}(t) AS CAST(CAST(pg_sg_json_of_array(t, {n}) AS JSON) AS {texts})"
    regular = f"CASE WHEN len(pg_sg_flat{n}(v)) = 0 THEN list_slice(v, 1, 0) ELSE v END"
    yield f"pg_sg_regular{n}(l) AS {_once('l', regular)}"
    yield _slice(n)
    yield _replace(n)
    if n > 1:
        yield from _of_rows(n)


def _given(**given: str) -> str:
    """Return a row of arguments, which a lambda reads: no subquery may stand in a lambda."""
    return "[{" + ", ".join(f"'{name}': {value}" for name, value in given.items()) + "}]"


def _slice(n: int) -> str:
    """Return the macro of a slice, whose bounds are in pairs; an empty one has no dimensions."""
    bounds = [f"{end}{at}" for at in range(1, n + 1) for end in ("i", "j")]
    found = ""
    for at in range(n, 0, -1):
        owner = "v['l']" if at == 1 else f"e{at}"
        cut = f"list_slice({owner}, greatest(v['i{at}'], 1), greatest(v['j{at}'], 0))"
        found = f"list_transform({cut}, lambda e{at + 1}: {found})" if found else cut
    missing = " OR ".join(f"v['{bound}'] IS NULL" for bound in bounds)
    given = _given(l="l", **{bound: bound for bound in bounds})
    whole = f"list_transform({given}, lambda v: CASE WHEN NOT ({missing}) THEN {found} END)[1]"
    return f"pg_sg_slice{n}(l, {', '.join(bounds)}) AS pg_sg_regular{n}({whole})"


def _replace(n: int) -> str:
    """Return the macro that replaces elements of all dimensions."""
    found = f"CASE WHEN e{n} IS NOT DISTINCT FROM v['a'] THEN v['b'] ELSE e{n} END"
    for at in range(n, 0, -1):
        owner = "v['l']" if at == 1 else f"e{at - 1}"
        found = f"list_transform({owner}, lambda e{at}: {found})"
    given = _given(l="l", a="a", b="b")
    return f"pg_sg_array_replace{n}(l, a, b) AS list_transform({given}, lambda v: {found})[1]"


def _of_rows(n: int) -> Iterator[str]:
    """Yield the macros that make arrays of rows, which have one dimension less."""
    shapes = f"list_transform(v, lambda r: coalesce(pg_sg_shape{n - 1}(r), []))"
    differ, no_rows = f"len(list_distinct({shapes})) > 1", f"len({shapes}[1]) = 0"
    stacked = f"""CASE WHEN {differ} THEN {_DIFFERENT}
        WHEN {no_rows} THEN list_slice(v, 1, 0) ELSE v END"""
    yield f"pg_sg_stacked{n}(l) AS {_once('l', stacked)}"
    # The first row that does not fit decides the error.
    wrong = f"""list_filter(list_transform(v, lambda r: CASE WHEN r IS NULL THEN 'null'
        WHEN len(pg_sg_shape{n - 1}(r)) = 0 THEN 'empty'
        WHEN pg_sg_shape{n - 1}(r) <> pg_sg_shape{n - 1}(v[1]) THEN 'other' END),
        lambda w: w IS NOT NULL)[1]"""
    no_null, no_empty = (f"'cannot accumulate {each} arrays'" for each in ("null", "empty"))
    gathered = f"""CASE {wrong} WHEN 'null' THEN {raising("22004", no_null)}
        WHEN 'empty' THEN {raising("2202E", no_empty)}
        WHEN 'other' THEN {raising("2202E", _OF_GATHERED)} ELSE v END"""
    yield f"pg_sg_gathered{n}(l) AS {_once('l', gathered)}"
    # With an array of the same depth, with one row before or after, and with an element.
    yield f"""pg_sg_joined{n}(l, m) AS CASE WHEN len(pg_sg_shape{n}(l)) > 0
        AND len(pg_sg_shape{n}(m)) > 0 AND pg_sg_shape{n}(l)[2:] <> pg_sg_shape{n}(m)[2:]
        THEN {_NO_JOIN} ELSE pg_sg_array_cat(l, m) END"""
    for name, parts in (("before", "[r], l"), ("after", "l, [r]")):
        yield f"""pg_sg_row_{name}{n}(l, r) AS CASE
            WHEN coalesce(len(pg_sg_shape{n - 1}(r)), 0) = 0 THEN l
            WHEN coalesce(len(pg_sg_shape{n}(l)), 0) = 0 THEN {_NEW_DEPTH}
            WHEN pg_sg_shape{n}(l)[2:] <> pg_sg_shape{n - 1}(r) THEN {_NO_JOIN}
            ELSE list_concat({parts}) END"""
    yield f"""pg_sg_unlike{n}(l, m) AS CASE WHEN len(l) = 0 OR len(m) = 0 THEN {_NEW_DEPTH}
        WHEN m IS NOT NULL AND l IS NOT NULL THEN {_NO_JOIN} ELSE l END"""
    yield f"""pg_sg_no_element{n}(l) AS CASE WHEN len(l) > 0 THEN {_NO_ELEMENT}
        ELSE {_NEW_DEPTH} END"""


DIMENSION_MACROS: tuple[str, ...] = (
    """pg_sg_rows(l) AS """
    + _once(
        "l",
        f"""CASE WHEN len(list_distinct(list_transform(v, lambda r: coalesce(len(r), -1)))) > 1
            OR len(v) > list_count(v) THEN {_DIFFERENT} ELSE v END""",
    ),
    *(macro for n in range(1, DIMENSIONS_MAX + 1) for macro in _of_depth(n)),
    # The lengths of the dimensions, as `pg_sg_shape` returns them; those of an empty array are [].
    "pg_sg_length_along(s, d) AS CASE WHEN d > 0 THEN CAST(s[d] AS INTEGER) END",
    "pg_sg_lower_along(s, d) AS CASE WHEN d > 0 AND d <= len(s) THEN 1 END",
    """pg_sg_subscripts_along(s, d) AS CASE WHEN d > 0 AND d <= len(s)
        THEN CAST(range(1, s[d] + 1) AS INTEGER[]) END""",
    "pg_sg_dimensions(s) AS CAST(nullif(len(s), 0) AS INTEGER)",
    """pg_sg_bounds_text(s) AS nullif(array_to_string(
        list_transform(s, lambda n: '[1:' || n || ']'), ''), '')""",
    """pg_sg_rows_text(l) AS CASE WHEN l IS NOT NULL THEN CASE
        WHEN len(list_filter(l, lambda t: t <> '{}')) = 0 THEN '{}' ELSE
        '{' || array_to_string(list_transform(l, lambda t: coalesce(t, 'NULL')), ',') || '}' END
        END""",
    """pg_sg_one_dimension(l) AS CASE WHEN typeof(l) LIKE '%[][]' THEN """
    + raising("0A000", "'an array of several dimensions is not supported here'")
    + " ELSE l END",
)
"""`name(parameters) AS body`; a macro may use those above it, also those for fewer dimensions."""
