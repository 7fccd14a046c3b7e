"""Stores for generated statements, and the same rows for PostgreSQL.

The rows hold values that implementations treat differently: NULL in every column and in keys, NaN,
infinity and -0.0, empty texts, times and numbers at the ends of their ranges, and names that a
composer or a parser may take for its own.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import LiteralString

import psycopg
import pyarrow as pa
from psycopg import sql
from psycopg.rows import TupleRow

from stategate.planner.binding.relations import primary_key_of
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import DataType, InputTopic, Kind, StoreKind, StoreSchema
from tests.support.gateway import TOPIC, columns, schema_of, table_of

UTC = dt.UTC
EPOCH = dt.datetime(1970, 1, 1)
FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)

SAMPLES = schema_of(
    "samples",
    key=columns(id="integer"),
    value=columns(
        i="integer",
        s="smallint",
        b="bigint",
        n="decimal(12,3)",
        d="double",
        r="real",
        t="text",
        f="boolean",
        day="date",
        at="timestamp",
        tz="timestamptz",
        u="uuid",
        y="bytea",
        j="json",
        a="bigint[]",
    ),
)
NOTES = schema_of(
    "notes",
    key=columns(sample="integer", number="bigint"),
    value=columns(note="text", order="integer"),
)
CLICKS = schema_of(
    "clicks", key=columns(name="text"), value=columns(clicks="bigint"), window_size_ms=3_600_000
)
VISITS = StoreSchema(
    name="visits",
    kind=StoreKind.SESSION,
    key=columns(name="text"),
    value=columns(n="integer"),
    partitions=3,
    inputs=(InputTopic(topic=TOPIC),),
)
COLLIDING = schema_of(
    "r0",
    key=columns(id="integer"),
    value=columns(select="text", r1="integer", pg_sg_x="bigint", Name="text", N="integer"),
)
WORDS = schema_of(
    "words",
    key=columns(word="text"),
    value=columns(
        unit="text",
        zone="text",
        pattern="text",
        regex="text",
        template="text",
        form="text",
        flags="text",
        doc="json",
        grid="bigint[][]",
        names="text[]",
        wakes="time",
        span="interval",
    ),
)
STORES = (SAMPLES, NOTES, CLICKS, VISITS, COLLIDING, WORDS)

_TEXTS = ("Abc", "abc", "b", "", "aB", "ä", "Zed", " x ", "a_c", "a%c", "ß😀", "\\d")
_DAYS = (dt.date(2020, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1969, 12, 31))
_TIMES = (
    dt.datetime(2020, 2, 29, 23, 59, 59, 500_000),
    FIRST,
    LAST,
    dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
    dt.datetime(2021, 3, 28, 1, 30),
    EPOCH,
)
_UNITS = ("day", "month", "hour", "week", "century", "quarter", "decade", "second")
_ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "+02")
_PATTERNS = ("a%", "%b%", "_b_", "", "%", "A\\_c", "%ä%")
_REGEXES = ("^a", "b$", "[A-Z]", "a|ab", "(a|b)+", r"\w+", "", r"(\w)\1")
_TEMPLATES = ("YYYY-MM-DD", "HH24:MI:SS.MS", "FMMonth DD", "IYYY-IW", "999.9", "FM0999")
_DOCUMENTS = (
    *('{"b": 1, "a": [1, 2.0]}', '{"a": [1, 2], "b": 1.0}', "[]", "1.50", "1.5", '"a"', "null"),
    *("true", '["a", 2]', '{"a": {"b": "x"}}', "[[1], null]"),
)
_GRIDS: Sequence[Sequence[Sequence[int | None]]] = ([[1, 2], [3, 4]], [], [[4, None]], [[1], [7]])
_DOUBLES = (0.5, 1.5, 2.5, -2.5, math.nan, math.inf, -math.inf, -0.0, 1e300, 0.1)
_JSON = ('{"a": 1, "b": "x"}', '{"a": null, "c": [1, 2]}', "[1, 2]", '"text"', "null", "{}")
_BYTES = (b"", b"\x00\xff", b"abc")


def _sample(number: int) -> dict[str, object]:
    """Make a row from one value of each list; the lengths of the lists have no common factor."""
    if number % 9 == 5:
        return {"id": number}
    row: dict[str, object] = {
        "id": number,
        "i": number % 7 - 3,
        "s": number % 4 - 1,
        "b": [10, -30, 2**63 - 1, -(2**63), 0, 9_007_199_254_740_993][number % 6],
        "n": [Decimal("1.500"), Decimal("-2.500"), Decimal("0.000"), Decimal("999999999.999")][
            number % 4
        ],
        "d": _DOUBLES[number % 10],
        "r": [0.5, 2.5, math.nan, -1.25, 1e10][number % 5],
        "t": _TEXTS[number % 12],
        "f": number % 3 == 0,
        "day": _DAYS[number % 4],
        "at": _TIMES[number % 6],
        "tz": _TIMES[(number + 1) % 6].replace(tzinfo=UTC),
        "u": f"6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a{number & 255:02x}",
        "y": _BYTES[number % 3],
        "j": _JSON[number % 6],
        "a": [[1, 2], [], [None, 3], [4]][number % 4],
    }
    # A row with a NULL for each column, besides the row that is NULL throughout.
    names = list(row)
    if number % 5 != 0:
        row[names[1 + number % (len(names) - 1)]] = None
    return row


def _word(number: int) -> dict[str, object]:
    """Make a row of texts that say how something is done, and of nested values."""
    row: dict[str, object] = {
        "word": _TEXTS[number],
        "unit": _UNITS[number % 8],
        "zone": _ZONES[number % 5],
        "pattern": _PATTERNS[number % 7],
        "regex": _REGEXES[number % 8],
        "template": _TEMPLATES[number % 6],
        "form": ("hex", "base64", "escape")[number % 3],
        "flags": ("", "i", "g", "n")[number % 4],
        "doc": _DOCUMENTS[number % 11],
        "grid": _GRIDS[number % 4],
        "names": (["a", "b"], [], [None, "ä"])[number % 3],
        "wakes": (dt.time(0), dt.time(23, 59, 59, 999_999), dt.time(6, 30, 0, 125_000))[number % 3],
        "span": (
            pa.MonthDayNano([1, -2, 10_800_000_000_000]),
            pa.MonthDayNano([0, 31, 0]),
            pa.MonthDayNano([0, 0, -1_500_000_000]),
        )[number % 3],
    }
    if number % 4 == 3:
        row[list(row)[1 + number % 12]] = None
    return row


def _window(name: str, hour: int, **values: object) -> dict[str, object]:
    start = (EPOCH + dt.timedelta(hours=hour)).replace(tzinfo=UTC)
    return {
        "name": name,
        "window_start": start,
        "window_end": start + dt.timedelta(hours=1),
        **values,
    }


ROWS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "samples": [_sample(number) for number in range(-4, 24)],
    "notes": [
        {
            "sample": sample,
            "number": number,
            "note": None if number == 2 else f"note {number}",
            "order": None if sample is None else sample - 2,
        }
        for sample in (1, 2, 3, 99, None)
        for number in (-1, 2, 2**63 - 1)
    ],
    "clicks": [
        _window(name, hour, clicks=None if hour == 3 else hour * 10)
        for name in ("abc", "b", "")
        for hour in (-1, 0, 3, 450_000)
    ],
    "visits": [
        {
            "name": name,
            "window_start": dt.datetime(2020, 1, 1, hour, tzinfo=UTC),
            "window_end": dt.datetime(2020, 1, 1, hour, minutes, tzinfo=UTC),
            "n": None if minutes == 30 else minutes,
        }
        for name in ("abc", "Zed")
        for hour, minutes in ((1, 0), (2, 30), (5, 59))
    ],
    "r0": [
        {
            "id": n,
            "select": _TEXTS[n],
            "r1": None if n == 3 else n * n,
            "pg_sg_x": -n,
            "Name": _TEXTS[-n],
            "N": n % 2,
        }
        for n in range(6)
    ],
    "words": [_word(number) for number in range(12)],
}
ROLES: Mapping[str, Mapping[str, str]] = {
    "words": {
        "unit": "'unit",
        "zone": "'zone",
        "pattern": "'pattern",
        "regex": "'regex",
        "template": "'template of a time",
        "form": "'form",
        "flags": "'flags",
    }
}
"""Columns of texts that fit into places of the grammar where not any text makes sense."""


def write_world(root: Path) -> None:
    """Write a state log of the stores, each with one epoch."""
    position = Position.of({TOPIC: {0: 41}})
    for schema in STORES:
        StoreWriter(str(root), schema).write(
            table_of(schema, list(ROWS[schema.name])), position=position
        )


def postgres_type(data_type: DataType) -> str:
    """Return the name of a type in PostgreSQL."""
    return str(data_type).replace("double", "double precision")


def fill_postgres(connection: psycopg.Connection[TupleRow], *, is_reversed: bool = False) -> None:
    """Create the same relations in PostgreSQL, with the same rows in their order or the other."""
    for schema in STORES:
        listed = sql.SQL(", ").join(
            sql.SQL("{} {}").format(
                sql.Identifier(column.name), sql.SQL(_literal(postgres_type(column.type)))
            )
            for column in schema.columns
        )
        name = sql.Identifier(schema.name)
        connection.execute(sql.SQL("CREATE TABLE {} ({})").format(name, listed))
        key = primary_key_of(schema)
        if all(row.get(column) is not None for row in ROWS[schema.name] for column in key):
            names = sql.SQL(", ").join(map(sql.Identifier, key))
            connection.execute(sql.SQL("ALTER TABLE {} ADD PRIMARY KEY ({})").format(name, names))
        places = sql.SQL(", ").join([sql.SQL("%s")] * len(schema.columns))
        insert = sql.SQL("INSERT INTO {} VALUES ({})").format(name, places)
        for row in ROWS[schema.name][:: -1 if is_reversed else 1]:
            values = [_sent(row.get(column.name)) for column in schema.columns]
            connection.execute(insert, values)


def _sent(value: object) -> object:
    """Return a value as psycopg takes it."""
    if isinstance(value, pa.MonthDayNano):
        return f"{value.months} months {value.days} days {value.nanoseconds // 1000} microseconds"
    return value


def relation_columns(schema: StoreSchema) -> tuple[tuple[str, str], ...]:
    """Return the names of a store's columns, with their types in the grammar."""
    return tuple((column.name, _sort(column.type)) for column in schema.columns)


def _sort(data_type: DataType) -> str:
    if data_type.kind is Kind.DECIMAL:
        return "numeric"
    return postgres_type(data_type)


def _literal(text: str) -> LiteralString:
    return text
