"""The catalog statements that real clients sent, and how the tests run them.

`data/statements.jsonl.gz` has one JSON object a line: the client, the text and, where there are
any, the parameters as text. Oids of relations stand in it as `@schema.name@`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
from sqlglot import exp

from stategate.planner.pg_catalog import Calls, PgCatalog
from stategate.planner.trees.dialect import DIALECT, tokenize
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.text_values import parse_value

DATA = Path(__file__).parent / "data"
SERVER_VERSION = "15.18"
_OID = re.compile(r"@([\w.]+)@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """One statement that a client sent."""

    number: int
    client: str
    sql: str
    parameters: tuple[str | None, ...]

    def with_oids(self, oid: Callable[[str], int]) -> Captured:
        """Return the same statement with the oids of a server."""

        def put(text: str) -> str:
            return _OID.sub(lambda found: str(oid(found[1])), text)

        return Captured(
            number=self.number,
            client=self.client,
            sql=put(self.sql),
            parameters=tuple(None if p is None else put(p) for p in self.parameters),
        )


@cache
def captured() -> tuple[Captured, ...]:
    """Return all captured statements, in the order of the file."""
    with gzip.open(DATA / "statements.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return tuple(
        Captured(
            number=number,
            client=line["client"],
            sql=line["sql"],
            parameters=tuple(line.get("params", ())),
        )
        for number, line in enumerate(lines)
    )


def parse(sql: str) -> exp.Query:
    """Return one statement as the engine passes it to the catalog."""
    tree = DIALECT.parser().parse(tokenize(sql), sql)[0]
    assert isinstance(tree, exp.Query)
    return tree


def run(
    catalog: PgCatalog,
    sql: str,
    *parameters: str | None,
    session: Session | None = None,
) -> pa.Table:
    """Return the rows of a statement; parameters are in PostgreSQL's text form."""
    statement = catalog.prepare(sql, parse(sql), ())
    values = tuple(
        None if text is None else parse_value(text, kind)
        for text, kind in zip(parameters, statement.parameters, strict=True)
    )
    found = catalog.execute(
        statement,
        values,
        session=session or Session(user="postgres"),
        cancellation=Cancellation(30),
    )
    if isinstance(found, Calls):
        schema = pa.schema([(column.name, column.type.arrow) for column in statement.columns])
        return pa.Table.from_batches(found.rows(), schema)
    return found


def rows(table: pa.Table) -> list[tuple[object, ...]]:
    """Return the rows of a table, by position, because names may occur twice."""
    columns = [column.to_pylist() for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows
