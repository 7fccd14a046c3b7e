"""The catalog's rows about stores, and its errors."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pytest

from stategate.planner.binding.relations import SYSTEM_RELATIONS
from stategate.planner.errors import (
    InvalidValueError,
    NotSupportedError,
    QueryCancelledError,
    QueryError,
    UnknownNameError,
)
from stategate.planner.pg_catalog import CatalogStatement, PgCatalog
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.catalog_types import CATALOG_TYPES, CHAR, NAME, OID, postgres_name
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    INTEGER,
    DataType,
    Kind,
    StoreKind,
    StoreSchema,
)
from tests.planner.pg_catalog.replay import parse, rows, run
from tests.planner.pg_catalog.stores import CLICKS, DELAYS, SCHEMAS, USERS, columns, defined_stores


def catalog_of(*schemas: StoreSchema) -> PgCatalog:
    return PgCatalog(defined_stores(*schemas), server_version="15.3")


PRICES = StoreSchema(
    name="prices",
    kind=StoreKind.VERSIONED,
    key=columns(item="text"),
    value=columns(price="decimal(10,2)"),
    partitions=2,
)
CATALOG = catalog_of(*SCHEMAS, DELAYS, PRICES)


def ask(
    sql: str, *parameters: str | None, session: Session | None = None
) -> list[Sequence[object]]:
    return [*rows(run(CATALOG, sql, *parameters, session=session))]


def prepare(sql: str, *types: DataType | None) -> CatalogStatement:
    return CATALOG.prepare(sql, parse(sql), types)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM pg_class",
        "SELECT * FROM pg_catalog.pg_class c, information_schema.columns",
        "WITH x AS (SELECT oid FROM pg_type) SELECT * FROM x",
        "SELECT version()",
        "SELECT pg_catalog.version()",
        "SELECT current_schema()",
        "SELECT current_user",
        "SELECT to_regclass('duckdb_secrets')",
        "SELECT set_config('search_path', '', false)",
        "SELECT * FROM pg_get_keywords()",
        "SELECT 'clicks'::regclass::oid",
        "SELECT pg_is_in_recovery()",
    ],
)
def test_accepts_catalog_statements(sql: str) -> None:
    assert CATALOG.accepts(parse(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT * FROM clicks",
        "SELECT * FROM clicks, pg_class",
        "SELECT * FROM stategate.stores",
        "SELECT * FROM pg_nothing",
        "SELECT now()",
        "SELECT lower('A')",
        "SELECT * FROM generate_series(1, 3)",
        "WITH pg_class AS (SELECT 1) SELECT * FROM pg_class, clicks",
    ],
)
def test_rejects_other_statements(sql: str) -> None:
    assert not CATALOG.accepts(parse(sql))


def test_a_catalog_relation_wins_over_a_store_unless_that_is_qualified() -> None:
    shadowing = StoreSchema(
        name="pg_class", kind=CLICKS.kind, key=CLICKS.key, value=CLICKS.value, partitions=1
    )
    catalog = catalog_of(shadowing)
    assert catalog.accepts(parse("SELECT * FROM pg_class"))
    assert catalog.accepts(parse("SELECT * FROM pg_catalog.pg_class"))
    assert not catalog.accepts(parse("SELECT * FROM public.pg_class"))


def test_columns_of_a_store() -> None:
    found = ask(
        "SELECT attnum, attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute"
        " WHERE attrelid = 'users'::regclass AND attnum > 0 ORDER BY attnum"
    )
    assert found == [
        (1, "id", "bigint", False),
        (2, "name", "text", False),
        (3, "active", "boolean", False),
        (4, "balance", "numeric(12,3)", False),
        (5, "born", "date", False),
        (6, "seen", "timestamp without time zone", False),
        (7, "raw", "bytea", False),
        (8, "token", "uuid", False),
        (9, "doc", "json", False),
        (10, "tags", "text[]", False),
        (11, "score", "double precision", False),
    ]


def test_key_of_a_window_store_has_the_window_start() -> None:
    found = ask(
        "SELECT conname, conkey, pg_get_constraintdef(oid), contype FROM pg_constraint"
        " WHERE conrelid = 'public.delays'::regclass"
    )
    assert found == [("delays_pkey", [1, 2], "PRIMARY KEY (carrier, window_start)", "p")]
    assert ask("SELECT indkey, indkey[0], indkey[1] FROM pg_index WHERE indnatts = 2") == [
        ([1, 2], 1, 2),
        ([1, 2], 1, 2),
        ([1, 2], 1, 2),
    ]


def test_a_key_may_be_null_but_times_that_the_kind_adds_may_not() -> None:
    sql = "SELECT attname FROM pg_attribute WHERE attnotnull AND attrelid = $1::regclass"
    assert ask(sql, "clicks") == []
    assert ask(sql, "delays") == [("window_start",), ("window_end",)]
    assert ask(sql, "prices") == [("valid_from",)]
    nullable = "SELECT is_nullable FROM information_schema.columns WHERE column_name = 'user_id'"
    assert ask(f"{nullable} AND table_name = 'clicks'") == [("YES",)]


def test_columns_that_are_not_null_are_listed_as_such() -> None:
    user, count = CLICKS.key[0].name, CLICKS.value[0].name
    schema = replace(CLICKS, not_null=frozenset({user, count}))
    stores = defined_stores(CLICKS)
    catalog = PgCatalog(stores, server_version="15.3")
    sql = "SELECT attname FROM pg_attribute WHERE attnotnull AND attrelid = 'clicks'::regclass"
    assert [*rows(run(catalog, sql))] == []
    stores.replace(schema)
    assert [*rows(run(catalog, sql))] == [(user,), (count,)]
    sql = "SELECT column_name FROM information_schema.columns WHERE is_nullable = 'NO'"
    assert [*rows(run(catalog, f"{sql} AND table_name = 'clicks'"))] == [(user,), (count,)]


def test_key_of_a_versioned_store_has_the_time_from_which_a_version_is_valid() -> None:
    sql = "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'prices'::regclass"
    assert ask(sql) == [("PRIMARY KEY (item, valid_from)",)]


def test_columns_of_a_window_store() -> None:
    found = ask(
        "SELECT attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)"
        " FROM pg_attribute WHERE attrelid = 'delays'::regclass AND attnum > 0 ORDER BY attnum"
    )
    assert found == [
        ("carrier", "text", "key, 1 of 1"),
        ("window_start", "timestamp with time zone", "start of the window, inclusive"),
        ("window_end", "timestamp with time zone", "end of the window, exclusive"),
        ("total", "real", None),
    ]
    assert ask("SELECT relkind, relnatts FROM pg_class WHERE relname = 'delays'") == [("r", 4)]


def test_rows_come_in_the_order_of_the_first_table() -> None:
    """ADBC lists columns by this join and without ORDER BY, as PostgreSQL happens to allow."""
    found = ask(
        "SELECT attr.attname FROM pg_catalog.pg_attribute AS attr"
        " INNER JOIN pg_catalog.pg_class AS cls ON attr.attrelid = cls.oid"
        " INNER JOIN pg_catalog.pg_type AS typ ON attr.atttypid = typ.oid"
        " WHERE attr.attnum >= 0 AND cls.relname = 'users'"
    )
    assert [name for (name,) in found] == [column.name for column in USERS.columns]


def test_predefined_roles_and_functions_are_described() -> None:
    assert ask("SELECT pg_get_userbyid(nspowner), nspacl FROM pg_namespace WHERE oid = 2200") == [
        ("pg_database_owner", ["pg_database_owner=UC/pg_database_owner", "=U/pg_database_owner"])
    ]
    assert ask("SELECT count(*) FROM pg_roles WHERE rolcanlogin") == [(1,)]
    assert ask("SELECT obj_description(871, 'pg_proc'), to_regrole('pg_monitor')") == [
        ("uppercase", "pg_monitor")
    ]


def test_a_relation_has_a_row_type_and_its_array_type() -> None:
    found = ask(
        "SELECT 'clicks'::regtype, 'public.\"clicks\"'::regtype, 'clicks[]'::regtype,"
        " format_type('stategate.stores'::regtype, NULL), to_regtype('nothing')"
    )
    assert found == [("clicks", "clicks", "clicks[]", "stategate.stores", None)]
    found = ask(
        "SELECT t.typname, t.typtype, a.typname, a.typelem = t.oid, c.relname"
        " FROM pg_class c JOIN pg_type t ON t.oid = c.reltype AND t.typrelid = c.oid"
        " JOIN pg_type a ON a.oid = t.typarray WHERE c.oid = 'clicks'::regclass"
    )
    assert found == [("clicks", "c", "_clicks", True, "clicks")]


def test_comments_of_a_definition_stand_for_the_derived_ones() -> None:
    plain = replace(CLICKS, comment=None)
    stores = defined_stores(plain)
    catalog = PgCatalog(stores, server_version="15.3")
    statement = (
        "SELECT obj_description(oid, 'pg_class'), col_description(oid, 1), col_description(oid, 2)"
        ", xmin FROM pg_class WHERE relname = 'clicks'"
    )
    (before,) = rows(run(catalog, statement))
    value = (replace(CLICKS.value[0], comment="how often"), *CLICKS.value[1:])
    stores.replace(replace(CLICKS, value=value, comment="clicks of users"))
    (after,) = rows(run(catalog, statement))
    assert list(before[1:3]) == ["key, 1 of 1", None]
    assert list(after[:3]) == ["clicks of users", "key, 1 of 1", "how often"]
    assert before[3] != after[3]  # so clients that keep definitions read this one again
    stores.replace(plain)
    assert list(rows(run(catalog, statement))) == [before]


def test_comment_of_a_store() -> None:
    assert ask("SELECT obj_description('delays'::regclass, 'pg_class')") == [
        ("window store, 8 partitions, windows of 1 hour, kept for 1 day, from flights",)
    ]


def test_relations_have_no_pages_so_that_clients_do_not_read_by_ctid() -> None:
    assert ask("SELECT relkind, relpages, reltuples FROM pg_class WHERE relname = 'clicks'") == [
        ("r", 0, -1.0)
    ]


def test_schemas_and_system_relations() -> None:
    assert [row[0] for row in ask("SELECT nspname FROM pg_namespace ORDER BY 1")] == [
        "information_schema",
        "pg_catalog",
        "pg_toast",
        "public",
        "stategate",
    ]
    found = ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'stategate'")
    assert {row[0] for row in found} == set(SYSTEM_RELATIONS)


def test_oids_are_the_same_in_other_processes_and_with_other_stores() -> None:
    sql = "SELECT 'clicks'::regclass::oid"
    assert ask(sql) == rows(run(catalog_of(CLICKS), sql)) == [(1678844695,)]


def test_the_tables_follow_the_stores() -> None:
    stores = defined_stores(CLICKS)
    catalog = PgCatalog(stores, server_version="15.3")
    sql = "SELECT relname, xmin FROM pg_class WHERE relkind = 'r' AND relnamespace = 2200"
    [(name, xmin)] = rows(run(catalog, sql))
    assert name == "clicks"
    stores.replace(CLICKS, USERS)
    after = {row[0]: row[1] for row in rows(run(catalog, sql))}
    assert after["clicks"] == xmin
    wider = StoreSchema(
        name="clicks",
        kind=CLICKS.kind,
        key=CLICKS.key,
        value=(*CLICKS.value, *columns(page="text")),
        partitions=4,
    )
    stores.replace(wider)
    [(name, changed)] = rows(run(catalog, sql))
    assert changed != xmin


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT count(*), 1, 'x', NULL FROM pg_class", ("count", *["?column?"] * 3)),
        ("SELECT c.oid::regclass::text, (1)::int FROM pg_class c", ("oid", "int4")),
        ("SELECT version(), current_schema()", ("version", "current_schema")),
        ("SELECT CASE WHEN true THEN 1 END, EXISTS (SELECT oid FROM pg_class)", ("case", "exists")),
        ("SELECT ARRAY(SELECT oid FROM pg_am), (SELECT max(oid) FROM pg_am)", ("array", "max")),
        ('SELECT relname AS Name, OID AS "Oid" FROM pg_class', ("name", "Oid")),
        ("SELECT string_agg(relname, ',') FROM pg_class", ("string_agg",)),
        ("SELECT conkey[1], true FROM pg_constraint", ("conkey", "?column?")),
    ],
)
def test_columns_are_named_as_postgres_names_them(sql: str, names: tuple[str, ...]) -> None:
    assert tuple(column.name for column in prepare(sql).columns) == names


def test_star_keeps_names_that_occur_twice() -> None:
    statement = prepare("SELECT * FROM pg_am a, pg_am b")
    assert [column.name for column in statement.columns] == [
        "oid",
        "amname",
        "amhandler",
        "amtype",
    ] * 2


def test_types_of_columns() -> None:
    statement = prepare(
        "SELECT oid, relname, relnatts, relpages, relhasindex, reloptions, NULL,"
        " json_build_object('a', oid) FROM pg_class"
    )
    assert [str(column.type) for column in statement.columns] == [
        *("bigint", "text", "smallint", "integer", "boolean", "text[]", "null", "json")
    ]
    table = CATALOG.execute(statement, (), session=Session(), cancellation=Cancellation())
    assert isinstance(table, pa.Table)
    assert [field.type for field in table.schema] == [c.type.arrow for c in statement.columns]


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT 1 FROM pg_class WHERE oid = $1 AND relname = $2", (OID, NAME)),
        (
            "SELECT 1 FROM pg_class WHERE relkind = ANY($1)",
            (DataType(kind=Kind.ARRAY, element=CHAR),),
        ),
        ("SELECT $1::regclass::oid", (replace(CATALOG_TYPES["regclass"], kind=Kind.TEXT),)),
        ("SELECT format_type($2, $1)", (INTEGER, OID)),
        ("SELECT current_schemas($1)", (BOOLEAN,)),
        ("SELECT oid FROM pg_class LIMIT $1", (BIGINT,)),
        (
            "SELECT oid FROM pg_type WHERE oid = ANY($1::oid[])",
            (DataType(kind=Kind.ARRAY, element=OID),),
        ),
    ],
)
def test_types_of_parameters(sql: str, types: tuple[DataType, ...]) -> None:
    assert prepare(sql).parameters == types


def test_types_of_parameters_that_the_client_declares() -> None:
    assert prepare("SELECT 1 FROM pg_class WHERE oid = $1", INTEGER).parameters == (INTEGER,)


def test_parameters_reach_the_statement() -> None:
    assert ask("SELECT relname FROM pg_class WHERE oid = $1::regclass", '"clicks"') == [("clicks",)]
    found = ask("SELECT count(*) FROM pg_class WHERE relname = ANY($1)", '{clicks, "users",NULL}')
    assert found == [(2,)]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("to_regclass('nothing'), to_regclass('CLICKS')::oid = 'clicks'::regclass", (None, True)),
        ("'pg_class'::regclass, 1259::regclass", ("pg_class", "pg_class")),
        ("'pg_class'::regclass::oid, 'clicks'::regclass::text", (1259, "clicks")),
        ("'int4'::regtype, 'character varying'::regtype::oid", ("integer", 1043)),
        ("'a_b' LIKE E'a\\\\_b', 'axb' LIKE 'a\\_b' FROM pg_am LIMIT 1", (True, False)),
        ("'p' = ANY('{r,p}'), 1 = ANY('{2}'), version() <> ALL('{a,b}')", (True, False, True)),
        ("current_schemas(true)", (["pg_catalog", "public"],)),
        ("current_schemas(false), current_user", (["public"], "postgres")),
        ("'a' OPERATOR(pg_catalog.~) '^a$', version() COLLATE \"C\" ~ '^P'", (True, True)),
        ("pg_get_indexdef('delays_pkey'::regclass, 2, false)", ("window_start",)),
        (
            "pg_get_indexdef('delays_pkey'::regclass, 0, true)",
            ("CREATE UNIQUE INDEX delays_pkey ON delays USING btree (carrier, window_start)",),
        ),
        ("pg_size_pretty(pg_total_relation_size('clicks'))", ("0 bytes",)),
        ("current_setting('server_version_num')::int / 10000", (15,)),
        ("format('%s.%I:%L%%', version() IS NULL, 'a b', NULL)", ('f."a b":NULL%',)),
        ("EXISTS (SELECT FROM pg_class)", (True,)),
        ("parse_ident('\"Some\".Thing')", (["Some", "thing"],)),
        ("c.relname, count(*) FROM pg_class c WHERE relname = 'big' GROUP BY c.oid", ("big", 1)),
        ("x FROM generate_series(1, array_upper(current_schemas(false), 1)) AS x", (1,)),
        (
            "array_agg(a.attname ORDER BY x.n) FROM pg_index i"
            " CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS x(attnum, n)"
            " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = x.attnum"
            " WHERE i.indrelid = 'delays'::regclass",
            (["carrier", "window_start"],),
        ),
        ("age(xmin) >= 0, ctid IS NOT NULL FROM pg_database", (True, True)),
        ("acldefault('n', 10)", (["postgres=UC/postgres"],)),
        ("acldefault('d', 10)", (["=Tc/postgres", "postgres=CTc/postgres"],)),
        ("has_any_column_privilege(current_user, 'clicks', 'select')", (True,)),
    ],
)
def test_expressions_have_the_meaning_of_postgresql(sql: str, found: tuple[object, ...]) -> None:
    assert ask(f"SELECT {sql}") == [found]


def test_settings_are_those_of_the_session() -> None:
    session = Session(settings={"timezone": "Europe/Paris", "stategate.wait": "5 s"}, user="o'neil")
    sql = "SELECT current_setting('TimeZone'), current_setting('stategate.wait'), current_user"
    assert ask(sql, session=session) == [("Europe/Paris", "5 s", "o'neil")]
    assert ask("SELECT rolname FROM pg_roles WHERE rolcanlogin", session=session) == [("o'neil",)]
    found = ask("SELECT set_config('search_path', $1, false)", "public", session=session)
    assert found == [("public",)]
    assert session.settings["search_path"] == "public"
    assert ask("SELECT current_setting('no.such', true)", session=session) == [(None,)]


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SELECT 'nothing'::regclass", "42P01"),
        ("SELECT nothing FROM pg_class", "42703"),
        ("SELECT c.nothing FROM pg_class c", "42703"),
        ("SELECT nothing(oid) FROM pg_class", "42883"),
        ("SELECT oid FROM pg_class a, pg_class b", "42702"),
        ("SELECT * FROM pg_nothing", "42P01"),
        ("SELECT current_setting('no.such')", "42704"),
        ("SELECT 'x'::oid FROM pg_class", "22P02"),
        ("SELECT relname, count(*) FROM pg_class", "42803"),
        ("SELECT getvariable('session_user') FROM pg_class", "42883"),
        ("SELECT * FROM pg_class, read_csv('/etc/passwd')", "42883"),
        ("SELECT read_text('/etc/passwd') FROM pg_class", "42883"),
        ("SELECT other.version()", "3F000"),
        ("SELECT 1 = ANY('1,2') FROM pg_class", "22P02"),
    ],
)
def test_refusals(sql: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(sql)
    assert caught.value.sqlstate == sqlstate


def test_wrong_number_of_parameters() -> None:
    with pytest.raises(InvalidValueError):
        CATALOG.execute(
            prepare("SELECT version()"), (1,), session=Session(), cancellation=Cancellation()
        )


def test_cancelled_before_it_starts() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(QueryCancelledError):
        CATALOG.execute(
            prepare("SELECT version()"), (), session=Session(), cancellation=cancellation
        )


def test_deadline_stops_a_long_statement() -> None:
    sql = "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c"
    with pytest.raises(QueryCancelledError):
        CATALOG.execute(prepare(sql), (), session=Session(), cancellation=Cancellation(0.2))


def test_prepared_once_by_text() -> None:
    assert prepare("SELECT oid FROM pg_am") is prepare("SELECT oid FROM pg_am")


def test_the_tree_is_left_as_it_is() -> None:
    tree = parse("SELECT c.oid::regclass FROM pg_catalog.pg_class c WHERE c.oid = ANY('{1}')")
    before = tree.sql()
    CATALOG.prepare("another text", tree, ())
    assert tree.sql() == before


def test_many_threads_while_stores_change() -> None:
    stores = defined_stores(CLICKS)
    catalog = PgCatalog(stores, server_version="15.3")
    problems: list[Exception] = []

    def read() -> None:
        try:
            for _ in range(5):
                [(count,)] = rows(run(catalog, "SELECT count(*) FROM pg_constraint"))
                assert count in {1, 2}
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    stores.replace(CLICKS, USERS)
    for thread in threads:
        thread.join()
    assert problems == []


def test_names_in_errors() -> None:
    with pytest.raises(UnknownNameError, match='relation "pg_nothing" does not exist'):
        prepare("SELECT 1 FROM pg_nothing")
    with pytest.raises(NotSupportedError):
        prepare("SELECT 1 FROM pg_am WHERE set_config('jit', 'on', false) = 'on'")


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT pg_advisory_unlock_all()", ["void"]),
        ("SELECT 1, pg_catalog.pg_advisory_unlock_all() AS done", ["integer", "void"]),
        (
            "SELECT pg_advisory_lock(oid::bigint), pg_try_advisory_lock(1, 2), * FROM pg_am",
            ["void", "boolean", "oid", "name", "regproc", "char"],
        ),
        ("SELECT version(), current_user, current_schemas(true)", ["text", "name", "name[]"]),
        (
            "SELECT indexrelid, indkey, indclass, indkey[0], indkey::int2[] FROM pg_index",
            ["oid", "int2vector", "oidvector", "smallint", "smallint[]"],
        ),
        (
            "SELECT conrelid::regclass, conkey, contype FROM pg_constraint",
            ["regclass", "smallint[]", "char"],
        ),
        (
            "SELECT max(o), count(n) FROM (SELECT oid, relname FROM pg_class) t(o, n)",
            ["oid", "bigint"],
        ),
        (
            "SELECT oid::int8, relname::text, relname || 'x', 'a'::name FROM pg_class",
            ["bigint", "text", "text", "name"],
        ),
        ("SELECT array_agg(oid), min(relname) FROM pg_class", ["oid[]", "name"]),
        ("SELECT table_name, is_nullable FROM information_schema.columns", ["name", "text"]),
    ],
)
def test_types_that_only_the_catalog_has(sql: str, types: list[str]) -> None:
    found = [each.type for each in prepare(sql).columns]
    shown = [
        postgres_name(t)
        or (f"{postgres_name(t.element) or t.element}[]" if t.element is not None else str(t))
        for t in found
    ]
    assert shown == types


def test_the_user_has_several_names() -> None:
    found = ask("SELECT user, current_role, session_user", session=Session(user="ann"))
    assert found == [("ann", "ann", "ann")]
    assert [column.name for column in prepare("SELECT user, current_role").columns] == [
        *("user", "current_role"),
    ]


def test_the_start_of_the_server_is_known() -> None:
    ((started, loaded, past),) = ask(
        "SELECT pg_postmaster_start_time(), pg_conf_load_time(), pg_postmaster_start_time() < now()"
    )
    assert started == loaded
    assert started is not None
    assert past is True


def test_times_keep_their_names() -> None:
    words = ("current_timestamp", "current_time", "localtime", "localtimestamp", "current_date")
    statement = prepare(f"SELECT current_user, {', '.join(words)}, now() FROM pg_am")
    assert [column.name for column in statement.columns] == ["current_user", *words, "now"]
    assert ask("SELECT current_timestamp = now(), localtimestamp::date = current_date FROM pg_am")
