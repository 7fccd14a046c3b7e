"""The types of result columns and parameters, which must not depend on how a plan is run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import pytest

from stategate.planner.postgres.types.result_types import ANY_NUMERIC
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import DataType, Kind, Row, Value
from tests.planner.refusals import refusal
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

ONE = "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"
OTHER = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    devices = open_store(keyvalue("devices", {"k": "text"}, {"u": "uuid", "j": "json"}))
    fill(devices, [("a", ONE, '{"n":1}'), ("b", OTHER, "null"), ("c", None, None)])
    owners = open_store(keyvalue("owners", {"k": "text"}, {"n": "integer"}))
    fill(owners, [("a", 1), ("b", 2)])
    kinds = {"s": "smallint", "t": "tinyint", "a": "integer[]", "w": "text[]", "b": "bytea"}
    lists = open_store(keyvalue("lists", {"k": "text"}, kinds))
    fill(
        lists,
        [
            ("a", 32767, 127, [1, None, 3], [], b"\x00\x01ab"),
            ("b", 7, -128, None, ["x", "{"], b"\\x41"),
        ],
    )
    made = SqlEngine(FixedCatalog(devices, owners, lists))
    yield made
    made.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM devices WHERE k = 'a'",
        "SELECT * FROM devices",
        "SELECT * FROM devices WHERE upper(k) = 'A'",
        "SELECT * FROM devices ORDER BY length(k)",
        "SELECT d.* FROM devices d JOIN owners o ON o.k = d.k WHERE o.n + 0 = 1",
        "SELECT * FROM (SELECT * FROM devices) x WHERE upper(k) = 'A'",
        "SELECT x.k, x.u, x.j FROM (SELECT *, 1 FROM devices) x ORDER BY length(k)",
        "WITH w AS (SELECT * FROM devices) SELECT * FROM w ORDER BY length(k)",
        "SELECT * FROM devices UNION ALL SELECT * FROM devices",
        "SELECT *, _epoch FROM devices ORDER BY length(k)",
        "SELECT d.* FROM devices d JOIN owners USING (k) ORDER BY length(d.k)",
        "SELECT * FROM devices NATURAL JOIN owners ORDER BY length(k)",
        "SELECT a, b, c FROM (SELECT * FROM devices) x (a, b, c) ORDER BY length(a)",
    ],
)
def test_a_star_has_the_types_of_its_columns(engine: SqlEngine, sql: str) -> None:
    kinds = [str(column.type) for column in engine.prepare(sql, Session()).columns]
    assert kinds[:3] == ["text", "uuid", "json"]


def test_a_star_has_the_types_of_array_columns(engine: SqlEngine) -> None:
    (column,) = engine.prepare("SELECT array_agg(u) FROM devices", Session()).columns
    assert str(column.type) == "uuid[]"


@pytest.mark.parametrize(
    "condition",
    [
        f"u = '{ONE.upper()}'",
        f"u = '{{{ONE}}}'",
        f"u IN ('{ONE.replace('-', '')}')",
        f"u = ANY('{{{ONE}}}'::uuid[])",
        f"u = ANY(ARRAY['{ONE}']::uuid[])",
        f"u <> '{OTHER.replace('-', '')}'",
        f"u BETWEEN '{ONE.upper()}' AND '{ONE}'",
        f"k = 'a' AND u = '{ONE.upper()}'",
    ],
)
def test_texts_next_to_a_uuid_are_read_as_uuids(engine: SqlEngine, condition: str) -> None:
    assert rows_of(run(engine, f"SELECT k FROM devices WHERE {condition}")) == [("a",)]


def test_a_list_of_uuids_can_be_a_parameter(engine: SqlEngine) -> None:
    sql = "SELECT k FROM devices WHERE u = ANY($1)"
    assert [str(t) for t in engine.prepare(sql, Session()).parameters] == ["uuid[]"]
    assert rows_of(run(engine, sql, ([ONE],))) == [("a",)]


def test_a_text_that_is_not_a_uuid_is_an_error(engine: SqlEngine) -> None:
    error = refusal(engine, "SELECT k FROM devices WHERE u = 'zzz'")
    assert (error.sqlstate, error.position) == ("22P02", 33)
    assert error.message == 'invalid input syntax for type uuid: "zzz"'


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT $1::numeric", ["decimal(0,0)"]),
        ("SELECT $1::numeric[]", ["decimal(0,0)[]"]),
        ("SELECT CASE WHEN $1 THEN 1 ELSE $2 END", ["boolean", "integer"]),
        ("SELECT k FROM owners WHERE $1", ["boolean"]),
        ("SELECT k FROM owners WHERE NOT $1 OR n = $2", ["boolean", "integer"]),
        ("SELECT k FROM (SELECT * FROM owners) o WHERE n = $1", ["integer"]),
        ("SELECT substring($1, $2, $3)", ["text", "text", "text"]),
        ("SELECT left($1, $2)", ["text", "integer"]),
        ("SELECT ARRAY[$1, 2]", ["integer"]),
        ("SELECT k FROM lists WHERE $1 = ANY(a)", ["integer"]),
        ("SELECT * FROM generate_series(1, $1)", ["integer"]),
    ],
)
def test_parameters_have_the_type_of_their_place(
    engine: SqlEngine, sql: str, types: list[str]
) -> None:
    assert [str(t) for t in engine.prepare(sql, Session()).parameters] == types


@pytest.mark.parametrize(
    ("sql", "types", "rows"),
    [
        ("SELECT (p).* FROM places ORDER BY k", "double integer", [(1.5, 3), (None, None)]),
        ("SELECT k, (q.p).*, 1 FROM places q", "text double integer integer", None),
        ("SELECT (p).* FROM (SELECT p FROM places) x WHERE (p).n = 3", "double integer", None),
        ("SELECT sum((p).n) FROM places", "bigint", [(3,)]),
        ("SELECT sum((p).n), sum((q.p).n) FROM places q", "bigint bigint", [(3, 3)]),
    ],
)
def test_the_fields_of_a_struct(sql: str, types: str, rows: list[Row] | None) -> None:
    places = open_store(keyvalue("places", {"k": "text"}, {"p": 'struct("x" double, "n" integer)'}))
    fill(places, [("a", {"x": 1.5, "n": 3}), ("b", None)])
    engine = SqlEngine(FixedCatalog(places))
    result = run(engine, sql)
    assert " ".join(str(column.type) for column in result.columns) == types
    assert rows is None or rows_of(result) == rows
    error = refusal(engine, "SELECT (k).* FROM places")
    assert (error.sqlstate, error.message) == ("42809", "type text is not composite")
    engine.close()


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("p IS NULL", "b d"),
        ("p IS NOT NULL", "a"),
        ("NOT p IS NULL", "a c"),
        ("NOT (p IS NOT NULL)", "b c d"),
        ("(p IS NULL OR k = 'c')", "b c d"),
    ],
)
def test_a_struct_is_null_if_all_its_fields_are(condition: str, keys: str) -> None:
    places = open_store(keyvalue("places", {"k": "text"}, {"p": 'struct("x" double, "n" integer)'}))
    full, empty = {"x": 1.5, "n": 3}, {"x": None, "n": None}
    fill(places, [("a", full), ("b", None), ("c", {**full, "n": None}), ("d", empty)])
    engine = SqlEngine(FixedCatalog(places))
    result = run(engine, f"SELECT k FROM places WHERE {condition} ORDER BY k")
    assert [row[0] for row in rows_of(result)] == keys.split()
    engine.close()


@pytest.mark.parametrize("given", [None, DataType(kind=Kind.DECIMAL)])
def test_a_numeric_without_digits_holds_any(engine: SqlEngine, given: DataType | None) -> None:
    statement = engine.prepare("SELECT $1::numeric", Session(), parameter_types=(given,))
    assert [column.type for column in statement.columns] == [ANY_NUMERIC]
    result = engine.execute(statement, (Decimal("1.25"),), Session(), cancellation=Cancellation())
    assert rows_of(result) == [(Decimal("1.25"),)]


@pytest.mark.parametrize(
    ("sql", "value", "row"),
    [
        ("SELECT $1::date > '9999-12-31'", (1 << 31) - 1, (True,)),
        ("SELECT $1::time", 86_400_000_000, (86_400_000_000,)),
        ("SELECT $1::timestamp < '0001-01-01'", -(1 << 63), (True,)),
        ("SELECT $1::timestamptz > '9999-12-31'", (1 << 63) - 1, (True,)),
    ],
)
def test_the_ends_of_times_are_infinite(
    engine: SqlEngine, sql: str, value: Value, row: Row
) -> None:
    assert rows_of(run(engine, sql, (value,))) == [row]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", (dt.date.max - dt.date(1970, 1, 1)).days + 1),
        ("timestamp", -63_000_000_000_000_000),
        ("timestamptz", 260_000_000_000_000_000),
    ],
)
def test_years_that_python_lacks_are_values(engine: SqlEngine, kind: str, value: int) -> None:
    assert rows_of(run(engine, f"SELECT $1::{kind}", (value,))) == [(value,)]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("a IS NULL", "b"),
        ("a IS NOT NULL", "a"),
        ("a IS NULL AND k = 'b'", "b"),
        ("a IS NULL AND w IS NOT NULL", "b"),
        ("a = '{1,NULL,3}'", "a"),
        ("a IN ('{1,NULL,3}', '{2}')", "a"),
        ("w = '{}'", "a"),
        ("w <> '{}'", "b"),
        ("w = '{x,\"{\"}'", "b"),
        ("3 = ANY(a)", "a"),
        ("b = '\\x00016162'", "a"),
        ("'\\x00016162' = b AND length(k) = 1", "a"),
        ("b IN ('\\x00016162', 'ab') ORDER BY k", "a"),
        ("b < '\\x01' ORDER BY k", "a"),
        ("b BETWEEN '\\x0001' AND '\\x0002' AND length(k) = 1", "a"),
        ("b <> '\\x00016162' AND length(k) = 1", "b"),
        ("b IS NOT DISTINCT FROM '\\x00016162'", "a"),
        ("coalesce(b, 'x') = '\\\\x41'", "b"),
        ("nullif(b, '\\x00016162') IS NULL", "a"),
        ("CASE WHEN k = 'a' THEN '\\x00016162' ELSE b END = b AND length(k) = 1 AND k = 'a'", "a"),
    ],
)
def test_conditions_on_lists_and_bytes(engine: SqlEngine, condition: str, found: str) -> None:
    assert rows_of(run(engine, f"SELECT k FROM lists WHERE {condition}")) == [(found,)]


@pytest.mark.parametrize(
    ("expression", "kind", "value"),
    [
        ("s * 2", "integer", 65534),
        ("2 * s", "integer", 65534),
        ("s + 1", "integer", 32768),
        ("1 / s", "integer", 0),
        ("s % 10", "integer", 7),
        ("t + 1", "integer", 128),
        ("t + t", "smallint", 254),
        ("sum(t)", "bigint", 127),
    ],
)
def test_small_numbers_next_to_others_are_as_wide_as_in_postgres(
    engine: SqlEngine, expression: str, kind: str, value: int
) -> None:
    result = run(engine, f"SELECT {expression} FROM lists WHERE k = 'a'")
    assert [str(column.type) for column in result.columns] == [kind]
    assert rows_of(result) == [(value,)]


@pytest.mark.parametrize(
    ("sql", "given"),
    [
        ("SELECT $1::numeric[]", ([Decimal("1.23456"), None],)),
        ("SELECT '{1.23456,NULL}'::numeric[]", ()),
        ("SELECT ARRAY[1.23456, NULL]::numeric[]", ()),
    ],
)
def test_numerics_in_arrays_keep_their_digits(engine: SqlEngine, sql: str, given: Row) -> None:
    assert rows_of(run(engine, sql, given)) == [([Decimal("1.23456"), None],)]
