"""The startup phase of a client: encryption, CancelRequest, StartupMessage, authentication.

`StartupPhase` keeps the state and touches no socket; `StartupSocket` is the interface that it
needs. Startup parameters become settings of the session.
"""

from __future__ import annotations

import logging
import re
import secrets
from typing import Protocol

from stategate.gateway.access.peers import Peer
from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Identity, Tls
from stategate.gateway.pgwire.entry.login import Login
from stategate.gateway.pgwire.protocol.client_messages import (
    CancelRequest,
    FrontendMessage,
    GSSENCRequest,
    PasswordMessage,
    SSLRequest,
    StartupMessage,
)
from stategate.gateway.pgwire.protocol.connection import Connection
from stategate.gateway.pgwire.protocol.decode import MINOR_MAX
from stategate.gateway.pgwire.protocol.errors import RemoteProtocolError
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationOk,
    BackendKeyData,
    EncryptionResponse,
    NegotiateProtocolVersion,
    ReadyForQuery,
)
from stategate.gateway.pgwire.statements.dialog import Work
from stategate.gateway.pgwire.statements.replies import ReportedSettings
from stategate.planner.engine import QueryError, Session, check_settings, read_styles

logger = logging.getLogger(__name__)

_KEY_BYTES = 4
_LONG_KEY_BYTES = 32
"""Length of a key from protocol 3.2 on, as in PostgreSQL."""
_NO_SETTINGS = frozenset({"user", "options", "replication"})
_OPTION = re.compile(r"(?:-c\s*|--)([\w.-]+)=(.*)", re.DOTALL)
_UTF8_NAMES = frozenset({"utf8", "unicode"})
_PROTOCOL_OPTION = "_pq_."


class StartupSocket(Protocol):
    """The interface of the client's socket that the startup phase needs."""

    process_id: int
    secret_key: bytes

    def write(self, encoded: bytes) -> None:
        """Send bytes with those that follow."""

    def secure(self, identity: Identity) -> Work:
        """Send the pending output, then continue in TLS."""

    def admit(self, user: str) -> None:
        """Give the client, which is this user, a process id.

        Raises:
            QueryError: there is no place (53300).
        """

    def cancel_other(self, process_id: int, secret_key: bytes) -> Work | None:
        """Cancel the statement of another client, if the key is right."""

    def begin_session(self, session: Session, reports: ReportedSettings) -> None:
        """Take statements from now on."""


class StartupPhase:
    """The startup phase of one client: from its first message until its session begins.

    Args:
        connection: the state of the protocol.
        socket: the socket of the client.
        access: which authentication a client needs.
        tls: the certificate; None refuses encryption.
        server_version: the version that is reported to the client.
        address: the address of the client; None if unknown.
    """

    def __init__(
        self,
        *,
        connection: Connection,
        socket: StartupSocket,
        access: Access,
        tls: Tls | None,
        server_version: str,
        address: str | None,
    ) -> None:
        self._connection = connection
        self._socket = socket
        self._access = access
        self._tls = tls
        self._server_version = server_version
        self._address = address
        self._identity: Identity | None = None
        """The certificate that the client was shown; None without TLS."""
        self._asked: set[type[FrontendMessage]] = set()
        self._minor = 0
        self._session: Session | None = None
        self._login: Login | None = None

    def handle(self, message: FrontendMessage) -> Work | None:
        """Answer one message, or return a coroutine that does.

        Raises:
            QueryError or RemoteProtocolError: the client is refused; its connection must end.
        """
        match message:
            case SSLRequest() | GSSENCRequest():
                return self._answer_encryption(message)
            case CancelRequest():
                return self._socket.cancel_other(message.process_id, message.secret_key)
            case StartupMessage():
                self._start(message)
            case PasswordMessage():
                return self._answer_password(message)
            case _:
                raise RemoteProtocolError("unexpected message before startup", fatal=True)
        return None

    def direct(self) -> Work | None:
        """Begin TLS with the first byte; None if there is no certificate."""
        if self._tls is None:
            return None
        self._asked = {SSLRequest, GSSENCRequest}
        self._identity = self._tls.current()
        return self._socket.secure(self._identity)

    def _answer_encryption(self, message: SSLRequest | GSSENCRequest) -> Work | None:
        if type(message) in self._asked:
            # Each may be requested once, and neither inside TLS, or a client could request them for
            # ever.
            raise RemoteProtocolError("encryption was asked for before", fatal=True)
        self._asked.add(type(message))
        accepted = isinstance(message, SSLRequest) and self._tls is not None
        if not accepted or self._tls is None:
            self._socket.write(self._connection.send(EncryptionResponse(accepted=False)))
            return None
        if self._connection.buffered_bytes:
            # Anyone may have sent it in the clear, and it would pass as encrypted (CVE-2021-23214).
            raise RemoteProtocolError("received unencrypted data after SSL request", fatal=True)
        self._asked.add(GSSENCRequest)
        self._identity = self._tls.current()
        self._socket.write(self._connection.send(EncryptionResponse(accepted=True)))
        return self._socket.secure(self._identity)

    def _start(self, message: StartupMessage) -> None:
        self._session = open_session(message)
        self._session.client = "wire", self._address
        self._minor = min(message.minor, MINOR_MAX)
        options = unknown_options(message)
        if message.minor > MINOR_MAX or options:
            negotiate = NegotiateProtocolVersion(minor=self._minor, unknown_options=options)
            self._socket.write(self._connection.send(negotiate))
        self._login = Login(
            access=self._access,
            peer=Peer(address=self._address, secured=self._identity is not None),
            user=self._session.user,
            binding=self._identity.binding if self._identity else None,
        )
        request = self._login.ask()
        if request is not None:
            self._socket.write(self._connection.send(request))
        else:
            self._begin_session(self._session)

    def _answer_password(self, message: PasswordMessage) -> Work:
        if self._login is None or self._session is None:
            raise RemoteProtocolError("no password was asked for", fatal=True)
        return self._check(self._login, self._session, message.response)

    async def _check(self, login: Login, session: Session, response: bytes) -> None:
        following = await login.answer(response)
        if following is not None:
            self._socket.write(self._connection.send(following))
        if login.done:
            self._begin_session(session)

    def _begin_session(self, session: Session) -> None:
        socket, send = self._socket, self._connection.send
        socket.admit(session.user)
        socket.secret_key = secrets.token_bytes(_LONG_KEY_BYTES if self._minor >= 2 else _KEY_BYTES)
        reports = ReportedSettings(server_version=self._server_version)
        socket.write(send(AuthenticationOk()))
        for status in reports.changed(session):
            socket.write(send(status))
        socket.write(
            send(BackendKeyData(process_id=socket.process_id, secret_key=socket.secret_key))
        )
        socket.write(send(ReadyForQuery(status=session.transaction.value)))
        socket.begin_session(session, reports)


def unknown_options(message: StartupMessage) -> tuple[str, ...]:
    """Return the protocol extensions that a client asks for; the server knows none."""
    return tuple(name for name, _ in message.parameters if name.startswith(_PROTOCOL_OPTION))


def open_session(message: StartupMessage) -> Session:
    """Return the session of a client.

    Raises:
        QueryError: the user is missing (28000), a setting is invalid (22023), or the client asks
            for a replication connection (0A000). The connection must end.
    """
    parameters = dict(message.parameters)
    user = parameters.get("user", "")
    if not user:
        raise QueryError("no user name specified in startup packet", sqlstate="28000")
    if parameters.get("replication", "false").lower() not in {"false", "off", "no", "0"}:
        raise QueryError("replication connections are not supported", sqlstate="0A000")
    settings = {"database": parameters.get("database") or user}
    settings.update(parse_options(parameters.get("options", "")))
    for name, value in parameters.items():
        if name not in _NO_SETTINGS and not name.startswith(_PROTOCOL_OPTION) and value:
            settings[name.lower()] = value
    if "client_encoding" in settings:
        settings["client_encoding"] = _encoding(settings["client_encoding"])
    check_settings(settings)
    settings.update(read_styles(settings))
    return Session(settings=settings, user=user)


def parse_options(options: str) -> dict[str, str]:
    r"""Return the settings in an `options` parameter, e.g. `-c a=b --stategate.wait=5s`.

    A backslash escapes a blank or a backslash.

    Raises:
        QueryError: the text holds anything but settings (22023).
    """
    words = re.findall(r"(?:\\.|[^\s\\])+", options)
    settings: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        if word == "-c" and at + 1 < len(words):
            at += 1
            word += words[at]
        found = _OPTION.fullmatch(re.sub(r"\\(.)", r"\1", word))
        if found is None:
            raise QueryError(
                f'invalid command-line argument for server process: "{word[:100]}"',
                hint="Give only settings, as -c name=value.",
                sqlstate="22023",
            )
        name = found[1] if word.startswith("-c") else found[1].replace("-", "_")
        settings[name.lower()] = found[2]
        at += 1
    return settings


def _encoding(name: str) -> str:
    """Return the canonical name of a client encoding, UTF8 or SQL_ASCII.

    SQL_ASCII leaves bytes as they are, and the server sends UTF-8.

    Raises:
        QueryError: any other encoding (22023).
    """
    folded = re.sub(r"[^a-z0-9]", "", name.lower())
    if folded in _UTF8_NAMES:
        return "UTF8"
    if folded == "sqlascii":
        return "SQL_ASCII"
    raise QueryError(
        f'invalid value for parameter "client_encoding": "{name[:100]}"',
        hint="Use UTF8.",
        sqlstate="22023",
    )
