"""Bodies and parameters: accepted forms, and errors that name the field."""

from __future__ import annotations

from decimal import Decimal

import orjson
import pytest

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.requests.fields import read_object
from stategate.gateway.http.requests.parameters import convert_parameters
from stategate.gateway.http.requests.parsing import QueryRequest, query_request
from stategate.planner.engine import DataType, Kind, QueryError
from stategate.planner.errors import LimitExceededError


def read_request(body: bytes, *, parameters_max: int) -> QueryRequest:
    return query_request(read_object(body), parameters_max=parameters_max)


def read(document: object, *, parameters_max: int = 10) -> QueryRequest:
    return read_request(orjson.dumps(document), parameters_max=parameters_max)


def test_fields_become_session_settings() -> None:
    request = read_request(
        orjson.dumps(
            {
                "sql": "SELECT 1",
                "params": [1, None],
                "bound": {"events": {"0": 41}},
                "wait_ms": 500,
                "consistency": "latest",
                "partial": True,
                "info": False,
            }
        ),
        parameters_max=10,
    )
    assert request.sql == "SELECT 1"
    assert request.params == (1, None)
    assert request.settings == {
        "stategate.bound": '{"events":{"0":41}}',
        "stategate.wait": "500ms",
        "stategate.consistency": "latest",
        "stategate.partial": "on",
        "stategate.info": "off",
    }


def test_null_fields_count_as_omitted() -> None:
    request = read_request(b'{"sql": "x", "params": null, "bound": null}', parameters_max=0)
    assert (request.params, request.settings) == ((), {})


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"sql": 1}, '"sql"'),
        ({}, '"sql"'),
        ({"sql": "x", "params": "1"}, '"params"'),
        ({"sql": "x", "params": {"a": 1}}, '":a"'),
        ({"sql": "x", "format": 1}, '"format"'),
        ({"sql": "x", "bound": 1}, '"bound"'),
        ({"sql": "x", "wait_ms": -1}, '"wait_ms"'),
        ({"sql": "x", "wait_ms": True}, '"wait_ms"'),
        ({"sql": "x", "wait_ms": 1.5}, '"wait_ms"'),
        ({"sql": "x", "consistency": 1}, '"consistency"'),
        ({"sql": "x", "partial": "on"}, '"partial"'),
        ({"sql": "x", "parmas": []}, '"parmas"'),
        ({"sql": "x", "b": 1, "a": 1}, '"a", "b"'),
        ([], "object"),
        ("SELECT 1", "object"),
    ],
)
def test_a_wrong_field_is_named(document: object, named: str) -> None:
    with pytest.raises(HttpRequestError) as refused:
        read(document)
    assert named in refused.value.message


def test_an_unknown_field_comes_with_a_hint() -> None:
    with pytest.raises(HttpRequestError) as refused:
        read({"sql": "x", "parmas": []})
    assert refused.value.hint == 'Did you mean "params"?'


@pytest.mark.parametrize("body", [b"", b"SELECT 1", b"{", b"\xff", b'{"sql": "\xff"}'])
def test_a_body_that_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(HttpRequestError, match="not JSON"):
        read_request(body, parameters_max=1)


def test_too_many_parameters_are_refused() -> None:
    with pytest.raises(LimitExceededError, match="3 parameters"):
        read({"sql": "x", "params": [1, 2, 3]}, parameters_max=2)


def convert(value: object, sql_type: str) -> object:
    return convert_parameters([value], [DataType.parse(sql_type)])[0]


@pytest.mark.parametrize(
    ("value", "sql_type", "physical"),
    [
        (None, "bigint", None),
        (5, "bigint", 5),
        (5.0, "integer", 5),
        ("5", "bigint", 5),
        (5, "double", 5.0),
        (1.5, "real", 1.5),
        ("NaN", "double", float("nan")),
        (5, "decimal(10,2)", Decimal(5)),
        (0.1, "decimal(10,2)", Decimal("0.1")),
        ("12345678901234567.25", "decimal(20,2)", Decimal("12345678901234567.25")),
        (True, "boolean", True),
        ("t", "boolean", True),
        ("bob", "text", "bob"),
        (5, "null", "5"),
        (True, "null", "true"),
        (Decimal("0e100"), "bigint", 0),
        (Decimal("0.00e-100"), "smallint", 0),
        (Decimal("0e400"), "double", 0.0),
        (0.5, "null", "0.5"),
        ("\\x00ff", "bytea", b"\x00\xff"),
        ("1970-01-02", "date", 1),
        ("1970-01-01T00:00:01Z", "timestamptz", 1_000_000),
        ("00:00:01", "time", 1_000_000),
        ("1 day", "interval", (0, 1, 0)),
        (
            "A0EEBC999C0B4EF8BB6D6BB9BD380A11",
            "uuid",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        ),
        ({"a": 1}, "json", '{"a":1}'),
        ([1], "json", "[1]"),
        ('{"a":1}', "json", '{"a":1}'),
        ([1, None], "bigint[]", [1, None]),
    ],
)
def test_a_parameter_becomes_its_physical_value(
    value: object, sql_type: str, physical: object
) -> None:
    converted = convert(value, sql_type)
    assert converted == physical or (converted != converted and physical != physical)
    assert type(converted) is type(physical)


BIGINT, TEXT = DataType.parse("bigint"), DataType.parse("text")
STRUCT = DataType(kind=Kind.STRUCT, fields=(("a", BIGINT), ("b", TEXT)))
MAP = DataType(kind=Kind.MAP, fields=(("key", TEXT),), element=BIGINT)


def test_nested_parameters_are_converted_within() -> None:
    assert convert_parameters([{"a": "5"}], [STRUCT]) == ({"a": 5, "b": None},)
    assert convert_parameters([[["x", 1]]], [MAP]) == ([("x", 1)],)


@pytest.mark.parametrize(
    ("value", "data_type", "sqlstate"),
    [
        ("x", BIGINT, "22P02"),
        (1.5, BIGINT, "22P02"),
        (2**63, BIGINT, "22003"),
        (1e300, BIGINT, "22003"),
        (1e300, DataType.parse("real"), "22003"),
        (Decimal("1e400"), DataType.parse("double"), "22003"),
        (Decimal("1e-400"), DataType.parse("double"), "22003"),
        (10**400, DataType.parse("double"), "22003"),
        (Decimal("1e400"), BIGINT, "22003"),
        (5, TEXT, "22P02"),
        (True, TEXT, "22P02"),
        ("x", DataType.parse("uuid"), "22P02"),
        (5, DataType.parse("timestamptz"), "22P02"),
        (0.5, DataType.parse("bytea"), "22P02"),
        ("\\x0", DataType.parse("bytea"), "22023"),
        ("soon", DataType.parse("date"), "22007"),
        ([1], BIGINT, "22P02"),
        ({}, BIGINT, "22P02"),
        ({"c": 1}, STRUCT, "22P02"),
        ([1], MAP, "22P02"),
        (["x"], DataType.parse("bigint[]"), "22P02"),
    ],
)
def test_the_error_of_an_unsuitable_value_names_its_parameter(
    value: object, data_type: DataType, sqlstate: str
) -> None:
    with pytest.raises(QueryError) as refused:
        convert_parameters([None, value], [TEXT, data_type])
    assert refused.value.sqlstate == sqlstate
    assert refused.value.message.startswith("parameter $2: ")


def test_the_error_of_a_number_shows_it_as_given() -> None:
    with pytest.raises(QueryError, match=r'"1E\+400" is out of range for type double precision'):
        convert_parameters([Decimal("1e400")], [DataType.parse("double")])


@pytest.mark.parametrize("count", [0, 2])
def test_a_wrong_count_of_parameters_is_refused(count: int) -> None:
    with pytest.raises(QueryError, match=f"parameters is {count}, but the statement takes 1"):
        convert_parameters([1] * count, [BIGINT])


def test_deep_nesting_is_refused() -> None:
    deep = b"[" * 2000 + b"]" * 2000
    with pytest.raises(QueryError, match="nested too deep") as refused:
        read_request(b'{"sql": "SELECT $1", "params": [%s]}' % deep, parameters_max=1)
    assert refused.value.sqlstate == "54000"
    with pytest.raises(QueryError, match="nested too deep"):
        read_request(b'{"sql": "SELECT 1", "bound": {"t": %s}}' % deep, parameters_max=1)


def test_numbers_keep_all_their_digits() -> None:
    body = b'{"sql": "SELECT $1, $2", "params": [123456789012345678.90, {"b": 1.10, "a": 1e2}]}'
    request = read_request(body, parameters_max=2)
    types = [DataType.parse("decimal(20,2)"), DataType(kind=Kind.JSONB)]
    number, document = convert_parameters(request.params, types)
    assert str(number) == "123456789012345678.90"
    assert document == '{"a": 100, "b": 1.10}'
    (text,) = convert_parameters(request.params[1:], [DataType(kind=Kind.JSON)])
    assert text == '{"b":1.10,"a":1E+2}'
