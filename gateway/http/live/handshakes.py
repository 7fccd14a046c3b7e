"""What a WebSocket's handshake says beside its request: subprotocols, with or without credentials.

A browser lets no page set the header `Authorization` of a WebSocket. So a page offers the
subprotocol `stategate`, and one more that has the credentials in base64url without padding:

    stategate.bearer.<token>
    stategate.basic.<user:password>

They arrive before the connection is accepted, so they are checked as those of any request, and no
connection waits for a first message. The answer names `stategate` and never repeats credentials.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

from stategate.gateway.access.peers import Headers as RawHeaders
from stategate.gateway.http.origins import has_other_origin

PROTOCOL: Final = "stategate"
"""The subprotocol that is chosen if it is offered: browsers insist on one of theirs."""
_BEARER: Final = f"{PROTOCOL}.bearer."
_BASIC: Final = f"{PROTOCOL}.basic."


def chosen_protocol(scope: Scope) -> str | None:
    """Return the subprotocol to answer with."""
    return PROTOCOL if PROTOCOL in scope["subprotocols"] else None


def handshake_headers(scope: Scope) -> RawHeaders:
    """Return the headers of a WebSocket, with the credentials that count in `Authorization`.

    Those of a subprotocol count more. The header of a page of another origin does not count: the
    browser has kept those credentials, and added them without being told to.
    """
    headers: RawHeaders = scope["headers"]
    given = [found for each in scope["subprotocols"] if (found := _credentials(each)) is not None]
    if not given and not has_other_origin(Headers(scope=scope)):
        return headers
    others = [(name, value) for name, value in headers if name != b"authorization"]
    return [*others, *((b"authorization", each) for each in given)]


def _credentials(protocol: str) -> bytes | None:
    """Return the credentials in a subprotocol as a header has them; None if it has none."""
    if protocol.startswith(_BEARER):
        return b"Bearer " + _decoded(protocol.removeprefix(_BEARER))
    if protocol.startswith(_BASIC):
        text = _decoded(protocol.removeprefix(_BASIC))
        return b"Basic " + base64.b64encode(text)
    return None


def _decoded(text: str) -> bytes:
    """Decode a text in base64url; the empty text, which no credentials have, if it is malformed."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
