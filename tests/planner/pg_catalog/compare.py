"""Compare the catalog's answers with those of a PostgreSQL server, for developers who have one.

    STATEGATE_TEST_POSTGRES="host=localhost user=postgres" \
        python -m tests.planner.pg_catalog.compare [--write | number of a statement …]

It creates database `stategate_compare` with the tables of `tests.planner.pg_catalog.stores`, runs
every captured statement on both sides and prints how many answers have the same columns and rows,
the same number of rows, or neither. With numbers it prints both answers to those statements. With
`--write` it records a digest of each answer that is PostgreSQL's, which `test_replay` holds us to.

These differences are by design: one database and one role; no toast schema; no row types and
indexes of system relations; no extensions, languages or text search; sizes and pages are 0; nothing
can be inserted; a few hundred functions of three thousand, without their comments; our own version
text.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence

import psycopg
from psycopg import pq

from stategate.planner.binding.relations import SYSTEM_RELATIONS
from stategate.planner.pg_catalog import PgCatalog
from stategate.planner.pg_catalog.postgres_types import column_type
from stategate.planner.pg_catalog.store_relations import Relation, store_relation, system_relation
from stategate.planner.values.quoting import quote_name, quote_text
from tests.planner.pg_catalog.answers import Answer, Side, ask_catalog
from tests.planner.pg_catalog.replay import DATA, SERVER_VERSION, Captured, captured
from tests.planner.pg_catalog.stores import SCHEMAS, defined_stores

DATABASE = "stategate_compare"


def definitions() -> list[Relation]:
    """Return the relations on both sides."""
    system = [system_relation(name, columns) for name, columns in SYSTEM_RELATIONS.items()]
    return [*map(store_relation, SCHEMAS), *system]


def create_tables(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Create the stores as tables, and the system relations as views."""
    connection.pgconn.exec_(b"CREATE SCHEMA stategate")
    for relation in definitions():
        columns = [
            f"{quote_name(column.name)} {column_type(column.type).display}"
            + " NOT NULL" * (column.name in relation.required)
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
        comments = [f"{kind} {relation.qualified} IS {quote_text(relation.comment)}"]
        for name, comment in relation.column_comments.items():
            column = f"COLUMN {relation.qualified}.{quote_name(name)}"
            comments.append(f"{column} IS {quote_text(comment)}")
        for sql in (statement, *(f"COMMENT ON {comment}" for comment in comments)):
            result = connection.pgconn.exec_(sql.encode())
            assert result.status == pq.ExecStatus.COMMAND_OK, result.error_message
    _allow_null_in_keys(connection)


def _allow_null_in_keys(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Let keys be NULL, as in stores; PostgreSQL allows it only after a change to its catalog."""
    connection.execute("SET allow_system_table_mods = on")
    for relation in definitions():
        connection.execute(
            "UPDATE pg_attribute SET attnotnull = false"
            " WHERE attrelid = %s::regclass AND attnum > 0 AND attname <> ALL (%s)",
            (relation.qualified, list(relation.required)),
        )
    connection.execute("RESET allow_system_table_mods")


def connect() -> psycopg.Connection[tuple[object, ...]]:
    """Return a connection to the fresh database."""
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
    """Return PostgreSQL's answer, or its error."""
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


def verdict(ours: Answer | str, theirs: Answer | str) -> str:
    """Return how two answers compare."""
    if isinstance(theirs, str):
        return "postgres refuses" if isinstance(ours, Answer) else "both refuse"
    if isinstance(ours, str):
        return f"we refuse: {ours[:100]}"
    if ours == theirs:
        return "identical"
    if ours.columns != theirs.columns:
        return "other columns"
    if ours.sorted() == theirs.sorted():
        return "identical but for order"
    return "as many rows" if len(ours.rows) == len(theirs.rows) else "differs"


def show(title: str, answer: Answer | str, other: Answer | str) -> None:
    """Print the differences of two answers."""
    print(f"--- {title}")
    if isinstance(answer, str):
        print(answer)
        return
    print(answer.columns, len(answer.rows), "rows")
    there = set(other.rows) if isinstance(other, Answer) else set()
    for row in [row for row in answer.rows if row not in there][:20]:
        print("   ", row)


def main(arguments: Sequence[str]) -> None:
    """Compare all statements, or show some."""
    catalog = PgCatalog(defined_stores(*SCHEMAS), server_version=SERVER_VERSION)
    wanted = {int(argument) for argument in arguments if argument != "--write"}
    counts: Counter[str] = Counter()
    digests: list[str] = []
    with connect() as connection:
        ours = Side(lambda statement: ask_catalog(catalog, statement))
        postgres = Side(lambda statement: ask_postgres(connection, statement))
        for statement in captured():
            if wanted and statement.number not in wanted:
                continue
            mine, theirs = ours.answer(statement), postgres.answer(statement)
            found = verdict(mine, theirs)
            counts[found.partition(":")[0]] += 1
            if isinstance(mine, Answer) and found.startswith("identical"):
                digests.append(f"{statement.number}\t{mine.digest}\n")
            if wanted or not found.startswith("identical"):
                print(statement.number, statement.client, found)
            if wanted:
                print(statement.sql)
                show("ours", mine, theirs)
                show("postgres", theirs, mine)
    print(dict(counts))
    if "--write" in arguments:
        (DATA / "identical.tsv").write_text("".join(digests))


if __name__ == "__main__":
    main(sys.argv[1:])
