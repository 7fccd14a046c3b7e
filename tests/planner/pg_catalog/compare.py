"""Compare the catalog's answers with a PostgreSQL server's. For developers with one at hand.

    STATEGATE_TEST_POSTGRES="host=/tmp/sockets user=postgres" \
        python -m tests.planner.pg_catalog.compare [number of a statement]

It creates database `stategate_compare` with the tables of `tests.planner.pg_catalog.stores`, runs
every captured statement on both sides and prints how many answers have the same columns and rows,
as many rows, or neither. With a number it prints both answers to that statement.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import pq

from planner.errors import QueryError
from planner.pg_catalog import SYSTEM_RELATIONS, PgCatalog
from planner.pg_catalog.postgres_types import column_type
from planner.pg_catalog.quoting import quote_name, quote_text
from planner.pg_catalog.store_rows import Relation, store_relation, system_relation
from tests.planner.pg_catalog.replay import Captured, captured, rows, run
from tests.planner.pg_catalog.stores import SCHEMAS, defined_stores

DATABASE = "stategate_compare"
_OBJECTS = """
SELECT c.oid, n.nspname || '.' || c.relname FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('public', 'stategate')
UNION ALL SELECT oid, 'constraint ' || conname FROM pg_constraint WHERE contype = 'p'
UNION ALL SELECT oid, 'schema ' || nspname FROM pg_namespace
UNION ALL SELECT oid, 'database' FROM pg_database WHERE datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns and rows as text; NULL is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def definitions() -> list[Relation]:
    """The relations on both sides."""
    system = [system_relation(name, columns) for name, columns in SYSTEM_RELATIONS.items()]
    return [*map(store_relation, SCHEMAS), *system]


def create_tables(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """The stores as tables, the system relations as views."""
    connection.pgconn.exec_(b"CREATE SCHEMA stategate")
    for relation in definitions():
        columns = [
            f"{quote_name(column.name)} {column_type(column.type).display}"
            for column in relation.columns
        ]
        if relation.relkind == "v":
            nulls = [
                f"NULL::{column_type(column.type).display} AS {quote_name(column.name)}"
                for column in relation.columns
            ]
            statement = f"CREATE VIEW {relation.qualified} AS SELECT {', '.join(nulls)}"
            kind = "VIEW"
        else:
            key = ", ".join(map(quote_name, relation.primary_key))
            columns.append(f"PRIMARY KEY ({key})")
            statement = f"CREATE TABLE {relation.qualified} ({', '.join(columns)})"
            kind = "TABLE"
        comment = f"COMMENT ON {kind} {relation.qualified} IS {quote_text(relation.comment)}"
        for sql in (statement, comment):
            result = connection.pgconn.exec_(sql.encode())
            assert result.status == pq.ExecStatus.COMMAND_OK, result.error_message


def connect() -> psycopg.Connection[tuple[object, ...]]:
    """A connection to the fresh database."""
    server = os.environ["STATEGATE_TEST_POSTGRES"]
    with psycopg.connect(server, dbname="postgres", autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        admin.execute(f"CREATE DATABASE {DATABASE}")
    connection = psycopg.connect(server, dbname=DATABASE, autocommit=True)
    create_tables(connection)
    return connection


def ask_postgres(
    connection: psycopg.Connection[tuple[object, ...]], statement: Captured
) -> Answer | str:
    """What PostgreSQL answers, or its error."""
    values = [None if p is None else p.encode() for p in statement.parameters]
    result = connection.pgconn.exec_params(statement.sql.encode(), values)
    if result.status != pq.ExecStatus.TUPLES_OK:
        return result.error_message.decode()
    width = range(result.nfields)
    names = tuple((result.fname(column) or b"").decode() for column in width)
    cells = tuple(
        tuple(_decoded(result.get_value(row, column)) for column in width)
        for row in range(result.ntuples)
    )
    return Answer(names, cells)


def _decoded(cell: bytes | None) -> str | None:
    return None if cell is None else cell.decode()


def ask_catalog(catalog: PgCatalog, statement: Captured) -> Answer | str:
    """What we answer, or our error."""
    try:
        table = run(catalog, statement.sql, *statement.parameters)
    except QueryError as error:
        return f"{error.sqlstate} {error.message}"
    return Answer(tuple(table.column_names), tuple(tuple(map(as_text, row)) for row in rows(table)))


def as_text(value: object) -> str | None:
    """A value as PostgreSQL writes it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, list):
        return "{" + ",".join(as_text(each) or "NULL" for each in value) + "}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def object_names(ask: Callable[[Captured], Answer | str]) -> dict[str, str]:
    """Oid as text → what it is, on one side."""
    answer = ask(Captured(number=-1, client="", sql=_OBJECTS, parameters=()))
    assert isinstance(answer, Answer), answer
    return {str(row[0]): f"<{row[1]}>" for row in answer.rows if len(str(row[0])) > 3}


def comparable(answer: Answer, names: dict[str, str]) -> Answer:
    """The answer with what differs from server to server put alike."""

    def alike(cell: str | None) -> str | None:
        if cell is None:
            return None
        replaced = re.sub(r"\d+", lambda found: names.get(found[0], found[0]), cell)
        return replaced.replace(DATABASE, "stategate")

    return Answer(answer.columns, tuple(tuple(map(alike, row)) for row in answer.rows))


def verdict(ours: Answer | str, theirs: Answer | str) -> str:
    """How two answers compare."""
    if isinstance(theirs, str):
        return "postgres refuses" if isinstance(ours, Answer) else "both refuse"
    if isinstance(ours, str):
        return f"we refuse: {ours[:100]}"
    if ours == theirs:
        return "identical"
    if ours.columns != theirs.columns:
        return "other columns"
    if sorted(map(repr, ours.rows)) == sorted(map(repr, theirs.rows)):
        return "identical but for order"
    return "as many rows" if len(ours.rows) == len(theirs.rows) else "differs"


def show(title: str, answer: Answer | str, other: Answer | str) -> None:
    """Print what one answer has and the other has not."""
    print(f"--- {title}")
    if isinstance(answer, str):
        print(answer)
        return
    print(answer.columns, len(answer.rows), "rows")
    there = set(other.rows) if isinstance(other, Answer) else set()
    for row in [row for row in answer.rows if row not in there][:20]:
        print("   ", row)


def main(arguments: Sequence[str]) -> None:
    """Compare all statements, or show one."""
    catalog = PgCatalog(defined_stores(*SCHEMAS), server_version="15.18")
    wanted = {int(argument) for argument in arguments}
    with connect() as connection:

        def postgres(statement: Captured) -> Answer | str:
            return ask_postgres(connection, statement)

        def ours(statement: Captured) -> Answer | str:
            return ask_catalog(catalog, statement)

        names = {ours: object_names(ours), postgres: object_names(postgres)}
        counts: Counter[str] = Counter()
        for statement in captured():
            if wanted and statement.number not in wanted:
                continue
            answers = []
            for ask in (ours, postgres):
                oids = {name.strip("<>"): oid for oid, name in names[ask].items()}
                answer = ask(statement.with_oids(lambda name, oids=oids: int(oids[name])))
                answers.append(
                    comparable(answer, names[ask]) if isinstance(answer, Answer) else answer
                )
            found = verdict(*answers)
            counts[found.partition(":")[0]] += 1
            if wanted or found != "identical":
                print(statement.number, statement.client, found)
            if wanted:
                print(statement.sql)
                show("ours", answers[0], answers[1])
                show("postgres", answers[1], answers[0])
        print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
