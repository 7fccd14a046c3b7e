"""The tokens of pages: where to go on. They give no rights, so they are checked and not signed."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

import msgspec
import orjson

from stategate.gateway.http.formats.json_cells import Cell
from stategate.planner.errors import InvalidValueError

_TOKEN_MAX: Final = 65_536


class PageToken(msgspec.Struct, frozen=True, array_like=True):
    """Where to go on."""

    statement: str
    """The digest of the statement and its parameters."""
    store: str
    """The address of the store: another incarnation has other keys, in another order."""
    key: list[Cell]
    """The last key, as cells."""
    position: str
    rows: int
    snapshot: str | None


def encoded(token: PageToken) -> str:
    """Return the text of a token."""
    body = orjson.dumps(msgspec.to_builtins(token))
    return base64.urlsafe_b64encode(_sum(body) + body).rstrip(b"=").decode()


def decoded(text: str) -> PageToken:
    """Return the token of a text.

    Raises:
        InvalidValueError: it is not one (22023).
    """
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        if len(text) > _TOKEN_MAX or _sum(raw[8:]) != raw[:8]:
            raise ValueError("the sum differs")
        return msgspec.json.decode(raw[8:], type=PageToken)
    except (ValueError, msgspec.DecodeError) as error:
        raise InvalidValueError(
            'field "next" is not a token of a page',
            hint="Send it as the page before had it, or begin without it.",
        ) from error


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8, person=b"stategate.page").digest()
