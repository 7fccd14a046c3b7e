"""The certificate and key of all servers, read again when their files change.

Provides contexts for TLS handshakes, and for SCRAM's channel binding the hash of the certificate
that a connection was shown.
"""

from __future__ import annotations

import hashlib
import logging
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from stategate.gateway.access.private_files import Signature, require_private, signature_of
from stategate.gateway.errors import SettingsError

logger = logging.getLogger(__name__)

POSTGRES_PROTOCOL = "postgresql"
"""The ALPN name of the Postgres wire, as registered with IANA."""
HTTP_PROTOCOL = "http/1.1"
NODES_PROTOCOL = "stategate"
_CERTIFICATE = re.compile(
    r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL | re.ASCII
)
_FILE_BYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One certificate with its key, as TLS contexts."""

    postgres: ssl.SSLContext
    http: ssl.SSLContext
    nodes: ssl.SSLContext
    binding: bytes | None
    """The data of `tls-server-end-point`; None if the certificate's signature has no hash."""


class Tls:
    """The identity in the files, kept up to date.

    Args:
        certificate: PEM; the server's certificate first, then the intermediates.
        key: PEM, without a passphrase, not readable by other users.

    Raises:
        SettingsError: one of them cannot be read, or they do not match.
    """

    def __init__(self, *, certificate: Path, key: Path) -> None:
        self._certificate = certificate
        self._key = key
        self._signatures = self._signed()
        self._identity = self._load()

    def current(self) -> Identity:
        """Return the identity for the next handshake; the last good one if the files do not fit."""
        if self._signed() != self._signatures:
            self.reload()
        return self._identity

    def reload(self) -> None:
        """Read the files again; log an error and keep the last identity if they are wrong."""
        # It is taken before the files are read. If they change meanwhile, the next handshake reads
        # them again.
        self._signatures = self._signed()
        try:
            self._identity = self._load()
        except SettingsError as error:
            logger.error("certificate not loaded, keeping the last one: %s", error.message)
        else:
            logger.info("certificate loaded, file=%s", self._certificate)

    def http_context(self) -> ssl.SSLContext:
        """Return a context for HTTP that uses the current identity for every handshake.

        It is for servers that take a single context at the start.
        """
        return self._renewed(HTTP_PROTOCOL, lambda: self.current().http)

    def nodes_context(self) -> ssl.SSLContext:
        """Return a context for other nodes, as `http_context`."""
        return self._renewed(NODES_PROTOCOL, lambda: self.current().nodes)

    def _renewed(self, protocol: str, current: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
        context = _context(protocol)

        def choose(connection: ssl.SSLObject, name: str | None, lent: ssl.SSLContext) -> None:
            del name, lent
            connection.context = current()

        # OpenSSL calls this also for clients that send no host name.
        context.sni_callback = choose
        return context

    def _signed(self) -> tuple[Signature | None, Signature | None]:
        return signature_of(self._certificate), signature_of(self._key)

    def _load(self) -> Identity:
        require_private(self._key, setting="tls_key")
        text = _read(self._certificate)
        postgres, http, nodes = contexts = (
            _context(POSTGRES_PROTOCOL),
            _context(HTTP_PROTOCOL),
            _context(NODES_PROTOCOL),
        )
        try:
            for context in contexts:
                context.load_cert_chain(self._certificate, self._key, password=_no_passphrase)
        except (OSError, ValueError) as error:  # SSLError is an OSError
            raise SettingsError(
                f'the certificate "{self._certificate}" and the key "{self._key}" cannot be used: '
                f"{_said(error)}"
            ) from error
        if _read(self._certificate) != text:
            raise SettingsError(f'the certificate "{self._certificate}" changed while it was read')
        binding = _pem_channel_binding(text)
        return Identity(postgres=postgres, http=http, nodes=nodes, binding=binding)


def _context(protocol: str) -> ssl.SSLContext:
    """Return a context with Python's defaults for servers, and at least TLS 1.2."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols([protocol])
    return context


def trusting_context(authorities: Path | None) -> ssl.SSLContext:
    """Return a context for connections to other nodes.

    Args:
        authorities: PEM file of the certificates that sign theirs; None for those of the system.

    Raises:
        SettingsError: it cannot be used.
    """
    try:
        context = ssl.create_default_context(cafile=None if authorities is None else authorities)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f'setting "nodes_ca": the file "{authorities}" cannot be used: {_said(error)}'
        ) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols([NODES_PROTOCOL])
    return context


def _no_passphrase() -> NoReturn:
    # Otherwise OpenSSL would prompt for it at the terminal, and wait.
    raise ValueError("the key has a passphrase")


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_FILE_BYTES_MAX).decode("latin-1")
    except OSError as error:
        raise SettingsError(
            f'setting "tls_certificate": cannot read the file "{path}": {error.strerror}'
        ) from error


def _said(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    return str(error)


# --- channel binding -----------------------------------------------------------------------------


def _pem_channel_binding(text: str) -> bytes | None:
    found = _CERTIFICATE.search(text)
    if found is None:
        return None
    return channel_binding_of(ssl.PEM_cert_to_DER_cert(found[0]))


def channel_binding_of(certificate: bytes) -> bytes | None:
    """Return the data of `tls-server-end-point` (RFC 5929 section 4.1).

    Args:
        certificate: the certificate in DER.

    Returns:
        Its hash by its signature's hash function, with SHA-256 for MD5 and SHA-1; None if the
        signature has no hash function (Ed25519), for which the RFC defines nothing.
    """
    try:
        name = _signature_hash(certificate)
    except (IndexError, ValueError) as error:
        logger.warning("no channel binding, certificate cannot be read: %s", error)
        return None
    return hashlib.new(name, certificate).digest() if name else None


class _Element(NamedTuple):
    """A DER value: its tag, and where its content begins and ends."""

    tag: int
    begin: int
    end: int


_SEQUENCE = 0x30
_OID = 0x06
_EXPLICIT_0 = 0xA0
_HASH_BY_SIGNATURE = {
    "2a864886f70d010104": "sha256",  # md5WithRSAEncryption
    "2a864886f70d010105": "sha256",  # sha1WithRSAEncryption
    "2a864886f70d01010e": "sha224",
    "2a864886f70d01010b": "sha256",
    "2a864886f70d01010c": "sha384",
    "2a864886f70d01010d": "sha512",
    "2a8648ce3d0401": "sha256",  # ecdsa-with-SHA1
    "2a8648ce3d040301": "sha224",
    "2a8648ce3d040302": "sha256",
    "2a8648ce3d040303": "sha384",
    "2a8648ce3d040304": "sha512",
}
"""Hash function by the DER encoding of the signature's OID (RFC 3279, 4055, 5758)."""
_PSS = "2a864886f70d01010a"
_HASH_BY_OID = {
    "2b0e03021a": "sha256",  # sha1
    "608648016503040204": "sha224",
    "608648016503040201": "sha256",
    "608648016503040202": "sha384",
    "608648016503040203": "sha512",
}


def _signature_hash(certificate: bytes) -> str | None:
    """Return the hash of a certificate's signature: its second element names the algorithm."""
    outer = _element(certificate, 0, _SEQUENCE)
    signed = _element(certificate, outer.begin, _SEQUENCE)
    algorithm = _element(certificate, signed.end, _SEQUENCE)
    oid = _element(certificate, algorithm.begin, _OID)
    name = certificate[oid.begin : oid.end].hex()
    if name == _PSS and oid.end < algorithm.end:
        return _pss_hash(certificate, oid.end)
    return _HASH_BY_SIGNATURE.get(name)


def _pss_hash(certificate: bytes, at: int) -> str | None:
    """Return the hash in RSASSA-PSS parameters; the default is SHA-1 (RFC 4055 section 3.1)."""
    parameters = _element(certificate, at, _SEQUENCE)
    if parameters.begin == parameters.end or certificate[parameters.begin] != _EXPLICIT_0:
        return "sha256"
    tagged = _element(certificate, parameters.begin, _EXPLICIT_0)
    algorithm = _element(certificate, tagged.begin, _SEQUENCE)
    oid = _element(certificate, algorithm.begin, _OID)
    return _HASH_BY_OID.get(certificate[oid.begin : oid.end].hex())


def _element(der: bytes, at: int, tag: int) -> _Element:
    """Return the value that begins at `at`.

    Raises:
        ValueError or IndexError: it has another tag, or exceeds the bytes.
    """
    if der[at] != tag:
        raise ValueError(f"tag {der[at]:#x} stands where {tag:#x} should")
    length, begin = der[at + 1], at + 2
    if length & 0x80:
        digits = length & 0x7F
        length = int.from_bytes(der[begin : begin + digits], "big")
        begin += digits
    if begin + length > len(der):
        raise ValueError("a value is longer than its container")
    return _Element(tag, begin, begin + length)
