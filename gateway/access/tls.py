"""The certificate and key of both servers, taken anew when their files change.

What a handshake needs of them, and what SCRAM's channel binding needs, which is the hash of the
certificate that this very connection was shown.
"""

from __future__ import annotations

import hashlib
import logging
import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from gateway.access.private_files import Signature, require_private, signature_of
from gateway.errors import SettingsError

logger = logging.getLogger(__name__)

POSTGRES_PROTOCOL = "postgresql"
"""The name of the Postgres wire in ALPN, as IANA has it."""
HTTP_PROTOCOL = "http/1.1"
_CERTIFICATE = re.compile(
    r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL | re.ASCII
)
_FILE_BYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One certificate with its key, ready for handshakes."""

    postgres: ssl.SSLContext
    http: ssl.SSLContext
    binding: bytes | None
    """The data of `tls-server-end-point`; None if the certificate's signature has no hash."""


class Tls:
    """The identity that is in the files now.

    Args:
        certificate: PEM; the server's own certificate first, then those between it and the root.
        key: PEM, without a passphrase; nobody else may be able to read it.

    Raises:
        SettingsError: one of them cannot be read, or they do not belong together.
    """

    def __init__(self, *, certificate: Path, key: Path) -> None:
        self._certificate = certificate
        self._key = key
        self._signatures = self._signed()
        self._identity = self._load()

    def current(self) -> Identity:
        """The identity for the next handshake; the last good one while the files do not agree."""
        if self._signed() != self._signatures:
            self.reload()
        return self._identity

    def reload(self) -> None:
        """Read the files again; what is wrong with them is logged and changes nothing."""
        # Noted before they are read: if they change meanwhile, the next handshake reads again.
        self._signatures = self._signed()
        try:
            self._identity = self._load()
        except SettingsError as error:
            logger.error("certificate is not taken, the last one stays: %s", error.message)
        else:
            logger.info("certificate loaded, file=%s", self._certificate)

    def http_context(self) -> ssl.SSLContext:
        """A context that lends every handshake the current one, for a server that takes but one."""
        context = _context(HTTP_PROTOCOL)

        def choose(connection: ssl.SSLObject, name: str | None, lent: ssl.SSLContext) -> None:
            del name, lent
            connection.context = self.current().http

        # Called for clients that name no host too.
        context.sni_callback = choose
        return context

    def _signed(self) -> tuple[Signature | None, Signature | None]:
        return signature_of(self._certificate), signature_of(self._key)

    def _load(self) -> Identity:
        require_private(self._key, setting="tls_key")
        text = _read(self._certificate)
        contexts = _context(POSTGRES_PROTOCOL), _context(HTTP_PROTOCOL)
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
        return Identity(postgres=contexts[0], http=contexts[1], binding=_pem_channel_binding(text))


def _context(protocol: str) -> ssl.SSLContext:
    """Python's defaults for servers (no old ciphers, no compression), and TLS 1.2 at least."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols([protocol])
    return context


def _no_passphrase() -> NoReturn:
    # Or OpenSSL would ask for it at the terminal, and wait.
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
    """The data of `tls-server-end-point` (RFC 5929 section 4.1).

    Args:
        certificate: in DER.

    Returns:
        Its hash by the function that its signature uses, SHA-256 instead of MD5 and SHA-1; None
        if the signature uses none (Ed25519), for which the RFC defines nothing.
    """
    try:
        name = _signature_hash(certificate)
    except (IndexError, ValueError) as error:
        logger.warning("no channel binding, certificate cannot be read: %s", error)
        return None
    return hashlib.new(name, certificate).digest() if name else None


class _Element(NamedTuple):
    """One value in DER: where its content begins and ends."""

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
"""Hash by the OID of the signature's algorithm, as DER has it (RFC 3279, 4055, 5758)."""
_PSS = "2a864886f70d01010a"
_HASH_BY_OID = {
    "2b0e03021a": "sha256",  # sha1
    "608648016503040204": "sha224",
    "608648016503040201": "sha256",
    "608648016503040202": "sha384",
    "608648016503040203": "sha512",
}


def _signature_hash(certificate: bytes) -> str | None:
    """Certificate is a sequence of what is signed, the algorithm, and the signature."""
    outer = _element(certificate, 0, _SEQUENCE)
    signed = _element(certificate, outer.begin, _SEQUENCE)
    algorithm = _element(certificate, signed.end, _SEQUENCE)
    oid = _element(certificate, algorithm.begin, _OID)
    name = certificate[oid.begin : oid.end].hex()
    if name == _PSS and oid.end < algorithm.end:
        return _pss_hash(certificate, oid.end)
    return _HASH_BY_SIGNATURE.get(name)


def _pss_hash(certificate: bytes, at: int) -> str | None:
    """RSASSA-PSS names its hash in its parameters; left out, it is SHA-1 (RFC 4055 section 3.1)."""
    parameters = _element(certificate, at, _SEQUENCE)
    if parameters.begin == parameters.end or certificate[parameters.begin] != _EXPLICIT_0:
        return "sha256"
    tagged = _element(certificate, parameters.begin, _EXPLICIT_0)
    algorithm = _element(certificate, tagged.begin, _SEQUENCE)
    oid = _element(certificate, algorithm.begin, _OID)
    return _HASH_BY_OID.get(certificate[oid.begin : oid.end].hex())


def _element(der: bytes, at: int, tag: int) -> _Element:
    """The value that begins at `at`.

    Raises:
        ValueError or IndexError: it has another tag, or does not end within the bytes.
    """
    if der[at] != tag:
        raise ValueError(f"tag {der[at]:#x} stands where {tag:#x} should")
    length, begin = der[at + 1], at + 2
    if length & 0x80:
        digits = length & 0x7F
        length = int.from_bytes(der[begin : begin + digits], "big")
        begin += digits
    if begin + length > len(der):
        raise ValueError("a value is longer than what holds it")
    return _Element(tag, begin, begin + length)
