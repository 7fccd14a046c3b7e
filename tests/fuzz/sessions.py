"""Generated conversations of a client, held with a gateway process and with a PostgreSQL.

After each step these must be equal: the answers, their tags, the warnings, the state of the
transaction, and the settings that a server reports.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
from psycopg import pq, sql

from tests.fuzz.comparison import Reply, difference, rows_of, shape
from tests.fuzz.grammar.conversations import Conversations, Step
from tests.fuzz.mutation import fewest
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.selects import running_both

PART = "session"
READER = "stategate"
"""The name of the user of both servers, who may read only."""
_REPORTED = ("TimeZone", "DateStyle", "IntervalStyle", "application_name", "client_encoding")
_NOT_SUPPORTED = "0A000"
_REFUSED = frozenset({_NOT_SUPPORTED, "25006"})
"""What the gateway does not support, and what would write: both are documented."""
_CANCELED = "57014"
_LONGEST_S = 20.0
"""A statement that takes longer is cancelled, and ends the conversation."""
_BINARY_HEAD = 19
"""Bytes before the first row of COPY in binary; they come with it in one message."""
_LEFT_OPEN = "22"
"""SQL leaves open whether, and at which row, an expression fails."""


@dataclass(slots=True, kw_only=True)
class Heard:
    """All that a server says about a step."""

    replies: list[Reply] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Their SQLSTATEs."""
    transaction: str = ""
    settings: tuple[str, ...] = ()

    @property
    def sqlstate(self) -> str | None:
        """The SQLSTATE of its error."""
        return next((each.sqlstate for each in self.replies if each.sqlstate), None)


@dataclass(slots=True)
class Client:
    """A connection that tells all that it hears."""

    connection: pq.abc.PGconn
    _warnings: list[str] = field(default_factory=list)

    @staticmethod
    def of(dsn: str) -> Client:
        """Connect."""
        found = pq.PGconn.connect(dsn.encode())
        if found.status != pq.ConnStatus.OK:
            raise RuntimeError(f"cannot connect to {dsn}: {found.error_message.decode()}")
        client = Client(found)
        found.notice_handler = client._note
        return client

    def _note(self, notice: pq.abc.PGresult) -> None:
        severity = notice.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED)
        state = notice.error_field(pq.DiagnosticField.SQLSTATE)
        if severity == b"WARNING" and state is not None:
            self._warnings.append(state.decode())

    def say(self, step: Step) -> Heard:
        """Take a step, and hear the server's answers."""
        self._warnings.clear()
        heard = Heard()
        done = threading.Event()
        threading.Thread(target=self._cancel_until, args=(done,), daemon=True).start()
        try:
            self._send(step)
            while (result := self.connection.get_result()) is not None:
                self._hear(result, heard)
        finally:
            done.set()
        heard.warnings = list(self._warnings)
        heard.transaction = self.connection.transaction_status.__repr__()
        status = self.connection.parameter_status
        heard.settings = tuple((status(name.encode()) or b"").decode() for name in _REPORTED)
        return heard

    def _cancel_until(self, done: threading.Event) -> None:
        """Cancel what takes long, again and again: a text may have several long statements."""
        cancel = self.connection.get_cancel()
        while not done.wait(_LONGEST_S):
            cancel.cancel()

    def _send(self, step: Step) -> None:
        values = [None if value is None else value.encode() for value in step.values]
        text = step.sql.encode()
        match step.way:
            case "simple":
                self.connection.send_query(text)
            case "extended":
                self.connection.send_query_params(text, values)
            case "prepare":
                self.connection.send_prepare(step.name.encode(), text)
            case "run":
                self.connection.send_query_prepared(text, values)
            case "describe":
                self.connection.send_describe_prepared(text)
            case "portal":
                self.connection.send_describe_portal(text)
            case _:
                raise ValueError(step.way)

    def _hear(self, result: pq.abc.PGresult, heard: Heard) -> None:
        status = pq.ExecStatus(result.status)
        if status is pq.ExecStatus.COPY_OUT:
            heard.replies.append(Reply(rows=tuple(self._copied(binary=bool(result.binary_tuples)))))
            return
        if status in {pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE}:
            state = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
            text = (result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode()
            said = text or self.connection.error_message.decode()
            heard.replies.append(Reply(sqlstate=state or "lost", message=said))
            return
        columns = range(result.nfields)
        types = tuple(result.ftype(each) for each in columns)
        binary = bool(types) and result.fformat(0) == pq.Format.BINARY
        heard.replies.append(
            Reply(
                names=tuple((result.fname(each) or b"").decode() for each in columns),
                types=(*types, *(result.param_type(at) for at in range(result.nparams))),
                rows=tuple(rows_of(result, types, binary=binary)),
            )
        )
        heard.tags.append((result.command_status or b"").decode())

    def _copied(self, *, binary: bool) -> Iterator[tuple[object, ...]]:
        head = _BINARY_HEAD if binary else 0
        while True:
            size, data = self.connection.get_copy_data(0)
            if size <= 0:
                return
            if head:
                yield (bytes(data)[:head],)
            yield (bytes(data)[head:],)
            head = 0


@dataclass(slots=True)
class Servers:
    """Where both servers are."""

    ours: str
    theirs: str

    def hold(self, steps: Sequence[Step]) -> tuple[str, tuple[str, str] | None]:
        """Hold a conversation with both; return its outcome, and the first difference."""
        ours, theirs = ([Client.of(dsn) for _ in range(2)] for dsn in (self.ours, self.theirs))
        try:
            for at, step in enumerate(steps):
                one, other = ours[step.session].say(step), theirs[step.session].say(step)
                outcome, wrong = compared(one, other, step)
                if wrong is not None:
                    kind, what = wrong
                    return outcome, (kind, f"step {at + 1}, {step.way}: {step.sql}\n{what}")
                if outcome:
                    return outcome, None
        finally:
            for each in (*ours, *theirs):
                each.connection.finish()
        return "whole", None


def compared(ours: Heard, theirs: Heard, step: Step) -> tuple[str, tuple[str, str] | None]:
    """Return why a conversation ends here, if it does, and the difference, if there is one."""
    states = {ours.sqlstate, theirs.sqlstate}
    if end := _end(ours, theirs, step):
        return end, None
    if ours.sqlstate and theirs.sqlstate and "25P02" in states:
        # A failed transaction refuses all, but what is found wrong before that differs.
        return "", None
    if not any(states) and _OWN.search(step.sql):
        return "", None
    for one, other in zip(_bags(ours, step), _bags(theirs, step), strict=False):
        ordered = range(len(one.types)) if step.ordered else ()
        found = difference(one, other, ordered=ordered, sql=step.sql)
        if found is not None:
            return "", found
    pairs = {
        "answers": (len(ours.replies), len(theirs.replies)),
        "tags": (ours.tags, theirs.tags),
        "state": (ours.transaction, theirs.transaction),
        "warnings": ((ours.warnings, theirs.warnings) if not any(states) else ([], [])),
        "settings": (ours.settings, theirs.settings),
    }
    for name, (mine, wanted) in pairs.items():
        if mine != wanted:
            return "", (f"{name} {mine} for {wanted}"[:90], f"ours: {mine}\ntheirs: {wanted}")
    return "", None


def _end(ours: Heard, theirs: Heard, step: Step) -> str:
    """Return why a conversation ends here without a difference; empty if it goes on."""
    states = {ours.sqlstate, theirs.sqlstate}
    if _CANCELED in states:
        return "too long"
    if ours.sqlstate in _REFUSED and ours.sqlstate != theirs.sqlstate:
        return f"not supported: {shape(ours.replies[-1].message)[:60]}"
    if not _is_query(step):
        return ""
    if theirs.sqlstate == _NOT_SUPPORTED and ours.sqlstate is None:
        return "not supported by PostgreSQL"
    return "left open" if any((e or "").startswith(_LEFT_OPEN) for e in states) else ""


def _bags(heard: Heard, step: Step) -> list[Reply]:
    """Return the answers, with rows in an order that does not matter sorted."""
    if step.ordered:
        return heard.replies
    return [replace(each, rows=tuple(sorted(each.rows, key=repr))) for each in heard.replies]


_OWN = re.compile(r"EXPLAIN|SHOW ALL", re.IGNORECASE)
"""Statements whose rows differ from PostgreSQL's."""
_QUERY = re.compile(r"SELECT \* FROM \(|EXECUTE|FETCH|MOVE|SELECT 1 / 0", re.IGNORECASE)


def _is_query(step: Step) -> bool:
    """Whether a step may evaluate expressions of rows."""
    return step.way != "simple" or _QUERY.search(step.sql) is not None


@contextlib.contextmanager
def servers(directory: Path) -> Iterator[Servers]:
    """Run both servers.

    Raises:
        PostgresMissingError: there is no PostgreSQL to compare with.
    """
    with running_both(directory) as (ours, postgres):
        with psycopg.connect(postgres.dsn, autocommit=True) as connection:
            user = sql.Identifier(READER)
            for command in (
                "CREATE ROLE {} LOGIN",
                "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}",
                "ALTER ROLE {} SET default_transaction_read_only = on",
                "ALTER ROLE {} SET TimeZone = 'UTC'",
                "ALTER ROLE {} SET DateStyle = 'ISO, MDY'",
                "ALTER ROLE {} SET jit = off",
            ):
                connection.execute(sql.SQL(command).format(user))
        yield Servers(ours, replace(postgres, user=READER).dsn)


def run(found: Servers, report: Report, budget: Budget) -> None:
    """Hold conversations until the budget is spent."""
    for number in budget.cases():
        if budget.spent():
            return
        steps = Conversations(report.random(PART, number)).draw()
        outcome, wrong = found.hold(steps)
        if wrong is None:
            report.passed(outcome)
            continue
        kind, _ = wrong
        if report.is_known(kind):
            report.failed(Failure(part=PART, case=number, kind=kind, what=""))
            continue

        def fails(some: Sequence[Step], kind: str = kind) -> bool:
            _, again = found.hold(some)
            return again is not None and again[0] == kind

        small = fewest(steps, fails)
        _, wrong = found.hold(small)
        said = "\n".join(_shown(step) for step in small)
        what = f"{said}\n{wrong[1] if wrong is not None else '(not the same when asked again)'}"
        report.failed(Failure(part=PART, case=number, kind=kind, what=what))


def _shown(step: Step) -> str:
    about = "" if step.way == "simple" else f"  -- {step.way} {step.name} {step.values}"
    return f"{'B: ' if step.session else ''}{step.sql};{about}"
