"""Fill the corpus with PostgreSQL's answers: `python -m tests.planner.postgres.make PORT`.

Where a line says why ours differs, our own answer is filled in, too; look at it before you commit.

It needs a server of version 15 on this host, whose user postgres has no password, and a database of
encoding UTF8 with `lc_collate=C` and `lc_ctype=C.UTF-8`. It creates the relations there, and writes
the files of the corpus.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import psycopg
from psycopg import pq, sql
from psycopg.rows import TupleRow

from stategate.planner.binding.relations import primary_key_of
from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Kind
from tests.planner.postgres import world
from tests.planner.postgres.corpus import (
    Answer,
    Entry,
    files,
    is_prepared,
    read,
    row_text,
    settings_before,
    write,
)
from tests.planner.postgres.prepared import NAMES, SIGNATURES, statements
from tests.planner.postgres.world import STORES, cells, engine

Connection = psycopg.Connection[TupleRow]


def load(connection: Connection) -> None:
    """Create and fill the relations."""
    for schema in STORES:
        kinds = [
            "double precision" if c.type.kind is Kind.DOUBLE else str(c.type)
            for c in schema.columns
        ]
        columns = ", ".join(
            f'"{c.name}" {kind}' for c, kind in zip(schema.columns, kinds, strict=True)
        )
        connection.execute(f"DROP TABLE IF EXISTS {schema.name}".encode())
        connection.execute(f"CREATE TABLE {schema.name} ({columns})".encode())
        places = sql.SQL(", ").join([sql.SQL("%s")] * len(schema.columns))
        insert = sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier(schema.name), places)
        rows = list(cells(schema.name))
        for row in rows:
            connection.execute(insert, row)
        key = primary_key_of(schema)
        places_of_key = [n for n, column in enumerate(schema.columns) if column.name in key]
        if all(row[n] is not None for row in rows for n in places_of_key):
            names = ", ".join(f'"{name}"' for name in key)
            connection.execute(f"ALTER TABLE {schema.name} ADD PRIMARY KEY ({names})".encode())


def ask(connection: Connection, statement: str) -> Answer:
    """Return PostgreSQL's answer to a statement."""
    if is_prepared(statement):
        return described(connection, statement)
    if settings_before(statement)[0]:
        # They are sent together, in one transaction.
        connection.execute("RESET ALL")
        connection.execute("SET TimeZone = 'UTC'")
    try:
        with connection.cursor() as cursor:
            found = cursor.connection.pgconn.exec_(statement.encode())
            if found.status not in {2}:
                return Answer(error=(found.error_field(67) or b"").decode())
            rows = [
                row_text(
                    [
                        None if (cell := found.get_value(i, j)) is None else cell.decode()
                        for j in range(found.nfields)
                    ]
                )
                for i in range(found.ntuples)
            ]
            oids = [found.ftype(j) for j in range(found.nfields)]
    except psycopg.Error as error:
        return Answer(error=error.sqlstate)
    return Answer(types=type_names(connection, oids), rows=tuple(rows))


def described(connection: Connection, statement: str) -> Answer:
    """Return the types that PostgreSQL infers for a statement with parameters."""
    made = connection.pgconn.prepare(b"", statement.encode())
    if made.status != pq.ExecStatus.COMMAND_OK:
        return Answer(error=(made.error_field(67) or b"").decode())
    found = connection.pgconn.describe_prepared(b"")
    return Answer(
        parameters=type_names(connection, [found.param_type(i) for i in range(found.nparams)]),
        types=type_names(connection, [found.ftype(i) for i in range(found.nfields)]),
    )


def type_names(connection: Connection, oids: list[int]) -> tuple[str, ...]:
    """Return the names of types, with `_` for spaces."""
    rows = connection.execute(
        "SELECT format_type(oid, NULL) FROM unnest(%s::oid[]) WITH ORDINALITY u (oid, n) "
        "ORDER BY n",
        [oids],
    )
    return tuple(str(name).replace(" ", "_") for (name,) in rows)


def main(port: str) -> None:
    """Write all files of the corpus again."""
    with psycopg.connect(
        f"host=127.0.0.1 port={port} user=postgres dbname=corpus", autocommit=True
    ) as found:
        found.execute("SET TimeZone = 'UTC'")
        load(found)
        mine = engine()
        for path in files():
            entries = read(path) if path.stem != "prepared" else prepared_entries(found, path)
            answered = [replace(entry, answer=ask(found, entry.sql)) for entry in entries]
            write(path, [with_ours(entry, mine) for entry in answered])
            found.execute("RESET ALL")
            found.execute("SET TimeZone = 'UTC'")
        mine.close()


def with_ours(entry: Entry, mine: SqlEngine) -> Entry:
    """Return an entry with our answer, if it has a reason why that differs."""
    ours = None if entry.reason is None else world.ask(mine, entry.sql)
    return replace(entry, ours=ours)


def prepared_entries(connection: Connection, path: Path) -> list[Entry]:
    """Return the statements that PostgreSQL prepares, with the known reasons for differences."""
    reasons = {entry.sql: entry.reason for entry in read(path)}
    signatures = connection.execute(SIGNATURES, [NAMES]).fetchall()
    made = (Entry(sql=each, reason=reasons.get(each)) for each in statements(signatures))
    return [entry for entry in made if ask(connection, entry.sql).error is None]


if __name__ == "__main__":
    main(sys.argv[1])
