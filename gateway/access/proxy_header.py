"""The header of the PROXY protocol: which client a proxy has connected on whose behalf.

It is read from the first bytes of a connection, and nothing else is known of these. No socket.

Source: HAProxy's `doc/proxy-protocol.txt`, section 2.1 (version 1, a line) and 2.2 (2, bytes).
"""

from __future__ import annotations

import ipaddress
import re
import struct
from typing import Final, NamedTuple

from stategate.gateway.access.peers import is_loopback

_LINE_BYTES_MAX: Final = 107
"""Longest header of version 1, as the specification says."""
_BLOCK_BYTES_MAX: Final = 4_096
"""Most bytes after the head of version 2: addresses, and notes that proxies add. They have some
hundred in use; the specification allows 64 kB."""
_LINE_START: Final = b"PROXY "
_SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
_UNKNOWN: Final = re.compile(rb"PROXY UNKNOWN(?: [^\r\n]*)?\r\n")
_LINE: Final = re.compile(
    r"PROXY TCP([46]) ([0-9A-Fa-f.:]{2,39}) ([0-9A-Fa-f.:]{2,39}) (\d{1,5}) (\d{1,5})\r\n", re.ASCII
)
_HEAD: Final = struct.Struct("!12sBBH")
_LOCAL, _PROXY = 0x20, 0x21
"""Version 2, with a command."""
_UNSPECIFIED, _TCP4, _TCP6, _UNIX = 0x00, 0x11, 0x21, 0x31
_BLOCK_BYTES: Final = {_UNSPECIFIED: 0, _TCP4: 12, _TCP6: 36, _UNIX: 216}
"""Bytes of both addresses and ports, by family and transport."""


LOCAL_HEADER: Final = _HEAD.pack(_SIGNATURE, _LOCAL, _UNSPECIFIED, 0)
"""The header of a connection that a proxy makes for itself."""


class Source(NamedTuple):
    """The client that a proxy names."""

    address: str | None
    """None if the proxy does not say, or says that the client is on a machine of its own: which is
    not this one, so it is not trusted as loopback."""
    port: int | None


class Header(NamedTuple):
    """A header."""

    source: Source | None
    """The client; None for a connection of the proxy itself, such as a check of our health."""
    length: int
    """Its bytes."""


class ProxyHeaderError(ValueError):
    """The connection does not begin with a header of the PROXY protocol; says why."""


_NOT_TOLD: Final = Source(None, None)


def read_header(data: bytes) -> Header | None:
    """Return the header at the beginning of a connection; None until it is complete.

    Raises:
        ProxyHeaderError: the bytes do not begin one.
    """
    if _agree(data, _LINE_START):
        return _read_line(data)
    if _agree(data, _SIGNATURE):
        return _read_bytes(data)
    raise ProxyHeaderError("the first bytes are no header")


def _agree(data: bytes, start: bytes) -> bool:
    return data[: len(start)] == start[: len(data)]


def _read_line(data: bytes) -> Header | None:
    end = data.find(b"\r\n", 0, _LINE_BYTES_MAX) + 2
    if end < 2:
        if len(data) >= _LINE_BYTES_MAX:
            raise ProxyHeaderError("it is too long")
        return None
    line = data[:end]
    if _UNKNOWN.fullmatch(line):
        return Header(_NOT_TOLD, end)
    found = _LINE.fullmatch(line.decode("latin-1"))
    if found is None:
        raise ProxyHeaderError("it is malformed")
    family, *addresses = found.group(1, 2, 3)
    address, _ = (_parsed(each, family) for each in addresses)
    port, _ = map(_port, found.group(4, 5))
    return Header(_source(address, port), end)


def _parsed(text: str, family: str) -> str:
    kind = ipaddress.IPv4Address if family == "4" else ipaddress.IPv6Address
    try:
        return str(kind(text))
    except ValueError:
        raise ProxyHeaderError("an address is malformed") from None


def _port(text: str) -> int:
    if int(text) > 0xFFFF or text != str(int(text)):
        raise ProxyHeaderError("a port is malformed")
    return int(text)


def _read_bytes(data: bytes) -> Header | None:
    if len(data) < _HEAD.size:
        return None
    _, command, family, length = _HEAD.unpack_from(data)
    if command not in {_LOCAL, _PROXY}:
        raise ProxyHeaderError("its version or command is unknown")
    if length > _BLOCK_BYTES_MAX:
        raise ProxyHeaderError("it is too long")
    least = _BLOCK_BYTES.get(family)
    if command == _PROXY and (least is None or length < least):
        raise ProxyHeaderError("its addresses are malformed")
    end = _HEAD.size + length
    if len(data) < end:
        return None
    if command == _LOCAL:
        return Header(None, end)
    if family == _TCP4:
        address, port = struct.unpack_from("!4s4xH", data, _HEAD.size)
        return Header(_source(str(ipaddress.IPv4Address(address)), port), end)
    if family == _TCP6:
        address, port = struct.unpack_from("!16s16xH", data, _HEAD.size)
        return Header(_source(str(ipaddress.IPv6Address(address)), port), end)
    return Header(_NOT_TOLD, end)


def _source(address: str, port: int) -> Source:
    return _NOT_TOLD if is_loopback(address) else Source(address, port)
