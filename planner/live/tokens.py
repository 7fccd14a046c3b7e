"""The tokens by which subscriptions go on: the epoch of each store, and which statement it was.

A store that is rebuilt or created again has other rows at an epoch of the same number. So a token
also names the incarnation of each store, and the times at which its epochs were committed, which
tell apart what a log has and what it had before it was put back from a copy. It has a digest of the
rows, too, where a statement that is run again at these epochs may give others, as LIMIT among equal
rows does.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.schema import Row

T = TypeVar("T")
_TOKEN_MAX = 16_384
"""Longest token that is read; that of a statement with a hundred stores is shorter."""

_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""Epochs and times have 64 bits; other nodes are asked for them as such."""


class Mark(msgspec.Struct, frozen=True):
    """The epochs of a moment, and which ones of these numbers they are."""

    epochs: dict[str, int]
    """The epoch of each store, by name."""
    committed_ms: dict[str, int | None]
    """When each was committed, in epoch milliseconds; None if that is not known."""
    incarnations: dict[str, str] = msgspec.field(default_factory=dict)
    """The incarnation of each store: `StoreSchema.incarnation`."""


class Seen(msgspec.Struct, frozen=True):
    """What a client that comes back has seen."""

    token: str
    """The token, in the only form that this gateway writes."""
    mark: Mark
    rows: str | None
    """A digest of its rows; None if the epochs decide them."""


class _At(msgspec.Struct, frozen=True, array_like=True):
    """A store at a moment."""

    epoch: _Number
    committed_ms: _Number | None
    incarnation: str


class _Token(msgspec.Struct, frozen=True, omit_defaults=True):
    of: str
    stores: dict[str, _At]
    rows: str | None = None


def digest_of(sql: str, parameters: Row, times: TimeSettings | None) -> str:
    """Return a short text that tells statements with their parameters apart.

    Args:
        sql: the text of the statement.
        parameters: its parameters.
        times: the settings of times that it was planned for; None if it is for all.
    """
    asked: tuple[object, ...] = (sql, parameters)
    if times is not None and not times.is_plain:
        each = (times.literals, times.now)
        asked += tuple((one.zone.name, one.order) for one in each)
    return hashlib.blake2b(repr(asked).encode(), digest_size=6).hexdigest()


def token_of(digest: str, mark: Mark, rows: str | None = None) -> str:
    """Return the token of a statement at some epochs, with a digest of its rows."""
    stores = {
        name: _At(epoch, mark.committed_ms.get(name), mark.incarnations.get(name, ""))
        for name, epoch in sorted(mark.epochs.items())
    }
    token = _Token(digest, stores, rows)
    body = msgspec.json.encode(token)
    return base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def seen_in(token: str, digest: str) -> Seen:
    """Return what a client with a token has seen.

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
    at = found.stores
    mark = Mark(
        epochs={name: each.epoch for name, each in at.items()},
        committed_ms={name: each.committed_ms for name, each in at.items()},
        incarnations={name: each.incarnation for name, each in at.items()},
    )
    return Seen(token_of(found.of, mark, found.rows), mark, found.rows)
