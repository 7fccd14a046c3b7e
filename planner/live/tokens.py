"""The tokens by which subscriptions go on: the epoch of each store, and which statement it was."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping

import msgspec

from planner.errors import InvalidValueError
from stores.spec.schema import Row

_TOKEN_MAX = 16_384
"""Longest token that is read; that of a statement with a hundred stores is shorter."""


class _Token(msgspec.Struct, frozen=True):
    of: str
    epochs: dict[str, int]


def digest_of(sql: str, parameters: Row) -> str:
    """Return a short text that tells statements with their parameters apart."""
    return hashlib.blake2b(repr((sql, parameters)).encode(), digest_size=6).hexdigest()


def token_of(digest: str, epochs: Mapping[str, int]) -> str:
    """Return the token of a statement at some epochs."""
    body = msgspec.json.encode(_Token(digest, dict(sorted(epochs.items()))))
    return base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def epochs_in(token: str, digest: str) -> dict[str, int]:
    """Return the epochs of a token.

    Raises:
        InvalidValueError: it is malformed, or of another statement (22023).
    """
    try:
        padded = token[: _TOKEN_MAX + 1] + "=" * (-len(token) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
        found = msgspec.json.decode(raw, type=_Token)
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise InvalidValueError(
            "malformed token of a subscription",
            hint="Send the token of the last event as it was, or none to begin anew.",
        ) from error
    if found.of != digest:
        raise InvalidValueError(
            "the token is of another statement",
            hint="Subscribe to the same text with the same parameters, or without a token.",
        )
    return found.epochs
