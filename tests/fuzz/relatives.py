"""Relatives of the corpus, and operators over all types, by a gateway and by PostgreSQL.

Two sessions of PostgreSQL answer: one over rows in the reverse order, with other plans. Where their
answers differ, SQL leaves the answer open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

import psycopg
from psycopg import pq

from tests.fuzz.comparison import Reply, Way, ask, difference
from tests.fuzz.grammar import operands
from tests.fuzz.grammar.relatives import Corpus, Relatives
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.selects import connected, fingerprint, running_both
from tests.fuzz.tree import Node, shrunk, spelled
from tests.fuzz.world import fill_postgres

PART = "relative"
_OF_OPERANDS = 0.15
"""Share of cases that have one operator over values of any types."""
_LEFT_OPEN = "22"
_INTERNAL = "XX000"
_TYPEOF = {(25, 2206), (1009, 2211)}
_RECORD = 2249
_CUTS = re.compile(r"\b(?:limit|offset|fetch|distinct on)\b|_agg\(.*order by", re.IGNORECASE)
"""Rows may be equal in what they are ordered by."""
_CHANCE = re.compile(r"\btablesample\b", re.IGNORECASE)
"""Two servers may draw the same rows by chance."""
_LIMITED = re.compile(
    r"numeric|decimal|make_interval|to_date|to_timestamp|interval '|'\[|::(?:date|time)",
    re.IGNORECASE,
)
"""Numerics have 38 digits, intervals no infinity, and times are read in few forms."""
_ACCEPTED = re.compile(
    r"^function \w+\(.*\b(?:bigint|numeric|double precision|real)\b"
    r"|function (?:min|max)\((?:bytea|boolean)\)|function pg_"
    r"|\b(?:oid|name|reg\w+|unknown)\b|\brecord\b"
)
_AS_WORDS = """
    char character day hour minute month national nchar precision second varchar varying within
    without year
"""
_ALIAS = re.compile(rf'^syntax error at or near "({"|".join(_AS_WORDS.split())})"', re.IGNORECASE)
"""PostgreSQL's error for a name of a column that needs AS."""
_OF_SERVER = re.compile(r"\b(?:(?:current|session)_user|current_role|user)\b", re.IGNORECASE)
"""Names that the servers have each for itself."""
_FRACTION = re.compile(r"\.\d+")
_PADDED = frozenset({1042, 1014})
"""The types of `char(n)` and its arrays."""
_OTHER_PLANS = (
    "SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_sort = on;"
    " SET enable_mergejoin = off; SET enable_material = off"
)


@dataclass(slots=True)
class Judges:
    """Connections to a gateway, to PostgreSQL, and to its rows in reverse order."""

    ours_dsn: str
    ours: pq.abc.PGconn
    theirs: pq.abc.PGconn
    reversed: pq.abc.PGconn

    def ask(self, settings: Sequence[str], root: Node, way: Way) -> tuple[Reply, Reply, bool]:
        """Run a statement everywhere; return both answers, and whether SQL determines them."""
        sql = spelled(root)
        answers = []
        for connection in (self.ours, self.theirs, self.reversed):
            for setting in settings:
                connection.exec_(setting.encode())
            answers.append(ask(connection, sql, (), way))
            if settings and connection.status == pq.ConnStatus.OK:
                _begin(connection)
                if connection is self.reversed:
                    connection.exec_(_OTHER_PLANS.encode())
        if self.ours.status != pq.ConnStatus.OK:
            self.ours = connected(self.ours_dsn)
            _begin(self.ours)
        ours, theirs, other = answers
        return ours, theirs, difference(other, theirs, ordered=(), sql=sql) is None


def _begin(connection: pq.abc.PGconn) -> None:
    for command in ("RESET ALL", "SET statement_timeout = '20s'", "SET TimeZone = 'UTC'"):
        connection.exec_(command.encode())


@contextmanager
def judges(directory: Path) -> Iterator[Judges]:
    """Run and connect to the servers."""
    with running_both(directory) as (ours, postgres):
        with psycopg.connect(postgres.dsn, autocommit=True) as connection:
            connection.execute("CREATE DATABASE reversed")
        reversed_dsn = f"{postgres.dsn} dbname=reversed"
        with psycopg.connect(reversed_dsn, autocommit=True) as connection:
            fill_postgres(connection, is_reversed=True)
        dsns = ours, postgres.dsn, reversed_dsn
        first, second, third = map(connected, dsns)
        for each in (first, second, third):
            _begin(each)
        third.exec_(_OTHER_PLANS.encode())
        try:
            yield Judges(ours, first, second, third)
        finally:
            for each in (first, second, third):
                each.finish()


def run(directory: Path, report: Report, budget: Budget) -> None:
    """Compare relatives of the corpus until the budget is spent."""
    corpus = Corpus.read()
    with judges(directory) as found:
        for number in budget.cases():
            if budget.spent():
                return
            chance = report.random(PART, number)
            settings: Sequence[str]
            if chance.random() < _OF_OPERANDS:
                settings, root = (), operands.drawn(chance)
            else:
                settings, root = Relatives(corpus, chance).draw()
            extended = chance.random() < 0.4
            way = Way(extended=extended, binary=extended and chance.random() < 0.5)
            _check(found, report, number, settings, root, way)


def _verdict(
    found: Judges, settings: Sequence[str], root: Node, way: Way
) -> tuple[str, tuple[str, str] | None]:
    """Return the outcome of a statement, and the difference if there is one."""
    sql = spelled(root)
    ours, theirs, is_determined = found.ask(settings, root, way)
    if ours.sqlstate == _INTERNAL:
        return "error", (f"XX000 for {theirs.sqlstate or 'rows'}: {ours.message[:60]}", "")
    if ours.sqlstate is not None and theirs.sqlstate is not None:
        return "error", None
    if not is_determined or ours.is_cut or theirs.is_cut or _CHANCE.search(sql):
        return "not determined", None
    if ours.sqlstate == "0A000" or theirs.sqlstate in {"0A000", _INTERNAL}:
        return "not supported", None
    if (theirs.sqlstate or "").startswith(_LEFT_OPEN) or _is_documented(ours, theirs, sql):
        return "left open", None
    wrong = difference(ours, theirs, ordered=(), sql=sql)
    if wrong is not None and way.binary and _RECORD in theirs.types:
        # A bare text in a record has the type unknown there, and text here.
        return _verdict(found, settings, root, replace(way, binary=False))
    if wrong is not None and _CUTS.search(sql) and len(ours.rows) == len(theirs.rows):
        return "not determined", None
    return ("error" if theirs.sqlstate else "rows"), wrong


def _is_documented(ours: Reply, theirs: Reply, sql: str) -> bool:
    """Whether answers differ in a way that the planner's README documents."""
    if ours.sqlstate is None and theirs.sqlstate is not None:
        if _ALIAS.search(theirs.message) or theirs.message.startswith("collation "):
            return True
        # An integer parameter takes any number.
        return theirs.sqlstate == "42883" and _ACCEPTED.search(theirs.message) is not None
    if ours.message.endswith("comparison function for type json"):
        return len(theirs.rows) < 2  # PostgreSQL has compared no rows
    if ours.sqlstate in {"22003", "22007", "22008"}:
        return _LIMITED.search(sql) is not None
    pairs = set(zip(ours.types, theirs.types, strict=False))
    if not pairs.isdisjoint(_TYPEOF):
        return True  # pg_typeof is a text
    if ours.types == theirs.types and not _PADDED.isdisjoint(ours.types):
        return True
    is_alike = _OF_SERVER.search(sql) or _without_scales(ours.rows) == _without_scales(theirs.rows)
    if is_alike and ours.types == theirs.types:
        return True
    return any('#2"' in str(cell) for row in ours.rows for cell in row)


def _without_scales(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Return rows in order, without the zeros at the ends of numbers within texts of rows."""
    shown = [
        [_FRACTION.sub(_shortened, cell.decode()) if _is_row(cell) else cell for cell in row]
        for row in rows
    ]
    return sorted(shown, key=repr)


def _shortened(fraction: re.Match[str]) -> str:
    return fraction[0].rstrip("0").rstrip(".")


def _is_row(cell: object) -> TypeGuard[bytes]:
    return isinstance(cell, bytes) and cell[:1] in {b"(", b"{"} and cell.isascii()


def _check(
    found: Judges, report: Report, number: int, settings: Sequence[str], root: Node, way: Way
) -> None:
    outcome, wrong = _verdict(found, settings, root, way)
    if wrong is None:
        report.passed(outcome)
        return
    kind, _ = wrong
    small = root
    if not report.is_known(kind):

        def fails(other: Node) -> bool:
            _, again = _verdict(found, settings, other, way)
            return again is not None and again[0] == kind

        small = shrunk(root, fails)
        _, again = _verdict(found, settings, small, way)
        wrong = again or wrong
    sql = spelled(small)
    kind = f"rows of {fingerprint(sql)}" if kind == "rows" else kind
    what = f"{way} {'; '.join(settings)}\n{sql};\n{wrong[1]}"
    report.failed(Failure(part=PART, case=number, kind=kind, what=what))
