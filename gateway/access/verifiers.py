"""SCRAM verifiers: a verifier checks a password and cannot be used to log in.

The text of a verifier has PostgreSQL's form, as in `pg_authid.rolpassword`, so that users can be
copied from there: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`, the last three
in base64.

Source: RFC 5802 section 3, RFC 7677, RFC 4013; `src/common/scram-common.c` and `saslprep.c`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
import stringprep
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

ITERATIONS = 4096
"""The minimum of RFC 7677 and PostgreSQL's default. Each iteration costs both clients and
attackers.
"""
ITERATIONS_MAX = 1_000_000
"""Limit for verifiers in a file: checking a password takes half a second then."""
SALT_BYTES = 16
KEY_BYTES = 32
PASSWORD_CHARACTERS_MAX = 1024
"""Longest password, as in PostgreSQL's own clients."""

SALT_BYTES_MAX = 1024
"""Limit for verifiers in a file: the challenge for an unknown user is as long."""

Shape: TypeAlias = tuple[int, int]
"""Number of iterations, and bytes of the salt."""

_VERIFIER = re.compile(r"SCRAM-SHA-256\$([0-9]{1,7}):([^$:]+)\$([^$:]+):([^$:]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """The stored form of a password."""

    iterations: int
    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    """Verifies the client's proof."""
    server_key: bytes = field(repr=False)
    """Proves to the client that the server knows the verifier."""

    def __str__(self) -> str:
        """Format the verifier as `parse_verifier` reads it."""
        salt, stored, server = map(encode_base64, (self.salt, self.stored_key, self.server_key))
        return f"SCRAM-SHA-256${self.iterations}:{salt}${stored}:{server}"


def make_verifier(
    password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS
) -> Verifier:
    """Make the verifier of a password, by default with a random salt."""
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    salted = _salted(password, salt=salt, iterations=iterations)
    return Verifier(
        iterations=iterations,
        salt=salt,
        stored_key=hashlib.sha256(hmac_sha256(salted, b"Client Key")).digest(),
        server_key=hmac_sha256(salted, b"Server Key"),
    )


def shape_of(verifier: Verifier) -> Shape:
    """Return the parts of a verifier that any client sees, except the salt itself."""
    return verifier.iterations, len(verifier.salt)


def mock_verifier(user: str, *, secret: bytes, shapes: Sequence[Shape] = ()) -> Verifier:
    """Make the verifier of an unknown user: always the same, and no password matches it.

    Args:
        user: the unknown name.
        secret: makes the salt unpredictable.
        shapes: the shapes of all users, sorted. The name selects one, so that unknown users have
            the same shapes as users, and cost as much to check.
    """
    name = user.encode(errors="surrogatepass")
    chosen = int.from_bytes(hmac_sha256(secret, b"shape\0" + name)[:8], "big") * len(shapes) >> 64
    iterations, salt_bytes = shapes[chosen] if shapes else (ITERATIONS, SALT_BYTES)
    salt = hmac_sha256(secret, b"salt\0" + name)
    while len(salt) < salt_bytes:
        salt += hmac_sha256(secret, b"salt\0" + salt)
    return Verifier(
        iterations=iterations,
        salt=salt[:salt_bytes],
        stored_key=secrets.token_bytes(KEY_BYTES),
        server_key=secrets.token_bytes(KEY_BYTES),
    )


def parse_verifier(text: str) -> Verifier:
    """Parse the text of a verifier.

    Raises:
        ValueError: it is malformed; the message does not repeat it.
    """
    found = _VERIFIER.fullmatch(text)
    if found is None:
        raise ValueError("it is not a SCRAM-SHA-256 verifier")
    iterations = int(found[1])
    salt, stored_key, server_key = (decode_base64(found[group]) for group in (2, 3, 4))
    if not 1 <= iterations <= ITERATIONS_MAX:
        raise ValueError(f"its iterations are not 1 to {ITERATIONS_MAX}")
    if not 1 <= len(salt) <= SALT_BYTES_MAX:
        raise ValueError(f"its salt is not of 1 to {SALT_BYTES_MAX} bytes")
    if len(stored_key) != KEY_BYTES or len(server_key) != KEY_BYTES:
        raise ValueError("its keys are not of 32 bytes")
    return Verifier(iterations=iterations, salt=salt, stored_key=stored_key, server_key=server_key)


def matches_password(verifier: Verifier, password: str) -> bool:
    """Whether a password matches the verifier. Slow on purpose; releases Python's lock."""
    own = make_verifier(password, salt=verifier.salt, iterations=verifier.iterations)
    return hmac.compare_digest(own.stored_key, verifier.stored_key)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA-256 of a message."""
    return hmac.digest(key, message, "sha256")


def encode_base64(raw: bytes) -> str:
    """Encode as standard base64, with padding."""
    return base64.b64encode(raw).decode()


def decode_base64(text: str | bytes) -> bytes:
    """Decode text that is strictly base64.

    Raises:
        ValueError: it is not base64; the message does not repeat it.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("it is not base64") from None


def _salted(password: str, *, salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", prepare_password(password), salt, iterations)


def prepare_password(password: str) -> bytes:
    """Normalise a password, so that it does not depend on how it was typed (SASLprep, RFC 4013).

    As in PostgreSQL, a password that the profile prohibits is used as it is, as clients do.
    """
    if password.isascii():
        return password.encode()
    mapped = "".join(
        " " if stringprep.in_table_c12(each) else each
        for each in password
        if not stringprep.in_table_b1(each)
    )
    prepared = unicodedata.normalize("NFKC", mapped)
    if not prepared or any(map(_prohibited, prepared)) or not _direction_is_sound(prepared):
        return password.encode(errors="surrogatepass")
    return prepared.encode()


_PROHIBITED = (
    stringprep.in_table_a1,
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def _prohibited(character: str) -> bool:
    return any(holds(character) for holds in _PROHIBITED)


def _direction_is_sound(prepared: str) -> bool:
    """Whether right-to-left text is not mixed with left-to-right text (RFC 3454 section 6)."""
    if not any(map(stringprep.in_table_d1, prepared)):
        return True
    ends_right = stringprep.in_table_d1(prepared[0]) and stringprep.in_table_d1(prepared[-1])
    return ends_right and not any(map(stringprep.in_table_d2, prepared))
