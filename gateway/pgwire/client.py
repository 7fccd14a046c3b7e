"""One client's socket under asyncio: bytes between the transport, `connection` and `dialog`.

Messages are handled one at a time. Input is kept, up to a limit, while a statement runs or while
the client does not read its output.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from stategate.gateway.accepting.proxied import source_of
from stategate.gateway.accepting.start_tls import CLIENT_HELLO, start_tls
from stategate.gateway.access.open_sessions import USER_IS_GONE
from stategate.gateway.access.proxy_header import Source
from stategate.gateway.access.tls import POSTGRES_PROTOCOL, Identity
from stategate.gateway.failures import RequestContext, to_query_error
from stategate.gateway.pgwire.client_timeouts import ClientTimeouts, keep_alive
from stategate.gateway.pgwire.entry.startup import StartupPhase
from stategate.gateway.pgwire.host import Host
from stategate.gateway.pgwire.input_output import Input, Output
from stategate.gateway.pgwire.protocol.client_messages import FrontendMessage, Terminate
from stategate.gateway.pgwire.protocol.connection import Connection, State
from stategate.gateway.pgwire.protocol.errors import FATAL, RemoteProtocolError, fatal, respond
from stategate.gateway.pgwire.protocol.server_messages import ErrorResponse
from stategate.gateway.pgwire.statements.dialog import Dialog, Work
from stategate.gateway.pgwire.statements.replies import ReportedSettings
from stategate.planner.engine import ListedCursor, ListedSession, Session

logger = logging.getLogger(__name__)

SHUTDOWN = "57P01"
_BY_COMMAND = "terminating connection due to administrator command"
AUTHENTICATION_TIMEOUT = "57014"


class Client(asyncio.Protocol):
    """The server's end of one socket.

    Args:
        host: the server.
        loop: the event loop, which is also the clock.
    """

    def __init__(self, host: Host[Client], loop: asyncio.AbstractEventLoop) -> None:
        self.process_id = 0
        """The number that a CancelRequest names; 0 until the client is admitted."""
        self.secret_key = b""
        """The key that a CancelRequest must have."""
        self.source: Source | None = None
        """The client, as a proxy or the connection names it."""
        self._host = host
        self._loop = loop
        self._limits = host.limits
        self._answered = host.busy_poll.answered
        self._users, self._user = host.threads.users, ""
        self._connection = Connection(
            message_bytes_max=self._limits.message_bytes_max,
            startup_bytes_max=self._limits.startup_bytes_max,
        )
        self._transport: asyncio.Transport | None = None
        self._output = Output(loop, host.turns, bytes_high=self._limits.output_bytes_high)
        self._timeouts = ClientTimeouts(self._limits, loop.time())
        self._startup: StartupPhase | None = None
        self._dialog: Dialog | None = None
        self._input = Input(
            loop=loop,
            connection=self._connection,
            output=self._output,
            limits=self._limits,
            handle=self._handle,
            fail=self._fail,
            on_worked=self._worked,
        )
        self._heard = False
        """Whether the client has sent anything."""
        self._early = b""
        """Bytes of the TLS handshake that arrived before it began."""
        self._securing = False
        self._last: ErrorResponse | None = None
        """The last message, once the connection has to end."""
        self._leave_user: Callable[[], None] = lambda: None

    # --- called by the transport -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the socket."""
        # uvloop's transports do not inherit from asyncio's, so this cannot be asserted.
        self._attach(cast("asyncio.Transport", transport))
        sock = transport.get_extra_info("socket")
        if sock is not None:
            keep_alive(sock, self._limits)
        self.source = self.source or source_of(transport)
        self._startup = StartupPhase(
            connection=self._connection,
            socket=self,
            access=self._host.access,
            tls=self._host.tls,
            server_version=self._host.server_version,
            address=self.address,
        )
        self._host.enter(self)

    def _attach(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._input.attach(transport)
        self._output.attach(transport)

    def data_received(self, data: bytes) -> None:
        """Handle the bytes that have arrived; a whole lookup of one key takes a fast path."""
        self._timeouts.active_s = self._loop.time()
        dialog = self._dialog
        if self._input.held is not None:
            self._input.keep(data)
            return
        if dialog is not None and self._input.task is None and self._output.blocked is None:
            answer = dialog.lookups.answer_at_once(self._connection, data)
            if type(answer) is bytes:
                self._output.answer(answer)
                self._answered(self)
                if self._users.last != self._user:
                    self._users.note(self._user)
                return
            if answer is not None:
                self._input.hold(data)
                return
        if self._connection.state is State.CLOSED:
            return  # TLS still delivers data of a connection that has ended
        if not self._heard and self._begin_directly(data):
            return
        self._connection.receive_data(data)
        self._input.pump()
        if self._connection.state is State.IDLE:
            self._answered(self)

    def answer_later(self, answer: bytes | None) -> None:
        """Send an answer that other nodes have made, or give its question to the slow path."""
        question, *more = self._input.release()
        if self._transport is None or self._transport.is_closing():
            return
        if answer is None:
            self._connection.receive_data(question)
        else:
            self._output.answer(answer)
            self._answered(self)
            self._users.note(self._user)
        if more or answer is None:
            self._input.pump()
        for data in more:
            self.data_received(data)
        if not self._input.is_busy:
            self._worked()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the client's statement, and release its resources once that has ended."""
        if exc is not None:
            logger.debug("connection lost", exc_info=exc)
        if self._output.closed:
            return
        self._output.closed = True
        self._output.unblock()
        if self._dialog is not None:
            self._dialog.lookups.forget()
            self._input.release()
            self._dialog.cancel()
        if not self._input.is_busy:
            self._left()

    def pause_writing(self) -> None:
        """Handle no more messages: the client does not keep up."""
        self._output.block()

    def resume_writing(self) -> None:
        """Handle messages again: the client has caught up."""
        self._output.unblock()
        self._input.pump()

    # --- called by the dialog --------------------------------------------------------------------

    @property
    def address(self) -> str | None:
        """The address of the client, if known."""
        return None if self.source is None else self.source.address

    @property
    def name(self) -> str:
        """The client in logs: its address, and its process id once it has one."""
        where = self.address or "unknown"
        return f"{where} process_id={self.process_id}" if self.process_id else where

    def write(self, encoded: bytes) -> None:
        """Send bytes together with those that follow."""
        self._output.write(encoded)

    async def drained(self) -> None:
        """Wait until the client has read most of the output.

        Raises:
            ConnectionError: the client is gone.
        """
        await self._output.drained()

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call a function after a delay."""
        return self._loop.call_later(delay_s, callback)

    # --- called by the server --------------------------------------------------------------------

    def cancel(self) -> None:
        """Cancel the running statement, if any."""
        if self._dialog is not None:
            self._dialog.cancel()

    def drain(self, detail: str | None = None) -> None:
        """End the connection after the running statement, or at once."""
        self._last = fatal(SHUTDOWN, _BY_COMMAND, detail)
        self._drain(self._last)

    def _drain(self, last: ErrorResponse) -> None:
        if self._securing:
            self.abort()
        elif not self._input.is_busy:
            self._end(last)

    def terminate(self, detail: str | None = None) -> None:
        """Cancel the running statement and end the connection."""
        self.cancel()
        self.drain(detail)

    def listed(self) -> ListedSession | None:
        """Return the session as pg_stat_activity shows it; None before it begins."""
        if self._dialog is None:
            return None
        where, is_active = self.source or (None, None), self._input.is_busy
        return self._dialog.listed(where, self.process_id, is_active=is_active)

    def cursors(self) -> Sequence[ListedCursor]:
        """Return the open cursors of the client; statement threads may call it."""
        return [] if self._dialog is None else self._dialog.cursors()

    def abort(self) -> None:
        """Cancel the running statement and close the connection without a message."""
        self.cancel()
        if self._securing and self._input.task is not None:
            self._input.task.cancel()
        elif self._transport is not None:
            self._transport.abort()

    def check_timeouts(self, now_s: float) -> None:
        """End a connection that has taken too long; called about every second."""
        if self._dialog is None:
            self._check_startup(now_s)
        elif self._output.blocked is not None:
            if now_s - self._output.blocked_since_s > self._limits.write_timeout_s:
                logger.info("client does not read, closing, process_id=%d", self.process_id)
                self.abort()
        elif not self._input.is_busy:
            self._check_silence(self._dialog, now_s)

    def _check_silence(self, dialog: Dialog, now_s: float) -> None:
        buffered_bytes = self._connection.buffered_bytes
        if self._timeouts.message_overdue(
            now_s, handled=self._input.handled, buffered_bytes=buffered_bytes
        ):
            logger.info("message is not completed, closing, process_id=%d", self.process_id)
            self.abort()
            return
        error = self._timeouts.idle_error(
            now_s, dialog.session.settings, in_transaction=dialog.in_transaction
        )
        if error is not None:
            self._end(error)

    def _check_startup(self, now_s: float) -> None:
        # A TLS handshake has its own timeout: the rest of this one.
        if self._securing or self._timeouts.startup_left_s(now_s) >= 0:
            return
        if self._connection.state is State.AUTHENTICATING and self._input.task is None:
            self._end(fatal(AUTHENTICATION_TIMEOUT, "canceling authentication due to timeout"))
        else:
            self.abort()

    # --- messages --------------------------------------------------------------------------------

    def _handle(self, message: FrontendMessage) -> Work | None:
        if isinstance(message, Terminate):
            return None
        if self._dialog is not None:
            return self._dialog.handle(message)
        assert self._startup is not None, "made with the connection"
        return self._startup.handle(message)

    def _worked(self) -> None:
        self._timeouts.active_s = self._loop.time()
        if self._output.closed:
            self._left()
        if self._last is not None:
            self._drain(self._last)

    def _left(self) -> None:
        self._leave_user()
        if self._dialog is not None:
            self._dialog.close()
        self._host.leave(self)

    def _fail(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.fail(error)
            return
        if not isinstance(error, RemoteProtocolError):
            error = to_query_error(error, RequestContext(client=self.name))
        self.write(self._connection.send(respond(error, severity=FATAL)))

    def _end(self, last: ErrorResponse) -> None:
        if self._connection.state is not State.CLOSED and not self._output.closed:
            self.write(self._connection.send(last))
        self._output.flush()
        if self._transport is not None:
            self._transport.close()

    # --- before the session begins --------------------------------------------------------------

    def _begin_directly(self, data: bytes) -> bool:
        """Begin TLS if the first bytes are its handshake and there is a certificate."""
        self._heard = True
        if data[0] != CLIENT_HELLO or self._startup is None:
            return False
        work = self._startup.direct()
        if work is None:
            return False
        self._early = data
        self._input.begin(work)
        return True

    def secure(self, identity: Identity) -> Work:
        """Send the pending output, then continue in TLS."""
        assert self._transport is not None
        # The first bytes of the handshake are for the TLS layer.
        self._transport.pause_reading()
        self._output.flush()
        return self._secure(self._transport, identity)

    async def _secure(self, bare: asyncio.Transport, identity: Identity) -> None:
        early, self._early = self._early, b""
        left_s = max(0.1, self._timeouts.startup_left_s(self._loop.time()))
        secured = None
        self._securing = True
        try:
            needs = POSTGRES_PROTOCOL if early else None
            context = identity.postgres
            secured = await start_tls(
                bare, self, context, early=early, timeout_s=left_s, needs=needs
            )
        finally:
            self._securing = False
            if secured is None:
                self._lose(bare)
        if secured is not None:
            self._attach(secured)

    def _lose(self, bare: asyncio.Transport) -> None:
        # The bare transport reports to the TLS layer, which has failed: so report it here.
        self.connection_lost(None)
        bare.abort()

    def admit(self, user: str) -> None:
        """Give the client of a user a process id; a QueryError says that there is no place."""
        self._host.admit(self, user)

    def cancel_other(self, process_id: int, secret_key: bytes) -> Work | None:
        """Cancel the statement of another client, if the key is right."""
        return self._host.cancel(process_id, secret_key)

    def begin_session(self, session: Session, reports: ReportedSettings) -> None:
        """Take statements from now on."""
        self._startup = None
        self._user = session.user
        session.pid, session.backends = self.process_id, self._host
        self._leave_user = self._host.access.sessions.enter(
            session.user, partial(self.terminate, USER_IS_GONE)
        )
        self._dialog = Dialog(
            connection=self._connection,
            engine=self._host.engine,
            threads=self._host.threads.of(session.user, self),
            session=session,
            reports=reports,
            limits=self._limits,
            socket=self,
        )
