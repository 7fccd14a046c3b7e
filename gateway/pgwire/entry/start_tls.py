"""TLS on a connection that has begun without: after an SSLRequest, or at once (direct TLS)."""

from __future__ import annotations

import asyncio
import ssl
from typing import cast

CLIENT_HELLO = 0x16
"""First byte of a TLS handshake. No startup packet is so long that it could begin with it."""
_SHUTDOWN_TIMEOUT_S = 5.0
"""For a client's goodbye on the TLS layer; one that has gone sends none."""


async def secure(
    transport: asyncio.Transport,
    protocol: asyncio.Protocol,
    context: ssl.SSLContext,
    *,
    early: bytes,
    timeout_s: float,
) -> asyncio.Transport:
    """Do the handshake.

    Args:
        transport: of the bare connection; it must not be reading.
        protocol: what gets the clear text from then on.
        context: of the server.
        early: what was read before it was known to belong to the handshake.
        timeout_s: how long it may take.

    Returns:
        The transport of the clear text.

    Raises:
        OSError: it failed; `ssl.SSLError` is one.
    """
    loop = asyncio.get_running_loop()
    handshake = loop.create_task(
        loop.start_tls(
            transport,
            protocol,
            context,
            server_side=True,
            ssl_handshake_timeout=timeout_s,
            ssl_shutdown_timeout=_SHUTDOWN_TIMEOUT_S,
        )
    )
    if early:
        # After one turn of the loop TLS has taken our place at the transport, and its
        # `connection_made` is due: what is called next comes behind it, and before any read.
        await asyncio.sleep(0)
        loop.call_soon(_feed, transport, early)
    secured = await handshake
    if secured is None:
        raise ConnectionResetError("the client left during the handshake")
    return secured


def _feed(transport: asyncio.Transport, early: bytes) -> None:
    """Hand bytes to the TLS layer as the transport would have."""
    if transport.is_closing():
        return
    # By duck typing, for uvloop's is no subclass of asyncio.BufferedProtocol.
    receiver = cast("asyncio.BufferedProtocol", transport.get_protocol())
    rest = memoryview(early)
    while rest:
        room = memoryview(receiver.get_buffer(len(rest)))
        count = min(len(room), len(rest))
        room[:count] = rest[:count]
        receiver.buffer_updated(count)
        rest = rest[count:]


def negotiated(transport: asyncio.Transport) -> str | None:
    """The protocol that was agreed on by ALPN."""
    connection = transport.get_extra_info("ssl_object")
    if connection is None:
        return None
    name: str | None = connection.selected_alpn_protocol()
    return name
