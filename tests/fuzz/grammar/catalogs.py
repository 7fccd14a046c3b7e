"""Relations and functions of the system catalog, as far as both servers have the same rows.

The relations are derived tables: they leave out what only PostgreSQL has, and cast names to text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.fuzz.grammar.forms import Form, forms

_TYPES = "16, 17, 20, 21, 23, 25, 700, 701, 1082, 1083, 1114, 1184, 1186, 1700, 2950, 114, 3802"
_OURS = "('samples', 'notes', 'clicks', 'visits', 'words', 'r0')"
RELATIONS: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "pg_type": (
        "SELECT oid::bigint, typname::text, typlen::integer, typtype::text, typelem::bigint"
        f" FROM pg_type WHERE oid IN ({_TYPES}) OR oid = 1007",
        (("n", "bigint"), ("t", "text"), ("i", "integer"), ("x", "text"), ("b", "bigint")),
    ),
    "pg_class": (
        "SELECT relname::text, relkind::text, relnatts::integer FROM pg_catalog.pg_class"
        f" WHERE relname IN {_OURS}",
        (("t", "text"), ("x", "text"), ("i", "integer")),
    ),
    "pg_attribute": (
        "SELECT c.relname::text, a.attname::text, a.attnum::integer,"
        " format_type(a.atttypid, a.atttypmod), a.attisdropped, a.atttypid::bigint"
        " FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        f" WHERE a.attnum > 0 AND c.relname IN {_OURS}",
        (
            *(("t", "text"), ("name", "text"), ("i", "integer"), ("x", "text")),
            *(("f", "boolean"), ("n", "bigint")),
        ),
    ),
    "pg_namespace": (
        "SELECT nspname::text FROM pg_namespace"
        " WHERE nspname IN ('public', 'pg_catalog', 'information_schema')",
        (("t", "text"),),
    ),
    "columns": (
        "SELECT table_name::text, column_name::text, ordinal_position::integer, data_type::text"
        f" FROM information_schema.columns WHERE table_name IN {_OURS}",
        (("t", "text"), ("name", "text"), ("i", "integer"), ("x", "text")),
    ),
    "tables": (
        "SELECT table_name::text, table_type::text, table_schema::text"
        f" FROM information_schema.tables WHERE table_name IN {_OURS}",
        (("t", "text"), ("x", "text"), ("name", "text")),
    ),
    "pg_settings": (
        "SELECT name, setting, unit, vartype, context FROM pg_settings"
        " WHERE name IN ('enable_seqscan', 'work_mem', 'geqo_threshold', 'client_min_messages')",
        (("t", "text"), ("x", "text"), ("name", "text"), ("y", "text"), ("r", "text")),
    ),
    "pg_am": ("SELECT amname::text, amtype::text FROM pg_am", (("t", "text"), ("x", "text"))),
    "pg_roles": (
        "SELECT rolname = current_user, rolcanlogin FROM pg_roles WHERE rolname = current_user",
        (("f", "boolean"), ("x", "boolean")),
    ),
}
"""By name: the query, and the names and types of its columns."""

FORMS: Mapping[str, Sequence[Form]] = {
    "text": forms("""
format_type({bigint}::oid, NULL)
format_type({integer}::oid, {integer})
format_type(1700, 786439)
to_regclass(quote_ident({text}))::text
to_regtype({text})::text
to_regclass('notes')::text
to_regtype('int')::text
quote_ident({text})
pg_typeof({text})::text
pg_typeof({integer})::text
current_schema()::text
current_setting('server_encoding')
current_setting({text}, true)
(SELECT relname::text FROM pg_class WHERE oid = 'notes'::regclass)
'samples'::regclass::text
23::regtype::text
obj_description('notes'::regclass, 'pg_nothing')
col_description('notes'::regclass, 99)
coalesce(obj_description(0, 'pg_class'), {text})
pg_get_expr(NULL, 0)
pg_encoding_to_char(6)::text
array_to_string(current_schemas(false), {text})
array_to_string(ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspname = 'public'), ',')
"""),
    "boolean": forms("""
pg_table_is_visible('notes'::regclass)
pg_type_is_visible(23)
has_table_privilege('notes', 'SELECT')
has_table_privilege(current_user, 'samples', 'select')
has_schema_privilege('public', 'usage')
has_column_privilege('notes', 'note', 'select')
(to_regclass(quote_ident({text})) IS NULL)
('notes'::regclass = to_regclass('public.notes'))
({text} = ANY (current_schemas(true)::text[]))
pg_is_in_recovery()
({bigint}::oid IN (SELECT oid FROM pg_type WHERE typname = 'int4'))
EXISTS (SELECT FROM pg_index i WHERE i.indrelid = 'clicks'::regclass AND {boolean})
"""),
    "integer": forms("""
(SELECT count(*)::integer FROM pg_attribute WHERE attrelid = 'notes'::regclass AND attnum > 0)
array_length(current_schemas(false), 1)
(SELECT max(attnum)::integer FROM pg_attribute WHERE attrelid = to_regclass(quote_ident({text})))
"""),
    "bigint": forms("""
('int4'::regtype::oid)::bigint
to_regtype('text')::oid::bigint
(SELECT oid::bigint FROM pg_type WHERE typname = {text} AND oid < 10000)
"""),
}
"""Calls that only the catalog answers, by their type."""
