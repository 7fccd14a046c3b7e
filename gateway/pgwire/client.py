"""One client's socket under asyncio: bytes between the transport, `connection` and `dialog`.

Messages are handled strictly one after another. While one is worked on in a worker, input is kept
up to a limit; while the client does not read, nothing more is handled. What the messages mean is
decided elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from typing import Protocol, cast

from gateway.access.rules import Access
from gateway.access.tls import POSTGRES_PROTOCOL, Identity, Tls
from gateway.busy_poll import BusyPoll
from gateway.failures import RequestContext, to_query_error
from gateway.pgwire.entry.start_tls import CLIENT_HELLO, negotiated, secure
from gateway.pgwire.entry.startup import StartupPhase
from gateway.pgwire.protocol.connection import Connection, State
from gateway.pgwire.protocol.errors import FATAL, RemoteProtocolError, fatal, respond
from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.protocol.messages import ErrorResponse, FrontendMessage, Terminate
from gateway.pgwire.protocol.reported_settings import ReportedSettings
from gateway.pgwire.statements.dialog import Dialog, Work
from gateway.pgwire.statements.timeouts import idle_timeout_s
from gateway.workers import Workers
from planner.engine import Backends, Engine, ListedSession, Session, TransactionStatus

logger = logging.getLogger(__name__)

IDLE_TIMEOUT = "57P05"
IDLE_IN_TRANSACTION_TIMEOUT = "25P03"
SHUTDOWN = "57P01"
_QUERY = ord("Q")
AUTHENTICATION_TIMEOUT = "57014"
_STATES = {
    TransactionStatus.IDLE: "idle",
    TransactionStatus.ACTIVE: "idle in transaction",
    TransactionStatus.FAILED: "idle in transaction (aborted)",
}
"""What pg_stat_activity calls a session that runs nothing."""


class Host(Backends, Protocol):
    """What a client needs of the server that it is a client of."""

    engine: Engine
    workers: Workers
    limits: PgLimits
    server_version: str
    access: Access
    tls: Tls | None
    busy_poll: BusyPoll

    def enter(self, client: Client) -> None:
        """A connection was made."""

    def leave(self, client: Client) -> None:
        """A connection is gone, and with it all that it ran."""

    def admit(self, client: Client) -> str | None:
        """Let a client in, under its `process_id`; or why not."""

    def cancel(self, process_id: int, secret_key: bytes) -> None:
        """Cancel what the client of this process id runs, if the key is its own."""


class Client(asyncio.Protocol):
    """The server's end of one socket.

    Args:
        host: the server.
        loop: the event loop, which is also the clock.
    """

    def __init__(self, host: Host, loop: asyncio.AbstractEventLoop) -> None:
        self.process_id = 0
        """What a CancelRequest names."""
        self.address: str | None = None
        """Where it comes from, if that is known."""
        self.port: int | None = None
        self._started_us = 0
        """When it was let in, in epoch microseconds."""
        self.secret_key = b""
        """What it must prove to know; both are given when the client is let in."""
        self._host = host
        self._loop = loop
        self._limits = host.limits
        self._answered = host.busy_poll.answered
        self._connection = Connection(
            message_bytes_max=self._limits.message_bytes_max,
            startup_bytes_max=self._limits.startup_bytes_max,
        )
        self._transport: asyncio.Transport | None = None
        self._startup: StartupPhase | None = None
        self._dialog: Dialog | None = None
        self._task: asyncio.Task[None] | None = None
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._writable: asyncio.Future[None] | None = None
        """Set while the client does not read as fast as we write."""
        self._unwritable_since_s = 0.0
        self._accepted_s = self._active_s = loop.time()
        self._handled = 0
        """Messages so far, but for rounds that were taken whole."""
        self._partial: tuple[int, float] | None = None
        """How many had been handled when a part of the next was there, and since when it is."""
        self._heard = False
        """Whether the client has sent anything."""
        self._early = b""
        """What it sent that belongs to a handshake that is about to begin."""
        self._securing = False
        self._reading = True
        self._pump_is_due = False
        self._gone = False
        self._draining = False

    # --- called by the transport -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the socket."""
        # uvloop's transports are no subclasses of asyncio's, so this cannot be asserted.
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self._limits.output_bytes_high)
        sock = transport.get_extra_info("socket")
        if sock is not None:
            _keep_alive(sock, self._limits)
        name = transport.get_extra_info("peername")
        self.address, self.port = (name[0], name[1]) if name else (None, None)
        self._startup = StartupPhase(
            connection=self._connection,
            socket=self,
            access=self._host.access,
            tls=self._host.tls,
            server_version=self._host.server_version,
            address=self.address,
        )
        self._host.enter(self)

    def data_received(self, data: bytes) -> None:
        """Handle what has arrived: what looks up one key, and is whole, the short way."""
        self._active_s = self._loop.time()
        dialog = self._dialog
        if dialog is not None and self._task is None and self._writable is None:
            try:
                if data[0] == _QUERY:
                    sql = self._connection.receive_query(data)
                    answer = None if sql is None else dialog.lookups.answer_query(sql)
                else:
                    found = self._connection.receive_round(data)
                    answer = None if found is None else dialog.lookups.answer(found)
            except Exception:  # the long way below meets it again, logs and reports it
                answer = None
            if answer is not None:
                assert self._transport is not None
                self._transport.write(answer)
                self._answered()
                return
        if self._connection.state is State.CLOSED:
            return  # what TLS still has of a connection that has ended
        if not self._heard and self._begin_directly(data):
            return
        self._connection.receive_data(data)
        self._pump()
        if self._connection.state is State.IDLE:
            self._answered()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop what the client runs, and release what it held once that has stopped."""
        if exc is not None:
            logger.debug("connection lost", exc_info=exc)
        if self._gone:
            return
        self._gone = True
        self._wake()
        if self._dialog is not None:
            self._dialog.cancel()
        if self._task is None:
            self._left()

    def pause_writing(self) -> None:
        """The client does not keep up: handle nothing more for now."""
        if self._writable is None:
            self._writable = self._loop.create_future()
            self._unwritable_since_s = self._loop.time()

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._wake()
        self._pump()

    def _wake(self) -> None:
        waiting, self._writable = self._writable, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    @property
    def name(self) -> str:
        """As logs have it: where it is, and its process id once it is let in."""
        where = self.address or "unknown"
        return f"{where} process_id={self.process_id}" if self.process_id else where

    # --- called by the dialog --------------------------------------------------------------------

    def write(self, encoded: bytes) -> None:
        """Send bytes with those that follow them, in one write."""
        self._out.append(encoded)
        self._out_bytes += len(encoded)
        if self._out_bytes > self._limits.output_bytes_high:
            self._flush()

    async def drained(self) -> None:
        """Wait until the client has taken most of what was written.

        Raises:
            ConnectionError: the client is gone.
        """
        self._flush()
        if self._writable is not None:
            # Bounded by the sweep, which ends connections that are unwritable for too long.
            await self._writable
        if self._gone:
            raise ConnectionResetError("the client is gone")

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back after a delay."""
        return self._loop.call_later(delay_s, callback)

    # --- called by the server --------------------------------------------------------------------

    def cancel(self) -> None:
        """Cancel the statement that runs, if one does."""
        if self._dialog is not None:
            self._dialog.cancel()

    def drain(self) -> None:
        """Say goodbye after the statement that runs, or at once."""
        self._draining = True
        if self._securing:
            self.abort()
        elif self._task is None:
            self._end(fatal(SHUTDOWN, "terminating connection due to administrator command"))

    def terminate(self) -> None:
        """Cancel what runs, and say goodbye."""
        self.cancel()
        self.drain()

    def listed(self) -> ListedSession | None:
        """The session as pg_stat_activity shows it; None before there is one."""
        dialog = self._dialog
        if dialog is None:
            return None
        session = dialog.session
        state = "active" if self._task is not None else _STATES[session.transaction]
        return ListedSession(
            pid=self.process_id,
            user=session.user,
            application_name=session.settings.get("application_name", ""),
            address=self.address,
            port=self.port,
            started_us=self._started_us,
            state=state,
        )

    def abort(self) -> None:
        """Close without a word; what runs is cancelled."""
        self.cancel()
        if self._securing and self._task is not None:
            self._task.cancel()
        elif self._transport is not None:
            self._transport.abort()

    def check_timeouts(self, now_s: float) -> None:
        """End what has lasted too long; called every second or so."""
        limits = self._limits
        if self._dialog is None:
            self._check_startup(now_s)
            return
        if self._writable is not None:
            if now_s - self._unwritable_since_s > limits.write_timeout_s:
                logger.info("client does not read, closing, process_id=%d", self.process_id)
                self.abort()
            return
        if self._task is not None:
            return
        if self._lingers(now_s):
            logger.info("message is not completed, closing, process_id=%d", self.process_id)
            self.abort()
            return
        self._check_idle(self._dialog, now_s - self._active_s)

    def _check_idle(self, dialog: Dialog, idle_s: float) -> None:
        inside = dialog.in_transaction
        most = idle_timeout_s(dialog.session.settings, self._limits, in_transaction=inside)
        if most is None or idle_s <= most:
            return
        sqlstate = IDLE_IN_TRANSACTION_TIMEOUT if inside else IDLE_TIMEOUT
        what = "idle-in-transaction" if inside else "idle-session"
        self._end(fatal(sqlstate, f"terminating connection due to {what} timeout"))

    def _lingers(self, now_s: float) -> bool:
        """Whether one message has been on its way for too long."""
        if not self._connection.buffered_bytes:
            self._partial = None
        elif self._partial is None or self._partial[0] != self._handled:
            self._partial = self._handled, now_s
        else:
            return now_s - self._partial[1] > self._limits.message_timeout_s
        return False

    def _check_startup(self, now_s: float) -> None:
        """The time to come in counts from the accept: a byte now and then does not stretch it."""
        if self._securing or now_s - self._accepted_s <= self._limits.startup_timeout_s:
            return  # a handshake has its own timeout, which is what is left of ours
        if self._connection.state is State.AUTHENTICATING and self._task is None:
            self._end(fatal(AUTHENTICATION_TIMEOUT, "canceling authentication due to timeout"))
        else:
            self.abort()

    # --- messages --------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Handle messages until one has to wait for something."""
        for _ in range(self._limits.events_max):
            if self._task is not None or self._writable is not None or not self._handle_next():
                break
        else:
            self._pump_later()
        self._flush()
        self._regulate_input()
        if self._connection.state is State.CLOSED and self._transport is not None:
            self._transport.close()

    def _pump_later(self) -> None:
        if not self._pump_is_due:
            self._pump_is_due = True
            self._loop.call_soon(self._pump_due)

    def _pump_due(self) -> None:
        self._pump_is_due = False
        self._pump()

    def _handle_next(self) -> bool:
        """Handle the next message, or begin to; whether there was one."""
        if self._gone or self._connection.state is State.CLOSED:
            return False
        try:
            message = self._connection.next_event()
            if message is None:
                return False
            self._handled += 1
            work = self._handle(message)
        except Exception as error:  # the outermost loop: `_fail` logs what nobody planned
            self._fail(error)
            return True
        if work is not None:
            self._task = self._loop.create_task(self._finish(work))
        return True

    async def _finish(self, work: Work) -> None:
        try:
            await work
        except ConnectionError as error:
            logger.debug("client left while it was answered: %s", error)
        except Exception as error:  # the outermost loop: `_fail` logs what nobody planned
            self._fail(error)
        finally:
            self._task = None
            self._active_s = self._loop.time()
            if self._gone:
                self._left()
        if self._draining:
            self.drain()
        self._pump()

    def _left(self) -> None:
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
        if self._connection.state is not State.CLOSED and not self._gone:
            self.write(self._connection.send(last))
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def _flush(self) -> None:
        if self._out:
            encoded = self._out[0] if len(self._out) == 1 else b"".join(self._out)
            self._out.clear()
            self._out_bytes = 0
            if not self._gone and self._transport is not None:
                self._transport.write(encoded)

    def _regulate_input(self) -> None:
        """Read from the socket only as long as what waits to be handled is within bounds."""
        waits = self._task is not None or self._writable is not None or self._pump_is_due
        wanted = not waits or self._connection.buffered_bytes <= self._limits.input_bytes_max
        if wanted == self._reading or self._transport is None or self._transport.is_closing():
            return
        self._reading = wanted
        if wanted:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    # --- before the client is let in -------------------------------------------------------------

    def _handle(self, message: FrontendMessage) -> Work | None:
        if isinstance(message, Terminate):
            return None
        if self._dialog is not None:
            return self._dialog.handle(message)
        assert self._startup is not None, "made with the connection"
        return self._startup.handle(message)

    def _begin_directly(self, data: bytes) -> bool:
        """Take the first bytes for TLS, if they are and there is a certificate."""
        self._heard = True
        if data[0] != CLIENT_HELLO or self._startup is None:
            return False
        work = self._startup.direct()
        if work is None:
            return False
        self._early = data
        self._task = self._loop.create_task(self._finish(work))
        return True

    def secure(self, identity: Identity) -> Work:
        """Send what there is, then go on in TLS."""
        assert self._transport is not None
        # The handshake's first bytes belong to TLS, not to us.
        self._transport.pause_reading()
        self._flush()
        return self._secure(self._transport, identity)

    async def _secure(self, bare: asyncio.Transport, identity: Identity) -> None:
        early, self._early = self._early, b""
        left_s = self._limits.startup_timeout_s - (self._loop.time() - self._accepted_s)
        self._securing = True
        try:
            secured = await secure(
                bare, self, identity.postgres, early=early, timeout_s=max(0.1, left_s)
            )
        except OSError as error:
            logger.info("TLS handshake failed: %s", error)
            self._lose(bare)
            return
        except asyncio.CancelledError:
            self._lose(bare)
            raise
        finally:
            self._securing = False
        self._transport = secured
        self._transport.set_write_buffer_limits(high=self._limits.output_bytes_high)
        if early and negotiated(secured) != POSTGRES_PROTOCOL:
            # Whoever sent it may mean another server: an HTTPS client, say (ALPACA).
            logger.info("direct TLS without ALPN refused")
            self.abort()

    def _lose(self, bare: asyncio.Transport) -> None:
        # Nobody else tells: the TLS layer stands between us and the bare connection.
        self.connection_lost(None)
        bare.abort()

    def admit(self) -> str | None:
        """Get a place and a process id; or why there is none."""
        return self._host.admit(self)

    def cancel_other(self, process_id: int, secret_key: bytes) -> None:
        """Cancel what another client runs, if the key is its own."""
        self._host.cancel(process_id, secret_key)

    def begin_session(self, session: Session, reports: ReportedSettings) -> None:
        """From now on statements are taken."""
        self._startup = None
        session.pid, session.backends = self.process_id, self._host
        self._started_us = time.time_ns() // 1000
        self._dialog = Dialog(
            connection=self._connection,
            engine=self._host.engine,
            workers=self._host.workers,
            session=session,
            reports=reports,
            limits=self._limits,
            socket=self,
        )


def _keep_alive(sock: socket.socket, limits: PgLimits) -> None:
    """Have the kernel notice a client that vanished without a word."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = (
        ("TCP_KEEPIDLE", limits.keepalive_idle_s),
        ("TCP_KEEPINTVL", limits.keepalive_interval_s),
        ("TCP_KEEPCNT", limits.keepalive_count),
    )
    for name, value in options:
        if hasattr(socket, name):  # not everywhere; the system's own are then in hours
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
