"""Passwords as SCRAM keeps them: a verifier proves a password and cannot be used to log in.

The text of a verifier is PostgreSQL's own, as `pg_authid.rolpassword` holds it, so that users can
be copied from there: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`, the last three
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
"""What RFC 7677 asks for at least, and PostgreSQL's default: each costs clients and guessers."""
ITERATIONS_MAX = 1_000_000
"""Of a verifier in a file: a check of a password takes half a second then."""
SALT_BYTES = 16
KEY_BYTES = 32
PASSWORD_CHARACTERS_MAX = 1024
"""Longest password: PostgreSQL's own clients read no longer one."""

SALT_BYTES_MAX = 1024
"""Of a verifier in a file: the challenge that holds it is made for every stranger, too."""

Shape: TypeAlias = tuple[int, int]
"""Iterations, and bytes of the salt."""

_VERIFIER = re.compile(r"SCRAM-SHA-256\$([0-9]{1,7}):([^$:]+)\$([^$:]+):([^$:]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """What a server keeps of a password."""

    iterations: int
    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    """Proves what a client sends."""
    server_key: bytes = field(repr=False)
    """Proves to a client that the server knows the verifier."""

    def __str__(self) -> str:
        """The text that `parse_verifier` reads."""
        salt, stored, server = map(encode_base64, (self.salt, self.stored_key, self.server_key))
        return f"SCRAM-SHA-256${self.iterations}:{salt}${stored}:{server}"


def make_verifier(
    password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS
) -> Verifier:
    """The verifier of a password, with a salt of its own if none is given."""
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    salted = _salted(password, salt=salt, iterations=iterations)
    return Verifier(
        iterations=iterations,
        salt=salt,
        stored_key=hashlib.sha256(hmac_sha256(salted, b"Client Key")).digest(),
        server_key=hmac_sha256(salted, b"Server Key"),
    )


def shape_of(verifier: Verifier) -> Shape:
    """What everybody can see of a verifier, beside the salt itself."""
    return verifier.iterations, len(verifier.salt)


def mock_verifier(user: str, *, secret: bytes, shapes: Sequence[Shape] = ()) -> Verifier:
    """What stands for a user that does not exist: always the same, and no password fits it.

    Args:
        user: the name that was given.
        secret: makes the salt unpredictable to those who know our source.
        shapes: those of all users, in order; the name decides whose it has, so that strangers
            have each as often as users do, and cost as much to check.
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
    """The verifier that a text holds.

    Raises:
        ValueError: it is none; the message does not repeat it.
    """
    found = _VERIFIER.fullmatch(text)
    if found is None:
        raise ValueError("it is no SCRAM-SHA-256 verifier")
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
    """Whether a password is the verifier's. Slow on purpose, without Python's lock."""
    own = make_verifier(password, salt=verifier.salt, iterations=verifier.iterations)
    return hmac.compare_digest(own.stored_key, verifier.stored_key)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA-256."""
    return hmac.digest(key, message, "sha256")


def encode_base64(raw: bytes) -> str:
    """Standard base64, with padding."""
    return base64.b64encode(raw).decode()


def decode_base64(text: str | bytes) -> bytes:
    """What is base64 in full, and nothing else.

    Raises:
        ValueError: it is not; the message does not repeat it.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("it is not base64") from None


def _salted(password: str, *, salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", prepare_password(password), salt, iterations)


def prepare_password(password: str) -> bytes:
    """A password in the one form that all who type it share (SASLprep, RFC 4013).

    As in PostgreSQL, what the profile refuses is taken as it is: the client did the same.
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
    """RFC 3454 section 6: right-to-left text is not mixed with left-to-right text."""
    if not any(map(stringprep.in_table_d1, prepared)):
        return True
    ends_right = stringprep.in_table_d1(prepared[0]) and stringprep.in_table_d1(prepared[-1])
    return ends_right and not any(map(stringprep.in_table_d2, prepared))
