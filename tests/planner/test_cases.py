"""Text cases: SQL, the plan that EXPLAIN shows, and the rows, which must equal DuckDB's.

A case is a paragraph of `cases/*.sql`:

    -- what it shows
    $ ["ann"]                                        parameters as JSON, if there are any
    SELECT age FROM people WHERE name = $1           one line
    | inline lookup people; name = $1; …             each line of EXPLAIN
    => 30                                            each row; in any order without ORDER BY
    ! 42703 8 column "x" does not exist              or the error: SQLSTATE, position, message

`-- ours:` in place of `--` marks SQL that DuckDB cannot run, or answers differently, with the
reason. After a change of plans, `python -m tests.planner.test_cases` writes the new plans and rows
into the files; review the difference before you keep it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from stategate.planner.errors import QueryError
from stategate.stores.spec.schema import Row
from tests.planner.sides import Sides, ordered
from tests.planner.world import world

DIRECTORY = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One paragraph."""

    about: str
    sql: str
    parameters: Row = ()
    plan: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    error: str | None = None

    def lines(self) -> Iterator[str]:
        """Return the paragraph's lines."""
        yield f"-- {self.about}"
        if self.parameters:
            yield f"$ {json.dumps(self.parameters)}"
        yield self.sql
        yield from (f"| {line}" for line in self.plan)
        yield from (f"=> {row}" for row in self.rows)
        if self.error is not None:
            yield f"! {self.error}"


def parse_case(text: str) -> Case:
    """Read one paragraph."""
    found: dict[str, list[str]] = {"--": [], "$": [], "|": [], "=>": [], "!": [], "": []}
    for line in text.splitlines():
        mark = line.split(" ", maxsplit=1)[0]
        body = line.removeprefix(mark).removeprefix(" ") if mark in found else line
        found[mark if mark in found else ""].append(body)
    (sql,), (about,) = found[""], found["--"]
    return Case(
        about=about,
        sql=sql,
        parameters=tuple(json.loads(found["$"][0])) if found["$"] else (),
        plan=tuple(found["|"]),
        rows=tuple(found["=>"]),
        error=found["!"][0] if found["!"] else None,
    )


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a file."""
    return [parse_case(text) for text in path.read_text().split("\n\n") if text.strip()]


def all_cases() -> list[object]:
    return [
        pytest.param(case, id=f"{path.stem}: {case.about}")
        for path in sorted(DIRECTORY.glob("*.sql"))
        for case in read_cases(path)
    ]


@cache
def sides() -> Sides:
    return world()


def is_ordered(sql: str) -> bool:
    """Return whether a statement says in which order its rows come."""
    statement = sqlglot.parse_one(sql, dialect="postgres")
    return statement.args.get("order") is not None


def ties_broken(sql: str, *, descending: bool) -> str:
    """Return an ordered statement whose rows come in the order of all their columns at last.

    Rows that are equal in the statement's own order come now in one order, now in another.
    """
    statement = sqlglot.parse_one(sql, dialect="postgres")
    assert isinstance(statement, exp.Query)
    keys = [exp.Literal.number(n + 1) for n in range(len(statement.selects))]
    ordered_by = [exp.Ordered(this=key, desc=descending) for key in keys]
    return statement.order_by(*ordered_by).sql(dialect="postgres")


def shown(row: Row) -> str:
    return ", ".join("NULL" if value is None else str(value) for value in row)


def run_case(case: Case) -> Case:
    """Return the case with the engine's plan and rows."""
    both = sides()
    try:
        rows = both.ours(case.sql, case.parameters)
        plan = tuple(line for (line,) in both.ours(f"EXPLAIN (COSTS off) {case.sql}"))
    except QueryError as error:
        position = "-" if error.position is None else error.position
        found = f"{error.sqlstate} {position} {error.message}"
        return replace(case, plan=(), rows=(), error=found)
    kept = rows if is_ordered(case.sql) else ordered(rows)
    return replace(case, plan=plan, rows=tuple(shown(row) for row in kept), error=None)


@pytest.mark.parametrize("case", all_cases())
def test_case(case: Case) -> None:
    assert "\n".join(run_case(case).lines()) == "\n".join(case.lines())
    if case.error is None and not case.about.startswith("ours:"):
        found = sides().ours(case.sql, case.parameters)
        expected = sides().theirs(case.sql, case.parameters)
        if is_ordered(case.sql):
            for descending in (False, True):
                total = ties_broken(case.sql, descending=descending)
                assert sides().theirs(total, case.parameters) == expected, "a tie"
        else:
            found, expected = ordered(found), ordered(expected)
        assert found == expected


def test_a_paragraph_is_read_as_it_is_written() -> None:
    case = Case(about="x", sql="SELECT $1", parameters=(1,), plan=("a", "  b"), rows=("1, 2", ""))
    assert parse_case("\n".join(case.lines())) == case


def rewrite() -> None:
    """Write the engine's plans and rows for each case into the files."""
    for path in sorted(DIRECTORY.glob("*.sql")):
        texts = ["\n".join(run_case(case).lines()) for case in read_cases(path)]
        path.write_text("\n\n".join(texts) + "\n")


if __name__ == "__main__":
    rewrite()
