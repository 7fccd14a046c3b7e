"""Authentication of a client: the messages and their order; SCRAM-SHA-256 as in PostgreSQL.

No socket, no clock, no files. `access` decides which method applies and whether a password is
right.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import struct
from typing import Final

from stategate.gateway.access.peers import Peer
from stategate.gateway.access.rules import Access, Method
from stategate.gateway.access.verifiers import (
    KEY_BYTES,
    Verifier,
    decode_base64,
    encode_base64,
    hmac_sha256,
)
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationCleartextPassword,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendMessage,
)
from stategate.planner.engine import QueryError

_unpack_length = struct.Struct(">i").unpack_from
PLAIN: Final = "SCRAM-SHA-256"
PLUS: Final = "SCRAM-SHA-256-PLUS"
_BINDING: Final = "tls-server-end-point"
_NONCE_BYTES = 18
"""Bytes of the server's nonce: PostgreSQL's SCRAM_RAW_NONCE_LEN, 24 characters of base64."""
_FIRST = re.compile(
    r"(?P<flag>[ny]|p=(?P<binding>[A-Za-z0-9.-]+)),(?P<identity>[^,]*),(?P<bare>.*)"
)
_BARE = re.compile(r"n=(?P<name>[^,]*),r=(?P<nonce>[^,]*)(?:,.*)?")
_FINAL = re.compile(
    r"(?P<without_proof>c=(?P<binding>[^,]*),r=(?P<nonce>[^,]*)(?:,.*)?),p=(?P<proof>[^,]*)"
)
_PRINTABLE = re.compile(r"[\x21-\x2b\x2d-\x7e]+")


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
        try:
            request = self._ask()
        except QueryError as error:
            self._note(error)
            raise
        if self.done:
            self._note(None)
        return request

    async def answer(self, response: bytes) -> BackendMessage | None:
        """Return the reply to a response of the client; None if the client is done.

        Raises:
            QueryError: authentication failed (28P01), or the response is malformed (08P01).
        """
        try:
            reply = await self._answer(response)
        except QueryError as error:
            self._note(error)
            raise
        if self.done:
            self._note(None)
        return reply

    def _note(self, error: QueryError | None) -> None:
        self._access.note_login("wire", self._peer, user=self._user, error=error)

    def _ask(self) -> BackendMessage | None:
        match self._access.method_for(self._peer):
            case Method.TRUST:
                self.done = True
                return None
            case Method.PASSWORD:
                self._access.require_confidential(self._peer)
                self._access.require_not_throttled(self._peer, self._user)
                return AuthenticationCleartextPassword()
            case Method.SCRAM:
                self._access.require_not_throttled(self._peer, self._user)
                verifier, doomed = self._access.verifier_of(self._user)
                self._scram = ScramExchange(verifier=verifier, doomed=doomed, binding=self._binding)
                return AuthenticationSASL(mechanisms=self._scram.mechanisms)

    async def _answer(self, response: bytes) -> BackendMessage | None:
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
        # This is checked again before the proof: a client may have begun many exchanges at once.
        await self._access.require_turn(self._peer, self._user)
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


class ScramExchange:
    """The server's side of one SCRAM exchange, with or without channel binding.

    It takes two messages and returns two: `begin`, then `finish`. An unknown user takes the same
    steps as a wrong password.

        client  n,,n=,r=<nonce>                      the user (PostgreSQL takes it from the startup)
        server  r=<nonce><more>,s=<salt>,i=<count>
        client  c=<binding>,r=<nonce><more>,p=<proof>
        server  v=<proof that it knows the verifier>

    Source: RFC 5802, RFC 7677, RFC 5929; `src/backend/libpq/auth-scram.c`.

    Args:
        verifier: the verifier of the user, or a mock one.
        doomed: whether it must fail, because the user is unknown.
        binding: channel binding data of the TLS connection; None without TLS.
        nonce: the server's part of the nonce, for tests; random by default.
    """

    def __init__(
        self, *, verifier: Verifier, doomed: bool, binding: bytes | None, nonce: str | None = None
    ) -> None:
        self._verifier = verifier
        self._doomed = doomed
        self._binding = binding
        self._own_nonce = nonce or encode_base64(secrets.token_bytes(_NONCE_BYTES))
        self._header = ""
        self._bound = b""
        self._nonce = ""
        self._messages = ""
        """The messages of both sides so far, as the proofs sign them."""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms that the client may choose from, the best first."""
        return (PLAIN,) if self._binding is None else (PLUS, PLAIN)

    def begin(self, mechanism: str, message: bytes) -> bytes:
        """Answer the client's first message.

        Raises:
            QueryError: the message is malformed (08P01), needs an unknown extension (0A000), or
                was tampered with (28000).
        """
        if mechanism not in self.mechanisms:
            raise _malformed_scram("client selected an invalid SASL authentication mechanism")
        first = _FIRST.fullmatch(_text(message))
        if first is None:
            raise _malformed_scram("its header is not that of a first message")
        self._check_flag(first["flag"], first["binding"], mechanism)
        if first["identity"]:
            raise _unsupported("client uses authorization identity, but it is not supported")
        if first["bare"].startswith("m="):
            raise _unsupported("client requires an unsupported SCRAM extension")
        bare = _BARE.fullmatch(first["bare"])
        if bare is None or not _PRINTABLE.fullmatch(bare["nonce"]):
            raise _malformed_scram("it lacks a nonce of printable characters")
        self._header = f"{first['flag']},{first['identity']},"
        if first["binding"]:
            assert self._binding is not None, "PLUS is offered only with it"
            self._bound = self._binding
        self._nonce = bare["nonce"] + self._own_nonce
        salt = encode_base64(self._verifier.salt)
        answer = f"r={self._nonce},s={salt},i={self._verifier.iterations}"
        self._messages = f"{first['bare']},{answer}"
        return answer.encode()

    def _check_flag(self, flag: str, binding: str | None, mechanism: str) -> None:
        if (mechanism == PLUS) != (binding is not None):
            raise _malformed_scram(f"its channel-binding flag does not go with {mechanism}")
        if binding is not None and binding != _BINDING:
            raise _malformed_scram(f'unsupported SCRAM channel-binding type "{binding[:40]}"')
        if flag == "y" and self._binding is not None:
            # A man in the middle has hidden the server's offer of channel binding.
            raise QueryError(
                "SCRAM channel binding negotiation error",
                detail="The client supports SCRAM channel binding but thinks the server does not. "
                "However, this server does support channel binding.",
                sqlstate="28000",
            )

    def finish(self, message: bytes) -> bytes | None:
        """Answer the client's last message; None if its proof is wrong.

        Raises:
            QueryError: the message is malformed (08P01), or bound to another TLS connection
                (28000).
        """
        assert self._nonce, "begin comes first"
        final = _FINAL.fullmatch(_text(message))
        if final is None:
            raise _malformed_scram("its parts are not those of a final message")
        self._check_binding(final["binding"])
        if not hmac.compare_digest(final["nonce"].encode(), self._nonce.encode()):
            raise _malformed_scram("its nonce does not match")
        try:
            proof = decode_base64(final["proof"])
        except ValueError:
            proof = b""
        if len(proof) != KEY_BYTES:
            raise _malformed_scram("its proof is malformed")
        signed = f"{self._messages},{final['without_proof']}".encode()
        signature = hmac_sha256(self._verifier.stored_key, signed)
        client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
        proved = hmac.compare_digest(hashlib.sha256(client_key).digest(), self._verifier.stored_key)
        answer = b"v=" + encode_base64(hmac_sha256(self._verifier.server_key, signed)).encode()
        return answer if proved and not self._doomed else None

    def _check_binding(self, given: str) -> None:
        expected = encode_base64(self._header.encode() + self._bound)
        if hmac.compare_digest(given.encode(), expected.encode()):
            return
        if self._bound:
            raise QueryError("SCRAM channel binding check failed", sqlstate="28000")
        raise _malformed_scram("unexpected SCRAM channel-binding attribute in client-final-message")


def _text(message: bytes) -> str:
    try:
        text = message.decode()
    except UnicodeDecodeError:
        raise _malformed_scram("it is not UTF-8") from None
    if "\0" in text or "\n" in text:
        raise _malformed_scram("it holds a control character")
    return text


def _malformed_scram(detail: str) -> QueryError:
    return QueryError("malformed SCRAM message", detail=_sentence(detail), sqlstate="08P01")


def _unsupported(message: str) -> QueryError:
    return QueryError(message, sqlstate="0A000")


def _sentence(clause: str) -> str:
    return clause[0].upper() + clause[1:] + "."
