"""int2vector and oidvector: all subscripts begin at 0."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.pg_catalog import PgCatalog
from tests.planner.pg_catalog.replay import rows, run
from tests.planner.pg_catalog.stores import SCHEMAS, columns, defined_stores, keyvalue

NAMES = ("a", "b", "c")
KEYED = keyvalue("keyed", columns(a="text", b="bigint", c="date"), columns(n="bigint"))
CATALOG = PgCatalog(defined_stores(*SCHEMAS, KEYED), server_version="15.3")
KEY = [1, 2, 3]
"""`indkey` of the only index of `keyed`."""


def ask(sql: str, *parameters: str) -> Sequence[object]:
    sql = f"SELECT {sql} FROM pg_index i WHERE i.indrelid = 'keyed'::regclass"
    return [row[0] if len(row) == 1 else row for row in rows(run(CATALOG, sql, *parameters))]


def element(place: int) -> int | None:
    return KEY[place] if 0 <= place < len(KEY) else None


@given(st.integers(-3, 5))
def test_a_subscript_means_the_same_however_it_is_written(place: int) -> None:
    spelled = (
        f"i.indkey[{place}]",
        f"(i.indkey)[{place + 1} - 1]",
        f"i.indkey[(SELECT {place})]",
        f"i.indkey[{place}::int2]",
        f"i.indkey[x - 1] FROM (SELECT {place + 1} AS x) AS s, (SELECT * FROM pg_index) AS i, "
        "pg_index AS j WHERE j.indexrelid = i.indexrelid AND i.indrelid = 'keyed'::regclass --",
    )
    for sql in spelled:
        assert ask(sql) == [element(place)], sql
    assert ask("i.indkey[$1::int]", str(place)) == [element(place)]


@given(st.integers(-2, 4), st.integers(-2, 4))
def test_a_slice_is_an_array_that_begins_at_1(first: int, last: int) -> None:
    inside = [n for at, n in enumerate(KEY) if first <= at <= last]
    assert ask(f"i.indkey[{first}:{last}]") == [inside]
    assert ask(f"(i.indkey[{first}:{last}])[1]") == [inside[0] if inside else None]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("i.indkey", [KEY]),
        ("i.indkey::text", ["1 2 3"]),
        ("i.indkey[1:]", [[2, 3]]),
        ("i.indkey[:1]", [[1, 2]]),
        ("(i.indkey::int2[])[0]", [1]),
        ("array_lower(i.indkey, 1)", [0]),
        ("array_upper(i.indkey, 1)", [2]),
        ("array_length(i.indkey, 1)", [3]),
        ("array_dims(i.indkey)", ["[0:2]"]),
        ("array_ndims(i.indkey)", [1]),
        ("cardinality(i.indkey)", [3]),
        ("generate_subscripts(i.indkey, 1)", [0, 1, 2]),
        ("generate_subscripts(i.indkey, 1, true)", [2, 1, 0]),
        ("unnest(i.indkey)", KEY),
        ("array_position(i.indkey, 2::int2)", [1]),
        ("array_positions(i.indkey, 2::int2)", [[1]]),
        ("array_to_string(i.indkey, ',')", ["1,2,3"]),
        ("2 = ANY(i.indkey), 2 <> ALL(i.indkey)", [(True, False)]),
        ("i.indkey = '1 2 3', i.indkey = '1 2'", [(True, False)]),
        ("array(SELECT unnest(i.indkey))", [KEY]),
        (
            "(SELECT array_agg(n ORDER BY n) FROM unnest(i.indkey) WITH ORDINALITY AS u(k, n))",
            [KEY],
        ),
        ("(SELECT max(s) FROM generate_subscripts(i.indkey, 1) AS s)", [2]),
        ("string_to_array(i.indkey::text, ' ')", [["1", "2", "3"]]),
        ("'1 2'::int2vector", [[1, 2]]),
        ("('7 8'::oidvector)[1]", [8]),
        ("('_ab'::name)[0], ('_ab'::name)[2], ('_ab'::name)[-1]", [("_", "b", None)]),
        ("''::int2vector, array_lower(''::int2vector, 1)", [([], 0)]),
    ],
)
def test_functions_of_arrays_use_the_subscripts_of_the_vector(sql: str, found: object) -> None:
    answer = ask(sql)
    assert found is None or answer == found


def test_the_key_of_a_table_as_odbc_reads_it() -> None:
    found = rows(
        run(
            CATALOG,
            "SELECT ta.attname, ia.attnum FROM pg_attribute ta, pg_attribute ia, pg_class tc,"
            " pg_index i, pg_namespace n, pg_class ic WHERE tc.relname = 'keyed'"
            " AND n.nspname = 'public' AND tc.oid = i.indrelid AND n.oid = tc.relnamespace"
            " AND i.indisprimary = 't' AND ia.attrelid = i.indexrelid"
            " AND ta.attrelid = i.indrelid AND ta.attnum = i.indkey[ia.attnum-1]"
            " AND (NOT ta.attisdropped) AND (NOT ia.attisdropped) AND ic.oid = i.indexrelid"
            " ORDER BY ia.attnum",
        )
    )
    assert found == [("a", 1), ("b", 2), ("c", 3)]
