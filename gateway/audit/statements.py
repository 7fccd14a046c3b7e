"""Statements and queries by name in the audit, and the acts of statements on other sessions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from stategate.gateway.audit.log import Audit
from stategate.gateway.watching.statements import Read, Times, shape_of
from stategate.planner.engine import (
    Backends,
    ListedSession,
    LockTable,
    QueryError,
    Session,
    Trace,
)

SUCCESS: Final = "00000"


class AuditedStatement:
    """A statement that becomes a line once it has ended; see `Watched`.

    Args:
        audit: takes the line.
        kind: its command tag, or the name of a query by name.
        session: its session.
        store: the only store that it may ask, if that is known.
    """

    __slots__ = ("_audit", "_began_s", "_client", "_has_ended", "_kind", "_pid", "_store", "_user")

    is_recording = True
    trace: Trace | None = None

    def __init__(self, audit: Audit, kind: str, session: Session, store: str | None) -> None:
        self._audit, self._kind, self._store = audit, kind, store
        self._user, self._client, self._pid = session.user, session.client, session.pid
        self._began_s, self._has_ended = time.perf_counter(), False

    def end(
        self,
        sql: str | None,
        *,
        rows: int,
        reads: Sequence[Read],
        times: Times | None = None,
        batch: int = 1,
    ) -> None:
        """Write the line of a statement that has returned its rows."""
        self._end(sql, [read.store for read in reads], SUCCESS, rows, batch=batch)

    def give_up(self, sql: str, *, is_overdue: bool) -> None:
        """Write no line: the statement is run anew, or the client has left."""
        if not is_overdue:
            self._end(sql, [], "57014", 0)
        self._has_ended = True

    def fail(
        self,
        sql: str | None,
        error: BaseException,
        *,
        reads: Sequence[Read] = (),
        times: Times | None = None,
    ) -> None:
        """Write the line of a statement that has failed; its message may have values."""
        sqlstate = error.sqlstate if isinstance(error, QueryError) else "XX000"
        self._end(sql, [read.store for read in reads], sqlstate, 0)

    def end_beginning(
        self, sql: str, stores: Sequence[str], *, rows: int | None, epoch: int | None
    ) -> None:
        """Write the line of a subscription that has begun, or was closed before."""
        self._end(sql, stores, "57014" if rows is None else SUCCESS, rows or 0)

    def _end(
        self, sql: str | None, stores: Sequence[str], sqlstate: str, rows: int, *, batch: int = 1
    ) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        protocol, address = self._client
        named = {*stores} if self._store is None else {*stores, self._store}
        fields: dict[str, object] = {} if sql is None else {"statement": shape_of(sql)}
        if batch > 1:
            fields["runs"] = batch
        if self._pid:
            fields["pid"] = self._pid
        self._audit.note(
            "statement",
            user=self._user,
            client=address,
            protocol=protocol,
            kind=self._kind,
            **fields,
            stores=sorted(named),
            rows=rows,
            ms=round((time.perf_counter() - self._began_s) * 1000, 3),
            sqlstate=sqlstate,
        )


class StatementAudit:
    """Makes lines of statements; see `Watcher`.

    Args:
        audit: takes the lines.
    """

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    def begin(self, kind: str, session: Session, *, store: str | None = None) -> AuditedStatement:
        """Begin the line of a statement."""
        backends = session.backends
        if backends is not None and not isinstance(backends, AuditedBackends):
            session.backends = AuditedBackends(backends, self._audit, session)
        return AuditedStatement(self._audit, kind, session, store)

    def read_tags(self, sql: str, session: Session) -> None:
        """Do nothing: no tag of a text is kept."""


class AuditedBackends:
    """The clients of a gateway, as one of them acts on them; see `Backends`.

    Args:
        inner: acts.
        audit: takes a line of each act.
        session: who acts.
    """

    def __init__(self, inner: Backends, audit: Audit, session: Session) -> None:
        self._inner, self._audit = inner, audit
        self.locks: LockTable | None = inner.locks
        self._user, (self._protocol, self._address) = session.user, session.client

    def listed(self) -> Sequence[ListedSession]:
        """Return all connected clients."""
        return self._inner.listed()

    def cancel_backend(self, pid: int) -> bool:
        """Cancel a client's statement; return whether the client is connected."""
        return self._noted("cancel", pid, self._inner.cancel_backend(pid))

    def terminate(self, pid: int) -> bool:
        """End a client's connection; return whether the client is connected."""
        return self._noted("terminate", pid, self._inner.terminate(pid))

    def _noted(self, act: str, pid: int, found: bool) -> bool:
        self._audit.note(
            act, user=self._user, client=self._address, protocol=self._protocol, of=pid, found=found
        )
        return found
