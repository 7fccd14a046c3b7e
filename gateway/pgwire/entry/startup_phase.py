"""What a client says before it is let in: encryption, cancel, startup, who it is.

It holds the state of one client on its way in and no socket: `Door` is the client's end of that.
"""

from __future__ import annotations

import logging
import secrets
from typing import Protocol

from gateway.access.rules import Access, Peer
from gateway.access.tls import Identity, Tls
from gateway.pgwire.entry.login import Login
from gateway.pgwire.protocol.codec import MINOR_MAX
from gateway.pgwire.protocol.connection import Connection
from gateway.pgwire.protocol.errors import RemoteProtocolError
from gateway.pgwire.protocol.messages import (
    AuthenticationOk,
    BackendKeyData,
    CancelRequest,
    EncryptionResponse,
    FrontendMessage,
    GSSENCRequest,
    NegotiateProtocolVersion,
    PasswordMessage,
    ReadyForQuery,
    SSLRequest,
    StartupMessage,
)
from gateway.pgwire.protocol.startup import Reports, open_session, unknown_options
from gateway.pgwire.statements.dialog import Work
from planner.engine import QueryError, Session

logger = logging.getLogger(__name__)

TOO_MANY = "53300"
_KEY_BYTES = 4
_LONG_KEY_BYTES = 32
"""From protocol 3.2 on; as long as PostgreSQL's."""


class Door(Protocol):
    """What an entrance needs of the client's socket."""

    process_id: int
    secret_key: bytes

    def write(self, encoded: bytes) -> None:
        """Send bytes with those that follow."""

    def secure(self, identity: Identity) -> Work:
        """Send what there is, then go on in TLS."""

    def admit(self) -> str | None:
        """Get a place and a process id; or why there is none."""

    def cancel_other(self, process_id: int, secret_key: bytes) -> None:
        """Cancel what another client runs, if the key is its own."""

    def let_in(self, session: Session, reports: Reports) -> None:
        """From now on statements are taken."""


class Entrance:
    """One client that is not in yet.

    Args:
        connection: the state of the protocol.
        door: the client.
        access: who has to prove what.
        tls: the certificate; None refuses encryption.
        server_version: what the client is told.
        address: where it comes from; None if that is not known.
    """

    def __init__(
        self,
        *,
        connection: Connection,
        door: Door,
        access: Access,
        tls: Tls | None,
        server_version: str,
        address: str | None,
    ) -> None:
        self._connection = connection
        self._door = door
        self._access = access
        self._tls = tls
        self._server_version = server_version
        self._address = address
        self._identity: Identity | None = None
        """What the client was shown, once its connection is TLS."""
        self._asked: set[type[FrontendMessage]] = set()
        self._minor = 0
        self._session: Session | None = None
        self._login: Login | None = None

    def handle(self, message: FrontendMessage) -> Work | None:
        """Answer one message; what takes time comes back to be awaited.

        Raises:
            QueryError or RemoteProtocolError: the client is not let in; always the end of it.
        """
        match message:
            case SSLRequest() | GSSENCRequest():
                return self._answer_encryption(message)
            case CancelRequest():
                self._door.cancel_other(message.process_id, message.secret_key)
            case StartupMessage():
                self._start(message)
            case PasswordMessage():
                return self._answer_password(message)
            case _:
                raise RemoteProtocolError("unexpected message before startup", fatal=True)
        return None

    def direct(self) -> Work | None:
        """TLS from the first byte on, if there is a certificate for it."""
        if self._tls is None:
            return None
        self._asked = {SSLRequest, GSSENCRequest}
        self._identity = self._tls.current()
        return self._door.secure(self._identity)

    def _answer_encryption(self, message: SSLRequest | GSSENCRequest) -> Work | None:
        if type(message) in self._asked:
            # Each may be asked once, and none inside TLS: a client could ask for ever.
            raise RemoteProtocolError("encryption was asked for before", fatal=True)
        self._asked.add(type(message))
        accepted = isinstance(message, SSLRequest) and self._tls is not None
        if not accepted or self._tls is None:
            self._door.write(self._connection.send(EncryptionResponse(accepted=False)))
            return None
        if self._connection.buffered_bytes:
            # Sent in the clear by who knows whom, it would pass for encrypted (CVE-2021-23214).
            raise RemoteProtocolError("received unencrypted data after SSL request", fatal=True)
        self._asked.add(GSSENCRequest)
        self._identity = self._tls.current()
        self._door.write(self._connection.send(EncryptionResponse(accepted=True)))
        return self._door.secure(self._identity)

    def _start(self, message: StartupMessage) -> None:
        self._session = open_session(message)
        self._minor = min(message.minor, MINOR_MAX)
        options = unknown_options(message)
        if message.minor > MINOR_MAX or options:
            negotiate = NegotiateProtocolVersion(minor=self._minor, unknown_options=options)
            self._door.write(self._connection.send(negotiate))
        self._login = Login(
            access=self._access,
            peer=Peer(address=self._address, secured=self._identity is not None),
            user=self._session.user,
            binding=self._identity.binding if self._identity else None,
        )
        request = self._login.ask()
        if request is not None:
            self._door.write(self._connection.send(request))
        else:
            self._let_in(self._session)

    def _answer_password(self, message: PasswordMessage) -> Work:
        if self._login is None or self._session is None:
            raise RemoteProtocolError("no password was asked for", fatal=True)
        return self._check(self._login, self._session, message.response)

    async def _check(self, login: Login, session: Session, response: bytes) -> None:
        following = await login.answer(response)
        if following is not None:
            self._door.write(self._connection.send(following))
        if login.done:
            self._let_in(session)

    def _let_in(self, session: Session) -> None:
        door, send = self._door, self._connection.send
        if (refused := door.admit()) is not None:
            raise QueryError(refused, sqlstate=TOO_MANY)
        door.secret_key = secrets.token_bytes(_LONG_KEY_BYTES if self._minor >= 2 else _KEY_BYTES)
        reports = Reports(server_version=self._server_version)
        door.write(send(AuthenticationOk()))
        for status in reports.news(session):
            door.write(send(status))
        door.write(send(BackendKeyData(process_id=door.process_id, secret_key=door.secret_key)))
        door.write(send(ReadyForQuery(status=session.transaction.value)))
        door.let_in(session, reports)
