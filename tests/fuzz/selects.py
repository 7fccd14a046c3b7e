"""Generated SELECTs, run by a gateway process and by a PostgreSQL with the same rows."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import pq

from tests.fuzz.comparison import Reply, Way, ask, difference
from tests.fuzz.grammar.plain import Plain
from tests.fuzz.grammar.statements import Case, Statements
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.tree import Node, parametrized, shrunk, spelled
from tests.fuzz.world import fill_postgres, write_world
from tests.support.gateway import running_gateway
from tests.support.postgres import Postgres, running_postgres

PART = "select"
_DATA_EXCEPTION = "22"
_NAME_ERROR = "42"
_CANCELED = "57014"
READY_S = 240.0
"""Seconds that a gateway may take to start; measured, and beside others, it takes minutes."""
_PAGES, _ROWS_OF_PAGE = 2, 60
"""More than any store of the test data has in PostgreSQL."""


@dataclass(slots=True)
class Servers:
    """Connections to both servers."""

    ours_dsn: str
    theirs_dsn: str
    ours: pq.abc.PGconn
    theirs: pq.abc.PGconn
    session: tuple[str, str] = ("UTC", "MDY")
    """The time zone and the order of dates of both sessions."""

    @staticmethod
    def at(ours_dsn: str, theirs_dsn: str) -> Servers:
        """Connect to both."""
        return Servers(ours_dsn, theirs_dsn, connected(ours_dsn), connected(theirs_dsn))

    def begin(self, zone: str, dates: str) -> None:
        """Set the time zone and the order of dates of both sessions."""
        if self.session == (zone, dates):
            return
        self.session = zone, dates
        for connection in (self.ours, self.theirs):
            _set(connection, *self.session)

    def ask(self, root: Node, way: Way) -> tuple[Reply, Reply, str]:
        """Run a statement on both servers; return their answers and the statement as sent."""
        sql, values = parametrized(root, bare=way.bare) if way.parameters else (spelled(root), ())
        ours = ask(self.ours, sql, values, way)
        if ours.sqlstate == "lost" or self.ours.status != pq.ConnStatus.OK:
            self.ours = connected(self.ours_dsn)
            _set(self.ours, *self.session)
        return ours, ask(self.theirs, sql, values, way), sql

    def errors_by_row(self, root: Node, way: Way) -> frozenset[str]:
        """Run a SELECT from one relation on each row alone, in PostgreSQL."""
        sql, values = parametrized(root, bare=way.bare) if way.parameters else (spelled(root), ())
        asked = (
            ask(self.theirs, f"{sql} WHERE ctid = '({page},{number})'", values, way)
            for page in range(_PAGES)
            for number in range(1, _ROWS_OF_PAGE + 1)
        )
        return frozenset(reply.sqlstate for reply in asked if reply.sqlstate is not None)

    def close(self) -> None:
        """Disconnect."""
        self.ours.finish()
        self.theirs.finish()


def connected(dsn: str) -> pq.abc.PGconn:
    """Connect to a server, with the settings of a session."""
    found = pq.PGconn.connect(dsn.encode())
    if found.status != pq.ConnStatus.OK:
        raise RuntimeError(f"cannot connect to {dsn}: {found.error_message.decode()}")
    found.exec_(b"SET statement_timeout = '60s'")
    found.exec_(b"SET extra_float_digits = 1")
    _set(found, "UTC", "MDY")
    return found


def _set(connection: pq.abc.PGconn, zone: str, dates: str) -> None:
    for command in (f"SET TimeZone = '{zone}'", f"SET DateStyle = '{dates}'"):
        result = connection.exec_(command.encode())
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise RuntimeError(f"{command}: {result.error_message.decode()}")


@contextlib.contextmanager
def running_both(directory: Path, *, workers: int = 1) -> Iterator[tuple[str, Postgres]]:
    """Run both servers with the same rows; yield the address of the gateway, and the PostgreSQL.

    Args:
        directory: for their files.
        workers: processes of the gateway; several share those that compose.

    Raises:
        PostgresMissingError: there is no PostgreSQL to compare with.
    """
    root = directory / "root"
    with running_postgres(directory / "postgres", locale="C.UTF-8") as postgres:
        with psycopg.connect(postgres.dsn, autocommit=True) as connection:
            fill_postgres(connection)
        write_world(root)
        arguments = ("--workers", str(workers)) if workers > 1 else ()
        with running_gateway(
            root, directory, arguments=arguments, ready_timeout_s=READY_S
        ) as gateway:
            yield gateway.pg_dsn, postgres


@contextlib.contextmanager
def servers(directory: Path, *, workers: int = 1) -> Iterator[Servers]:
    """Run and connect to both servers; see `running_both`."""
    with running_both(directory, workers=workers) as (ours, theirs):
        found = Servers.at(ours, theirs.dsn)
        try:
            yield found
        finally:
            found.close()


def run(found: Servers, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Compare generated statements until the budget is spent."""
    for number in budget.cases():
        if budget.spent():
            return
        chance = report.random(PART, number)
        is_plain = chance.random() < 0.12
        case = Plain(chance).case() if is_plain else Statements(chance, without).case()
        way = Way(
            bare=is_plain and chance.random() < 0.7,
            extended=(extended := chance.random() < 0.6),
            parameters=extended and chance.random() < 0.5,
            binary=extended and chance.random() < 0.5,
        )
        _check(found, report, number, case, way)


def verdict(case: Case, ours: Reply, theirs: Reply, sql: str) -> tuple[str, tuple[str, str] | None]:
    """Run a statement; return its outcome, and the difference if there is one."""
    if ours.is_cut and theirs.is_cut:
        return "too many rows", None
    if theirs.sqlstate == _CANCELED:
        return "too long for PostgreSQL", None
    if "0A000" in {ours.sqlstate, theirs.sqlstate}:
        return ("both refused" if theirs.sqlstate else "not supported"), None
    is_data_error = (theirs.sqlstate or "").startswith(_DATA_EXCEPTION)
    if is_data_error and not case.strict and (ours.sqlstate or "22").startswith(_DATA_EXCEPTION):
        # SQL leaves open which expressions are evaluated, and in which order.
        return "left open", None
    if case.may_fail and not theirs.sqlstate and (ours.sqlstate or "").startswith(_DATA_EXCEPTION):
        return "left open", None
    is_name_error = (theirs.sqlstate or "").startswith(_NAME_ERROR)
    if case.any_name_error and is_name_error and (ours.sqlstate or "").startswith(_NAME_ERROR):
        return "error", None
    wrong = difference(ours, theirs, ordered=case.ordered, sql=sql)
    return ("error" if theirs.sqlstate else "rows"), wrong


_WORD = re.compile(r"[a-z_]{2,}(?= ?\()|[A-Z]{2,}(?: [A-Z]{2,})*|[-+*/%&|#@~<>=!]+")
_USUAL = frozenset({"SELECT", "FROM", "WHERE", "AS", "ON", "NULL", "CAST"})


def fingerprint(sql: str) -> str:
    """Return functions, operators and clauses of a shrunk statement, to group failures by."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", sql)
    words = {word for word in _WORD.findall(bare) if word not in _USUAL}
    return " ".join(sorted(words))[:60]


def _check(found: Servers, report: Report, number: int, case: Case, way: Way) -> None:
    found.begin(case.zone, case.dates)
    ours, theirs, sql = found.ask(case.root, way)
    outcome, wrong = verdict(case, ours, theirs, sql)
    if wrong is not None and _is_of_another_row(found, case, case.root, way, ours, theirs):
        # SQL leaves the order of rows open, so any of them may fail first.
        report.passed("left open")
        return
    if outcome == "not supported" and ours.sqlstate == "0A000":
        report.counts[f"  0A000 {ours.message[:70]}"] += 1
    if wrong is None:
        report.passed(outcome)
        return
    kind, text = wrong
    if report.is_known(kind):
        report.failed(Failure(part=PART, case=number, kind=kind, what=""))
        return

    def fails(root: Node) -> bool:
        one, other, asked = found.ask(root, way)
        _, again = verdict(case, one, other, asked)
        is_same = again is not None and again[0] == kind
        return is_same and not _is_of_another_row(found, case, root, way, one, other)

    small = shrunk(case.root, fails)
    ours, theirs, sql = found.ask(small, way)
    _, wrong = verdict(case, ours, theirs, sql)
    kind = f"{kind} of {fingerprint(sql)}" if kind in {"rows", "order of rows"} else kind
    text = wrong[1] if wrong is not None else f"{text}\n(not the same when asked again)"
    sent = f"{way}, {parametrized(small, bare=way.bare)[1]}" if way.parameters else str(way)
    what = f"{sent}; strict {case.strict}; {case.zone} {case.dates}\n{sql};\n{text}"
    report.failed(Failure(part=PART, case=number, kind=kind, what=what))


def _is_of_another_row(
    found: Servers, case: Case, root: Node, way: Way, ours: Reply, theirs: Reply
) -> bool:
    """Whether PostgreSQL fails with our error on one of the rows, only later."""
    if not case.strict or ours.sqlstate is None or theirs.sqlstate is None:
        return False
    return ours.sqlstate in found.errors_by_row(root, way)
