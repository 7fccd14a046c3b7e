"""Write `planner/pg_catalog/seed.py` from a PostgreSQL 15 server, for developers who have one.

Run it when the gateway is to claim another major version:

    STATEGATE_TEST_PSQL="psql -h localhost -U postgres" \
        python -m tests.planner.pg_catalog.make_seed

Only facts of the catalog are taken: names, oids and properties of built-in objects.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

TARGET = Path(__file__).parents[3] / "planner" / "pg_catalog" / "seed.py"

HEADER = '''# ruff: noqa: E501, W291 - tables with one row a line
"""PostgreSQL 15's built-in objects: relations and their columns, types, access methods, functions.

Written by `tests/planner/pg_catalog/make_seed.py`; not edited by hand. No code may live here.
"""

from __future__ import annotations
'''

RELATIONS = """
SELECT format('%s %s %s.%s %s', c.oid, c.relkind, n.nspname, c.relname, (
    SELECT string_agg(a.attname || ':' || t.typname || CASE WHEN a.attnotnull THEN '!' ELSE '' END,
                      ' ' ORDER BY a.attnum)
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = c.oid AND a.attnum > 0))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v') AND n.nspname IN ('pg_catalog', 'information_schema')
ORDER BY n.nspname DESC, c.relname
"""

TYPES = """
SELECT t.oid, n.nspname, t.typname, t.typlen, t.typbyval, t.typtype, t.typcategory,
    t.typispreferred, t.typdelim, t.typsubscript, t.typelem, t.typarray, t.typinput, t.typoutput,
    t.typreceive, t.typsend, t.typmodin, t.typmodout, t.typanalyze, t.typalign, t.typstorage,
    t.typbasetype, t.typtypmod, t.typcollation, format_type(t.oid, NULL), t.typdefault
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    LEFT JOIN pg_type e ON e.oid = t.typelem
WHERE t.typrelid = 0 AND (e.oid IS NULL OR e.typrelid = 0 OR t.typname = '_pg_statistic')
  AND (n.nspname = 'pg_catalog' OR t.typtype = 'd')
ORDER BY t.oid
"""

PROCS = """
SELECT oid, proname, prokind, proretset, provolatile, proisstrict, pronargs, pronargdefaults,
    prorettype, proargtypes, prosrc, obj_description(oid, 'pg_proc')
FROM pg_proc
WHERE pronamespace = 11 AND (proname IN (
    'abs', 'age', 'any_value', 'array_agg', 'array_append', 'array_length', 'array_lower',
    'array_position', 'array_remove', 'array_to_string', 'array_upper', 'avg', 'bool_and',
    'bool_or', 'btrim', 'cardinality', 'ceil', 'char_length', 'col_description', 'concat',
    'concat_ws', 'count', 'current_database', 'current_schema', 'current_schemas',
    'current_setting', 'date_trunc', 'dense_rank', 'extract', 'first_value', 'floor',
    'format_type', 'generate_series', 'lag', 'last_value', 'lead', 'length', 'lower', 'ltrim',
    'max', 'min', 'mod', 'now', 'obj_description', 'octet_length', 'pg_backend_pid',
    'pg_get_constraintdef', 'pg_get_expr', 'pg_get_indexdef', 'pg_get_userbyid',
    'pg_get_viewdef', 'pg_table_is_visible', 'pg_type_is_visible', 'power', 'rank', 'replace',
    'round', 'row_number', 'rtrim', 'split_part', 'sqrt', 'string_agg', 'strpos', 'substr',
    'substring', 'sum', 'to_char', 'to_regclass', 'to_regtype', 'trunc', 'upper', 'version')
  OR oid IN (SELECT castfunc FROM pg_cast)
  OR oid IN (SELECT unnest(ARRAY[typinput::oid, typreceive::oid]) FROM pg_type
             WHERE typrelid = 0 AND typtype = 'b' AND typnamespace = 11))
ORDER BY oid
"""

ROLES = "SELECT oid, rolname FROM pg_roles WHERE rolname ~ '^pg_' ORDER BY oid"

KEYWORDS = "SELECT * FROM pg_get_keywords() ORDER BY word"

SETTINGS = """
SELECT name, unit, category, short_desc, context, vartype, min_val, max_val, boot_val,
    array_to_string(enumvals, ',')
FROM pg_settings
WHERE category ~ '^(Client Connection|Preset|Version and Platform)' OR context = 'user'
    OR name IN ('max_connections', 'max_prepared_transactions', 'ssl', 'wal_level')
ORDER BY lower(name)
"""

SETTING_FIELDS = "name, unit, category, description, context, type, least, most, default, choices."

PLAIN = {
    "pg_am": "SELECT * FROM pg_am ORDER BY oid",
    "pg_auth_members": "SELECT * FROM pg_auth_members WHERE member < 16384 ORDER BY 1, 2",
    "pg_collation": "SELECT * FROM pg_collation WHERE collname IN ('default', 'C', 'POSIX')",
    "pg_language": "SELECT * FROM pg_language WHERE oid < 10000 ORDER BY oid",
    "pg_opclass": "SELECT * FROM pg_opclass ORDER BY oid",
    "pg_opfamily": "SELECT * FROM pg_opfamily ORDER BY oid",
    "pg_cast": "SELECT * FROM pg_cast ORDER BY oid",
    "pg_range": "SELECT * FROM pg_range ORDER BY rngtypid",
    "pg_tablespace": "SELECT * FROM pg_tablespace ORDER BY oid",
}


def run_psql(sql: str) -> str:
    """Return the rows of a query in COPY's text format."""
    command = shlex.split(os.environ["STATEGATE_TEST_PSQL"])
    text = f"COPY ({sql.strip()}) TO STDOUT"
    done = subprocess.run(
        [*command, "-XAtq", "-c", text], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def table(name: str, comment: str, rows: str) -> str:
    """Return one constant of the module: a text block and the docstring under it."""
    assert '"""' not in rows
    return f'\n{name} = r"""\n{rows}"""\n"""{comment}"""\n'


def main() -> None:
    """Query the server and write the module."""
    parts = [
        HEADER,
        table("RELATIONS", "oid, kind, schema.name, then name:type of each column; ! is not null.",
              run_psql(RELATIONS)),
        table("TYPES", "pg_type without its constant columns, then its SQL name and default.",
              run_psql(TYPES)),
        table("PROCS", "pg_proc without its constant columns, then its comment.", run_psql(PROCS)),
        table("ROLES", "oid and name of the predefined roles.", run_psql(ROLES)),
        table("KEYWORDS", "word, category, bare label and their names.", run_psql(KEYWORDS)),
        table("SETTINGS", SETTING_FIELDS, run_psql(SETTINGS)),
    ]  # fmt: skip
    for name, sql in PLAIN.items():
        constant = name.removeprefix("pg_").upper() + "_ROWS"
        parts.append(table(constant, f"The rows of {name}, all columns.", run_psql(sql)))
    TARGET.write_text("".join(parts))


if __name__ == "__main__":
    main()
