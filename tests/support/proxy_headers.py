"""Headers of the PROXY protocol, written from the specification, not from our code."""

from __future__ import annotations

import ipaddress
import struct

SIGNATURE = b"\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a"


def line(address: str, port: int = 50_000) -> bytes:
    """Return a header of version 1."""
    if ":" in address:
        return f"PROXY TCP6 {address} 2001:db8::ffff {port} 7432\r\n".encode()
    return f"PROXY TCP4 {address} 198.51.100.1 {port} 7432\r\n".encode()


def told(address: str, port: int = 50_000, *, notes: bytes = b"") -> bytes:
    """Return a header of version 2 with further notes."""
    parsed = ipaddress.ip_address(address)
    family = 0x11 if parsed.version == 4 else 0x21
    addresses = parsed.packed + bytes(len(parsed.packed))
    return block(0x21, family, addresses + struct.pack("!HH", port, 7432) + notes)


def block(command: int, family: int, content: bytes) -> bytes:
    """Return a header of version 2."""
    return SIGNATURE + struct.pack("!BBH", command, family, len(content)) + content


LOCAL = block(0x20, 0x00, b"")
