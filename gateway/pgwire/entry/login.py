"""Authentication of a client: the messages and their order.

No socket. `access` decides which method applies and whether a password is right.
"""

from __future__ import annotations

import struct

from gateway.access.rules import Access, Method, Peer
from gateway.pgwire.entry.scram import ScramExchange
from gateway.pgwire.protocol.messages import (
    AuthenticationCleartextPassword,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendMessage,
)
from planner.engine import QueryError

_unpack_length = struct.Struct(">i").unpack_from


class Login:
    """The authentication of one client: `ask`, then `answer` each response until `done`.

    Args:
        access: chooses the method and checks passwords.
        peer: the address of the client, and whether it uses TLS.
        user: the name that the client claims.
        binding: `tls-server-end-point` of the TLS connection; None without TLS.
    """

    def __init__(self, *, access: Access, peer: Peer, user: str, binding: bytes | None) -> None:
        self.done = False
        """Whether the client is authenticated."""
        self._access = access
        self._peer = peer
        self._user = user
        self._binding = binding
        self._scram: ScramExchange | None = None
        self._mechanism: str | None = None
        self._begun = False

    def ask(self) -> BackendMessage | None:
        """Return the first request for authentication; None if the client is trusted.

        Raises:
            QueryError: clients from this address are refused (28000).
        """
        match self._access.method_for(self._peer):
            case Method.TRUST:
                self.done = True
                return None
            case Method.PASSWORD:
                self._access.require_confidential(self._peer)
                self._access.require_not_throttled(self._peer)
                return AuthenticationCleartextPassword()
            case Method.SCRAM:
                self._access.require_not_throttled(self._peer)
                verifier, doomed = self._access.verifier_of(self._user)
                self._scram = ScramExchange(verifier=verifier, doomed=doomed, binding=self._binding)
                return AuthenticationSASL(mechanisms=self._scram.mechanisms)

    async def answer(self, response: bytes) -> BackendMessage | None:
        """Return the reply to a response of the client; None if the client is done.

        Raises:
            QueryError: authentication failed (28P01), or the response is malformed (08P01).
        """
        if self._scram is None:
            password = _read_password(response)
            await self._access.check_password(self._peer, user=self._user, password=password)
            self.done = True
            return None
        if not self._begun:
            return self._begin(self._scram, response)
        return await self._finish(self._scram, response)

    def _begin(self, scram: ScramExchange, response: bytes) -> BackendMessage:
        if self._mechanism is None:
            self._mechanism, message = _read_initial(response)
            if message is None:
                # A mechanism without an initial response gets an empty challenge (RFC 4422, 3.3).
                return AuthenticationSASLContinue(challenge=b"")
            response = message
        self._begun = True
        return AuthenticationSASLContinue(challenge=scram.begin(self._mechanism, response))

    async def _finish(self, scram: ScramExchange, response: bytes) -> BackendMessage:
        # Checked again before the proof: a client may have begun many exchanges at once.
        self._access.require_not_throttled(self._peer)
        outcome = scram.finish(response)
        if outcome is None:
            await self._access.fail(self._peer, user=self._user)
        self.done = True
        return AuthenticationSASLFinal(outcome=outcome)


def _read_initial(response: bytes) -> tuple[str, bytes | None]:
    """Return the mechanism and the message of a SASLInitialResponse.

    Raises:
        QueryError: it is malformed.
    """
    end = response.find(b"\0")
    if end < 0 or len(response) < end + 5:
        raise _malformed("It is not a SASLInitialResponse.")
    (length,) = _unpack_length(response, end + 1)
    message = response[end + 5 :]
    if length == -1 and not message:
        return response[:end].decode("latin-1"), None
    if length != len(message):
        raise _malformed("Its length is wrong.")
    return response[:end].decode("latin-1"), message


def _read_password(response: bytes) -> str:
    """Return the password of a PasswordMessage.

    Raises:
        QueryError: it is malformed or empty.
    """
    if response.find(b"\0") != len(response) - 1:
        raise _malformed("It is not a PasswordMessage.")
    if len(response) == 1:
        raise QueryError("empty password returned by client", sqlstate="28P01")
    return response[:-1].decode(errors="surrogateescape")


def _malformed(detail: str) -> QueryError:
    return QueryError("malformed authentication message", detail=detail, sqlstate="08P01")
