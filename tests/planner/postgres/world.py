"""The rows of the corpus, from one text, for PostgreSQL and for the engine."""

from __future__ import annotations

from stategate.gateway.pgwire.types.encoders import wire_type
from stategate.gateway.pgwire.types.timed_types import timed_columns
from stategate.planner.errors import QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import is_record
from stategate.planner.values.session import Session
from stategate.planner.values.sqltypes import format_type
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.type_modifiers import is_string
from stategate.stores.spec.schema import DataType, Kind, Row, StoreSchema
from tests.planner.postgres.corpus import Answer, is_prepared, row_text, settings_before
from tests.planner.sides import rows_of, run
from tests.support.backends import NoBackends
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

SAMPLES = keyvalue(
    "samples",
    {"id": "integer"},
    {
        "i": "integer",
        "s": "smallint",
        "b": "bigint",
        "n": "decimal(12,3)",
        "d": "double",
        "r": "real",
        "t": "text",
        "f": "boolean",
        "day": "date",
        "at": "timestamp",
        "tz": "timestamptz",
        "j": "json",
        "a": "bigint[]",
    },
)
NOTES = keyvalue("notes", {"number": "bigint"}, {"sample": "integer", "note": "text"})
# Columns are separated by |; empty is NULL, '' is the empty text.
ROWS = {
    "samples": """
1|1|1|10|1.500|0.5|1.5|Abc|t|2020-01-01|2020-01-01 10:00:00|2020-01-01 10:00:00+00|{"a": 1, "b": "x", "c": ["p", "q"]}|{1,2}
2|2|1|20|2.500|1.5|2.5|abc|f|2020-02-29|2020-02-29 23:59:59.5|2020-02-29 23:59:59.5+00|{"a": 2, "b": null}|{2,3}
3|2|2|-30|-2.500|2.5|0.1|b|t|2020-03-15|2020-03-15 00:00:00|2020-03-15 01:30:00+00|{"c": []}|{}
4|5|2|9007199254740993|10.001|-2.5|1e+10|''|f|2020-12-31|2020-12-31 12:30:15.123456|2020-12-31 12:30:15.123456+00|[1, 2]|{4}
5|||||||||||||
6|-7|3|0|0.000|0|0|aB|t|1999-12-31|1999-12-31 23:00:00|1999-12-31 23:00:00+00|"text"|{2}
7|9|3|70|999999.999|1e+20|3|ä|t|2020-06-15|2020-06-15 06:07:08.009|2020-06-15 06:07:08.009+00|{"a": 7.5}|{7,8,9}
8|0|-1|80|-0.005|0.1|-1.25|Zed|f|1970-01-01|1970-01-01 00:00:00|1970-01-01 00:00:00+00|null|{10,-10}
9|3|-1|90|33.333|123456.789|7| x |f|2020-07-04|2020-07-04 16:45:30|2020-07-04 16:45:30+00|{"b": "x", "a": 0}|{9,9}
""",  # noqa: E501 - one row a line
    "notes": """
1|1|one
2|1|uno
3|2|two
4|99|far
5||none
""",
}
STORES = (SAMPLES, NOTES)
_TYPES = {
    Kind.DECIMAL: "numeric",
    Kind.REAL: "real",
    Kind.DOUBLE: "double_precision",
    Kind.TIMESTAMP: "timestamp_without_time_zone",
    Kind.TIMESTAMPTZ: "timestamp_with_time_zone",
    Kind.TIME: "time_without_time_zone",
    Kind.TINYINT: "smallint",
    Kind.NULL: "text",
}
"""PostgreSQL's names of our types, with `_` for spaces, where they differ."""


def cells(name: str) -> list[list[str | None]]:
    """Return the rows of a store as texts."""
    lines = ROWS[name].strip("\n").split("\n")
    return [
        [None if cell == "" else cell.replace("''", "") for cell in line.split("|")]
        for line in lines
    ]


def rows(schema: StoreSchema) -> list[Row]:
    """Return the rows of a store as physical values."""
    kinds = [column.type for column in schema.columns]
    return [
        tuple(
            None if cell is None else parse_value(cell, kind)
            for cell, kind in zip(line, kinds, strict=True)
        )
        for line in cells(schema.name)
    ]


def engine(*, few_rows: bool = True) -> SqlEngine:
    """Return an engine over the rows."""
    stores = []
    for schema in STORES:
        store = open_store(schema)
        fill(store, rows(schema))
        stores.append(store)
    return SqlEngine(FixedCatalog(*stores), limits=EngineLimits(few_rows=few_rows))


def postgres_name(data_type: DataType) -> str:
    """Return PostgreSQL's name of a type."""
    if depth_of(data_type):
        return f"{postgres_name(leaf_of(data_type))}[]"
    name: str = "record" if is_record(data_type) else data_type.kind.value
    if is_string(data_type):
        name = format_type(data_type).replace(" ", "_")
    return _TYPES.get(data_type.kind, name)


def begun(engine: SqlEngine, sql: str) -> tuple[Session, str]:
    """Return a session with the settings before a statement, and the statement."""
    session = Session()
    session.backends = NoBackends()
    settings, last = settings_before(sql)
    for each in settings:
        run(engine, each, session=session)
    return session, last


def ask(engine: SqlEngine, sql: str) -> Answer:
    """Return the engine's answer in PostgreSQL's text form, which clients read."""
    try:
        if is_prepared(sql):
            statement = engine.prepare(sql, Session())
            return Answer(
                parameters=tuple(map(postgres_name, statement.parameters)),
                types=tuple(postgres_name(column.type) for column in statement.columns),
            )
        session, last = begun(engine, sql)
        result = run(engine, last, session=session)
        found = rows_of(result)
    except QueryError as error:
        return Answer(error=error.sqlstate)
    columns = timed_columns(result.columns, session.times)
    encoders = [wire_type(column.type).encode_text for column in columns]
    texts = [
        row_text(
            [
                None if value is None else encode(value).decode()
                for encode, value in zip(encoders, row, strict=True)
            ]
        )
        for row in found
    ]
    types = tuple(postgres_name(column.type) for column in result.columns)
    return Answer(types=types, rows=tuple(texts))
