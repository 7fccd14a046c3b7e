"""Replies to statements: rows, notices, command tags and changed settings, in their order.

All output of a session goes through `Replies`, so that the state table checks each message.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing

from stategate.gateway.pgwire.protocol.connection import Connection
from stategate.gateway.pgwire.protocol.encode import encode
from stategate.gateway.pgwire.protocol.errors import notice_response
from stategate.gateway.pgwire.protocol.server_messages import (
    BackendMessage,
    CommandComplete,
    DataRows,
    ParameterStatus,
    PortalSuspended,
    ReadyForQuery,
)
from stategate.gateway.pgwire.statements.client_socket import ClientSocket
from stategate.gateway.pgwire.statements.cursors import Piece
from stategate.gateway.pgwire.statements.execution import Runner
from stategate.gateway.pgwire.statements.portals import Names, Portal
from stategate.gateway.pgwire.statements.rows import Begun, RowSource
from stategate.planner.engine import QueryError, Session, StatementKind, TransactionStatus

ENDS_TRANSACTION = frozenset({StatementKind.COMMIT, StatementKind.ROLLBACK})
_COUNTED = frozenset({StatementKind.SELECT, StatementKind.FETCH})
"""Kinds whose command tag has the number of rows."""
_READY_IDLE = encode(ReadyForQuery(status=TransactionStatus.IDLE.value))
_REPORTED = {
    "application_name": "",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "TimeZone": "UTC",
}
"""Settings that are reported with the session's value → the value if the session has not set it."""


class Replies:
    """Sends the replies of one session.

    Args:
        connection: the state of the protocol.
        socket: the socket of the client.
        session: the session of the client.
        names: its statements and portals.
        runner: streams the rows of its portals.
        reports: the settings that have been reported to the client.
    """

    def __init__(
        self,
        *,
        connection: Connection,
        socket: ClientSocket,
        session: Session,
        names: Names,
        runner: Runner,
        reports: ReportedSettings,
    ) -> None:
        self.has_executed = False
        """Whether a statement has run since the last ReadyForQuery: the next one shares its
        transaction."""
        self.drained: Callable[[], Awaitable[None]] = socket.drained
        """Waits until the client has read most of the output."""
        self._connection = connection
        self._write = socket.write
        self._session = session
        self._names = names
        self._runner = runner
        self._reports = reports
        self._reported_changes = session.changes

    def send(self, message: BackendMessage) -> None:
        """Send a message, which the state must allow."""
        self._write(self._connection.send(message))

    def send_encoded(self, kind: type[BackendMessage], encoded: bytes) -> None:
        """Send messages of a kind that are encoded already."""
        self._connection.sending(kind)
        self._write(encoded)

    async def finish(self, portal: Portal, begun: Begun, rows_max: int) -> None:
        """Send the next rows of a portal that has started, then its completion or suspension.

        Args:
            portal: the portal.
            begun: its next rows.
            rows_max: the row limit; 0 for all rows.
        """
        if begun.error is not None or begun.rest is not None:
            if begun.rows:
                self.send_encoded(DataRows, begun.rows)
            if begun.error is not None:
                raise begun.take_error()
            if begun.rest is not None:
                await self._stream(started(portal), begun.rest)
            self.finish_at_hand(portal, b"", rows_max)
        else:
            self.finish_at_hand(portal, begun.rows, rows_max)

    async def go_on(self, portal: Portal, rows_max: int) -> None:
        """Stream the next rows of a portal, then send its completion or suspension."""
        source = started(portal)
        await self.finish(portal, Begun(rest=self._runner.take(source, rows_max)), rows_max)

    async def _stream(self, source: RowSource, chunks: Iterator[Sequence[Piece]]) -> None:
        await self.drained()
        await self._runner.wait(source)
        async with aclosing(self._runner.stream_of(source, chunks, source.encode)) as encoded:
            async for chunk in encoded:
                self.send_encoded(DataRows, chunk)
                await self.drained()

    def finish_at_hand(self, portal: Portal, rows: bytes, rows_max: int) -> None:
        """Send encoded rows of a portal, if any, then its completion or suspension."""
        source = started(portal)
        if rows:
            self.send_encoded(DataRows, rows)
        # PostgreSQL does not look ahead either: a portal that just reached its limit is suspended.
        if rows_max and source.taken == rows_max:
            self.send(PortalSuspended())
        else:
            self._complete(portal, source)

    def finish_again(self, name: str, portal: Portal) -> None:
        """Reply to the Execute of a portal that has completed: no more rows.

        Raises:
            QueryError: the statement gives no rows, and cannot be run twice (55000).
        """
        kind, source = portal.prepared.statement.kind, portal.source
        if kind is StatementKind.EXECUTE and source is not None:
            kind = source.result.kind
        if kind in _COUNTED:
            self.send(CommandComplete(tag=f"{kind.value} 0"))
        elif portal.prepared.statement.returns_rows:
            self.send(CommandComplete(tag=kind.value))
        else:
            raise QueryError(f'portal "{name}" cannot be run', sqlstate="55000")

    def _complete(self, portal: Portal, source: RowSource) -> None:
        kind = source.result.kind
        for notice in source.result.notices:
            self.send(notice_response(notice))
        taken = source.taken
        if portal.declared is None:
            portal.close()
        if kind in _COUNTED:
            self.send(CommandComplete(tag=f"{kind.value} {taken}"))
        else:
            self._complete_command(kind)

    def _complete_command(self, kind: StatementKind) -> None:
        """Drop the statements and portals that a command has ended, and send its tag."""
        if kind is StatementKind.DISCARD:
            self._names.discard()
        if kind is StatementKind.SAVEPOINT:
            self._names.savepoints_made = self._session.savepoints_made
        if kind in ENDS_TRANSACTION:
            if self._session.in_subtransaction:  # ROLLBACK TO a savepoint
                self._names.rollback_to(self._session.savepoint_number)
            else:
                self._names.end_transaction(committed=kind is StatementKind.COMMIT)
        self.send(CommandComplete(tag=kind.value))

    def ready(self) -> None:
        """Send ReadyForQuery, with the settings that changed; an implicit transaction ends here."""
        self.has_executed = False
        self._runner.watch.resume(None)
        status = self._session.transaction
        if status is TransactionStatus.IDLE:
            self._session.end_group()
            self._names.end_transaction(committed=True)
        self._report()
        if status is TransactionStatus.IDLE:
            self.send_encoded(ReadyForQuery, _READY_IDLE)
        else:
            self.send(ReadyForQuery(status=status.value))

    def ready_with(self, answer: bytes) -> None:
        """Send the encoded answer to a Query, ReadyForQuery included, outside of a transaction."""
        self.has_executed = False
        self._runner.watch.resume(None)
        self._connection.sending(ReadyForQuery)
        self._write(answer)

    @property
    def settings_changed(self) -> bool:
        """Whether settings have changed since they were reported to the client."""
        return self._session.changes != self._reported_changes

    def _report(self) -> None:
        """Report the settings that have changed: once for all statements, as PostgreSQL does."""
        if self.settings_changed:
            self._reported_changes = self._session.changes
            for status in self._reports.changed(self._session):
                self.send(status)


def started(portal: Portal) -> RowSource:
    """Return the rows of a portal that has been executed."""
    assert portal.source is not None, "a portal that was started has a source"
    return portal.source


class ReportedSettings:
    """The settings that have been reported to one client: at first all, then the changed ones.

    Args:
        server_version: e.g. `15.18`; clients choose their catalog queries by it.
    """

    __slots__ = ("_constant", "_reported")

    def __init__(self, *, server_version: str) -> None:
        # Intervals always have this style, and stores cannot become writable.
        self._constant = {
            "server_version": server_version,
            "server_encoding": "UTF8",
            "IntervalStyle": "postgres",
            "integer_datetimes": "on",
            "standard_conforming_strings": "on",
            "default_transaction_read_only": "on",
            "is_superuser": "off",
            "in_hot_standby": "off",
        }
        self._reported: Mapping[str, str] = {}

    def changed(self, session: Session) -> tuple[ParameterStatus, ...]:
        """Return the settings that changed since the last call; all of them at first."""
        current = {name: _value(session, name, default) for name, default in _REPORTED.items()}
        current.update(self._constant)
        current["session_authorization"] = session.user
        changed = tuple(
            ParameterStatus(name=name, value=value)
            for name, value in current.items()
            if self._reported.get(name) != value
        )
        self._reported = current
        return changed


def _value(session: Session, name: str, default: str) -> str:
    return session.settings.get(name.lower(), default)
