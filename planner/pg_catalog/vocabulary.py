"""The relations and functions that a catalog statement may name.

Two of the functions, `user` and `current_role`, are parsed as columns by sqlglot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from sqlglot import exp

from stategate.planner.binding.relations import Relation, Vocabulary
from stategate.planner.errors import UnknownNameError
from stategate.planner.pg_catalog.macros import CATALOG_MACROS, ROWS_OF
from stategate.planner.pg_catalog.relations import (
    INTERNAL,
    KEYWORDS,
    LOOKUP_SCHEMA,
    SCHEMA_IN_DUCKDB,
    SYSTEM_COLUMNS,
    WIDE,
    find_relation,
)
from stategate.planner.postgres.refused import TABLE_FUNCTIONS
from stategate.planner.postgres.types.functions import FUNCTIONS, RESULTS
from stategate.planner.trees.column_names import folded
from stategate.planner.values.catalog_types import CATALOG_TYPES, CHAR, NAME, OID
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    INTEGER,
    TEXT,
    TIMESTAMPTZ,
    Column,
    DataType,
    Kind,
)
from stategate.stores.spec.store import Store

SESSION_FUNCTIONS = frozenset(
    (
        *("version", "current_schema", "current_schemas", "current_database", "current_user"),
        *("session_user", "current_role", "current_catalog", "user"),
    )
)
"""Functions of the session that are not macros."""
_NAMES = DataType(kind=Kind.ARRAY, element=NAME)
_RESULTS: Mapping[DataType, str] = {
    NAME: """
        current_user session_user current_role user current_schema current_database current_catalog
        pg_get_userbyid getdatabaseencoding pg_client_encoding pg_encoding_to_char
    """,
    TEXT: """
        version current_setting format_type pg_get_constraintdef pg_get_viewdef
        pg_get_indexdef pg_get_expr pg_get_functiondef pg_get_function_arguments
        pg_get_function_identity_arguments pg_get_function_result pg_get_function_sqlbody
        pg_get_partkeydef pg_get_partition_constraintdef pg_get_ruledef pg_get_serial_sequence
        pg_get_statisticsobjdef pg_get_triggerdef obj_description col_description
        oidvectortypes _pg_interval_type shobj_description pg_size_pretty pg_tablespace_location
        pg_export_snapshot
    """,
    BOOLEAN: """
        has_any_column_privilege has_column_privilege has_database_privilege
        has_function_privilege has_language_privilege has_schema_privilege
        has_sequence_privilege has_table_privilege has_tablespace_privilege has_type_privilege
        pg_has_role row_security_active pg_is_in_recovery pg_is_other_temp_schema
        pg_is_wal_replay_paused pg_relation_is_publishable pg_column_is_updatable
        pg_index_column_has_property
    """,
    INTEGER: """
        pg_backend_pid pg_char_to_encoding pg_encoding_max_length pg_relation_is_updatable
        inet_server_port inet_client_port pg_column_size _pg_char_max_length
        _pg_char_octet_length _pg_numeric_precision _pg_numeric_precision_radix _pg_numeric_scale
        _pg_datetime_precision
    """,
    BIGINT: """
        pg_database_size pg_indexes_size pg_relation_size pg_table_size pg_tablespace_size
        pg_total_relation_size txid_current txid_current_if_assigned pg_stat_get_numscans
        pg_stat_get_live_tuples pg_stat_get_dead_tuples pg_stat_get_tuples_inserted
        pg_stat_get_tuples_updated pg_stat_get_tuples_deleted pg_stat_get_tuples_returned
        pg_stat_get_tuples_fetched pg_stat_get_blocks_fetched currval nextval setval lastval
    """,
    TIMESTAMPTZ: "pg_conf_load_time pg_postmaster_start_time",
    OID: "pg_my_temp_schema _pg_truetypid",
    _NAMES: "current_schemas",
    DataType(kind=Kind.ARRAY, element=INTEGER): "pg_blocking_pids",
    CATALOG_TYPES["pg_lsn"]: "pg_current_wal_lsn pg_last_wal_receive_lsn pg_last_wal_replay_lsn",
    DataType(kind=Kind.ARRAY, element=CATALOG_TYPES["aclitem"]): "acldefault",
    CATALOG_TYPES["regclass"]: "to_regclass pg_get_replica_identity_index pg_partition_ancestors",
    CATALOG_TYPES["regnamespace"]: "to_regnamespace",
    CATALOG_TYPES["regproc"]: "to_regproc",
    CATALOG_TYPES["regrole"]: "to_regrole",
    CATALOG_TYPES["regtype"]: "to_regtype",
}
RESULTS_OF_CATALOG: Mapping[str, DataType] = {
    **RESULTS,
    **{name: BOOLEAN for name in CATALOG_MACROS if name.endswith("_is_visible")},
    **{name: data_type for data_type, names in _RESULTS.items() for name in names.split()},
}
"""Function → result type, whatever its arguments."""
_ARGUMENTS: Mapping[str, tuple[DataType, ...]] = {
    "acldefault": (CHAR, OID),
    "col_description": (OID, INTEGER),
    "current_schemas": (BOOLEAN,),
    "format_type": (OID, INTEGER),
    "obj_description": (OID, NAME),
    "pg_encoding_to_char": (INTEGER,),
    "pg_get_constraintdef": (OID, BOOLEAN),
    "pg_get_expr": (CATALOG_TYPES["pg_node_tree"], OID, BOOLEAN),
    "pg_get_function_arguments": (OID,),
    "pg_get_function_identity_arguments": (OID,),
    "pg_get_function_result": (OID,),
    "pg_get_indexdef": (OID, INTEGER, BOOLEAN),
    "pg_get_userbyid": (OID,),
    "pg_get_viewdef": (OID, BOOLEAN),
    "shobj_description": (OID, NAME),
    **dict.fromkeys(
        ("to_regclass", "to_regnamespace", "to_regproc", "to_regrole", "to_regtype"), (TEXT,)
    ),
    **{name: (OID,) for name in CATALOG_MACROS if name.endswith("_is_visible")},
}
_FUNCTIONS = FUNCTIONS | CATALOG_MACROS.keys() | ROWS_OF.keys() | SESSION_FUNCTIONS


@cache
def catalog_vocabulary(*, reads_system_columns: bool) -> Vocabulary:
    """Return the names that a catalog statement may use.

    Args:
        reads_system_columns: whether it names `xmin` or another column that `*` does not include.
    """
    return Vocabulary(
        resolve=lambda table: _resolve(table, reads_system_columns=reads_system_columns),
        functions=_FUNCTIONS,
        table_functions=TABLE_FUNCTIONS,
        schemas=frozenset(SCHEMA_IN_DUCKDB),
        results=RESULTS_OF_CATALOG,
        arguments=_ARGUMENTS,
        hidden=frozenset(SYSTEM_COLUMNS),
    )


def _resolve(table: exp.Table, *, reads_system_columns: bool) -> Relation:
    schema, name = folded(table.args.get("db")), folded(table.this)
    if INTERNAL in table.meta:
        return Relation(name=name, columns=KEYWORDS, in_duckdb=(LOOKUP_SCHEMA, name))
    found = find_relation(schema, name)
    if found is None:
        shown = f"{schema}.{name}" if schema else name
        start = table.this.meta.get("start")
        raise UnknownNameError(
            f'relation "{shown}" does not exist', position=None if start is None else start + 1
        )
    columns = tuple(Column(name=each.name, type=each.type) for each in found.columns)
    own = {column.name for column in columns}
    hidden = [Column(name=n, type=t) for n, t in SYSTEM_COLUMNS.items() if n not in own]
    place = (SCHEMA_IN_DUCKDB[found.schema], found.name)
    if reads_system_columns:
        place = (WIDE, f"{found.schema}.{found.name}")
    return Relation(
        name=name,
        columns=columns,
        schema=found.schema,
        in_duckdb=place,
        oid=found.oid,
        hidden=tuple(hidden),
    )


USER_KEYWORDS = frozenset({"user", "current_role"})


def is_user_keyword(node: exp.Expr) -> bool:
    """Whether a node is one of these keywords, without quotes and without a table."""
    if not isinstance(node, exp.Column) or node.table or not isinstance(node.this, exp.Identifier):
        return False
    return not node.this.args.get("quoted") and node.name.lower() in USER_KEYWORDS


def resolve_user_keywords(tree: exp.Query, stores: Mapping[str, Store]) -> None:
    """Replace the keywords with `current_user`, in place, unless FROM has a column of that name.

    PostgreSQL means the column only in quotes. But events often have a column `user`, and a query
    that names it means the column.
    """
    words = [column for column in tree.find_all(exp.Column) if is_user_keyword(column)]
    common = {cte.alias_or_name: cte for cte in tree.find_all(exp.CTE)} if words else {}
    for column in words:
        if not _is_column(column, common, stores):
            is_item = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
            call: exp.Expr = exp.CurrentUser()
            column.replace(exp.alias_(call, column.name.lower(), quoted=True) if is_item else call)


def _is_column(
    column: exp.Expr, common: Mapping[str, exp.Expr], stores: Mapping[str, Store]
) -> bool:
    name, select = column.name.lower(), column.parent_select
    while select is not None:
        for item in _from_items(select):
            reads_common = any(table.name in common for table in item.find_all(exp.Table))
            parts = [item, *(common.values() if reads_common else ())]
            if any(_gives(part, name, stores) for part in parts):
                return True
        select = select.parent_select
    return False


def _from_items(select: exp.Expr) -> Iterator[exp.Expr]:
    from_ = select.args.get("from_")
    if from_ is not None:
        yield from_.this
    for join in select.args.get("joins") or ():
        yield join.this


def _gives(part: exp.Expr, name: str, stores: Mapping[str, Store]) -> bool:
    """Whether a part of FROM may have a column: of a store, an alias or a SELECT list."""
    for table in part.find_all(exp.Table):
        store = stores.get(folded(table.this)) if isinstance(table.this, exp.Identifier) else None
        if store is not None and name in store.schema.column_by_name:
            return True
    given = [column for alias in part.find_all(exp.TableAlias) for column in alias.columns]
    given += [
        item.args["alias"]
        for select in part.find_all(exp.Select)
        for item in select.expressions
        if isinstance(item, exp.Alias)
    ]
    return any(folded(each) == name for each in given)
