"""The cases of COPY; `python -m tests.gateway.pgwire.copy_cases` gets PostgreSQL's answers.

`cases/copy.json` has the answers of PostgreSQL 15: the messages of each COPY as hexadecimal digits,
or its error. To make it anew, name a server in STATEGATE_TEST_POSTGRES (see `test_transcripts`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import psycopg

from tests.gateway.pgwire import wire
from tests.gateway.pgwire.wire import RawClient

FILE = Path(__file__).parent / "cases" / "copy.json"

RELATIONS: dict[str, tuple[tuple[tuple[str, str], ...], tuple[tuple[str | None, ...], ...]]] = {
    "texts": (
        (("n", "integer"), ("t", "text"), ("U v", "text")),
        (
            ("1", "plain", "söme \u20ac"),
            ("2", "", None),
            (None, None, "\\N"),
            ("-3", "tab\there", "line\nfeed\r\n"),
            ("4", 'quo"te', 'a,b;c|d\'e"f"'),
            ("5", "back\\slash", "\\."),
            ("6", "\b\f\v\x01\x7f", "NULL"),
            ("7", "\\", '"'),
            ("8", " ", "~!x"),
        ),
    ),
    "alone": ((("t", "text"),), (("\\.",), ("",), (None,), ("x",), ("\\.\n",))),
    "nothing": ((("a", "integer"), ("b", "text")), ()),
    "types": (
        (
            ("a_bool", "boolean"),
            ("a_small", "smallint"),
            ("an_int", "integer"),
            ("a_big", "bigint"),
            ("a_real", "real"),
            ("a_double", "double precision"),
            ("a_num", "decimal(12,4)"),
            ("a_wide", "decimal(38,10)"),
            ("a_text", "text"),
            ("a_bytea", "bytea"),
            ("a_date", "date"),
            ("a_time", "time"),
            ("a_stamp", "timestamp"),
            ("a_tz", "timestamptz"),
            ("an_interval", "interval"),
            ("a_uuid", "uuid"),
            ("a_json", "json"),
        ),
        (
            (
                *("t", "-32768", "2147483647", "-9223372036854775808", "1234567", "1e20"),
                *("-0.0001", "1234567890123456789012345678.0000000001", "a b", "\\x00ff5c"),
                *("2013-01-01", "10:00:00.5", "2013-01-01 10:00:00", "1969-12-31 23:59:59.99+00"),
                *("1 year 2 mons -3 days 04:05:06.7", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
                '{"a": [1, null]}',
            ),
            (
                *(
                    "f",
                    "0",
                    "-1",
                    "7",
                    "0.1",
                    "0.00001",
                    "12345678.9000",
                    "-0.0000000001",
                    "",
                    "\\x",
                ),
                *("0001-01-01", "00:00:00", "9999-12-31 23:59:59.999999", "2000-01-01 00:00:00+00"),
                *("00:00:00", "00000000-0000-0000-0000-000000000000", "[]"),
            ),
            (
                *(
                    "t",
                    "1",
                    "1",
                    "1",
                    "1e-10",
                    "123456789012345.6",
                    "0.0000",
                    "99990000.0000000000",
                    "x",
                    "\\x22",
                ),
                *("2024-02-29", "24:00:00", "1600-02-29 00:00:00.00001", "2026-06-30 12:00:00+00"),
                *("-1 mons", "ffffffff-ffff-ffff-ffff-ffffffffffff", '"\\""'),
            ),
            (None,) * 17,
        ),
    ),
}

OPTIONS = (
    "",
    "(FORMAT text)",
    "(FORMAT csv)",
    "(FORMAT binary)",
    '(FORMAT "binary")',
    "(FORMAT text, HEADER)",
    "(FORMAT csv, HEADER true)",
    "(FORMAT csv, HEADER off)",
    "(FORMAT 'csv', HEADER 1, DELIMITER ';', NULL 'NULL')",
    "(FORMAT csv, FORCE_QUOTE *)",
    "(FORMAT csv, QUOTE '''', ESCAPE '\\')",
    "(FORMAT csv, DELIMITER '|', QUOTE '~', ESCAPE '!')",
    "(FORMAT csv, NULL '\\N')",
    "(FORMAT csv, DELIMITER E'\\t')",
    "(DELIMITER '|', NULL '')",
    "(DELIMITER ',', NULL 'x y')",
    "(ENCODING 'UTF8', DELIMITER E'\\x01')",
    "WITH CSV",
    "WITH CSV HEADER QUOTE AS '''' NULL AS 'nil' DELIMITER AS ';'",
    "CSV FORCE QUOTE *",
    "WITH DELIMITER AS ':' NULL AS '-'",
    "WITH BINARY",
    "ENCODING 'utf-8'",
    # Statements that are refused.
    "(FORMAT xml)",
    "(FORMAT 'CSV')",
    "(FORMAT csv, FORMAT csv)",
    "(FORMAT binary, DELIMITER ',')",
    "(FORMAT binary, NULL 'x')",
    "(FORMAT binary, HEADER)",
    "(FORMAT binary, QUOTE 'x')",
    "(DELIMITER 'ab')",
    "(DELIMITER '')",
    "(DELIMITER E'\\n')",
    "(DELIMITER 'x')",
    "(DELIMITER '\u20ac')",
    "(NULL E'a\\nb')",
    "(NULL E'a\\tb')",
    "(QUOTE '\"')",
    "(ESCAPE '\"')",
    "(FORCE_QUOTE *)",
    "(FORMAT csv, QUOTE 'ab')",
    "(FORMAT csv, QUOTE ',')",
    "(FORMAT csv, ESCAPE '')",
    "(FORMAT csv, NULL ',')",
    "(FORMAT csv, NULL '\"')",
    "(FORMAT csv, FORCE_QUOTE (nope))",
    "(FORMAT csv, FORCE_QUOTE true)",
    "(FORMAT csv, FORCE_NULL (t))",
    "(FORMAT csv, FORCE_NOT_NULL (t))",
    "(FORMAT csv, HEADER match)",
    "(FORMAT csv, HEADER 'perhaps')",
    "(FORMAT csv, HEADER 2)",
    "(NONSENSE)",
    "(DELIMITER)",
    "(ENCODING 'nope')",
    "WITH CSV CSV",
    "WITH NONSENSE",
    "()",
)


def statements() -> list[tuple[str, str]]:
    """Return the relation and the COPY of every case."""
    made = []
    for name, (columns, _) in RELATIONS.items():
        wanted = OPTIONS if name == "texts" else OPTIONS[:12]
        made += [(name, f"COPY (SELECT * FROM {name}) TO STDOUT {each}") for each in wanted]
        made.append((name, f"COPY {name} TO STDOUT"))
        made.append((name, f"COPY BINARY {name} TO STDOUT"))
        made.append((name, f"COPY {name} TO STDOUT DELIMITERS '+'"))
        made.append((name, f"COPY {name} TO STDOUT USING DELIMITERS '+' WITH NULL AS '?'"))
        made.append((name, f"COPY (SELECT * FROM {name}) TO STDOUT DELIMITERS '+'"))
        first = columns[0][0]
        made.append((name, f"COPY {name} ({first}) TO STDOUT (FORMAT csv, HEADER)"))
        made.append(
            (name, f"COPY (SELECT * FROM {name}) TO STDOUT (FORMAT csv, FORCE_QUOTE ({first}))")
        )
    return made


def _load(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        for name, (columns, rows) in RELATIONS.items():
            spelled = ", ".join(f'"{column}" {kind}' for column, kind in columns)
            connection.execute(f"DROP TABLE IF EXISTS {name}")
            connection.execute(f"CREATE TABLE {name} ({spelled})")
            marks = ", ".join("%s" for _ in columns)
            for row in rows:
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", row)


def _answer(client: RawClient, sql: str) -> dict[str, object]:
    messages = client.ask(sql)
    errors = [wire.error_fields(body) for type_byte, body in messages if type_byte == "E"]
    if errors:
        return {"error": [errors[0]["C"], errors[0]["M"]]}
    told = [body for type_byte, body in messages if type_byte == "H"]
    rows = [body.hex() for type_byte, body in messages if type_byte == "d"]
    tag = next(body for type_byte, body in messages if type_byte == "C")
    return {"head": told[0].hex(), "rows": rows, "tag": tag[:-1].decode()}


def main() -> None:
    """Write the file."""
    host, port, user, database = os.environ["STATEGATE_TEST_POSTGRES"].split(":")
    _load(f"host={host} port={port} user={user} dbname={database}")
    with RawClient(host, int(port)) as client:
        client.login(user=user, database=database, options="-c timezone=UTC")
        answers = [{"sql": sql, **_answer(client, sql)} for _, sql in statements()]
    FILE.write_text("[\n" + ",\n".join(json.dumps(each) for each in answers) + "\n]\n")


if __name__ == "__main__":
    main()
