"""Values of every type: to the gateway and back, and as psycopg gives them."""

from __future__ import annotations

import datetime as dt
import enum
import math
from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stategate
from stategate.sql_types import parse_type
from stategate.stores.spec.schema import DataType
from stategate.values import decoder_of, encode_params, row_decoder
from tests.gateway.pgwire.serving import HOST, serving
from tests.support.fake_engine import FakeEngine
from tests.support.sample_rows import TYPES

UTC = dt.UTC
NAMES = [name for name, _, _ in TYPES]


@pytest.fixture(scope="module")
def psycopg_rows(fake_engine: FakeEngine) -> Iterator[list[tuple[object, ...]]]:
    """The rows of every type as psycopg gives them, from the same engine."""
    with (
        serving(engine=fake_engine) as wire,
        psycopg.connect(host=HOST, port=wire.port, user="joe", dbname="db") as connection,
    ):
        yield connection.execute("SELECT * FROM types").fetchall()


@pytest.mark.parametrize("relation", ["types", "types_stream"])
def test_values_equal_those_of_psycopg(
    db: stategate.Connection, psycopg_rows: list[tuple[object, ...]], relation: str
) -> None:
    (mine, nulls), (theirs, _) = db.execute(f"SELECT * FROM {relation}").fetchall(), psycopg_rows
    assert nulls == (None,) * len(TYPES)
    differ = {name: (a, b) for name, a, b in zip(NAMES, mine, theirs, strict=True) if a != b}
    # The wire has no type for a struct with named fields, so psycopg gets it as JSON.
    assert differ == {
        "a_struct": (
            {"n": 1, "t": dt.datetime(1970, 1, 1, tzinfo=UTC)},
            {"n": 1, "t": "1970-01-01T00:00:00+00:00"},
        )
    }
    assert [type(value) for value in mine] == [type(value) for value in theirs]


VALUES: dict[str, st.SearchStrategy[object]] = {
    "boolean": st.booleans(),
    "smallint": st.integers(-(2**15), 2**15 - 1),
    "bigint": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False),
    "decimal(38,3)": st.decimals(-(10**30), 10**30, places=3),
    "text": st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    "bytea": st.binary(),
    "date": st.dates(),
    "time": st.times(),
    "timestamp": st.datetimes(),
    "timestamptz": st.datetimes(
        dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30), timezones=st.just(UTC)
    ),
    "interval": st.timedeltas(dt.timedelta(days=-100_000), dt.timedelta(days=100_000)),
    "uuid": st.uuids(),
}
SQL = f"SELECT {', '.join(f'${n}::{name}' for n, name in enumerate(VALUES, start=1))}"


@given(values=st.tuples(*(st.none() | each for each in VALUES.values())))
def test_values_go_to_the_gateway_and_come_back(fake_url: str, values: tuple[object, ...]) -> None:
    with stategate.connect(fake_url) as db:
        assert db.execute(SQL, values).fetchall() == [values]
        assert db.batch(SQL, [values]) == [[values]]


def test_a_number_that_is_not_finite_comes_back(db: stategate.Connection) -> None:
    found = db.execute("SELECT $1::float8, $2::float8, $3::real", [math.inf, -math.inf, math.nan])
    (row,) = found.fetchall()
    assert row[:2] == (math.inf, -math.inf)
    assert math.isnan(row[2])


def test_times_of_other_zones_are_given_in_utc(db: stategate.Connection) -> None:
    east = dt.timezone(dt.timedelta(hours=5, minutes=30))
    value = dt.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=east)
    ((found,),) = db.execute("SELECT $1::timestamptz", [value]).fetchall()
    assert (found, found.tzinfo) == (value, UTC)


class Level(enum.IntEnum):
    LOW = 1


def test_subclasses_and_large_numbers_are_sent_as_they_are() -> None:
    assert encode_params([Level.LOW, 2**63, -(2**63), True]) == [1, str(2**63), -(2**63), True]
    assert encode_params({"a": bytearray(b"\x01"), "b": memoryview(b"\xff")}) == {
        "a": "\\x01",
        "b": "\\xff",
    }
    assert encode_params([[1, None], (UUID(int=1),), {"k": dt.date(2020, 1, 2)}]) == [
        [1, None],
        [str(UUID(int=1))],
        {"k": "2020-01-02"},
    ]


@pytest.mark.parametrize("params", ["text", b"bytes", 7, {1, 2}, [object()], {"a": object()}])
def test_other_parameters_are_refused(params: object) -> None:
    with pytest.raises(stategate.InterfaceError):
        encode_params(params)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("type_name", "cell", "value"),
    [
        ("real", "NaN", None),
        ("bigint[]", [1, None], [1, None]),
        ("date[][]", [["2020-01-02", None]], [[dt.date(2020, 1, 2), None]]),
        ("map(date, decimal(3,1))", [["2020-01-02", "1.5"]], {dt.date(2020, 1, 2): Decimal("1.5")}),
        ("map(text, bigint)", [["a", None]], {"a": None}),
        ("map(bigint[], text)", [[[1], "a"]], [([1], "a")]),
        ('struct(a bigint, "b, ""c" uuid)', {"a": 1, 'b, "c': str(UUID(int=1))},
         {"a": 1, 'b, "c': UUID(int=1)}),
        ("struct(a struct(b date[]))", {"a": {"b": ["2020-01-02"]}},
         {"a": {"b": [dt.date(2020, 1, 2)]}}),
        ("json", '{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ("interval", "P-1Y-2M3DT-4H-5M-6.007S",
         dt.timedelta(days=-365 - 60 + 3, hours=-4, minutes=-5, seconds=-6, microseconds=-7000)),
        ("interval", "PT-0.5S", dt.timedelta(microseconds=-500_000)),
        ("a type of the future", [1], [1]),
    ],
)  # fmt: skip
def test_cells_become_values(type_name: str, cell: object, value: object) -> None:
    (found,) = row_decoder((type_name,))([cell])
    assert found == value or (value is None and math.isnan(found))


@pytest.mark.parametrize(
    ("type_name", "cell"),
    [("date", "10000-01-01"), ("timestamp", "-0044-03-15T00:00:00"), ("date[]", ["0000-01-01"])],
)
def test_a_value_beyond_python_is_an_error(type_name: str, cell: object) -> None:
    with pytest.raises(stategate.DataError, match="has no value in Python") as raised:
        row_decoder(("bigint", type_name))([1, cell])
    assert "as Arrow" in (raised.value.hint or "")


def _struct(fields: list[tuple[str, str]]) -> str:
    inner = ", ".join('"{}" {}'.format(name.replace('"', '""'), each) for name, each in fields)
    return f"struct({inner})"


NAMES_OF_TYPES = st.recursive(
    st.sampled_from(["bigint", "text", "decimal(9,2)", "timestamptz"]),
    lambda inner: st.one_of(
        inner.map("{}[]".format),
        st.tuples(inner, inner).map(lambda two: f"map({two[0]}, {two[1]})"),
        st.lists(st.tuples(st.text('ab ,")(', min_size=1), inner), max_size=3).map(_struct),
    ),
    max_leaves=6,
)


@given(name=NAMES_OF_TYPES)
def test_types_are_read_as_the_gateway_names_them(name: str) -> None:
    """Whatever the gateway prints is understood, with the same parts."""
    theirs = DataType.parse(name)
    mine = parse_type(str(theirs))
    assert mine.name == theirs.kind.value
    assert list(mine.field_names) == (
        [n for n, _ in theirs.fields] if mine.name == "struct" else []
    )
    assert mine.digits == ((theirs.precision, theirs.scale) if theirs.precision else ())
    assert len(mine.parts) == {"array": 1, "map": 2, "struct": len(theirs.fields)}.get(mine.name, 0)


def test_types_without_a_decoder_cost_nothing() -> None:
    assert [decoder_of(name) for name in ("bigint", "text[]", "struct(a text)")] == [None] * 3
