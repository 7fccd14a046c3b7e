"""Access control lists, privileges, sequences that do not exist, and statistics of no use."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from tests.planner.pg_catalog.test_catalog import ask


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        ("acldefault('n', 10::oid)", [(10, 10, "CREATE", False), (10, 10, "USAGE", False)]),
        ("'{=r/postgres,postgres=a*r/postgres}'::aclitem[]", [
            (10, 0, "SELECT", False),
            (10, 10, "INSERT", True),
            (10, 10, "SELECT", False),
        ]),
        ("NULL", []),
    ],
)  # fmt: skip
def test_the_items_of_a_list(call: str, rows: list[object]) -> None:
    sql = f"SELECT * FROM aclexplode({call}) ORDER BY grantee, privilege_type"
    assert ask(sql) == rows


@pytest.mark.parametrize("join", [",", "CROSS JOIN LATERAL"])
def test_lists_of_rows(join: str) -> None:
    sql = (
        f"SELECT a.grantee, a.privilege_type FROM pg_namespace n {join} aclexplode(n.nspacl) a"
        " WHERE n.nspname = 'public' ORDER BY 1, 2"
    )
    assert ask(sql) == [(0, "USAGE"), (6171, "CREATE"), (6171, "USAGE")]


def test_a_list_is_required() -> None:
    with pytest.raises(QueryError, match="aclexplode") as caught:
        ask("SELECT * FROM aclexplode()")
    assert caught.value.sqlstate == "42883"


def test_users_may_read_what_they_see() -> None:
    tables = "SELECT table_schema, table_name FROM information_schema"
    own = f"{tables}.tables WHERE table_schema = 'public' ORDER BY 1, 2"
    for relation in ("table_privileges", "role_table_grants"):
        granted = f"{tables}.{relation} WHERE grantee = 'postgres' AND privilege_type = 'SELECT'"
        assert ask(f"{granted} ORDER BY 1, 2") == ask(own)
    columns = "SELECT table_name, column_name FROM information_schema"
    assert ask(f"{columns}.column_privileges WHERE grantee = 'PUBLIC' ORDER BY 1, 2") == ask(
        f"{columns}.columns WHERE table_schema <> 'public' ORDER BY 1, 2"
    )


def test_the_types_of_elements() -> None:
    sql = (
        "SELECT e.data_type, e.udt_name FROM information_schema.columns c JOIN"
        " information_schema.element_types e ON (c.table_catalog, c.table_schema, c.table_name,"
        " 'TABLE', c.dtd_identifier) = (e.object_catalog, e.object_schema, e.object_name,"
        " e.object_type, e.collection_type_identifier) WHERE c.table_name = 'pg_proc'"
        " AND c.column_name = 'proargnames'"
    )
    assert ask(sql) == [("text", "text")]


def test_statistics_have_rows() -> None:
    assert ask("SELECT count(*), sum(buffers_alloc) FROM pg_stat_bgwriter") == [(1, 0)]
    sql = "SELECT count(*) > 0 FROM pg_statio_sys_tables"
    assert ask(sql) == [(True,)]
    both = "SELECT (SELECT count(*) FROM pg_statio_user_tables) = count(*) FROM pg_stat_user_tables"
    assert ask(both) == [(True,)]


@pytest.mark.parametrize(
    ("call", "sqlstate"),
    [
        ("currval('nope')", "42P01"),
        ("nextval('pg_class')", "42809"),
        ("setval('pg_class', 1, true)", "42809"),
        ("lastval()", "55000"),
    ],
)
def test_there_are_no_sequences(call: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(f"SELECT {call}")
    assert caught.value.sqlstate == sqlstate
    assert ask("SELECT currval(NULL)") == [(None,)]
