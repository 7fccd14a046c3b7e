"""The wire server: it listens, limits connections, routes cancel requests, and stops."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import socket
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from stategate.gateway.accepting.adopting import adopt
from stategate.gateway.accepting.proxied import ProxiedConnections
from stategate.gateway.access.address_limits import UnauthenticatedConnections
from stategate.gateway.access.peers import Proxies
from stategate.gateway.access.places import PlaceLimits, Places
from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.pgwire.client import Client
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.gateway.turns import Turns
from stategate.planner.engine import Engine, ListedSession, LockTable

logger = logging.getLogger(__name__)


class OtherSessions(Protocol):
    """The sessions of the other processes that serve the same clients."""

    def own_number(self, drawn: int) -> int:
        """Return a process id of this process, at most and near a drawn one."""

    def sessions(self) -> Sequence[ListedSession]:
        """Return the sessions of the others; it blocks."""

    async def cancel(self, process_id: int, secret_key: bytes) -> None:
        """Pass on a cancel request to the process that has the client."""

    def signal(self, pid: int, *, ends: bool) -> bool:
        """Cancel a client's statement or end its connection; return whether it is connected."""


def limits_of(settings: Settings) -> PgLimits:
    """Return the limits of the wire, as the settings say."""
    return PgLimits(
        connections_max=settings.pg_connections_max,
        statement_timeout_s=settings.statement_timeout_ms / 1000,
        statement_timeout_max_s=settings.statement_timeout_max_ms / 1000,
        startup_timeout_s=settings.authentication_timeout_ms / 1000,
        write_timeout_s=settings.stall_timeout_ms / 1000,
        unauthenticated_of_address_max=settings.unauthenticated_of_address_max,
        unauthenticated_max=settings.unauthenticated_max,
    )


class PgServer:
    """Serves an engine to clients of PostgreSQL.

    Args:
        engine: runs the SQL.
        threads: run statements that may take long; the caller closes them after `stop`.
        limits: the limits of the server and of each connection.
        server_version: reported to clients, e.g. `15.18`; `version()` should say the same.
        access: which authentication a client needs; by default only loopback may connect.
        tls: the certificate for clients that ask for TLS; None refuses TLS.
        busy_poll: keeps the loop awake between lookups; None lets it sleep.
        others: the sessions of other processes; None where this one serves alone.
        locks: the advisory locks of all sessions; None if sessions cannot hold any.
        places: the places of clients; by default one user may take all.
        proxies: their connections begin with a PROXY header; None if none has one.
    """

    def __init__(
        self,
        *,
        engine: Engine,
        threads: StatementThreads,
        limits: PgLimits,
        server_version: str,
        access: Access | None = None,
        tls: Tls | None = None,
        busy_poll: BusyPoll | None = None,
        others: OtherSessions | None = None,
        locks: LockTable | None = None,
        places: Places | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self.engine = engine
        self.threads = threads
        self.limits = limits
        self.server_version = server_version
        self.access = access or Access()
        self.tls = tls
        self.busy_poll = busy_poll or BusyPoll(0)
        self.turns = Turns()
        self._others = others
        self.locks = locks
        self._proxied = (
            None
            if proxies is None
            else ProxiedConnections(proxies, timeout_s=limits.startup_timeout_s)
        )
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._clients: set[Client] = set()
        self._on_closed: dict[Client, Callable[[], None]] = {}
        self._unauthenticated = UnauthenticatedConnections(
            of_one_max=limits.unauthenticated_of_address_max,
            total_max=limits.unauthenticated_max,
            evict=Client.abort,
        )
        if places is None:
            places = Places(PlaceLimits(limits.connections_max), self.access.rights)
        self._places = places
        self._admitted: dict[int, Client] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._emptied = asyncio.Event()
        self._emptied.set()
        self.port: int | None = None
        """Where it listens; None before that, and if another process does."""

    @property
    def connections(self) -> int:
        """How many clients have a session."""
        return len(self._admitted)

    async def start(self, host: str, port: int) -> int:
        """Listen; port 0 takes a free one.

        Returns:
            The port.

        Raises:
            OSError: the address cannot be bound.
        """
        self.open()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: self._begun(Client(self, loop)), host, port, backlog=self.limits.backlog
        )
        self.port = bound = int(self._server.sockets[0].getsockname()[1])
        logger.info("postgres wire listening, host=%s, port=%d", host, bound)
        return bound

    def open(self) -> None:
        """Begin to serve in the running loop, without listening: `adopt` gives the connections."""
        self._loop = asyncio.get_running_loop()
        self._sweeper = self._loop.create_task(self._sweep())

    def _begun(
        self, client: Client, on_failed: Callable[[], None] = lambda: None
    ) -> asyncio.Protocol:
        """Return the protocol of a new connection."""
        return client if self._proxied is None else self._proxied.before(client, on_failed)

    def adopt(self, connection: socket.socket, on_closed: Callable[[], None]) -> None:
        """Serve an accepted connection.

        Args:
            connection: the socket.
            on_closed: called once it is closed and runs nothing.
        """
        client = Client(self, asyncio.get_running_loop())
        self._on_closed[client] = on_closed

        def forget() -> None:
            self._on_closed.pop(client, lambda: None)()

        adopt(connection, lambda: self._begun(client, forget), on_failed=forget)

    async def stop(self, *, grace_s: float) -> None:
        """Accept no clients, wait for running statements, then cancel the rest.

        Args:
            grace_s: how long running statements may take.
        """
        if self._server is not None:
            self._server.close()
        if self._proxied is not None:
            self._proxied.close()
        for client in tuple(self._clients):
            client.drain()
        if not await self._empty_within(grace_s):
            logger.warning("statements cut off at stop, connections=%d", len(self._clients))
            for client in tuple(self._clients):
                client.abort()
            await self._empty_within(self.limits.abort_timeout_s)
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait((self._sweeper,))
        self._server = self._sweeper = None
        logger.info("postgres wire stopped")

    async def _empty_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._emptied.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.limits.sweep_s)
            now_s = loop.time()
            for client in tuple(self._clients):
                client.check_timeouts(now_s)

    # --- called by clients -----------------------------------------------------------------------

    def enter(self, client: Client) -> None:
        """Count a new connection, or abort it if its address has too many."""
        self._clients.add(client)
        self._emptied.clear()
        if not self._unauthenticated.enter(client, client.address):
            client.abort()

    def leave(self, client: Client) -> None:
        """Forget a connection that has closed and runs nothing."""
        self._clients.discard(client)
        self._unauthenticated.leave(client)
        self._places.leave(client)
        self._admitted.pop(client.process_id, None)
        on_closed = self._on_closed.pop(client, None)
        if on_closed is not None:
            on_closed()
        if not self._clients:
            self._emptied.set()

    def admit(self, client: Client, user: str) -> None:
        """Give the client of a user a random `process_id`.

        Raises:
            QueryError: there is no place (53300).
        """
        self._places.enter(client, user=user, address=client.address)
        process_id = 0
        while process_id == 0 or process_id in self._admitted:
            process_id = secrets.randbits(31)
            if self._others is not None:
                process_id = max(0, self._others.own_number(process_id))
        self._unauthenticated.leave(client)
        client.process_id = process_id
        self._admitted[process_id] = client

    def cancel(self, process_id: int, secret_key: bytes) -> Coroutine[Any, Any, None] | None:
        """Cancel the statement of a client; a wrong key gets no answer, as in PostgreSQL.

        Returns:
            What remains to be awaited, if another process has the client.
        """
        if process_id in self._admitted or self._others is None:
            self.cancel_own(process_id, secret_key)
            return None
        return self._others.cancel(process_id, secret_key)

    def cancel_own(self, process_id: int, secret_key: bytes) -> None:
        """Cancel the statement of a client of this process."""
        client = self._admitted.get(process_id)
        if client is None:
            logger.debug("cancel request for an unknown process id")
            return
        if client.secret_key and hmac.compare_digest(client.secret_key, secret_key):
            client.cancel()
        else:
            logger.warning("cancel request with a wrong key, process_id=%d", process_id)

    # --- called from statement threads -----------------------------------------------------------

    def listed(self) -> Sequence[ListedSession]:
        """Return the sessions of all clients.

        Raises:
            UnavailableError: another process does not answer (55000).
        """
        own = self.own_sessions()
        return own if self._others is None else [*own, *self._others.sessions()]

    def own_sessions(self) -> Sequence[ListedSession]:
        """Return the sessions of the clients of this process."""
        sessions = (client.listed() for client in tuple(self._admitted.values()))
        return [session for session in sessions if session is not None]

    def cursors(self) -> tuple[int, float]:
        """Return how many cursors clients have open, and the age of the oldest one in seconds."""
        made_us = [
            cursor.created_us
            for client in tuple(self._admitted.values())
            for cursor in client.cursors()
        ]
        oldest_s = max(0.0, time.time() - min(made_us) / 1e6) if made_us else 0.0
        return len(made_us), oldest_s

    def cancel_backend(self, pid: int) -> bool:
        """Cancel the statement of a client; return whether there is such a client."""
        return self._signal(pid, ends=False)

    def terminate(self, pid: int) -> bool:
        """End the connection of a client; return whether there is such a client."""
        return self._signal(pid, ends=True)

    def _signal(self, pid: int, *, ends: bool) -> bool:
        if self.signal_own(pid, ends=ends):
            return True
        return self._others is not None and self._others.signal(pid, ends=ends)

    def signal_own(self, pid: int, *, ends: bool) -> bool:
        """Cancel the statement of a client of this process, or end its connection.

        Returns:
            Whether there is such a client.
        """
        client = self._admitted.get(pid)
        if client is None or self._loop is None:
            return False
        self._loop.call_soon_threadsafe(client.terminate if ends else client.cancel)
        return True
