"""The corpus: files of statements, each with PostgreSQL's answer.

    SELECT id, i / 2 FROM samples ORDER BY id      one line
    SET TimeZone = 'EET'; SELECT '2020-01-01'::timestamptz      settings may come before it
    $ bigint text                                  the types of its parameters; it is only prepared
    : integer integer                              the types of its columns, as pg_typeof names them
    = 1<tab>0                                      each row, in the form of COPY
    ! 22012                                        or the SQLSTATE of its error
    ~ reason                                       our answer differs, and why
    >: integer integer                             then our answer, in the same form

`python -m tests.planner.postgres.make` gets the answers from a PostgreSQL and from the engine, and
writes the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

DIRECTORY = Path(__file__).parent
_OF_ANSWERS = (":", "=", "!", "$")
_MARKS = {"~", *_OF_ANSWERS, *(f">{mark}" for mark in _OF_ANSWERS)}
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a statement."""

    types: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    """Types of the parameters of a statement that was prepared and not run."""
    rows: tuple[str, ...] = ()
    error: str | None = None

    def lines(self) -> Iterator[str]:
        """Return its lines in the file."""
        if self.error is not None:
            yield f"! {self.error}"
            return
        if self.parameters:
            yield f"$ {' '.join(self.parameters)}"
        yield f": {' '.join(self.types)}"
        yield from (f"= {row}" for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One statement of the corpus."""

    sql: str
    answer: Answer = Answer()
    reason: str | None = None
    """Why our answer differs; None if it is the same."""
    ours: Answer | None = None
    """Our answer, where it differs."""

    def lines(self) -> Iterator[str]:
        """Return its lines in the file."""
        yield self.sql
        yield from self.answer.lines()
        if self.reason is not None:
            yield f"~ {self.reason}"
            yield from (f">{line}" for line in (self.ours or Answer()).lines())


def settings_before(sql: str) -> tuple[list[str], str]:
    """Return the SET statements before a statement, and the statement."""
    parts = sql.split("; ")
    count = next(
        (at for at, part in enumerate(parts) if not part.startswith("SET ")), len(parts) - 1
    )
    return parts[:count], "; ".join(parts[count:])


def is_prepared(statement: str) -> bool:
    """Whether a statement has parameters; it is prepared and not run."""
    return re.search(r"\$\d", statement) is not None


def row_text(cells: list[str | None]) -> str:
    r"""Return a row in the form of COPY: tabs between the cells, `\N` for NULL."""
    table = str.maketrans(_ESCAPES)
    return "\t".join("\\N" if cell is None else cell.translate(table) for cell in cells)


def read(path: Path) -> list[Entry]:
    """Return the entries of a file."""
    found: list[Entry] = []
    for line in path.read_text().split("\n"):
        mark, _, body = line.partition(" ")
        if not line:
            continue
        if mark not in _MARKS:
            found.append(Entry(sql=line))
            continue
        entry = found.pop()
        if mark == "~":
            entry = replace(entry, reason=body)
        elif mark[0] == ">":
            entry = replace(entry, ours=_with_line(entry.ours or Answer(), mark[1:], body))
        else:
            entry = replace(entry, answer=_with_line(entry.answer, mark, body))
        found.append(entry)
    return found


def _with_line(answer: Answer, mark: str, body: str) -> Answer:
    """Return an answer with one more line of the file."""
    if mark == ":":
        return replace(answer, types=tuple(body.split(" ")) if body else ())
    if mark == "$":
        return replace(answer, parameters=tuple(body.split(" ")))
    if mark == "=":
        return replace(answer, rows=(*answer.rows, body))
    return replace(answer, error=body)


def write(path: Path, entries: list[Entry]) -> None:
    """Write a file of entries."""
    path.write_text("".join("\n".join(entry.lines()) + "\n" for entry in entries))


def files() -> list[Path]:
    """Return the files of the corpus."""
    return sorted(DIRECTORY.glob("*.sql"))
