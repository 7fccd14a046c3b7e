"""PostgreSQL's catalog functions as DuckDB macros.

A macro's body sees the names of the statement that calls it, so all its aliases and parameters
begin with `zz_`: an alias `c` would capture the argument `c.oid`. `{cat}` and `{look}` are the
schemas of the catalog and of the lookup tables, `{started}` is the start of the server.

Functions that reveal the machine are missing; those with side effects are in `side_effects`.
"""

from __future__ import annotations

from stategate.planner.errors import RAISED
from stategate.planner.pg_catalog.advisory_calls import BLOCKING_PIDS
from stategate.planner.pg_catalog.builtin_rows import OWNER
from stategate.planner.pg_catalog.grants import ACL_ROWS
from stategate.planner.pg_catalog.name_macros import LOOKUP_MACROS, NAMES
from stategate.planner.pg_catalog.relations import LOOKUP_SCHEMA, SCHEMA_IN_DUCKDB


def _exists(relation: str, namespace: str, name: str = "") -> str:
    """Return the body of a `pg_…_is_visible`: NULL for an unknown oid, as in PostgreSQL.

    Args:
        relation: the relation that has the objects.
        namespace: its column with their schema.
        name: its column with their name, if stores can have the name of a system object.
    """
    is_visible = f"zz_t.{namespace} IN (11, 2200)"
    if name:
        hiding = f"zz_o.{namespace} = 11 AND zz_o.{name} = zz_t.{name}"
        is_visible = f"""(zz_t.{namespace} = 11 OR zz_t.{namespace} = 2200
            AND NOT EXISTS (SELECT 1 FROM {{cat}}.{relation} AS zz_o WHERE {hiding}))"""
    return (
        f"(zz_oid) AS (SELECT {is_visible} FROM {{cat}}.{relation} AS zz_t WHERE zz_t.oid = zz_oid)"
    )


VISIBILITY = {
    "pg_collation_is_visible": _exists("pg_collation", "collnamespace"),
    "pg_conversion_is_visible": _exists("pg_conversion", "connamespace"),
    "pg_function_is_visible": _exists("pg_proc", "pronamespace"),
    "pg_opclass_is_visible": _exists("pg_opclass", "opcnamespace"),
    "pg_operator_is_visible": _exists("pg_operator", "oprnamespace"),
    "pg_opfamily_is_visible": _exists("pg_opfamily", "opfnamespace"),
    "pg_statistics_obj_is_visible": _exists("pg_statistic_ext", "stxnamespace"),
    "pg_table_is_visible": _exists("pg_class", "relnamespace", "relname"),
    "pg_ts_config_is_visible": _exists("pg_ts_config", "cfgnamespace"),
    "pg_ts_dict_is_visible": _exists("pg_ts_dict", "dictnamespace"),
    "pg_ts_parser_is_visible": _exists("pg_ts_parser", "prsnamespace"),
    "pg_ts_template_is_visible": _exists("pg_ts_template", "tmplnamespace"),
    "pg_type_is_visible": _exists("pg_type", "typnamespace", "typname"),
}
"""Functions that say which objects need no schema before their name."""

_MODIFIED = """
    CASE
        WHEN zz_mod IS NULL OR zz_mod < 0 THEN zz_t.text
        WHEN zz_oid IN (1700, 1231) AND zz_mod >= 4 THEN 'numeric(' || ((zz_mod - 4) >> 16) || ','
            || ((zz_mod - 4) & 65535) || ')' || CASE WHEN zz_oid = 1231 THEN '[]' ELSE '' END
        WHEN zz_oid IN (1042, 1043) AND zz_mod >= 4
            THEN zz_t.text || '(' || (zz_mod - 4) || ')'
        WHEN zz_oid IN (1083, 1114, 1184, 1266)
            THEN replace(zz_t.text, ' with', '(' || zz_mod || ') with')
        WHEN zz_oid IN (1560, 1562) THEN zz_t.text || '(' || zz_mod || ')'
        ELSE zz_t.text
    END
"""

DESCRIPTIONS = {
    "format_type": f"""(zz_oid, zz_mod) AS (CASE
        WHEN zz_oid IS NULL THEN NULL WHEN zz_oid = 0 THEN '-'
        ELSE coalesce((SELECT {_MODIFIED} FROM {{look}}.displays AS zz_t
            WHERE zz_t.kind = 'regtype' AND zz_t.oid = zz_oid), '???') END)""",
    "pg_get_constraintdef": """
        (zz_oid) AS (SELECT zz_d.text FROM {look}.definitions AS zz_d WHERE zz_d.oid = zz_oid),
        (zz_oid, zz_pretty) AS (SELECT zz_d.text FROM {look}.definitions AS zz_d
            WHERE zz_d.oid = zz_oid)""",
    "pg_get_viewdef": """
        (zz_oid) AS (SELECT zz_d.text FROM {look}.definitions AS zz_d WHERE zz_d.oid = zz_oid),
        (zz_oid, zz_pretty) AS (SELECT zz_d.text FROM {look}.definitions AS zz_d
            WHERE zz_d.oid = zz_oid)""",
    "pg_get_indexdef": """
        (zz_oid) AS (SELECT zz_d.text FROM {look}.definitions AS zz_d WHERE zz_d.oid = zz_oid),
        (zz_oid, zz_number, zz_pretty) AS (CASE
            WHEN zz_number = 0 THEN (SELECT CASE WHEN zz_pretty THEN zz_d.pretty ELSE zz_d.text END
                FROM {look}.definitions AS zz_d WHERE zz_d.oid = zz_oid)
            ELSE (SELECT zz_a.attname FROM {cat}.pg_attribute AS zz_a
                WHERE zz_a.attrelid = zz_oid AND zz_a.attnum = zz_number) END)""",
    "pg_get_expr": """
        (zz_text, zz_oid) AS (zz_text),
        (zz_text, zz_oid, zz_pretty) AS (zz_text)""",
    "pg_get_functiondef": "(zz_oid) AS (NULL::VARCHAR)",
    "pg_get_function_arguments": """(zz_oid) AS (SELECT (
        SELECT string_agg(pg_sg_cat_format_type(zz_u.t, NULL), ', ' ORDER BY zz_u.n)
        FROM (SELECT unnest(zz_p.proargtypes) AS t,
              generate_subscripts(zz_p.proargtypes, 1) AS n) AS zz_u)
        FROM {cat}.pg_proc AS zz_p WHERE zz_p.oid = zz_oid)""",
    "oidvectortypes": """(zz_types) AS (coalesce((SELECT string_agg(
        pg_sg_cat_format_type(zz_u.t, NULL), ', ' ORDER BY zz_u.n)
        FROM (SELECT unnest(zz_types) AS t, generate_subscripts(zz_types, 1) AS n) AS zz_u),
        ''))""",
    "pg_get_function_identity_arguments": """(zz_oid) AS (
        pg_sg_cat_pg_get_function_arguments(zz_oid))""",
    "pg_get_function_result": """(zz_oid) AS (SELECT CASE WHEN zz_p.proretset THEN 'SETOF ' ELSE ''
        END || pg_sg_cat_format_type(zz_p.prorettype, NULL) FROM {cat}.pg_proc AS zz_p
        WHERE zz_p.oid = zz_oid)""",
    "pg_get_function_sqlbody": "(zz_oid) AS (NULL::VARCHAR)",
    "pg_get_partkeydef": "(zz_oid) AS (NULL::VARCHAR)",
    "pg_get_partition_constraintdef": "(zz_oid) AS (NULL::VARCHAR)",
    "pg_get_ruledef": """
        (zz_oid) AS (NULL::VARCHAR), (zz_oid, zz_pretty) AS (NULL::VARCHAR)""",
    "pg_get_serial_sequence": "(zz_table, zz_column) AS (NULL::VARCHAR)",
    "pg_get_statisticsobjdef": "(zz_oid) AS (NULL::VARCHAR)",
    "pg_get_statisticsobjdef_columns": "(zz_oid) AS (NULL::VARCHAR)",
    "pg_get_triggerdef": """
        (zz_oid) AS (NULL::VARCHAR), (zz_oid, zz_pretty) AS (NULL::VARCHAR)""",
    "pg_get_userbyid": """(zz_oid) AS (CASE
        WHEN zz_oid = 10 THEN getvariable('session_user')::VARCHAR
        ELSE coalesce((SELECT zz_r.rolname FROM {look}.roles AS zz_r WHERE zz_r.oid = zz_oid),
            'unknown (OID=' || zz_oid || ')') END)""",
    "obj_description": """
        (zz_oid) AS (SELECT zz_d.description FROM {cat}.pg_description AS zz_d
            WHERE zz_d.objoid = zz_oid AND zz_d.objsubid = 0),
        (zz_oid, zz_catalog) AS (SELECT zz_d.description FROM {cat}.pg_description AS zz_d
            WHERE zz_d.objoid = zz_oid AND zz_d.objsubid = 0 AND zz_d.classoid = (
                SELECT zz_c.oid FROM {cat}.pg_class AS zz_c
                WHERE zz_c.relname = zz_catalog AND zz_c.relnamespace = 11))""",
    "col_description": """(zz_oid, zz_number) AS (SELECT zz_d.description
        FROM {cat}.pg_description AS zz_d WHERE zz_d.objoid = zz_oid
        AND zz_d.classoid = 1259 AND zz_d.objsubid = zz_number)""",
    "shobj_description": "(zz_oid, zz_catalog) AS (NULL::VARCHAR)",
    "acldefault": """(zz_kind, zz_oid) AS (CASE WHEN zz_kind = 'c' THEN []::VARCHAR[] ELSE
        string_split(replace(CASE zz_kind WHEN 'r' THEN '@=arwdDxt/@' WHEN 's' THEN '@=rwU/@'
            WHEN 'd' THEN '=Tc/@\t@=CTc/@' WHEN 'f' THEN '=X/@\t@=X/@' WHEN 'L' THEN '@=rw/@'
            WHEN 'l' THEN '=U/@\t@=U/@' WHEN 'T' THEN '=U/@\t@=U/@' WHEN 'n' THEN '@=UC/@'
            WHEN 't' THEN '@=C/@' WHEN 'F' THEN '@=U/@' WHEN 'S' THEN '@=U/@'
            WHEN 'p' THEN '@=sA/@' END, '@', pg_sg_cat_pg_get_userbyid(zz_oid)), '\t') END)""",
}
"""Functions that describe objects in words."""

INFORMATION_FUNCTIONS = {
    "_pg_char_max_length": """(zz_type, zz_mod) AS (CASE WHEN zz_mod = -1 THEN NULL
        WHEN zz_type IN (1042, 1043) THEN zz_mod - 4
        WHEN zz_type IN (1560, 1562) THEN zz_mod END::INTEGER)""",
    "_pg_char_octet_length": """(zz_type, zz_mod) AS (CASE WHEN zz_type IN (25, 1042, 1043) THEN
        CASE WHEN zz_mod = -1 THEN 1073741824 ELSE (zz_mod - 4) * 4 END END::INTEGER)""",
    "_pg_numeric_precision": """(zz_type, zz_mod) AS (CASE zz_type WHEN 21 THEN 16 WHEN 23 THEN 32
        WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 WHEN 1700 THEN
        CASE WHEN zz_mod = -1 THEN NULL ELSE ((zz_mod - 4) >> 16) & 65535 END END::INTEGER)""",
    "_pg_numeric_precision_radix": """(zz_type, zz_mod) AS (CASE
        WHEN zz_type IN (20, 21, 23, 700, 701) THEN 2 WHEN zz_type = 1700 THEN 10 END::INTEGER)""",
    "_pg_numeric_scale": """(zz_type, zz_mod) AS (CASE WHEN zz_type IN (20, 21, 23) THEN 0
        WHEN zz_type = 1700 THEN
        CASE WHEN zz_mod = -1 THEN NULL ELSE (zz_mod - 4) & 65535 END END::INTEGER)""",
    "_pg_datetime_precision": """(zz_type, zz_mod) AS (CASE WHEN zz_type = 1082 THEN 0
        WHEN zz_type IN (1083, 1114, 1184, 1266) THEN
        CASE WHEN zz_mod < 0 THEN 6 ELSE zz_mod END
        WHEN zz_type = 1186 THEN CASE WHEN zz_mod < 0 OR zz_mod & 65535 = 65535 THEN 6
        ELSE zz_mod & 65535 END END::INTEGER)""",
    "_pg_interval_type": "(zz_type, zz_mod) AS (NULL::VARCHAR)",
}
"""Functions of information_schema: what a type's modifier says.

Source: information_schema.sql of PostgreSQL.
"""

_TRUE_2_3 = "(zz_1, zz_2) AS (true), (zz_1, zz_2, zz_3) AS (true)"


_MINE = "getvariable('session_refused')::VARCHAR[]"
_OTHERS = "getvariable('refused_of')::MAP(VARCHAR, VARCHAR[])"


def _is_allowed(table: str, user: str | None = None, *, also: str = "true") -> str:
    """Return the condition that a user may read a store, which is given by its oid or name.

    It is NULL for an oid of no relation, as in PostgreSQL.

    Args:
        table: the expression of the store.
        user: that of the user's name, or oid; None for the user of the session.
        also: what must hold, too.
    """
    refused = _MINE
    if user is not None:
        refused = rf"""CASE WHEN {user}::VARCHAR IN ('{OWNER}', getvariable('session_user'))
            THEN {_MINE} WHEN map_contains({_OTHERS}, {user}::VARCHAR)
            THEN ({_OTHERS})[{user}::VARCHAR] ELSE ({_OTHERS})[''] END"""
    store = f"pg_sg_oid_of('regclass', 'relation', '42P01', {table})"
    # A catalog, which everyone may read, is not in the schema of the stores.
    is_refused = f"zz_c.relnamespace = 2200 AND list_contains({refused}, zz_c.relname)"
    return f"""CASE WHEN {table} IS NULL THEN NULL ELSE (
            SELECT {also} AND NOT coalesce({is_refused}, false)
            FROM {{cat}}.pg_class AS zz_c WHERE zz_c.oid = {store}) END"""


def _is_select(privilege: str) -> str:
    return f"{privilege}::VARCHAR ILIKE '%select%'"


ACCESS = {
    "has_any_column_privilege": f"""
        (zz_1, zz_2) AS ({_is_allowed("zz_1")}),
        (zz_1, zz_2, zz_3) AS ({_is_allowed("zz_2", "zz_1")})""",
    "has_column_privilege": f"""
        (zz_1, zz_2, zz_3) AS ({_is_allowed("zz_1")}),
        (zz_1, zz_2, zz_3, zz_4) AS ({_is_allowed("zz_2", "zz_1")})""",
    "has_database_privilege": _TRUE_2_3,
    "has_function_privilege": _TRUE_2_3,
    "has_language_privilege": _TRUE_2_3,
    "has_schema_privilege": """
        (zz_1, zz_2) AS (zz_2::VARCHAR ILIKE '%usage%'),
        (zz_1, zz_2, zz_3) AS (zz_3::VARCHAR ILIKE '%usage%')""",
    "has_sequence_privilege": _TRUE_2_3,
    "has_table_privilege": f"""
        (zz_1, zz_2) AS ({_is_allowed("zz_1", also=_is_select("zz_2"))}),
        (zz_1, zz_2, zz_3) AS ({_is_allowed("zz_2", "zz_1", also=_is_select("zz_3"))})""",
    "has_tablespace_privilege": _TRUE_2_3,
    "has_type_privilege": _TRUE_2_3,
    "pg_has_role": _TRUE_2_3,
    "row_security_active": "(zz_1) AS (false)",
}
"""Privileges: sessions may read everything that they see, and create nothing. Grants are checked
when rows are read."""

_NO_SEQUENCE = """CASE WHEN zz_1 IS NULL THEN NULL ELSE error('{raised}42809 "' || pg_sg_name_of(
    'regclass', pg_sg_oid_of('regclass', 'relation', '42P01', zz_1)) || '" is not a sequence')
    END::BIGINT"""
SERVER = {
    "pg_backend_pid": "() AS (getvariable('session_pid')::INTEGER)",
    "pg_char_to_encoding": "(zz_name) AS (CASE WHEN upper(zz_name) = 'UTF8' THEN 6 ELSE -1 END)",
    "pg_client_encoding": "() AS ('UTF8')",
    "pg_conf_load_time": "() AS ({started}::TIMESTAMPTZ)",
    "pg_encoding_to_char": """(zz_n) AS (
        CASE zz_n WHEN 6 THEN 'UTF8' WHEN 0 THEN 'SQL_ASCII' ELSE '' END)""",
    "pg_encoding_max_length": "(zz_n) AS (CASE WHEN zz_n = 6 THEN 4 ELSE 1 END)",
    "getdatabaseencoding": "() AS ('UTF8')",
    "pg_export_snapshot": "() AS ('00000003-00000001-1')",
    "pg_is_in_recovery": "() AS (false)",
    "pg_is_other_temp_schema": "(zz_oid) AS (false)",
    "pg_is_wal_replay_paused": "() AS (false)",
    "pg_my_temp_schema": "() AS (0::BIGINT)",
    "pg_postmaster_start_time": "() AS ({started}::TIMESTAMPTZ)",
    "pg_relation_is_publishable": "(zz_oid) AS (false)",
    "pg_relation_is_updatable": "(zz_oid, zz_triggers) AS (0)",
    "pg_column_is_updatable": "(zz_oid, zz_number, zz_triggers) AS (false)",
    "pg_tablespace_location": "(zz_oid) AS ('')",
    "txid_current": "() AS (3::BIGINT)",
    "txid_current_if_assigned": "() AS (NULL::BIGINT)",
    "pg_current_xact_id_if_assigned": "() AS (NULL::BIGINT)",
    "inet_server_addr": "() AS (NULL::VARCHAR)",
    "inet_server_port": "() AS (NULL::INTEGER)",
    "inet_client_addr": "() AS (NULL::VARCHAR)",
    "inet_client_port": "() AS (NULL::INTEGER)",
    "pg_get_replica_identity_index": "(zz_oid) AS (NULL::BIGINT)",
    **{
        f"pg_stat_get_{name}": "(zz_oid) AS (0::BIGINT)"
        for name in (
            *("numscans", "live_tuples", "dead_tuples", "tuples_inserted", "tuples_updated"),
            *("tuples_deleted", "tuples_returned", "tuples_fetched", "blocks_fetched"),
        )
    },
    "pg_blocking_pids": BLOCKING_PIDS,
    **dict.fromkeys(("currval", "nextval"), f"(zz_1) AS ({_NO_SEQUENCE})"),
    "setval": f"(zz_1, zz_2) AS ({_NO_SEQUENCE}), (zz_1, zz_2, zz_3) AS ({_NO_SEQUENCE})",
    "lastval": "() AS (error('{raised}55000 lastval is not yet defined in this session')::BIGINT)",
    "pg_current_wal_lsn": "() AS ('0/0')",
    "pg_last_wal_receive_lsn": "() AS (NULL::VARCHAR)",
    "pg_last_wal_replay_lsn": "() AS (NULL::VARCHAR)",
    "pg_index_column_has_property": """(zz_oid, zz_number, zz_name) AS (CASE lower(zz_name)
        WHEN 'desc' THEN false WHEN 'nulls_first' THEN false
        WHEN 'distance_orderable' THEN false WHEN 'asc' THEN true WHEN 'nulls_last' THEN true
        WHEN 'orderable' THEN true WHEN 'returnable' THEN true WHEN 'search_array' THEN true
        WHEN 'search_nulls' THEN true END)""",
}
"""Functions about the server."""

_SIZE = "(zz_1) AS (0::BIGINT)"

SIZES = {
    "pg_database_size": _SIZE,
    "pg_indexes_size": _SIZE,
    "pg_relation_size": "(zz_1) AS (0::BIGINT), (zz_1, zz_2) AS (0::BIGINT)",
    "pg_table_size": _SIZE,
    "pg_tablespace_size": _SIZE,
    "pg_total_relation_size": _SIZE,
    "pg_column_size": "(zz_1) AS (0)",
    "pg_size_pretty": """(zz_n) AS (CASE
        WHEN abs(zz_n) < 10240 THEN zz_n || ' bytes'
        WHEN abs(zz_n) < 10240 * 1024 THEN round(zz_n / 1024)::BIGINT || ' kB'
        WHEN abs(zz_n) < 10240::BIGINT * 1048576 THEN round(zz_n / 1048576)::BIGINT || ' MB'
        WHEN abs(zz_n) < 10240::BIGINT * 1073741824 THEN round(zz_n / 1073741824)::BIGINT || ' GB'
        ELSE round(zz_n / 1099511627776)::BIGINT || ' TB' END)""",
}
"""Sizes are unknown, so they are 0, as for a relation without pages."""

_SETTING = """coalesce(
            (getvariable('session_settings')::MAP(VARCHAR, VARCHAR))[lower(zz_name)],
            (SELECT zz_s.shown FROM {look}.shown_settings AS zz_s WHERE zz_s.name = lower(zz_name)),
            (SELECT setting FROM {cat}.pg_settings WHERE lower(name) = lower(zz_name) LIMIT 1),
            CASE WHEN %s THEN NULL ELSE
            error('{raised}42704 unrecognized configuration parameter "' || zz_name || '"') END)"""
SETTINGS = {
    "current_setting": f"""
        (zz_name) AS ({_SETTING % "zz_name IS NULL"}),
        (zz_name, zz_missing) AS (if(zz_missing IS NULL, NULL,
            {_SETTING % "zz_missing OR zz_name IS NULL"}))""",
}
"""Settings of the session; for `set_config` see `side_effects`."""

ARRAYS = {
    "aclexplode": """(zz_acl) AS (unnest([]::STRUCT(grantor BIGINT, grantee BIGINT,
        privilege_type VARCHAR, is_grantable BOOLEAN)[]))""",
    "pg_options_to_table": """(zz_options) AS (unnest([]::STRUCT(option_name VARCHAR,
        option_value VARCHAR)[]))""",
    "pg_partition_ancestors": "(zz_oid) AS (unnest([]::BIGINT[]))",
    "_pg_expandarray": """(zz_list) AS (unnest(list_transform(
        zz_list, lambda zz_x, zz_i: {{'x': zz_x, 'n': zz_i}})))""",
    "_pg_truetypid": "(zz_a, zz_t) AS (zz_a.atttypid)",
    "_pg_truetypmod": "(zz_a, zz_t) AS (zz_a.atttypmod)",
}
"""Functions of arrays, which are DuckDB's lists."""

CATALOG_MACROS = {
    **VISIBILITY,
    **DESCRIPTIONS,
    **ACCESS,
    **SERVER,
    **SIZES,
    **SETTINGS,
    **ARRAYS,
    **NAMES,
    **INFORMATION_FUNCTIONS,
}
"""Function → its macro's overloads."""

ROWS_OF = {
    "aclexplode": ACL_ROWS,
    "pg_available_extensions": """
        SELECT name, default_version, comment FROM pg_catalog.pg_available_extensions""",
    "pg_get_keywords": "SELECT * FROM keywords",
    "pg_get_publication_tables": "SELECT 0::oid AS relid WHERE false",
    "pg_listening_channels": "SELECT ''::text AS pg_listening_channels WHERE false",
    "pg_options_to_table": """
        SELECT ''::text AS option_name, ''::text AS option_value WHERE false""",
    "pg_partition_ancestors": "SELECT 0::regclass AS relid WHERE false",
    "pg_partition_tree": """SELECT 0::regclass AS relid, 0::regclass AS parentrelid,
        true AS isleaf, 0 AS level WHERE false""",
    "pg_show_all_settings": "SELECT * FROM pg_catalog.pg_settings",
}
"""Function in FROM → its query, in which `$1` is its first argument."""
MACRO_PREFIX = "pg_sg_cat_"
"""Prefix of a function's macro."""


def macro_script(*, started: str) -> list[str]:
    """Return the statements that create all macros, in the order of their dependencies.

    Args:
        started: the start of the server, as a literal.
    """
    catalog = SCHEMA_IN_DUCKDB["pg_catalog"]
    words = {"cat": catalog, "look": LOOKUP_SCHEMA, "started": started, "raised": RAISED}
    listed = [
        *((f"pg_sg_{name}", body) for name, body in LOOKUP_MACROS.items()),
        *((f"{MACRO_PREFIX}{name}", body) for name, body in CATALOG_MACROS.items()),
    ]
    return [f"CREATE MACRO {name}{body.format(**words)}" for name, body in listed]
