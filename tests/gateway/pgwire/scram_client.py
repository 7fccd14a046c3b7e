"""The client's side of SCRAM-SHA-256, written from RFC 5802 and not from our server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct

from tests.gateway.pgwire import wire
from tests.gateway.pgwire.wire import Message, RawClient

PLAIN = "SCRAM-SHA-256"
PLUS = "SCRAM-SHA-256-PLUS"


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def digest(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


class ScramClient:
    """One exchange.

    Args:
        password: as SASLprep leaves it.
        header: the GS2 header, e.g. `n,,`.
        binding: the channel binding data, which follows the header.
        nonce: the client's nonce.
    """

    def __init__(
        self, password: str, *, header: str = "n,,", binding: bytes = b"", nonce: str = "rOprNGf"
    ) -> None:
        self.password = password.encode()
        self.header = header
        self.binding = binding
        self.bare = f"n=,r={nonce}"
        self.server_key = b""
        self.signed = b""

    def first(self) -> bytes:
        return (self.header + self.bare).encode()

    def last(self, answer: bytes) -> bytes:
        """Return the final message after the server's first one."""
        parts = dict(part.split("=", 1) for part in answer.decode().split(","))
        salt, iterations = base64.b64decode(parts["s"]), int(parts["i"])
        salted = hashlib.pbkdf2_hmac("sha256", self.password, salt, iterations)
        without_proof = f"c={b64(self.header.encode() + self.binding)},r={parts['r']}"
        self.signed = f"{self.bare},{answer.decode()},{without_proof}".encode()
        client_key = digest(salted, b"Client Key")
        signature = digest(hashlib.sha256(client_key).digest(), self.signed)
        self.server_key = digest(salted, b"Server Key")
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        return f"{without_proof},p={b64(proof)}".encode()

    def accepts(self, outcome: bytes) -> bool:
        """Whether the server knows the verifier."""
        return outcome == b"v=" + b64(digest(self.server_key, self.signed)).encode()


def initial(mechanism: str, message: bytes | None) -> bytes:
    """Return a SASLInitialResponse."""
    body = wire.text(mechanism)
    body += struct.pack(">i", -1) if message is None else struct.pack(">i", len(message)) + message
    return wire.framed("p", body)


def response(message: bytes) -> bytes:
    """Return a SASLResponse or, with its NUL, a PasswordMessage."""
    return wire.framed("p", message)


def read_request(client: RawClient, code: int) -> bytes:
    """Return the body of a request for authentication with this code."""
    kind, body = client.read()
    assert kind == "R", wire.error_fields(body)
    assert struct.unpack_from(">I", body) == (code,)
    return body[4:]


def log_in(
    client: RawClient, scram: ScramClient, *, user: str, mechanism: str = PLAIN
) -> list[Message]:
    """Return all messages from the server's final one on, or the error."""
    client.send(wire.startup(user=user, database="db"))
    read_request(client, 10)
    client.send(initial(mechanism, scram.first()))
    client.send(response(scram.last(read_request(client, 11))))
    return client.read_until("Z", "E")
