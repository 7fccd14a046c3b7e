"""Answers as text without oids and other differences between servers."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from stategate.planner.errors import QueryError
from stategate.planner.pg_catalog import PgCatalog
from tests.planner.pg_catalog.replay import Captured, rows, run

Cells = tuple[str | None, ...]

_OBJECTS = """
SELECT c.oid, n.nspname || '.' || c.relname FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('public', 'stategate')
UNION ALL SELECT k.oid, 'constraint ' || k.conname FROM pg_constraint k
JOIN pg_namespace n ON n.oid = k.connamespace WHERE n.nspname = 'public'
UNION ALL SELECT oid, 'schema ' || nspname FROM pg_namespace WHERE nspname = 'stategate'
UNION ALL SELECT oid, 'database' FROM pg_database WHERE datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns and rows as text; NULL is None."""

    columns: tuple[str, ...]
    rows: tuple[Cells, ...]

    def sorted(self) -> list[str]:
        """Return the rows as texts in sorted order."""
        return sorted(map(json.dumps, self.rows))

    @property
    def digest(self) -> str:
        """Return a text that is equal for equal columns and rows, in any order."""
        text = json.dumps([self.columns, self.sorted()])
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class Side:
    """A server that answers, and the names of its oids.

    Args:
        ask: returns the answer to a statement, or the text of its error.
    """

    def __init__(self, ask: Callable[[Captured], Answer | str]) -> None:
        self._ask = ask

    @cached_property
    def _names(self) -> dict[str, str]:
        answer = self._ask(Captured(number=-1, client="", sql=_OBJECTS, parameters=()))
        assert isinstance(answer, Answer), answer
        return {str(row[0]): str(row[1]) for row in answer.rows}

    @cached_property
    def _oids(self) -> dict[str, int]:
        return {name: int(oid) for oid, name in self._names.items()}

    def answer(self, statement: Captured) -> Answer | str:
        """Return the answer to a captured statement, with names in place of our oids."""
        answer = self._ask(statement.with_oids(self._oids.__getitem__))
        if isinstance(answer, str):
            return answer
        put = tuple(tuple(map(self._alike, row)) for row in answer.rows)
        return Answer(answer.columns, put)

    def _alike(self, cell: str | None) -> str | None:
        if cell is None:
            return None
        named = re.sub(r"\d{4,}", lambda found: self._named(found[0]), cell)
        named = re.sub(r"^(PostgreSQL [\d.]+) \(.*", r"\1", named)
        return named.replace("stategate_compare", "stategate")

    def _named(self, digits: str) -> str:
        return f"<{self._names[digits]}>" if digits in self._names else digits


def ask_catalog(catalog: PgCatalog, statement: Captured) -> Answer | str:
    """Return the catalog's answer, or its error."""
    try:
        table = run(catalog, statement.sql, *statement.parameters)
    except QueryError as error:
        return f"{error.sqlstate} {error.message}"
    return Answer(tuple(table.column_names), tuple(tuple(map(as_text, row)) for row in rows(table)))


def as_text(value: object) -> str | None:
    """Return a value as PostgreSQL writes it."""
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
