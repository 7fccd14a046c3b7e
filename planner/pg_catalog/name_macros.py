"""Macros that find objects by their names, and the names of objects."""

from __future__ import annotations

_PART = r'("([^"]|"")*"|[^\s."][^\s.]*)'
_DOTTED = rf"\s*{_PART}(\s*\.\s*{_PART})*\s*"
_IS_MALFORMED = f"NOT regexp_full_match(zz_name::VARCHAR, '{_DOTTED}')"
_MALFORMED = "error('{raised}42602 invalid name syntax')"
_BARE = r"""CASE WHEN contains(zz_name::VARCHAR, '"') THEN zz_name::VARCHAR
            ELSE regexp_replace(trim(zz_name::VARCHAR), '\s*\.\s*', '.', 'g') END"""
NAMES = {
    "to_regclass": "(zz_name) AS (pg_sg_found('regclass', zz_name))",
    "to_regnamespace": "(zz_name) AS (pg_sg_found('regnamespace', zz_name))",
    "to_regproc": "(zz_name) AS (pg_sg_name_of('regproc', pg_sg_found('regproc', zz_name)))",
    "to_regrole": """(zz_name) AS (CASE
        WHEN zz_name = getvariable('session_user') THEN 10
        ELSE (SELECT zz_r.oid FROM {look}.roles AS zz_r WHERE zz_r.rolname = zz_name) END)""",
    "to_regtype": "(zz_name) AS (pg_sg_found('regtype', zz_name))",
}
"""Functions from names to oids; NULL for an unknown name."""

LOOKUP_MACROS = {
    "found": f"""(zz_kind, zz_name) AS (CASE
        WHEN zz_kind IN ('regclass', 'regproc', 'regnamespace') AND {_IS_MALFORMED}
        THEN {_MALFORMED} ELSE coalesce(
        (SELECT min(zz_s.oid) FROM {{look}}.names AS zz_s
         WHERE zz_s.kind = zz_kind AND zz_s.spelling = zz_name::VARCHAR),
        (SELECT min(zz_s.oid) FROM {{look}}.names AS zz_s
         WHERE zz_s.kind = zz_kind AND zz_s.spelling = lower({_BARE}))) END)""",
    "oid_of": """(zz_kind, zz_noun, zz_code, zz_name) AS (CASE
        WHEN zz_name IS NULL THEN NULL WHEN zz_name::VARCHAR = '-' THEN 0
        ELSE coalesce(pg_sg_found(zz_kind, zz_name), try_cast(zz_name::VARCHAR AS BIGINT),
            error('{raised}' || zz_code || ' ' || zz_noun || ' "' || zz_name
                || '" does not exist')) END)""",
    "name_of": """(zz_kind, zz_oid) AS (CASE
        WHEN zz_oid IS NULL THEN NULL WHEN zz_oid = 0 THEN '-'
        WHEN zz_kind = 'regrole' AND zz_oid = 10 THEN getvariable('session_user')::VARCHAR
        ELSE coalesce((SELECT zz_d.text FROM {look}.displays AS zz_d
            WHERE zz_d.kind = zz_kind AND zz_d.oid = zz_oid), zz_oid::VARCHAR) END)""",
    "names_of": """(zz_kind, zz_oids) AS ((SELECT list(zz_d.text ORDER BY zz_u.n)
        FROM (SELECT unnest(zz_oids) AS o, generate_subscripts(zz_oids, 1) AS n) AS zz_u
        LEFT JOIN {look}.displays AS zz_d ON zz_d.kind = zz_kind AND zz_d.oid = zz_u.o))""",
}
"""Macros that only rewritten statements call."""
