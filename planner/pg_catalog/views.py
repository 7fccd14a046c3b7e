"""Catalog relations that are computed from others: once by DuckDB, or by views for each session.

`{cat}`, `{info}` and `{look}` are the schemas in DuckDB; `{database}` is the database as a literal.

As in PostgreSQL, pg_catalog has all relations, and information_schema those that the user may read.
"""

from __future__ import annotations

from stategate.planner.pg_catalog.session_rows import SESSION_ROW_VIEWS

SESSION_VIEWS = {
    "pg_roles": """
        SELECT getvariable('session_user')::VARCHAR AS rolname, false AS rolsuper,
            true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb, true AS rolcanlogin,
            false AS rolreplication, -1 AS rolconnlimit, '********' AS rolpassword,
            NULL::TIMESTAMPTZ AS rolvaliduntil, false AS rolbypassrls,
            NULL::VARCHAR[] AS rolconfig, 10::BIGINT AS oid
        UNION ALL
        SELECT zz_r.rolname, false, true, false, false, false, false, -1, '********', NULL, false,
            NULL, zz_r.oid
        FROM {look}.roles AS zz_r""",
    "pg_authid": """
        SELECT 10::BIGINT AS oid, getvariable('session_user')::VARCHAR AS rolname,
            false AS rolsuper, true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb,
            true AS rolcanlogin, false AS rolreplication, false AS rolbypassrls,
            -1 AS rolconnlimit, NULL::VARCHAR AS rolpassword,
            NULL::TIMESTAMPTZ AS rolvaliduntil
        UNION ALL
        SELECT zz_r.oid, zz_r.rolname, false, true, false, false, false, false, false, -1, NULL,
            NULL
        FROM {look}.roles AS zz_r""",
    "pg_user": """
        SELECT getvariable('session_user')::VARCHAR AS usename, 10::BIGINT AS usesysid,
            false AS usecreatedb, false AS usesuper, false AS userepl, false AS usebypassrls,
            '********' AS passwd, NULL::TIMESTAMPTZ AS valuntil, NULL::VARCHAR[] AS useconfig""",
    "pg_shadow": """
        SELECT getvariable('session_user')::VARCHAR AS usename, 10::BIGINT AS usesysid,
            false AS usecreatedb, false AS usesuper, false AS userepl, false AS usebypassrls,
            NULL::VARCHAR AS passwd, NULL::TIMESTAMPTZ AS valuntil,
            NULL::VARCHAR[] AS useconfig""",
    "pg_tables": """
        SELECT n.nspname AS schemaname, c.relname AS tablename,
            getvariable('session_user')::VARCHAR AS tableowner,
            NULL::VARCHAR AS tablespace, c.relhasindex AS hasindexes, c.relhasrules AS hasrules,
            c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity
        FROM {cat}.pg_class c JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p')""",
    "pg_views": """
        SELECT n.nspname AS schemaname, c.relname AS viewname,
            getvariable('session_user')::VARCHAR AS viewowner,
            d.text AS definition
        FROM {cat}.pg_class c JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN {look}.definitions d ON d.oid = c.oid
        WHERE c.relkind = 'v'""",
    "pg_settings": """
        SELECT * REPLACE (coalesce(
            (getvariable('session_listed')::MAP(VARCHAR, VARCHAR))[lower(name)],
            (getvariable('session_settings')::MAP(VARCHAR, VARCHAR))[lower(name)],
            setting) AS setting)
        FROM {look}.settings
        UNION ALL BY NAME
        SELECT zz_e.key AS name, zz_e.value AS setting, 'Customized Options' AS category,
            'user' AS context, 'string' AS vartype, 'session' AS source, false AS pending_restart
        FROM (SELECT unnest(map_entries(getvariable('session_settings')::MAP(VARCHAR, VARCHAR)),
              recursive := true)) AS zz_e(key, value)
        WHERE zz_e.key NOT IN (SELECT lower(name) FROM {look}.settings)""",
    **SESSION_ROW_VIEWS,
}
"""Relations of pg_catalog whose rows depend on the session."""

SESSION_INFORMATION = {
    "schemata": """
        SELECT {database} AS catalog_name, n.nspname AS schema_name,
            getvariable('session_user')::VARCHAR AS schema_owner,
            NULL::VARCHAR AS default_character_set_catalog,
            NULL::VARCHAR AS default_character_set_schema,
            NULL::VARCHAR AS default_character_set_name, NULL::VARCHAR AS sql_path
        FROM {cat}.pg_namespace n""",
}
"""Relations of information_schema whose rows depend on the session."""

COMPUTED = {
    "pg_indexes": """
        SELECT n.nspname AS schemaname, t.relname AS tablename, c.relname AS indexname,
            NULL AS tablespace, d.text AS indexdef
        FROM {cat}.pg_index i JOIN {cat}.pg_class c ON c.oid = i.indexrelid
        JOIN {cat}.pg_class t ON t.oid = i.indrelid
        JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN {look}.definitions d ON d.oid = c.oid""",
    "pg_stat_all_tables": """
        SELECT c.oid AS relid, n.nspname AS schemaname, c.relname AS relname
        FROM {cat}.pg_class c JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'm')""",
    "pg_stat_user_tables": """
        SELECT * FROM {cat}.pg_stat_all_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')""",
    "pg_stat_bgwriter": """
        SELECT 0 AS checkpoints_timed, 0 AS checkpoints_req, 0 AS checkpoint_write_time,
            0 AS checkpoint_sync_time, 0 AS buffers_checkpoint, 0 AS buffers_clean,
            0 AS maxwritten_clean, 0 AS buffers_backend, 0 AS buffers_backend_fsync,
            0 AS buffers_alloc""",
    "pg_statio_all_tables": """
        SELECT relid, schemaname, relname, 0 AS heap_blks_read, 0 AS heap_blks_hit,
            0 AS idx_blks_read, 0 AS idx_blks_hit, 0 AS toast_blks_read, 0 AS toast_blks_hit,
            0 AS tidx_blks_read, 0 AS tidx_blks_hit
        FROM {cat}.pg_stat_all_tables""",
    "pg_statio_user_tables": """
        SELECT * FROM {cat}.pg_statio_all_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')""",
    "pg_statio_sys_tables": """
        SELECT * FROM {cat}.pg_statio_all_tables
        WHERE schemaname IN ('pg_catalog', 'information_schema')""",
    "pg_stat_user_indexes": """
        SELECT t.oid AS relid, c.oid AS indexrelid, n.nspname AS schemaname,
            t.relname AS relname, c.relname AS indexrelname
        FROM {cat}.pg_index i JOIN {cat}.pg_class c ON c.oid = i.indexrelid
        JOIN {cat}.pg_class t ON t.oid = i.indrelid
        JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace""",
    "pg_timezone_names": """
        SELECT 'UTC' AS name, 'UTC' AS abbrev, INTERVAL 0 SECOND AS utc_offset, false AS is_dst""",
}
"""Relations of pg_catalog that are filled once for a set of stores; missing columns are NULL."""


INFORMATION = {
    "information_schema_catalog_name": "SELECT {database} AS catalog_name",
    "tables": """
        SELECT {database} AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
            CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END AS table_type,
            'NO' AS is_insertable_into, 'NO' AS is_typed
        FROM {cat}.pg_class c JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'v')""",
    "views": """
        SELECT {database} AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
            d.text AS view_definition, 'NONE' AS check_option, 'NO' AS is_updatable,
            'NO' AS is_insertable_into, 'NO' AS is_trigger_updatable,
            'NO' AS is_trigger_deletable, 'NO' AS is_trigger_insertable_into
        FROM {cat}.pg_class c JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN {look}.definitions d ON d.oid = c.oid
        WHERE c.relkind = 'v'""",
    "columns": """
        SELECT {database} AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
            a.attname AS column_name, a.attnum AS ordinal_position,
            CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END AS is_nullable,
            CASE WHEN b.typcategory = 'A' THEN 'ARRAY' ELSE d.text END AS data_type,
            CASE WHEN b.typname IN ('text', 'varchar') THEN 1073741824 END
                AS character_octet_length,
            CASE b.typname WHEN 'int2' THEN 16 WHEN 'int4' THEN 32 WHEN 'int8' THEN 64
                WHEN 'float4' THEN 24 WHEN 'float8' THEN 53
                WHEN 'numeric' THEN nullif((a.atttypmod - 4) >> 16, -1) END AS numeric_precision,
            CASE WHEN b.typname IN ('int2', 'int4', 'int8', 'float4', 'float8') THEN 2
                WHEN b.typname = 'numeric' THEN 10 END AS numeric_precision_radix,
            CASE WHEN b.typname IN ('int2', 'int4', 'int8') THEN 0
                WHEN b.typname = 'numeric' AND a.atttypmod > 0 THEN (a.atttypmod - 4) & 65535 END
                AS numeric_scale,
            CASE WHEN b.typname = 'date' THEN 0
                WHEN b.typname IN ('time', 'timetz', 'timestamp', 'timestamptz', 'interval')
                THEN 6 END AS datetime_precision,
            CASE WHEN l.oid IS NOT NULL THEN {database} END AS collation_catalog,
            CASE WHEN l.oid IS NOT NULL THEN 'pg_catalog' END AS collation_schema,
            l.collname AS collation_name,
            CASE WHEN t.typtype = 'd' THEN {database} END AS domain_catalog,
            CASE WHEN t.typtype = 'd' THEN 'information_schema' END AS domain_schema,
            CASE WHEN t.typtype = 'd' THEN t.typname END AS domain_name,
            {database} AS udt_catalog, 'pg_catalog' AS udt_schema, b.typname AS udt_name,
            a.attnum::VARCHAR AS dtd_identifier, 'NO' AS is_self_referencing,
            'NO' AS is_identity, 'NO' AS identity_cycle, 'NEVER' AS is_generated,
            'NO' AS is_updatable
        FROM {cat}.pg_attribute a
        JOIN {cat}.pg_class c ON c.oid = a.attrelid
        JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        JOIN {cat}.pg_type t ON t.oid = a.atttypid
        JOIN {cat}.pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
        LEFT JOIN {look}.displays d ON d.kind = 'regtype' AND d.oid = b.oid
        LEFT JOIN {cat}.pg_collation l ON l.oid = a.attcollation AND l.collname <> 'default'
        WHERE c.relkind IN ('r', 'v') AND a.attnum > 0""",
    "element_types": """
        SELECT {database} AS object_catalog, n.nspname AS object_schema, c.relname AS object_name,
            'TABLE' AS object_type, a.attnum::VARCHAR AS collection_type_identifier,
            d.text AS data_type, {database} AS udt_catalog, 'pg_catalog' AS udt_schema,
            e.typname AS udt_name, 'a' || a.attnum AS dtd_identifier
        FROM {cat}.pg_attribute a
        JOIN {cat}.pg_class c ON c.oid = a.attrelid
        JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace
        JOIN {cat}.pg_type t ON t.oid = a.atttypid
        JOIN {cat}.pg_type e ON e.oid = t.typelem
        LEFT JOIN {look}.displays d ON d.kind = 'regtype' AND d.oid = e.oid
        WHERE c.relkind IN ('r', 'v') AND a.attnum > 0 AND t.typcategory = 'A'""",
    "table_constraints": """
        SELECT {database} AS constraint_catalog, n.nspname AS constraint_schema,
            k.conname AS constraint_name, {database} AS table_catalog, n.nspname AS table_schema,
            c.relname AS table_name, 'PRIMARY KEY' AS constraint_type, 'NO' AS is_deferrable,
            'NO' AS initially_deferred, 'YES' AS enforced
        FROM {cat}.pg_constraint k JOIN {cat}.pg_class c ON c.oid = k.conrelid
        JOIN {cat}.pg_namespace n ON n.oid = c.relnamespace""",
    "key_column_usage": """
        SELECT {database} AS constraint_catalog, n.nspname AS constraint_schema,
            k.conname AS constraint_name, {database} AS table_catalog, n.nspname AS table_schema,
            k.relname AS table_name, a.attname AS column_name, k.at AS ordinal_position
        FROM (SELECT p.conname, p.conrelid, c.relname, c.relnamespace, unnest(p.conkey) AS number,
                generate_subscripts(p.conkey, 1) AS at
              FROM {cat}.pg_constraint p JOIN {cat}.pg_class c ON c.oid = p.conrelid) k
        JOIN {cat}.pg_namespace n ON n.oid = k.relnamespace
        JOIN {cat}.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.number""",
    "constraint_column_usage": """
        SELECT table_catalog, table_schema, table_name, column_name, constraint_catalog,
            constraint_schema, constraint_name
        FROM {info}.key_column_usage""",
    "constraint_table_usage": """
        SELECT table_catalog, table_schema, table_name, constraint_catalog, constraint_schema,
            constraint_name
        FROM {info}.table_constraints""",
    "character_sets": """
        SELECT 'UTF8' AS character_set_name, 'UCS' AS character_repertoire,
            'UTF8' AS form_of_use, {database} AS default_collate_catalog""",
    "collations": """
        SELECT {database} AS collation_catalog, 'pg_catalog' AS collation_schema,
            collname AS collation_name, 'NO PAD' AS pad_attribute
        FROM {cat}.pg_collation WHERE collname <> 'default'""",
}
"""Relations of information_schema that are filled once for a set of stores; others are empty."""

_OF_RELATIONS = (
    *("tables", "columns", "table_constraints", "key_column_usage"),
    *("constraint_column_usage", "constraint_table_usage", "element_types"),
)
ALL_INFORMATION = {name: f"all_{name}" for name in _OF_RELATIONS}
"""Relations of information_schema about stores → the table in `{look}` that has all their rows."""


def _kind_of(relation: str) -> str:
    """Return what the columns call a table in which a relation of information_schema names it."""
    return "object" if relation == "element_types" else "table"


SESSION_INFORMATION.update(
    {
        name: f"""
        SELECT zz_i.* FROM {{look}}.{table} AS zz_i
        WHERE zz_i.{_kind_of(name)}_schema <> 'public' OR NOT coalesce(list_contains(
            getvariable('session_refused')::VARCHAR[], zz_i.{_kind_of(name)}_name), false)"""
        for name, table in ALL_INFORMATION.items()
    }
)
_GRANT = """
        SELECT getvariable('session_user')::VARCHAR AS grantor,
            CASE zz_i.table_schema WHEN 'public' THEN getvariable('session_user')::VARCHAR
                ELSE 'PUBLIC' END AS grantee,
            zz_i.table_catalog, zz_i.table_schema, zz_i.table_name, %s 'SELECT' AS privilege_type,
            'NO' AS is_grantable%s
        FROM {info}.%s AS zz_i"""
_GRANTS = {
    "table_privileges": _GRANT % ("", ", 'YES' AS with_hierarchy", "tables"),
    "column_privileges": _GRANT % ("zz_i.column_name,", "", "columns"),
}
SESSION_INFORMATION.update(_GRANTS)
SESSION_INFORMATION.update(
    {
        f"role_{name.partition('_')[0]}_grants": f"{body} WHERE zz_i.table_schema = 'public'"
        for name, body in _GRANTS.items()
    }
)
