"""The TLS handshake on an open connection, some of whose bytes may have been read already."""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import cast

logger = logging.getLogger(__name__)

CLIENT_HELLO = 0x16
"""First byte of a TLS handshake; a startup packet that began with it would be too long."""
_SHUTDOWN_TIMEOUT_S = 5.0
"""Time for a client's close_notify; a client that has vanished sends none."""


async def start_tls(
    transport: asyncio.Transport,
    protocol: asyncio.Protocol,
    context: ssl.SSLContext,
    *,
    early: bytes,
    timeout_s: float,
    needs: str | None = None,
) -> asyncio.Transport | None:
    """Do the handshake; return the transport of the clear text, or None if it failed.

    Args:
        transport: the transport of the bare connection, which must not be reading.
        protocol: receives the clear text.
        context: the TLS context of the server.
        early: bytes of the handshake that have been read already, as with direct TLS.
        timeout_s: how long the handshake may take.
        needs: the protocol that the client must have named by ALPN; None for any, or none.
    """
    try:
        secured = await _handshake(transport, protocol, context, early=early, timeout_s=timeout_s)
    except OSError as error:
        logger.info("TLS handshake failed: %s", error)
        return None
    if needs is not None and _negotiated(secured) != needs:
        # The client may have wanted another server, such as an HTTPS one (ALPACA).
        logger.info("direct TLS without ALPN refused")
        secured.abort()
        return None
    return secured


async def _handshake(
    transport: asyncio.Transport,
    protocol: asyncio.Protocol,
    context: ssl.SSLContext,
    *,
    early: bytes,
    timeout_s: float,
) -> asyncio.Transport:
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
        # After one turn of the loop the TLS layer is the transport's protocol, and its
        # `connection_made` is scheduled: the next call comes after it and before any read.
        await asyncio.sleep(0)
        loop.call_soon(_feed, transport, early)
    secured = await handshake
    if secured is None:
        raise ConnectionResetError("the client left during the handshake")
    return secured


def _feed(transport: asyncio.Transport, early: bytes) -> None:
    """Hand bytes to the TLS layer as the transport would."""
    if transport.is_closing():
        return
    # A cast, because uvloop's does not inherit from asyncio.BufferedProtocol.
    receiver = cast("asyncio.BufferedProtocol", transport.get_protocol())
    rest = memoryview(early)
    while rest:
        room = memoryview(receiver.get_buffer(len(rest)))
        count = min(len(room), len(rest))
        room[:count] = rest[:count]
        receiver.buffer_updated(count)
        rest = rest[count:]


def _negotiated(transport: asyncio.Transport) -> str | None:
    """Return the protocol that both ends agreed on by ALPN."""
    connection = transport.get_extra_info("ssl_object")
    if connection is None:
        return None
    name: str | None = connection.selected_alpn_protocol()
    return name
