"""The first messages of a connection between nodes: who they are, and that they share the secret.

Both send a `Hello` with a random number. Then each proves that it knows the secret by a keyed hash
of both messages (HMAC-SHA-256), the one that connects first, so that a stranger learns nothing to
guess from. The secret does not encrypt: that is for TLS.

The hash is of the bytes that were sent, so that a newer node may send a `Hello` with more fields.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from stategate.gateway.access.private_files import require_private
from stategate.gateway.errors import SettingsError
from stategate.stores.nodes.codec import decode, encode, known
from stategate.stores.nodes.links import NodeError
from stategate.stores.nodes.messages import LEAST_VERSION, MINOR, VERSION

_NONCE_BYTES = 16
_SECRET_BYTES_LEAST = 16
_SECRET_BYTES_MAX = 4096


class HandshakeError(NodeError):
    """Another node is not one of ours, or cannot be talked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What a node speaks."""

    version: int = VERSION
    """The newest version of the messages."""
    least: int = LEAST_VERSION
    """The oldest one."""
    minor: int = MINOR
    """What it knows beyond the version."""


SPOKEN = Spoken()


class SelfError(HandshakeError):
    """The other node is this one."""


@known
class Hello(Struct, frozen=True):
    """The first message of either side."""

    version: int
    """The newest version of the messages that it speaks."""
    cluster: str
    """The name of the cluster; nodes of others do not talk."""
    node: str
    """The name of the node."""
    nonce: bytes
    """A random number, new for each connection."""
    instance: bytes
    """A random number of the node since its start."""
    minor: int = 0
    """What it knows beyond the version; see `stategate.stores.nodes.messages.MINOR`."""
    least: int = 0
    """The oldest version that it speaks; 0 if it speaks only the newest."""
    product: str = ""
    """The version of Stategate that it runs, for messages to people."""

    @property
    def oldest(self) -> int:
        """The oldest version that it speaks."""
        return self.least or self.version


@known
class Proof(Struct, frozen=True):
    """The second message of either side."""

    mac: bytes


def new_instance() -> bytes:
    """Return what tells a node that has started from any other of its name."""
    return secrets.token_bytes(_NONCE_BYTES)


class Handshake:
    """One side of a handshake.

    Args:
        cluster: the name of the cluster.
        node: the name of this node.
        secret: what all nodes of the cluster know.
        asks: whether this node has made the connection.
        instance: a random number of this node since its start; see `new_instance`.
        spoken: the versions of the messages that this node speaks.
        product: the version of Stategate that it runs.
    """

    def __init__(
        self,
        *,
        cluster: str,
        node: str,
        secret: bytes,
        asks: bool,
        instance: bytes,
        spoken: Spoken = SPOKEN,
        product: str = "",
    ) -> None:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        self.hello = Hello(
            spoken.version, cluster, node, nonce, instance, spoken.minor, spoken.least, product
        )
        self.version = spoken.version
        """The version that both nodes speak; after `meet`."""
        self._secret, self._asks = secret, asks
        self._own_bytes = encode(self.hello)
        self._other_bytes = b""
        self._other: Hello | None = None

    def meet(self, received: bytes) -> Hello:
        """Take the first message of the other node.

        Raises:
            HandshakeError: it is another message, or this node does not talk to that one.
            MessageError: it is malformed.
        """
        other = decode(received)
        if not isinstance(other, Hello):
            raise HandshakeError("it is not a node of Stategate")
        own = self.hello
        is_self = other.instance == own.instance
        if is_self and self._asks:
            raise SelfError("it is this node")
        self.version = min(own.version, other.version)
        if self.version < max(own.oldest, other.oldest):
            raise HandshakeError(_incompatible(own, other))
        if other.cluster != own.cluster:
            raise HandshakeError(
                f'node {other.node} is of the cluster "{other.cluster}", not "{own.cluster}"'
            )
        if other.node == own.node and not is_self:
            raise HandshakeError(f"another node has the name {own.node}, too")
        if len(other.nonce) != _NONCE_BYTES:
            raise HandshakeError(f"node {other.node} sent no random number")
        self._other, self._other_bytes = other, received
        return other

    def proof(self) -> Proof:
        """Return the proof that this node knows the secret; after `meet`."""
        return Proof(self._mac(asks=self._asks))

    def check(self, proof: object) -> None:
        """Check the proof of the other node.

        Raises:
            HandshakeError: it is wrong.
        """
        expected = self._mac(asks=not self._asks)
        if not isinstance(proof, Proof) or not hmac.compare_digest(proof.mac, expected):
            assert self._other is not None
            raise HandshakeError(f"node {self._other.node} has another secret")

    def _mac(self, *, asks: bool) -> bytes:
        """Return the proof of the side that asks, or of the one that answers."""
        assert self._other_bytes, "meet comes first"
        first, second = self._own_bytes, self._other_bytes
        if not self._asks:
            first, second = second, first
        text = encode((asks, first, second))
        return hmac.digest(self._secret, text, hashlib.sha256)


def _incompatible(own: Hello, other: Hello) -> str:
    """Return that two nodes speak no version in common, and what to do."""
    older, newer = sorted((own, other), key=lambda hello: hello.version)
    return (
        f"node {other.node}{_spoken(other)} and node {own.node}{_spoken(own)} have no version of "
        f"their messages in common: upgrade node {older.node} to a release that speaks version "
        f"{newer.oldest}, or node {newer.node} only after it"
    )


def _spoken(hello: Hello) -> str:
    product = f" of Stategate {hello.product}" if hello.product else ""
    few = hello.oldest == hello.version
    versions = f"version {hello.version}" if few else f"versions {hello.oldest} to {hello.version}"
    return f"{product} ({versions})"


def read_secret(file: str) -> bytes:
    """Return the secret of the nodes; empty without a file.

    Raises:
        SettingsError: it cannot be read, or it is too short.
    """
    if not file:
        return b""
    path = Path(file)
    require_private(path, setting="nodes_secret")
    with path.open("rb") as opened:
        secret = opened.read(_SECRET_BYTES_MAX).strip()
    if len(secret) < _SECRET_BYTES_LEAST:
        raise SettingsError(
            f'setting "nodes_secret": the secret in "{path}" is too short',
            hint=f"Use at least {_SECRET_BYTES_LEAST} random characters.",
        )
    return secret
